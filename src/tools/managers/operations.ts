// The operations: each computes the owners afterwards; change.ts computes the consequences.

import { StructuredMergeError } from "../../errors.js"
import { uniteSets } from "../../fieldpath/builder.js"
import { setOwner, type VersionedSet } from "../../fieldpath/managers.js"
import type { Path } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { removedIn } from "../../kubernetes/removed-versions.js"
import { type ManagedFieldsEntry, readManagedFields } from "../../managedfields/entries/entry.js"
import { decodeManagedFields, type Managed } from "../../managedfields/entries/managed.js"
import { managerId } from "../../managedfields/entries/manager-id.js"
import { latestTime } from "../../managedfields/entries/time.js"
import { upgradeManagedFields } from "../../managedfields/entries/upgrade.js"
import { objectOf } from "../../managedfields/request.js"
import { formatApiVersion, kindOf } from "../../schema/group-version-kind.js"
import { aListOfStrings, aString, optional, requireOptions } from "../../value/argument.js"
import { textAt } from "../../value/fields.js"
import type { MapValue } from "../../value/value.js"
import { ownersOfLastApplied } from "../appliers/steps.js"
import { type Owner, ownerOf } from "../ownership/owners.js"
import { pathsOf, placeOf } from "../ownership/place.js"
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

/** The options of `transfer`. */
export interface TransferOptions extends ManagersOptions, EntrySelection {
  /**
   * The managers that lose the fields. May include the name of `to`, in order to turn updates into an apply, or to change the version of an
   * entry.
   */
  readonly from: string | readonly string[]
  /** The manager that gets the fields. */
  readonly to: string
  /** Transfers only these paths and everything below them; all fields if absent. */
  readonly paths?: readonly (Path | string)[] | undefined
  /** The operation of the entry that gets the fields; `Apply` if absent. */
  readonly toOperation?: "Apply" | "Update" | undefined
  /**
   * The version of the entry of `to`, such as `apps/v1` or `v1`. Use it if the fields have the same names in both versions. Without it,
   * fields keep their version, and fields of different versions are refused.
   */
  readonly toVersion?: string | undefined
}

/**
 * Transfers the fields of `from` to `to`. Entries of subresources become entries of the same subresource. Throws a VersionsDifferError if
 * the fields have different versions, and a ParseError for managedFields or paths that can't be read.
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
      const { subresource } = holder.entry
      const apiVersion = version ?? holder.owned.apiVersion
      const target = managerId({ manager: to, operation: toOperation, apiVersion, subresource })
      const stays = target === holder.id && apiVersion === holder.owned.apiVersion
      return set.isEmpty() || stays ? [] : [{ holder, set, target }]
    })
    const fields = fieldsWithout(managed, moves)
    const times = new Map(managed.times)
    const timeOf = ({ id }: Holder) => managed.times.get(id)
    for (const target of new Set(moves.map(move => move.target))) {
      const received = moves.filter(move => move.target === target)
      const sources = received.map(({ holder }) => holder)
      const present = fields.get(target)
      const apiVersion = version ?? oneVersion(sources, present, to)
      const set = uniteSets([present?.set ?? FieldSet.empty, ...received.map(move => move.set)])
      fields.set(target, { set, apiVersion, applied: toOperation === "Apply" })
      if (present === undefined) setLatest(times, target, sources.map(timeOf))
    }
    return { ...managed, fields, times }
  })
}

/** The fields that a manager loses. */
interface Loss {
  readonly holder: Holder
  readonly set: FieldSet
}

/** Returns the losses of managers that lose any field. */
function lossesOf(holders: readonly Holder[], lostBy: (holder: Holder) => FieldSet): Loss[] {
  return holders.map(holder => ({ holder, set: lostBy(holder) })).filter(({ set }) => !set.isEmpty())
}

