// The operations: each says who owns what afterwards; change.ts says what that means.

import { StructuredMergeError } from "../errors.js"
import { setOwner, type VersionedSet } from "../fieldpath/managers.js"
import type { Path } from "../fieldpath/path.js"
import { pathOf } from "../fieldpath/path.js"
import { FieldSet } from "../fieldpath/set.js"
import { removedIn } from "../kubernetes/removed-versions.js"
import { lastAppliedAnnotation } from "../managedfields/chain/last-applied.js"
import { type ManagedFieldsEntry, readManagedFields } from "../managedfields/entries/entry.js"
import { decodeManagedFields, type Managed } from "../managedfields/entries/managed.js"
import { managerId } from "../managedfields/entries/manager-id.js"
import { compareTimes } from "../managedfields/entries/time.js"
import { findFieldsOwners, upgradeManagedFields } from "../managedfields/entries/upgrade.js"
import { objectOf } from "../managedfields/request.js"
import type { ManagerFields } from "../ownership/blame.js"
import { type Owner, ownerOf } from "../ownership/owners.js"
import { pathsOf, placeOf } from "../ownership/place.js"
import { formatApiVersion, kindOf, textAt } from "../schema/group-version-kind.js"
import { aListOfStrings, aString, optional, requireOptions } from "../value/argument.js"
import type { MapValue } from "../value/value.js"
import { type Edit, type ManagersChange, type ManagersOptions, rewrite } from "./change.js"
import {
  aNameOrNames,
  type EntrySelection,
  type Holder,
  holders,
  isNamed,
  isVersion,
  type ManagerNames,
  managersOptions,
  partOf,
  pathsMeant,
} from "./select.js"
import { StillOwnedError, VersionsDifferError } from "./still-owned.js"

/** What is transferred. */
export interface TransferOptions extends ManagersOptions, EntrySelection {
  /** Who loses it. May be the name of `to`: to make updates an apply, or to change the version of an entry. */
  readonly from: string | readonly string[]
  /** Who gets it. */
  readonly to: string
  /** Only what is at these paths and below; everything if absent. */
  readonly paths?: readonly (Path | string)[] | undefined
  /** As what `to` owns it; `Apply` if absent. */
  readonly toOperation?: "Apply" | "Update" | undefined
  /**
   * The version that the entry of `to` is at, `apps/v1` or `v1`: where fields have the same names in both versions. Without it, they
   * stay at the version that they are at, and fields of different versions are refused.
   */
  readonly toVersion?: string | undefined
}

/**
 * Makes what `from` owns `to`'s. Entries of subresources go to entries of the same subresource. Throws a VersionsDifferError where
 * the fields are at different versions, and a ParseError for managedFields or paths that can't be read.
 *
 * @example
 * ```ts
 * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
 * import { FieldManager } from "structured-merge-diff/managedfields"
 * import { transfer } from "structured-merge-diff/managers"
 *
 * const types = kubernetesTypes
 * const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data: { color: "red" } }
 * const { object } = new FieldManager({ types }).apply(undefined, config, { manager: "kustomize-controller" })
 *
 * const { ownership } = transfer(object, { types, from: "kustomize-controller", to: "helm-controller" })
 * for (const { owner, gained, lost } of ownership) console.log(owner.manager, gained.length, lost.length)
 * // helm-controller 1 0
 * // kustomize-controller 0 1
 * ```
 */
export function transfer(live: object, options: TransferOptions): ManagersChange {
  requireOptions("options", options, { ...managersOptions, from: aNameOrNames, to: aString })
  const { from, to, paths, toOperation = "Apply" } = options
  if (to === "") throw new RangeError("transfer: the manager that gets the fields needs a name")
  return rewrite("transfer", live, options, ({ object, managed }) => {
    const version = options.toVersion === undefined ? undefined : fullVersion(object, options.toVersion)
    const meant = pathsMeant(managed, paths)
    const moves = holders(managed, from, options).flatMap(holder => {
      const set = partOf(holder.owned.set, meant)
      const subresource = holder.entry.subresource ?? ""
      const apiVersion = version ?? holder.owned.apiVersion
      const target = managerId({ manager: to, operation: toOperation, apiVersion, subresource })
      const stays = target === holder.id && apiVersion === holder.owned.apiVersion
      return set.isEmpty() || stays ? [] : [{ holder, set, target }]
    })
    const [fields, times] = [new Map(managed.fields), new Map(managed.times)]
    for (const { holder, set } of moves) {
      setOwner(fields, holder.id, { ...holder.owned, set: holder.owned.set.difference(set) })
    }
    for (const target of new Set(moves.map(move => move.target))) {
      const mine = moves.filter(move => move.target === target)
      const there = fields.get(target)
      const apiVersion =
        version ??
        oneVersion(
          mine.map(({ holder }) => holder),
          target,
          there,
          to,
        )
      const set = mine.reduce((all, move) => all.union(move.set), there?.set ?? FieldSet.empty)
      fields.set(target, { set, apiVersion, applied: toOperation === "Apply" })
      if (there === undefined)
        setLatest(
          times,
          target,
          mine.map(({ holder }) => managed.times.get(holder.id)),
        )
    }
    return { ...managed, fields, times }
  })
}

