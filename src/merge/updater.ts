// The Updater: what an apply or an update makes of an object and of who owns its fields.
//
// Apply merges a configuration into the live object, prunes what the manager applied before and has left out now, and takes
// ownership of exactly what the configuration specifies; changing what others own is a conflict, unless forced. Update takes
// the new object as it is; its manager owns what changed, and everybody else loses it. Managers may own fields at different
// versions of the object; each is compared at its own version.
import { equalManagers, type Managers, type VersionedSet } from "../fieldpath/managers.js"
import { excludeFilter, type Filter } from "../fieldpath/matcher.js"
import { FieldSet } from "../fieldpath/set.js"
import type { Comparison } from "../typed/comparison.js"
import type { Type } from "../typed/type.js"
import { reconcileFieldSetWithSchema, TypedValue } from "../typed/typed-value.js"
import { type UnionPolicy, type UnionPolicyName, unionPolicy } from "../union/policy.js"
import type { UnionChange } from "../union/report.js"
import { requireValidUnions } from "../union/validate.js"
import { equalValues } from "../value/equal.js"
import { keepLayout } from "../value/layout.js"
import { isEmptyMap } from "../value/object.js"
import { isMap } from "../value/value.js"
import { type Conflict, ConflictError, FoundConflict } from "./conflict.js"
import { prune } from "./prune.js"
import { type OperationUnions, type UnionScene, unionsOf } from "./unions.js"
import { type Converter, during, sameInEveryVersion, Versions } from "./versions.js"

/** How an Updater decides. All may be left out. */
export interface UpdaterOptions {
  /** Needed where managers use versions that differ. Without it every version of an object is the same. */
  readonly converter?: Converter
  /** Fields that are never owned, and everything below them, by version. Excludes `ignoreFilters`. */
  readonly ignoredFields?: ReadonlyMap<string, FieldSet>
  /** What may be owned, by version. Excludes `ignoredFields`. */
  readonly ignoreFilters?: ReadonlyMap<string, Filter>
  /** Don't compare the objects after an apply: `changed` is then true also for a result that equals the live object. */
  readonly returnInputOnNoop?: boolean
  /** What to do about unions, where the schema has any; `v4` if absent. */
  readonly unions?: UnionPolicyName | UnionPolicy
  /** False to settle unions alone, also where the policy refuses what is invalid then. The caller has to ask `validateUnions`. */
  readonly validateUnions?: boolean
}

/** Who updates an object, and who owned what before. */
export interface UpdateRequest {
  /** Who makes the request: any text, the key in `managers`. */
  readonly manager: string
  /** The version of the objects given. */
  readonly apiVersion: string
  /** Who owns what in the live object. Not changed. */
  readonly managers: Managers
  /** For this call, in place of the Updater's. */
  readonly unions?: UnionPolicyName | UnionPolicy
}

/** Who applies to an object, who owned what before, and whether by force. */
export interface ApplyRequest extends UpdateRequest {
  /** Take what others own, instead of a conflict. */
  readonly force?: boolean
}

/** What an apply or update made. */
export interface UpdateResult {
  /** Shares every unchanged part with the objects given; the live object itself where an apply changes nothing. */
  readonly object: TypedValue
  /** Who owns what afterwards: a new map, which shares the sets that did not change. */
  readonly managers: Managers
  /** Whether the object differs from the live one, in a value or in the order of a list. */
  readonly changed: boolean
  /**
   * What the engine did to unions: discriminators it wrote, members it cleared and whose they were. Empty for an apply that
   * changes neither the object nor who owns what.
   */
  readonly unions: readonly UnionChange[]
}

/** The result of an update. Whether the object changed costs a comparison, made only if somebody asks. */
class Updated implements UpdateResult {
  readonly object: TypedValue
  readonly managers: Managers
  readonly unions: readonly UnionChange[]
  private readonly live: TypedValue
  constructor(live: TypedValue, next: TypedValue, managers: Managers, unions: readonly UnionChange[]) {
    this.object = next
    this.managers = managers
    this.unions = unions
    this.live = live
  }
  get changed(): boolean {
    return !equalValues(this.live.value, this.object.value)
  }
}