function fieldsWithout(managed: Managed, losses: readonly Loss[]): Map<string, VersionedSet> {
  const fields = new Map(managed.fields)
  for (const { holder, set } of losses) {
    setOwner(fields, holder.id, { ...holder.owned, set: holder.owned.set.difference(set) })
  }
  return fields
}

/** Throws a StillOwnedError if there are any losses. */
function refuseLosses(losses: readonly Loss[]): void {
  if (losses.length === 0) return
  throw new StillOwnedError(
    losses.map(({ holder, set }) => ({ owner: ownerOf(holder.entry), fields: pathsOf(set).map(placeOf) })),
  )
}

/** Returns the common version of these entries and of the entry that receives the fields. Throws a VersionsDifferError if they differ. */
function oneVersion(sources: readonly Holder[], there: VersionedSet | undefined, to: string): string {
  const owners: Owner[] = sources.map(({ entry }) => ownerOf(entry))
  const [first] = sources as [Holder, ...Holder[]]
  const apiVersion = there?.apiVersion ?? first.owned.apiVersion
  if (owners.every(owner => owner.apiVersion === apiVersion)) return apiVersion
  const { subresource } = first.entry
  const own = there && ownerOf({ manager: to, operation: "Apply", apiVersion: there.apiVersion, subresource })
  throw new VersionsDifferError(own === undefined ? owners : [own, ...owners])
}

function setLatest(times: Map<string, string>, id: string, given: readonly (string | undefined)[]): void {
  const latest = latestTime(given)
  if (latest === undefined) times.delete(id)
  else times.set(id, latest)
}

/** Completes `v1` with the group of the object. */
export function fullVersion(object: MapValue, version: string): string {
  if (version.includes("/")) return version
  return formatApiVersion({ ...kindOf(object), version })
}

/** The options of `release`. */
export interface ReleaseOptions extends ManagersOptions, EntrySelection {
  /** Releases these paths and everything below them; all fields of the managers if absent. */
  readonly paths?: readonly (Path | string)[] | undefined
  /** The managers that release the fields. Managers that are not named here never lose a field. */
  readonly managers?: ManagerNames | undefined
}

/**
 * Takes fields from managers without giving them to another: the object keeps them, and no apply removes them. Throws a StillOwnedError if
 * `managers` is absent and somebody owns some of the fields, and a ParseError for managedFields or paths that can't be read.
 */
export function release(live: object, options: ReleaseOptions): ManagersChange {
  requireOptions("options", options, managersOptions)
  return rewrite("release", live, options, ({ managed }) => {
    const meant = pathsMeant(managed, options.paths)
    const selected = holders(managed, options.managers ?? { all: true }, options)
    const losses = lossesOf(selected, ({ owned }) => partOf(owned.set, meant))
    if (options.managers === undefined) refuseLosses(losses)
    return { ...managed, fields: fieldsWithout(managed, losses) }
  })
}

/** The options of `dropGoneVersions`. */
export interface DropGoneVersionsOptions extends ManagersOptions, Omit<EntrySelection, "apiVersion"> {
  /**
   * The versions that no longer exist, such as `example.com/v1alpha1` or `v1alpha1`. Without it: the versions in which `types` does not
   * have the kind, and those from which Kubernetes has removed it.
   */
  readonly gone?: readonly string[] | undefined
  /** The managers that may lose fields when their entries are dropped. Every other manager has to own the same fields by another entry. */
  readonly managers?: ManagerNames | undefined
}

/**
 * Drops the entries at versions that no longer exist, because an API server refuses every apply to a custom resource that has one. Throws a
 * StillOwnedError if managers that are not named would lose fields, a StructuredMergeError if neither `gone` nor `types` defines the
 * existing versions, and a ParseError for managedFields that can't be read.
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
    const message = `the existing versions of ${kind} are unknown: pass its types, or the versions that are gone`
    throw new StructuredMergeError("bad-request", message)
  }
  return apiVersion => removedIn(apiVersion, kind) !== undefined || types.find(apiVersion, kind) === undefined
}

/** The options of `dropVersion`. */
export interface DropVersionOptions extends ManagersOptions, Omit<EntrySelection, "apiVersion"> {
  /** The version: `apps/v1beta1`, or `v1beta1`. */
  readonly apiVersion: string
  /** The managers that may lose fields when their entries are dropped. Every other manager has to own the same fields by another entry. */
  readonly managers?: ManagerNames | undefined
}