/** The version that all of these are at, and the entry that takes them. */
function oneVersion(sources: readonly Holder[], target: string, there: VersionedSet | undefined, to: string): string {
  const owners: Owner[] = sources.map(({ entry }) => ownerOf(entry))
  const [first] = sources
  const apiVersion = there?.apiVersion ?? (first as Holder).owned.apiVersion
  if (owners.every(owner => owner.apiVersion === apiVersion)) return apiVersion
  const subresource = first?.entry.subresource ?? ""
  const own = there && ownerOf({ manager: to, operation: "Apply", apiVersion: there.apiVersion, subresource })
  throw new VersionsDifferError([
    ...(own === undefined || sources.some(({ id }) => id === target) ? [] : [own]),
    ...owners,
  ])
}

function setLatest(times: Map<string, string>, id: string, given: readonly (string | undefined)[]): void {
  const latest = given.toSorted(compareTimes).at(-1)
  if (latest === undefined) times.delete(id)
  else times.set(id, latest)
}

/** `v1` as the version of the object's group. */
function fullVersion(object: MapValue, version: string): string {
  if (version.includes("/")) return version
  return formatApiVersion({ ...kindOf(object), version })
}

/** What is released. */
export interface ReleaseOptions extends ManagersOptions, EntrySelection {
  /** What is at these paths and below; everything that the managers own if absent. */
  readonly paths?: readonly (Path | string)[] | undefined
  /** Who lets go of it. Nobody is taken anything from that is not named here. */
  readonly managers?: ManagerNames | undefined
}

/**
 * Takes fields from managers, and gives them to nobody: the object keeps them, and no apply removes them. Throws a StillOwnedError
 * where managers own something there that are not named, and a ParseError for managedFields or paths that can't be read.
 */
export function release(live: object, options: ReleaseOptions): ManagersChange {
  requireOptions("options", options, managersOptions)
  return rewrite("release", live, options, ({ managed }) => {
    const meant = pathsMeant(managed, options.paths)
    const found = holders(managed, options.managers ?? { all: true }, options)
      .map(holder => ({ holder, set: partOf(holder.owned.set, meant) }))
      .filter(({ set }) => !set.isEmpty())
    if (options.managers === undefined && found.length > 0) {
      throw new StillOwnedError(found.map(({ holder, set }) => fieldsOf(holder, set)))
    }
    const fields = new Map(managed.fields)
    for (const { holder, set } of found) {
      setOwner(fields, holder.id, { ...holder.owned, set: holder.owned.set.difference(set) })
    }
    return { ...managed, fields }
  })
}

function fieldsOf({ entry }: Holder, set: FieldSet): ManagerFields {
  return { owner: ownerOf(entry), fields: pathsOf(set).map(placeOf) }
}

/** Which entries at versions that are gone are dropped. */
export interface DropGoneVersionsOptions extends ManagersOptions, Omit<EntrySelection, "apiVersion"> {
  /**
   * The versions that are gone, `example.com/v1alpha1` or `v1alpha1`. Without it, those in which `types` does not have the kind, and
   * those in which Kubernetes does not have it any more.
   */
  readonly gone?: readonly string[] | undefined
  /** Whose entries are dropped along with what only they own. Those of others go only if their manager owns it by another entry too. */
  readonly managers?: ManagerNames | undefined
}

/**
 * Drops the entries at versions that are gone: an API server refuses every apply to a custom resource that has one. Throws a
 * StillOwnedError where managers that are not named would lose something, a StructuredMergeError where neither `gone` nor `types`
 * tells which versions there are, and a ParseError for managedFields that can't be read.
 */
export function dropGoneVersions(live: object, options: DropGoneVersionsOptions): ManagersChange {
  requireOptions("options", options, { ...managersOptions, gone: optional(aListOfStrings) })
  return rewrite("drop-gone-versions", live, options, edit => {
    const isGone = goneVersions(edit, options)
    return dropped(edit, holder => isGone(holder.owned.apiVersion), options)
  })
}

function goneVersions({ object }: Edit, { gone, types }: DropGoneVersionsOptions): (apiVersion: string) => boolean {
  if (gone !== undefined) return apiVersion => gone.some(named => isVersion(apiVersion, named))
  const kind = textAt(object, "kind")
  if (types?.find(textAt(object, "apiVersion"), kind) === undefined) {
    const message = `nobody says which versions of ${kind} there are: give its types, or the versions that are gone`
    throw new StructuredMergeError("bad-request", message)
  }
  return apiVersion => removedIn(apiVersion, kind) !== undefined || types.find(apiVersion, kind) === undefined
}