/**
 * Works out what an apply or an update makes of an object, and who owns which fields afterwards. Takes typed values and
 * managers as data; a `FieldManager` does the same for whole Kubernetes objects, with the managers in `metadata.managedFields`.
 * Holds nothing but its options; one serves any number of objects.
 */
export class Updater {
  private readonly converter: Converter
  private readonly filters: ReadonlyMap<string, Filter>
  private readonly returnInputOnNoop: boolean
  private readonly unionPolicy: UnionPolicy
  private readonly validateUnions: boolean

  constructor(options: UpdaterOptions = {}) {
    if (options.ignoredFields !== undefined && options.ignoreFilters !== undefined) {
      throw new TypeError("IgnoreFilter and IgnoreFilter may not both be set")
    }
    this.converter = options.converter ?? sameInEveryVersion
    this.filters = options.ignoreFilters ?? excludeFilters(options.ignoredFields)
    this.returnInputOnNoop = options.returnInputOnNoop === true
    this.unionPolicy = unionPolicy(options.unions ?? "v4")
    this.validateUnions = options.validateUnions !== false
  }

  /**
   * Merges `config` into `live`. The manager then owns what `config` specifies, and nothing else; what it has left out goes,
   * unless somebody else owns it. Throws a ConflictError where this changes what others own and `force` is not set, and then a
   * UnionError where unions are invalid and the policy refuses that.
   *
   * @example
   * ```ts
   * import { ConflictError, deducedType, noManagers, TypedValue, Updater } from "structured-merge-diff"
   *
   * const type = deducedType()
   * const updater = new Updater()
   * const request = { apiVersion: "v1", managers: noManagers }
   * const { object, managers } = updater.apply(TypedValue.of({}, type), TypedValue.of({ color: "red" }, type), {
   *   ...request,
   *   manager: "ann",
   * })
   * try {
   *   updater.apply(object, TypedValue.of({ color: "blue" }, type), { ...request, managers, manager: "bob" })
   * } catch (error) {
   *   if (error instanceof ConflictError) console.log(error.message)
   * }
   * // conflict with "ann": .color
   * ```
   */
  apply(live: TypedValue, config: TypedValue, request: ApplyRequest): UpdateResult {
    const result = this.applyUnlessInConflict(live, config, request)
    if (!("managers" in result)) throw new ConflictError(result)
    return result
  }

  /**
   * As `apply`, but returns the conflicts: those who expect some need no error, whose stack costs more than the rest.
   * @internal
   */
  applyUnlessInConflict(
    live: TypedValue,
    config: TypedValue,
    request: ApplyRequest,
  ): UpdateResult | readonly Conflict[] {
    const { manager, apiVersion } = request
    const versions = new Versions(this.converter)
    const managers = reconcile(versions, live, request.managers)
    const last = managers.get(manager)
    const unions = this.unionsOf(request, { versions, live, manager, managers, apiVersion })
    const settled = unions?.settleConfig(config) ?? config
    // Told that nothing changed, comparing the two objects afterwards has nothing left to look into.
    const mixed = during("failed to merge config", () => live.merge(settled, { keepEqual: true }))
    const merged = unions?.settleMerged(mixed, settled) ?? mixed
    const specified = during("failed to get field set", () => settled.specified())
    const applied = unions?.whilePruning(specified.set) ?? specified.set
    const set = this.filter(apiVersion, applied)
    managers.set(manager, { set, apiVersion, applied: true })
    const covered = set === applied && !specified.bare ? applied : null
    const pruned = during("failed to prune fields", () => prune(versions, merged, managers, last, apiVersion, covered))
    const object = unions?.settlePruned(merged, pruned, settled) ?? pruned
    const owned = unions?.ownedBy(applied, settled) ?? applied
    if (owned !== applied) managers.set(manager, { set: this.filter(apiVersion, owned), apiVersion, applied: true })
    const taken = this.takenFromOthers(versions, live, object, managers, request)
    const conflicts = request.force === true ? [] : conflictsOf(taken.losses, unions)
    if (conflicts.length > 0) return conflicts
    takeOver(managers, taken.losses)
    unions?.handOver(managers, object, (version, set) => this.filter(version, set))
    this.requireValid(request, live, object)
    const same = live.value === object.value || (!this.returnInputOnNoop && equalValues(live.value, object.value))
    const report = unions?.report ?? []
    const inert =
      report.length > 0 && equalValues(live.value, object.value) && equalManagers(request.managers, managers)
    return { object: same ? live : object, managers, changed: !same, unions: inert ? [] : report }
  }

