// The Updater computes the results of an apply or an update: the new object and the owners of its fields.
//
// Apply merges a configuration into the live object and prunes fields that the manager applied before and now leaves out. The manager then
// owns exactly the fields that the configuration specifies. Changing fields of other managers is a conflict, unless forced. Update takes
// the new object as it is; its manager owns the changed fields, and all others lose them. Managers may own fields at different versions of
// the object; each is compared at its own version.
import { Lookup } from "../fieldpath/lookup.js"
import { equalManagers, type Managers, setOwner, type VersionedSet } from "../fieldpath/managers.js"
import { excludeFilter, type Filter } from "../fieldpath/matcher.js"
import { FieldSet } from "../fieldpath/set.js"
import type { Comparison } from "../typed/comparison.js"
import type { Type } from "../typed/type.js"
import { reconcileFieldSetWithSchema, TypedValue } from "../typed/typed-value.js"
import { defaultUnionPolicy, type UnionPolicy, type UnionPolicyName, unionPolicy } from "../union/policy.js"
import type { UnionChange } from "../union/report.js"
import { requireValidUnions } from "../union/validate.js"
import { aMap, requireOptions } from "../value/argument.js"
import { equalValues } from "../value/equal.js"
import { keepLayout } from "../value/layout.js"
import { isEmptyMap } from "../value/object.js"
import { isMap } from "../value/value.js"
import { type Conflict, ConflictError, FoundConflict } from "./conflict.js"
import { prune } from "./prune.js"
import { type OperationUnions, type UnionScene, unionsOf } from "./unions.js"
import { type Converter, during, sameInEveryVersion, Versions } from "./versions.js"

/** The options of an Updater. */
export interface UpdaterOptions {
  /** Needed if managers use different versions. Without it, an object is the same in every version. */
  readonly converter?: Converter | undefined
  /** Fields that nobody owns, along with everything below them, by version. Can't be combined with `ignoreFilters`. */
  readonly ignoredFields?: ReadonlyMap<string, FieldSet> | undefined
  /** Filters for the fields that may be owned, by version. Can't be combined with `ignoredFields`. */
  readonly ignoreFilters?: ReadonlyMap<string, Filter> | undefined
  /** Do not compare the objects after an apply: `changed` may then be true for a result that equals the live object. */
  readonly returnInputOnNoop?: boolean | undefined
  /** The policy for the unions of the schema; `extended` if absent. */
  readonly unions?: UnionPolicyName | UnionPolicy | undefined
  /**
   * False to leave the validation of unions to the caller, who then calls `validateUnions`. Unions are still settled, but invalid ones are
   * accepted, whatever the policy says.
   */
  readonly validateUnions?: boolean | undefined
}

/** The manager that updates an object, and the owners before the update. */
export interface UpdateRequest {
  /** The name of the manager: any text. It is the key in `managers`. */
  readonly manager: string
  /** The version of the given objects. */
  readonly apiVersion: string
  /** The owners of the live object's fields. Not changed. */
  readonly managers: Managers
  /** The union policy of this call, in place of the Updater's. */
  readonly unions?: UnionPolicyName | UnionPolicy | undefined
}

/** The manager that applies to an object, the owners before the apply, and whether to force it. */
export interface ApplyRequest extends UpdateRequest {
  /** Take fields of other managers instead of throwing a ConflictError. */
  readonly force?: boolean | undefined
}

/** The result of an apply or update. */
export interface UpdateResult {
  /** The new object. Shares every unchanged part with the given objects; it is the live object if an apply changes nothing. */
  readonly object: TypedValue
  /** The owners afterwards: a new map, which shares the sets that did not change. */
  readonly managers: Managers
  /** Whether the object differs from the live one, in a value or in the order of a list. */
  readonly changed: boolean
  /**
   * The engine's changes to unions: the discriminators it wrote, and the members it cleared with their owners. Empty for an apply that
   * changes neither the object nor the owners.
   */
  readonly unions: readonly UnionChange[]
}