/** Which entries of a version are dropped. */
export interface DropVersionOptions extends ManagersOptions, Omit<EntrySelection, "apiVersion"> {
  /** The version: `apps/v1beta1`, or `v1beta1`. */
  readonly apiVersion: string
  /** Whose entries are dropped along with what only they own. Those of others go only if their manager owns it by another entry too. */
  readonly managers?: ManagerNames | undefined
}

/**
 * Drops the entries at a version, such as one that is about to go. To keep what they own, use `transfer` with `toVersion`. Throws a
 * StillOwnedError where managers that are not named would lose something, and a ParseError for managedFields that can't be read.
 */
export function dropVersion(live: object, options: DropVersionOptions): ManagersChange {
  requireOptions("options", options, { ...managersOptions, apiVersion: aString })
  const { apiVersion, ...others } = options
  return rewrite("drop-version", live, options, edit =>
    dropped(edit, holder => isVersion(holder.owned.apiVersion, apiVersion), others),
  )
}

/** Without the entries that `isMeant` picks. */
function dropped(
  { managed }: Edit,
  isMeant: (holder: Holder) => boolean,
  { managers, ...selection }: Omit<DropGoneVersionsOptions, "gone">,
): Managed {
  const found = holders(managed, { all: true }, selection).filter(isMeant)
  const fields = new Map(managed.fields)
  for (const { id } of found) fields.delete(id)
  const lost = found
    .filter(({ entry }) => managers === undefined || !isNamed(entry.manager ?? "", managers))
    .map(holder => ({
      holder,
      set: holder.owned.set.difference(ownedBy(holder.entry.manager ?? "", { ...managed, fields })),
    }))
    .filter(({ set }) => !set.isEmpty())
  if (lost.length > 0) throw new StillOwnedError(lost.map(({ holder, set }) => fieldsOf(holder, set)))
  return { ...managed, fields }
}

function ownedBy(manager: string, managed: Managed): FieldSet {
  return holders(managed, manager).reduce((all, { owned }) => all.union(owned.set), FieldSet.empty)
}

/** Who goes from client-side to server-side apply. */
export interface UpgradeOptions extends ManagersOptions {
  /** The name under which is applied from now on; `kubectl` if absent. */
  readonly ssaManager?: string | undefined
  /**
   * The names under which client-side apply updated the object. Without it, they are those that own the annotation of client-side
   * apply, as for kubectl; and then nothing that they own may get lost.
   */
  readonly csaManagers?: string | readonly string[] | undefined
  /** The subresource whose entries are upgraded; "" or absent for the main resource. */
  readonly subresource?: string | undefined
}

/**
 * Makes what client-side apply owns by updates what `ssaManager` has applied, as `upgradeManagedFields` and kubectl do, and with
 * their patch. What `csaManagers` own at other versions than the applier is dropped; where they were not named, that is refused with a
 * StillOwnedError. Throws a ParseError for managedFields that can't be read.
 */
export function upgrade(live: object, options: UpgradeOptions = {}): ManagersChange {
  requireOptions("options", options, {
    ...managersOptions,
    ssaManager: optional(aString),
    csaManagers: optional(aNameOrNames),
  })
  const { ssaManager = "kubectl", csaManagers, subresource = "", guard = "replace" } = options
  const object = objectOf(live)
  const names = csaManagers === undefined ? csaManagersOf(object) : [csaManagers].flat()
  return rewrite("upgrade", live, { ...options, guard }, ({ managed }) => {
    const entries: readonly ManagedFieldsEntry[] =
      readManagedFields(upgradeManagedFields(object, { csaManagers: names, ssaManager, subresource })) ?? []
    const upgraded = decodeManagedFields(entries)
    const had = holders(managed, names, { operation: "Update", subresource })
    const has =
      upgraded.fields.get(managerId({ manager: ssaManager, operation: "Apply", subresource }))?.set ?? FieldSet.empty
    const lost = had
      .map(holder => ({ holder, set: holder.owned.set.difference(has) }))
      .filter(({ set }) => !set.isEmpty())
    if (csaManagers === undefined && lost.length > 0) {
      throw new StillOwnedError(lost.map(({ holder, set }) => fieldsOf(holder, set)))
    }
    return { ...upgraded, written: entries }
  })
}

/** Who owns the annotation of client-side apply by an update, as kubectl finds them. */
function csaManagersOf(object: MapValue): string[] {
  const annotation = FieldSet.of([pathOf("metadata", "annotations", lastAppliedAnnotation)])
  return findFieldsOwners(object, "Update", annotation).map(({ manager = "" }) => manager)
}