/**
 * Drops the entries at a version, such as one that will soon be removed. To keep the fields that they own, use `toVersion`.
 * Throws a StillOwnedError if managers that are not named would lose fields, and a ParseError for managedFields that can't be read.
 */
export function dropVersion(live: object, options: DropVersionOptions): ManagersChange {
  requireOptions("options", options, { ...managersOptions, apiVersion: aString })
  const { apiVersion, ...others } = options
  return rewrite("drop-version", live, options, edit =>
    dropped(edit, holder => isVersion(holder.owned.apiVersion, apiVersion), others),
  )
}

/** Returns the owners without the entries that `isMeant` selects. */
function dropped(
  { managed }: Edit,
  isMeant: (holder: Holder) => boolean,
  { managers, ...selection }: Omit<DropGoneVersionsOptions, "gone">,
): Managed {
  const selected = holders(managed, { all: true }, selection).filter(isMeant)
  const fields = new Map(managed.fields)
  for (const { id } of selected) fields.delete(id)
  const kept = { ...managed, fields }
  const unnamed = selected.filter(({ entry }) => managers === undefined || !isNamed(entry.manager ?? "", managers))
  refuseLosses(lossesOf(unnamed, ({ entry, owned }) => owned.set.difference(ownedBy(entry.manager ?? "", kept))))
  return kept
}

function ownedBy(manager: string, managed: Managed): FieldSet {
  return uniteSets(holders(managed, manager).map(({ owned }) => owned.set))
}

/** The options of `upgrade`. */
export interface UpgradeOptions extends ManagersOptions {
  /** The name of the manager that will apply from now on; `kubectl` if absent. */
  readonly ssaManager?: string | undefined
  /**
   * The names under which client-side apply updated the object. Without it, they are the owners of the annotation of client-side apply, as
   * in kubectl, and an upgrade that would lose some of their fields is refused.
   */
  readonly csaManagers?: string | readonly string[] | undefined
  /** The subresource whose entries are upgraded; "" or absent for the main resource. */
  readonly subresource?: string | undefined
}

/**
 * Turns the fields that client-side apply owns by updates into fields that `ssaManager` has applied. The result and the patch are those of
 * `upgradeManagedFields` and kubectl. Fields that `csaManagers` own at other versions than the applier's are dropped; if `csaManagers` is
 * absent, that throws a StillOwnedError instead. Throws a ParseError for managedFields that can't be read.
 */
export function upgrade(live: object, options: UpgradeOptions = {}): ManagersChange {
  requireOptions("options", options, {
    ...managersOptions,
    ssaManager: optional(aString),
    csaManagers: optional(aNameOrNames),
  })
  const { ssaManager = "kubectl", csaManagers, subresource = "", guard = "replace" } = options
  const object = objectOf(live)
  const names = csaManagers === undefined ? ownersOfLastApplied(object) : [csaManagers].flat()
  return rewrite("upgrade", live, { ...options, guard }, ({ managed }) => {
    const entries: readonly ManagedFieldsEntry[] =
      readManagedFields(upgradeManagedFields(object, { csaManagers: names, ssaManager, subresource })) ?? []
    const upgraded = decodeManagedFields(entries)
    const had = holders(managed, names, { operation: "Update", subresource })
    const has =
      upgraded.fields.get(managerId({ manager: ssaManager, operation: "Apply", subresource }))?.set ?? FieldSet.empty
    if (csaManagers === undefined) refuseLosses(lossesOf(had, ({ owned }) => owned.set.difference(has)))
    return { ...upgraded, written: entries }
  })
}
