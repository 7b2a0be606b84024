// The result of an operation on managedFields: the object as it would be stored, the patch, and the consequences for each manager.

import { hasCode } from "../../errors.js"
import { uniteSets } from "../../fieldpath/builder.js"
import { equalManagers } from "../../fieldpath/managers.js"
import type { FieldSet } from "../../fieldpath/set.js"
import { lastingFacts, ObjectFacts } from "../../managedfields/chain/object-facts.js"
import { type ManagedFieldsEntry, readManagedFields, withManagedFields } from "../../managedfields/entries/entry.js"
import { decodeEntries, encodeManagedFields, type Managed } from "../../managedfields/entries/managed.js"
import { managedFieldsPatch } from "../../managedfields/entries/patch.js"
import type { JsonPatchOperation } from "../../managedfields/entries/upgrade.js"
import { FieldManager } from "../../managedfields/field-manager.js"
import { type FieldManagerOptions, objectOf } from "../../managedfields/request.js"
import { metaText } from "../../schema/metadata.js"
import { textAt } from "../../value/fields.js"
import type { MapValue } from "../../value/value.js"
import { type Finding, findingsAbout } from "../ownership/finding.js"
import { type ObjectName, objectName } from "../ownership/object-name.js"
import { type Owner, readShares, type Share } from "../ownership/owners.js"
import { type Place, pathsOf, placeOf } from "../ownership/place.js"
import { byId, type OwnershipChange, ownershipChanges } from "../ownership/transfers.js"
import { type NextApply, nextApplies } from "./next-apply.js"

/** Options of all operations. */
export interface ManagersOptions extends Omit<FieldManagerOptions, "types"> {
  /** Finds types. Without it, next applies are not planned. */
  readonly types?: FieldManagerOptions["types"] | undefined
  /**
   * How the patch makes sure that the object has not changed since. `test` tests its resourceVersion, and the server responds with 422 if
   * it differs. `replace` writes it, as kubectl does, and the server responds with 409. If absent: `replace` for `upgrade`, `test` for the
   * others.
   */
  readonly guard?: "test" | "replace" | undefined
}

/** The operations. */
export type ManagersOperation =
  | "transfer"
  | "release"
  | "drop-gone-versions"
  | "drop-version"
  | "to-version"
  | "upgrade"

/** A reason to doubt the answer, or something to know before sending the patch. */
export interface ManagersFinding {
  /**
   * Identifies the finding, for programs.
   * - `no-type`: the type of the object is unknown, so next applies are not planned.
   * - `no-effect`: a server could not read the owners of the patched object. It would keep the current managedFields or, up to Kubernetes
   *   1.35, clear them.
   * - `nobody-left`: the object would have no managedFields.
   * - `no-resource-version`: the object has no resourceVersion, so the patch can't detect changes to the object.
   *
   * The others are those of `Finding`.
   */
  readonly code: Finding["code"] | "no-type" | "no-effect" | "nobody-left" | "no-resource-version"
  /** A message for people: the problem, and how to solve it. */
  readonly message: string
}

/** A manager that keeps fields but at another version. */
export interface Relabelled {
  /** The owner of the entry, as it would be. */
  readonly owner: Owner
  /** The current version of the entry. */
  readonly from: string
}

/** The effect of an operation on an object. Plain data throughout. */
export interface ManagersChange {
  /** Distinguishes these records from other results. */
  readonly type: "managers"
  /** The version of this format, as in `ownership.schema.json`. */
  readonly version: 1
  /** The requested operation. */
  readonly operation: ManagersOperation
  /** The object. */
  readonly target: ObjectName
  /**
   * Whether managedFields change. `unchanged` includes the case that a server would keep the current managedFields, which the finding
   * `no-effect` reports.
   */
  readonly outcome: "change" | "unchanged"
  /** The fields that each manager gains and loses, including what a server changes in other entries at the same time. */
  readonly ownership: readonly OwnershipChange[]
  /** Entries that change their version. */
  readonly relabelled: readonly Relabelled[]
  /** Fields that have owners now and none afterwards. The object keeps them, and no apply removes them. */
  readonly orphaned: readonly Place[]
  /** The next apply of each manager in `ownership` that applies. Empty if the type of the object is unknown. */
  readonly next: readonly NextApply[]
  /** The object as a server would store it, except for its new resourceVersion; the live object if nothing changes. */
  readonly object: MapValue
  /** Its managedFields, in a server's order. */
  readonly managedFields: readonly ManagedFieldsEntry[]
  /** The JSON Patch to send; empty if nothing changes. */
  readonly patch: readonly JsonPatchOperation[]
  /** Reasons to doubt the answer, and things to know before sending the patch. */
  readonly findings: readonly ManagersFinding[]
}

/** The input of an operation. */
export interface Edit {
  readonly object: MapValue
  readonly managed: Managed
}

/** The owners after an operation. `written` is the entries to send if they differ from these owners. */
export interface Edited extends Managed {
  readonly written?: readonly ManagedFieldsEntry[]
}