  /**
   * Stores `next` in place of `live`. The manager then owns what it owned before and what has changed; everybody else loses
   * what has changed. Never a conflict. Throws a UnionError where unions are invalid and the policy refuses that.
   */
  update(live: TypedValue, next: TypedValue, request: UpdateRequest): UpdateResult {
    const { manager, apiVersion } = request
    const versions = new Versions(this.converter)
    const managers = reconcile(versions, live, request.managers)
    const unions = this.unionsOf(request, { versions, live, manager, managers, apiVersion })
    const settled = unions?.settleUpdate(next) ?? next
    const { comparison, losses } = this.takenFromOthers(versions, live, settled, managers, request)
    takeOver(managers, losses)
    this.requireValid(request, live, settled)
    const before = managers.get(manager)?.set ?? FieldSet.empty
    const after = before.difference(comparison.removed).union(comparison.modified).union(comparison.added)
    const set = this.filter(apiVersion, after)
    if (set.isEmpty()) managers.delete(manager)
    else managers.set(manager, { set, apiVersion, applied: false })
    return new Updated(live, settled, managers, unions?.report ?? [])
  }

  /** The unions of the object, or null where there is nothing to be done about any. */
  private unionsOf({ unions }: UpdateRequest, scene: UnionScene): OperationUnions | null {
    return unionsOf(this.policyOf(unions), scene)
  }

  private policyOf(unions: UpdateRequest["unions"]): UnionPolicy {
    return unions === undefined ? this.unionPolicy : unionPolicy(unions)
  }

  /** Throws where the policy refuses the unions of the result. A live object with nothing in it is one that does not exist yet. */
  private requireValid({ unions }: UpdateRequest, live: TypedValue, next: TypedValue): void {
    if (!this.validateUnions) return
    const exists = (isMap(live.value) && !isEmptyMap(live.value)) || equalValues(live.value, next.value)
    requireValidUnions(this.policyOf(unions), exists ? live : undefined, next)
  }

  private filter(apiVersion: string, set: FieldSet): FieldSet {
    return this.filters.get(apiVersion)?.filter(set) ?? set
  }

  /**
   * What other managers lose as the two objects differ, and the comparison at the version of the request. Managers of versions
   * that are gone are taken out of `managers`.
   */
  private takenFromOthers(
    versions: Versions,
    live: TypedValue,
    next: TypedValue,
    managers: Map<string, VersionedSet>,
    request: UpdateRequest,
  ): { readonly comparison: Comparison; readonly losses: readonly Loss[] } {
    const changes: Changes[] = []
    const comparison = this.changesAt(changes, request.apiVersion, live, next).comparison
    const losses: Loss[] = []
    for (const [manager, owner] of managers) {
      if (manager === request.manager) continue
      const change =
        changes.find(({ apiVersion }) => apiVersion === owner.apiVersion) ??
        this.convertedChanges(changes, versions, owner.apiVersion, live, next)
      if (change === undefined) {
        managers.delete(manager)
        continue
      }
      const inConflict = owner.set.intersection(change.written)
      if (!inConflict.isEmpty() || !change.comparison.removed.isEmpty()) {
        losses.push({ manager, owner, change, inConflict })
      }
    }
    return { comparison, losses }
  }

