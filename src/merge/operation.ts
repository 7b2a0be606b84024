// The parts of an apply or update that the two have in common: the owners before and after, the comparison of the object at each manager's
// version, and the fields that other managers lose.
import { type Managers, setOwner, type VersionedSet } from "../fieldpath/managers.js"
import { type Filters, filterAt } from "../fieldpath/matcher.js"
import type { FieldSet } from "../fieldpath/set.js"
import type { Comparison } from "../typed/comparison.js"
import { reconcileFieldSetWithSchema, type TypedValue } from "../typed/typed-value.js"
import { type UnionPolicy, unionPolicy } from "../union/policy.js"
import { requireValidUnions } from "../union/validate.js"
import { equalValues } from "../value/equal.js"
import { isEmptyMap } from "../value/object.js"
import { isMap } from "../value/value.js"
import type { UpdateRequest } from "./request.js"
import type { OwnedObject } from "./union-owners.js"
import { type Converter, during, Versions } from "./versions.js"

/** The options of an Updater, complete. */
export interface Settings {
  readonly converter: Converter
  /** Filters for the fields that may be owned, by version. */
  readonly filters: Filters
  readonly returnInputOnNoop: boolean
  readonly unionPolicy: UnionPolicy
  readonly validateUnions: boolean
}

/** The fields that a manager would lose. */
export interface Loss {
  readonly manager: string
  readonly owner: VersionedSet
  /** The changes at the owner's version. Removed fields are in conflict only if they belong to a union. */
  readonly changes: Changes
  /** The owner's fields that are modified or added. */
  readonly inConflict: FieldSet
}

/** The effect of an operation on the other managers. */
export interface Effect {
  /** The comparison at the version of the request. */
  readonly comparison: Comparison
  readonly losses: readonly Loss[]
  /** The managers whose version does not have the new object. */
  readonly gone: readonly string[]
}

/** The changes at one version. */
export interface Changes {
  readonly apiVersion: string
  readonly live: TypedValue
  readonly next: TypedValue
  /** The difference of the two objects. `comparison` is the part of it that the filters let through. */
  readonly compared: Comparison
  readonly comparison: Comparison
  /** The modified and added fields. They are in conflict with their owners. */
  readonly written: FieldSet
}

/** One apply or update of a live object. */
export class Operation {
  readonly settings: Settings
  readonly live: TypedValue
  readonly request: UpdateRequest
  readonly unionPolicy: UnionPolicy
  readonly versions: Versions
  /** The owners, in line with the schema: at first those before the operation, in the end those after it. */
  readonly managers: Map<string, VersionedSet>

  constructor(settings: Settings, live: TypedValue, request: UpdateRequest) {
    this.settings = settings
    this.live = live
    this.request = request
    this.unionPolicy = request.unions === undefined ? settings.unionPolicy : unionPolicy(request.unions)
    this.versions = new Versions(settings.converter)
    this.managers = reconciled(this.versions, live, request.managers)
  }

  /** Returns the live object with its present owners, whom later steps do not change. */
  ownedObject(): OwnedObject {
    const { live, request, versions, managers } = this
    const { apiVersion, manager } = request
    return { versions, object: live, apiVersion, actor: manager, managers: new Map(managers) }
  }

  /** Returns the part of a set, at the version of the request, that may be owned. */
  ownable(set: FieldSet): FieldSet {
    return filterAt(this.settings.filters, this.request.apiVersion, set)
  }

  /**
   * Compares the live object with `next`, at the version of the request and for each other manager at its own version. Changes nothing:
   * `takeFromOthers` does.
   */
  compareWith(next: TypedValue): Effect {
    const { request, managers } = this
    const known: Changes[] = []
    const { comparison } = this.changesAt(known, request.apiVersion, this.live, next)
    const losses: Loss[] = []
    const gone: string[] = []
    for (const [manager, owner] of managers) {
      if (manager === request.manager) continue
      const changes =
        known.find(({ apiVersion }) => apiVersion === owner.apiVersion) ??
        this.convertedChanges(known, owner.apiVersion, next)
      if (changes === undefined) {
        gone.push(manager)
        continue
      }
      const inConflict = owner.set.intersection(changes.written)
      if (!inConflict.isEmpty() || !changes.comparison.removed.isEmpty()) {
        losses.push({ manager, owner, changes, inConflict })
      }
    }
    return { comparison, losses, gone }
  }

  private changesAt(known: Changes[], apiVersion: string, live: TypedValue, next: TypedValue): Changes {
    const compared = compareOnce(known, live, next)
    const filter = this.settings.filters.get(apiVersion)
    const comparison = filter === undefined ? compared : compared.filter(filter)
    const written = comparison.modified.union(comparison.added)
    const changes = { apiVersion, live, next, compared, comparison, written }
    known.push(changes)
    return changes
  }

  /** Returns the changes at another version, or undefined if that version is gone. */
  private convertedChanges(known: Changes[], apiVersion: string, next: TypedValue): Changes | undefined {
    const { versions } = this
    const before = versions.find(this.live, apiVersion) // converted when the sets were reconciled, so it does not fail
    if (before === undefined) return undefined
    const after = during("failed to convert new object", () => versions.find(next, apiVersion))
    return after === undefined ? undefined : this.changesAt(known, apiVersion, before, after)
  }

  /** Takes the fields from the managers that lose them. Removes managers that are left with nothing, and those whose version is gone. */
  takeFromOthers({ losses, gone }: Effect): void {
    const { managers } = this
    for (const manager of gone) managers.delete(manager)
    for (const { manager, owner, changes, inConflict } of losses) {
      const left = owner.set.difference(inConflict).difference(changes.comparison.removed)
      managers.set(manager, withSet(owner, left))
    }
    for (const [manager, owner] of managers) setOwner(managers, manager, owner)
  }

  /** Throws a UnionError if the policy refuses the unions of `next`. An empty live object does not exist yet. */
  requireValidUnions(next: TypedValue): void {
    if (!this.settings.validateUnions) return
    const { live } = this
    const exists = (isMap(live.value) && !isEmptyMap(live.value)) || equalValues(live.value, next.value)
    requireValidUnions(this.unionPolicy, exists ? live : undefined, next)
  }
}

/** Compares two objects, unless they were already compared for another version: versions often share an object. */
function compareOnce(known: readonly Changes[], live: TypedValue, next: TypedValue): Comparison {
  for (const changes of known) if (changes.live === live && changes.next === next) return changes.compared
  return during("failed to compare objects", () => live.compare(next))
}

/** Returns the managers with their sets in line with the schema, which may have changed. Drops managers whose version is gone. */
function reconciled(versions: Versions, live: TypedValue, managers: Managers): Map<string, VersionedSet> {
  const out = new Map<string, VersionedSet>()
  for (const [manager, owner] of managers) {
    const converted = versions.find(live, owner.apiVersion)
    if (converted === undefined) continue
    const set = reconcileFieldSetWithSchema(owner.set, converted.type)
    out.set(manager, set === null ? owner : withSet(owner, set))
  }
  return out
}

function withSet(owner: VersionedSet, set: FieldSet): VersionedSet {
  return set === owner.set ? owner : { set, apiVersion: owner.apiVersion, applied: owner.applied }
}