/** Makes the record of an operation. `edit` returns the owners after it. */
export function rewrite(
  operation: ManagersOperation,
  live: object,
  options: ManagersOptions,
  edit: (edit: Edit) => Edited,
): ManagersChange {
  const object = objectOf(live)
  const facts = options.immutable === true ? lastingFacts : new ObjectFacts()
  const managed = decodeEntries(readManagedFields(object) ?? [], facts.sets)
  const edited = edit({ object, managed })
  const isSame = equalManagers(managed.fields, edited.fields)
  const written = edited.written ?? encodeManagedFields(edited)
  const { stored, why } = isSame ? { stored: object } : sent(object, written, options, facts)
  const outcome = isSame || stored === undefined ? "unchanged" : "change"
  const after = stored ?? object
  const [before, shares] = [readShares(object, facts.sets), readShares(after, facts.sets)]
  const ownership = ownershipChanges(before, shares)
  const relabelled = relabels(before, shares)
  const affected = [...ownership, ...relabelled].map(({ owner }) => owner)
  const resourceVersion = metaText(object, "resourceVersion")
  const types = typesOf(object, options)
  return {
    type: "managers",
    version: 1,
    operation,
    target: objectName(object),
    outcome,
    ownership,
    relabelled,
    orphaned: pathsOf(ownedIn(before).difference(ownedIn(shares))).map(placeOf),
    next:
      types === undefined
        ? []
        : nextApplies(object, after, affected, { ...options, types, facts, fromClientSide: operation === "upgrade" }),
    object: after,
    managedFields: readManagedFields(after) ?? [],
    patch: outcome === "change" ? managedFieldsPatch(written, resourceVersion, options.guard ?? "test") : [],
    findings: [
      ...findingsAbout(object, facts.sets),
      ...(stored === undefined ? [noEffect(why ?? "")] : []),
      ...(types === undefined && affected.some(applies) ? [noType(object)] : []),
      ...(outcome === "change" && shares.length === 0 ? [nobodyLeft] : []),
      ...(outcome === "change" && resourceVersion === "" ? [noResourceVersion] : []),
    ],
  }
}

interface Sent {
  /** The stored object; undefined if a server would ignore the managedFields of the patch. */
  readonly stored: MapValue | undefined
  readonly why?: string
}

/**
 * Returns the object that a server makes of these entries: it reads and sorts them, and drops or reshapes those that do not fit the type.
 */
function sent(
  object: MapValue,
  entries: readonly ManagedFieldsEntry[],
  options: ManagersOptions,
  facts: ObjectFacts,
): Sent {
  const types = typesOf(object, options)
  if (types === undefined) {
    return { stored: withManagedFields(object, encodeManagedFields(decodeEntries(entries, facts.sets))) }
  }
  const manager = FieldManager.withFacts({ ...options, types, unions: options.unions ?? "off" }, facts)
  const next = withManagedFields(object, entries.length === 0 ? [{}] : entries)
  try {
    return { stored: manager.update(object, next, { manager: "kubectl-patch" }).object }
  } catch (error) {
    if (!hasCode(error)) throw error
    return { stored: undefined, why: error.message }
  }
}

function applies({ operation }: Owner): boolean {
  return operation === "Apply"
}

/** Returns the types, if they include the type of the object. */
function typesOf(object: MapValue, { types }: ManagersOptions): FieldManagerOptions["types"] | undefined {
  return types?.find(textAt(object, "apiVersion"), textAt(object, "kind")) === undefined ? undefined : types
}

/** Returns entries that keep their manager but change their version. */
function relabels(before: readonly Share[], after: readonly Share[]): Relabelled[] {
  const old = byId(before)
  return after.flatMap(({ id, owner }) => {
    const from = old.get(id)?.owner.apiVersion
    return from === undefined || from === owner.apiVersion ? [] : [{ owner, from }]
  })
}

function ownedIn(shares: readonly Share[]): FieldSet {
  return uniteSets(shares.map(({ set }) => set))
}

function noEffect(why: string): ManagersFinding {
  const message =
    `A server could not compute the owners after this patch: ${why}. It would answer 200 and keep managedFields unchanged, or up ` +
    "to Kubernetes 1.35 clear them. So there is no patch; drop the entries at versions that are gone first."
  return { code: "no-effect", message }
}

function noType(object: MapValue): ManagersFinding {
  const kind = `${textAt(object, "apiVersion")} ${textAt(object, "kind")}`
  return {
    code: "no-type",
    message: `The type of ${kind} is unknown, so the effects of the next applies are unknown too.`,
  }
}

const nobodyLeft: ManagersFinding = {
  code: "nobody-left",
  message:
    "Nobody would own any field. The next apply makes before-first-apply the owner of every field of the object, " +
    "so it conflicts with each change, and removes nothing.",
}

const noResourceVersion: ManagersFinding = {
  code: "no-resource-version",
  message: "The object has no resourceVersion, so the patch applies even if the object has changed meanwhile.",
}