  private changesAt(changes: Changes[], apiVersion: string, live: TypedValue, next: TypedValue): Changes {
    const compared = compareOnce(changes, live, next)
    const filter = this.filters.get(apiVersion)
    const comparison = filter === undefined ? compared : compared.filter(filter)
    const written = comparison.modified.union(comparison.added)
    const change = { apiVersion, live, next, compared, comparison, written }
    changes.push(change)
    return change
  }

  private convertedChanges(
    changes: Changes[],
    versions: Versions,
    apiVersion: string,
    live: TypedValue,
    next: TypedValue,
  ): Changes | undefined {
    const before = versions.find(live, apiVersion) // known since managers were reconciled, so it does not fail
    if (before === undefined) return undefined
    const after = during("failed to convert new object", () => versions.find(next, apiVersion))
    return after === undefined ? undefined : this.changesAt(changes, apiVersion, before, after)
  }
}

const noFilters: ReadonlyMap<string, Filter> = new Map()

function excludeFilters(sets: ReadonlyMap<string, FieldSet> | undefined): ReadonlyMap<string, Filter> {
  return sets === undefined ? noFilters : new Map(Array.from(sets, ([version, set]) => [version, excludeFilter(set)]))
}

/** What changed at one version. */
interface Changes {
  readonly apiVersion: string
  readonly live: TypedValue
  readonly next: TypedValue
  /** How they differ, and the part of it that no filter ignores. */
  readonly compared: Comparison
  readonly comparison: Comparison
  /** Modified or added: what conflicts with whoever owns it. */
  readonly written: FieldSet
}

/** Compares two objects, unless they were compared for another version already: versions often share an object. */
function compareOnce(changes: readonly Changes[], live: TypedValue, next: TypedValue): Comparison {
  for (const known of changes) if (known.live === live && known.next === next) return known.compared
  return during("failed to compare objects", () => live.compare(next))
}

/** What a manager would lose. */
interface Loss {
  readonly manager: string
  readonly owner: VersionedSet
  /** What changed at the owner's version; what is removed is never a conflict. */
  readonly change: Changes
  /** What is modified or added. */
  readonly inConflict: FieldSet
}

function takeOver(managers: Map<string, VersionedSet>, losses: readonly Loss[]): void {
  for (const { manager, owner, change, inConflict } of losses) {
    managers.set(manager, withSet(owner, owner.set.difference(inConflict).difference(change.comparison.removed)))
  }
  for (const [manager, { set }] of managers) if (set.isEmpty()) managers.delete(manager)
}

function conflictsOf(losses: readonly Loss[], unions: OperationUnions | null): Conflict[] {
  const conflicts: Conflict[] = []
  for (const { manager, change, inConflict } of losses) {
    const paths = unions === null ? inConflict : inConflict.union(unions.conflictsWith(manager))
    const causeOf = paths.isEmpty() ? undefined : unions?.causesFor(manager)
    for (const path of paths) {
      conflicts.push(new FoundConflict(manager, path, change.live.value, change.next.value, causeOf?.(path)))
    }
  }
  return conflicts
}

/** The managers, their sets in line with a schema that may have changed; those of versions that are gone are left out. */
function reconcile(versions: Versions, live: TypedValue, managers: Managers): Map<string, VersionedSet> {
  const out = new Map<string, VersionedSet>()
  for (const [manager, owner] of managers) {
    const there = versions.find(live, owner.apiVersion)
    if (there === undefined) continue
    const set = reconcileFieldSetWithSchema(owner.set, there.type)
    out.set(manager, set === null ? owner : withSet(owner, set))
  }
  return out
}

function withSet(owner: VersionedSet, set: FieldSet): VersionedSet {
  return set === owner.set ? owner : { set, apiVersion: owner.apiVersion, applied: owner.applied }
}

const nothing = TypedValue.unvalidated(null, {} as Type)
keepLayout(new Updater())
keepLayout(new Updated(nothing, nothing, new Map(), []))