/** The result of an update. `changed` compares the two objects each time it is read, since most callers do not need it. */
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

/** Throws a TypeError if the request or its managers are malformed. If `managers` is a Map, nothing else is checked. */
function requireRequest(request: UpdateRequest): void {
  if (!(request?.managers instanceof Map)) requireOptions("request", request, { managers: aMap })
}

/**
 * Computes the result of an apply or an update, and the owners of all fields afterwards. Takes typed values, and managers as data; a
 * `FieldManager` does the same for whole Kubernetes objects, with the managers in `metadata.managedFields`. An Updater holds only its
 * options, so one serves any number of objects. The constructor throws a TypeError if `ignoredFields` and `ignoreFilters` are both given,
 * and a RangeError if no union policy has the given name.
 */
export class Updater {
  private readonly converter: Converter
  private readonly filters: ReadonlyMap<string, Filter>
  private readonly returnInputOnNoop: boolean
  private readonly unionPolicy: UnionPolicy
  private readonly validateUnions: boolean

  constructor(options: UpdaterOptions = {}) {
    requireOptions("options", options)
    if (options.ignoredFields !== undefined && options.ignoreFilters !== undefined) {
      // Go: the message names one of the two options twice.
      throw new TypeError("IgnoreFilter and IgnoreFilter may not both be set")
    }
    this.converter = options.converter ?? sameInEveryVersion
    this.filters = options.ignoreFilters ?? excludeFilters(options.ignoredFields)
    this.returnInputOnNoop = options.returnInputOnNoop === true
    this.unionPolicy = unionPolicy(options.unions ?? defaultUnionPolicy)
    this.validateUnions = options.validateUnions !== false
  }

