// What an operation on managedFields changes: the object as it would be stored, the patch, and what that means for each manager.
import { hasCode } from "../errors.js"
import { equalManagers } from "../fieldpath/managers.js"
import { FieldSet } from "../fieldpath/set.js"
import { type ManagedFieldsEntry, readManagedFields, withManagedFields } from "../managedfields/entries/entry.js"
import { decodeManagedFields, encodeManagedFields, type Managed } from "../managedfields/entries/managed.js"
import type { JsonPatchOperation } from "../managedfields/entries/upgrade.js"
import { FieldManager } from "../managedfields/field-manager.js"
import { type FieldManagerOptions, objectOf } from "../managedfields/request.js"
import { type Finding, findingsAbout } from "../ownership/finding.js"
import { nameOf, type ObjectName } from "../ownership/object-name.js"
import { type Owner, readShares, type Share } from "../ownership/owners.js"
import { type Place, pathsOf, placeOf } from "../ownership/place.js"
import { byId, type OwnershipChange, ownershipChanges } from "../ownership/transfers.js"
import { textAt } from "../schema/group-version-kind.js"
import { own } from "../value/object.js"
import { isMap, type MapValue } from "../value/value.js"
import { type NextApply, nextApplies } from "./next-apply.js"
import { patchFor } from "./patch.js"

/** What all operations take. */
export interface ManagersOptions extends Omit<FieldManagerOptions, "types"> {
  /** Where types are found; without it, next applies are not planned. */
  readonly types?: FieldManagerOptions["types"] | undefined
  /**
   * How the patch makes sure that the object is still the one given. `test` tests its resourceVersion, and the server answers 422 if it
   * has changed; `replace` writes it, as kubectl does, and the server answers 409. If absent, `replace` for `upgrade` and `test` for
   * the others.
   */
  readonly guard?: "test" | "replace" | undefined
}

/** The operations. */
export type ManagersOperation = "transfer" | "release" | "drop-gone-versions" | "drop-version" | "upgrade"

/** Something that makes the answer doubtful, or that should be known before the patch is sent. */
export interface ManagersFinding {
  /**
   * What was found, for programs. `no-type`: the type of the object is not known, so next applies are not planned. `no-effect`: a server
   * could not work out who owns what of the patched object, and would keep the managedFields that it has, or up to Kubernetes 1.35 forget
   * them. `nobody-left`: the object would have no
   * managedFields. `no-resource-version`: the object has none, so the patch can't tell whether it has changed. The others are those of
   * `Finding`.
   */
  readonly code: Finding["code"] | "no-type" | "no-effect" | "nobody-left" | "no-resource-version"
  /** What was found and what to do about it, for people. */
  readonly message: string
}

/** A manager whose fields are the same, but at another version. */
export interface Relabelled {
  /** Whose entry it is, as it would be. */
  readonly owner: Owner
  /** The version that it is at now. */
  readonly from: string
}

/** What an operation makes of an object. Plain data throughout. */
export interface ManagersChange {
  /** Tells these records apart from other results. */
  readonly type: "managers"
  /** The version of this format: the one of `ownership.schema.json`. */
  readonly version: 1
  /** What was asked for. */
  readonly operation: ManagersOperation
  /** Which object it is. */
  readonly target: ObjectName
  /** What it comes to. `unchanged` too if a server would keep the managedFields as they are, which the finding `no-effect` says. */
  readonly outcome: "change" | "unchanged"
  /** Who comes to own, and loses, what; what a server does to other entries at this chance included. */
  readonly ownership: readonly OwnershipChange[]
  /** Entries that come to be at another version. */
  readonly relabelled: readonly Relabelled[]
  /** What somebody owned, and nobody owns afterwards. The object keeps it, and no apply removes it. */
  readonly orphaned: readonly Place[]
  /** What the next apply of each manager in `ownership` that applies would do. Empty where the type of the object is not known. */
  readonly next: readonly NextApply[]
  /** The object as a server would store it, but for its new resourceVersion; the live one where nothing changes. */
  readonly object: MapValue
  /** Its managedFields, in the order of a server. */
  readonly managedFields: readonly ManagedFieldsEntry[]
  /** The JSON Patch to send; empty where nothing changes. */
  readonly patch: readonly JsonPatchOperation[]
  /** What makes the answer doubtful, or should be known. */
  readonly findings: readonly ManagersFinding[]
}

/** What an operation works on. */
export interface Edit {
  readonly object: MapValue
  readonly managed: Managed
}