  /**
   * Merges `config` into `live`. The manager then owns exactly the fields that `config` specifies. Fields that it applied before and leaves
   * out now are removed, unless another manager owns them. Throws a ConflictError if this changes fields of other managers and `force` is
   * not set. Throws a UnionError if the result has invalid unions and the policy refuses them, a ValidationError for values that do not fit
   * their type, and a SchemaError for operands of different types.
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
   * Like `apply`, but returns the conflicts instead of throwing them: the stack of an error costs more than the whole apply, and callers
   * that expect conflicts do not need it.
   * @internal
   */
  applyUnlessInConflict(
    live: TypedValue,
    config: TypedValue,
    request: ApplyRequest,
  ): UpdateResult | readonly Conflict[] {
    requireRequest(request)
    const { manager, apiVersion } = request
    const versions = new Versions(this.converter)
    const managers = reconcile(versions, live, request.managers)
    const last = managers.get(manager)
    const unions = this.unionsOf(request, { versions, live, manager, managers, apiVersion })
    const settled = unions?.settleConfig(config) ?? config
    // With `keepEqual`, a merge that changes nothing returns `live` itself, so that comparing the two objects below is free.
    const { merged: mixed, covers } = during("failed to merge config", () => live.mergeWith(settled, true))
    const merged = unions?.settleMerged(mixed, settled) ?? mixed
    const specified = during("failed to get field set", () => settled.specified())
    const applied = unions?.whilePruning(specified.set) ?? specified.set
    const set = this.filter(apiVersion, applied)
    managers.set(manager, { set, apiVersion, applied: true })
    const stays = set === applied && !(specified.bare && (covers || merged !== mixed))
    const pruned = during("failed to prune fields", () =>
      prune(versions, merged, managers, last, apiVersion, stays ? applied : null),
    )
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
   * Replaces `live` by `next`. The manager then owns the fields that it owned before and those that changed; all others lose the changed
   * fields. Never throws a ConflictError. Throws a UnionError if the result has invalid unions and the policy refuses them, and the errors
   * of `TypedValue.compare`.
   */
  update(live: TypedValue, next: TypedValue, request: UpdateRequest): UpdateResult {
    requireRequest(request)
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
    setOwner(managers, manager, { set, apiVersion, applied: false })
    return new Updated(live, settled, managers, unions?.report ?? [])
  }

  /** Returns the unions of the object, or null if there is nothing to do about them. */
  private unionsOf({ unions }: UpdateRequest, scene: UnionScene): OperationUnions | null {
    return unionsOf(this.policyOf(unions), scene)
  }

  private policyOf(unions: UpdateRequest["unions"]): UnionPolicy {
    return unions === undefined ? this.unionPolicy : unionPolicy(unions)
  }

  /** Throws a UnionError if the policy refuses the unions of `next`. An empty live object does not exist yet. */
  private requireValid({ unions }: UpdateRequest, live: TypedValue, next: TypedValue): void {
    if (!this.validateUnions) return
    const exists = (isMap(live.value) && !isEmptyMap(live.value)) || equalValues(live.value, next.value)
    requireValidUnions(this.policyOf(unions), exists ? live : undefined, next)
  }

  private filter(apiVersion: string, set: FieldSet): FieldSet {
    return this.filters.get(apiVersion)?.filter(set) ?? set
  }

  /**
   * Returns the fields that other managers lose by the difference of the two objects, and the comparison at the version of the request.
   * Removes managers whose version is gone from `managers`.
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
    const before = versions.find(live, apiVersion) // converted when the sets were reconciled, so it does not fail
    if (before === undefined) return undefined
    const after = during("failed to convert new object", () => versions.find(next, apiVersion))
    return after === undefined ? undefined : this.changesAt(changes, apiVersion, before, after)
  }
}

const noFilters: ReadonlyMap<string, Filter> = new Map()

function excludeFilters(sets: ReadonlyMap<string, FieldSet> | undefined): ReadonlyMap<string, Filter> {
  return sets === undefined ? noFilters : new Map(Array.from(sets, ([version, set]) => [version, excludeFilter(set)]))
}

/** The changes at one version. */
interface Changes {
  readonly apiVersion: string
  readonly live: TypedValue
  readonly next: TypedValue
  /** The difference of the two objects. `comparison` is the part of it that the filters let through. */
  readonly compared: Comparison
  readonly comparison: Comparison
  /** The modified and added fields. They are in conflict with their owners. */
  readonly written: FieldSet
}

/** Compares two objects, unless they were already compared for another version: versions often share an object. */
function compareOnce(changes: readonly Changes[], live: TypedValue, next: TypedValue): Comparison {
  for (const known of changes) if (known.live === live && known.next === next) return known.compared
  return during("failed to compare objects", () => live.compare(next))
}

/** The fields that a manager would lose. */
interface Loss {
  readonly manager: string
  readonly owner: VersionedSet
  /** The changes at the owner's version. Removed fields are in conflict only if they belong to a union. */
  readonly change: Changes
  /** The owner's fields that are modified or added. */
  readonly inConflict: FieldSet
}

function takeOver(managers: Map<string, VersionedSet>, losses: readonly Loss[]): void {
  for (const { manager, owner, change, inConflict } of losses) {
    managers.set(manager, withSet(owner, owner.set.difference(inConflict).difference(change.comparison.removed)))
  }
  for (const [manager, owner] of managers) setOwner(managers, manager, owner)
}

function conflictsOf(losses: readonly Loss[], unions: OperationUnions | null): Conflict[] {
  const conflicts: Conflict[] = []
  const lookups = new Map<Changes, readonly [Lookup, Lookup]>()
  for (const { manager, change, inConflict } of losses) {
    const paths = unions === null ? inConflict : inConflict.union(unions.conflictsWith(manager, inConflict))
    if (paths.isEmpty()) continue
    const causeOf = unions?.causesFor(manager)
    const [before, after] = lookups.get(change) ?? [new Lookup(change.live.value), new Lookup(change.next.value)]
    lookups.set(change, [before, after])
    for (const path of paths) conflicts.push(new FoundConflict(manager, path, before, after, causeOf?.(path)))
  }
  return conflicts
}

/** Returns the managers with their sets in line with the schema, which may have changed. Drops managers whose version is gone. */
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