/** Who owns what afterwards, and the entries to be sent where they are not simply these. */
export interface Edited extends Managed {
  readonly written?: readonly ManagedFieldsEntry[]
}

/** The record of an operation, of which `edit` says who owns what afterwards. */
export function rewrite(
  operation: ManagersOperation,
  live: object,
  options: ManagersOptions,
  edit: (edit: Edit) => Edited,
): ManagersChange {
  const object = objectOf(live)
  const managed = decodeManagedFields(readManagedFields(object) ?? [])
  const edited = edit({ object, managed })
  const isSame = equalManagers(managed.fields, edited.fields)
  const written = edited.written ?? encodeManagedFields(edited)
  const { stored, why } = isSame ? { stored: object } : sent(object, written, options)
  const outcome = isSame || stored === undefined ? "unchanged" : "change"
  const after = stored ?? object
  const [before, shares] = [readShares(object), readShares(after)]
  const ownership = ownershipChanges(before, shares)
  const relabelled = relabels(before, shares)
  const affected = [...ownership, ...relabelled].map(({ owner }) => owner)
  const metadata = own(object, "metadata")
  const resourceVersion = isMap(metadata) ? textAt(metadata, "resourceVersion") : ""
  const types = typesOf(object, options)
  return {
    type: "managers",
    version: 1,
    operation,
    target: nameOf(object),
    outcome,
    ownership,
    relabelled,
    orphaned: pathsOf(all(before).difference(all(shares))).map(placeOf),
    next:
      types === undefined
        ? []
        : nextApplies(object, after, affected, { ...options, types, fromClientSide: operation === "upgrade" }),
    object: after,
    managedFields: readManagedFields(after) ?? [],
    patch: outcome === "change" ? patchFor(written, resourceVersion, options.guard ?? "test") : [],
    findings: [
      ...findingsAbout(object),
      ...(stored === undefined ? [noEffect(why ?? "")] : []),
      ...(types === undefined && affected.some(applies) ? [noType(object)] : []),
      ...(outcome === "change" && shares.length === 0 ? [nobodyLeft] : []),
      ...(outcome === "change" && resourceVersion === "" ? [noResourceVersion] : []),
    ],
  }
}

interface Sent {
  /** Undefined where the managedFields of the patch don't count. */
  readonly stored: MapValue | undefined
  readonly why?: string
}

/** What a server makes of the object with these entries: it reads and orders them, and drops or reshapes what does not fit the type. */
function sent(object: MapValue, entries: readonly ManagedFieldsEntry[], options: ManagersOptions): Sent {
  const types = typesOf(object, options)
  if (types === undefined)
    return { stored: withManagedFields(object, encodeManagedFields(decodeManagedFields(entries))) }
  const manager = new FieldManager({ ...options, types, unions: options.unions ?? "off" })
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

/** The types, if they have that of the object. */
function typesOf(object: MapValue, { types }: ManagersOptions): FieldManagerOptions["types"] | undefined {
  return types?.find(textAt(object, "apiVersion"), textAt(object, "kind")) === undefined ? undefined : types
}

/** Who owns the same as before, or some of it, at another version. */
function relabels(before: readonly Share[], after: readonly Share[]): Relabelled[] {
  const old = byId(before)
  return after.flatMap(({ id, owner }) => {
    const from = old.get(id)?.owner.apiVersion
    return from === undefined || from === owner.apiVersion ? [] : [{ owner, from }]
  })
}

function all(shares: readonly Share[]): FieldSet {
  return shares.reduce((union, { set }) => union.union(set), FieldSet.empty)
}

function noEffect(why: string): ManagersFinding {
  const message =
    `With this patch a server could not work out who owns what: ${why}. It would answer 200 and keep the managedFields as they are, or up ` +
    "to Kubernetes 1.35 forget them all. So there is no patch; drop the entries at versions that are gone first."
  return { code: "no-effect", message }
}

function noType(object: MapValue): ManagersFinding {
  const kind = `${textAt(object, "apiVersion")} ${textAt(object, "kind")}`
  return {
    code: "no-type",
    message: `The type of ${kind} is not known, so what the next applies would do is not either.`,
  }
}

const nobodyLeft: ManagersFinding = {
  code: "nobody-left",
  message:
    "Nobody would own anything any more. The next apply makes before-first-apply the owner of all that the object has, " +
    "so it conflicts wherever it changes something, and removes nothing.",
}

const noResourceVersion: ManagersFinding = {
  code: "no-resource-version",
  message: "The object has no resourceVersion, so the patch is made whether it has changed meanwhile or not.",
}
