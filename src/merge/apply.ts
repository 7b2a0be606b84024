import { Lookup } from "../fieldpath/lookup.js"
import { equalManagers, type VersionedSet } from "../fieldpath/managers.js"
import type { FieldSet } from "../fieldpath/set.js"
import type { TypedValue } from "../typed/typed-value.js"
import { equalValues } from "../value/equal.js"
import { type Conflict, FoundConflict } from "./conflict.js"
import { type Effect, type Loss, Operation, type Settings } from "./operation.js"
import { prune } from "./prune.js"
import type { ApplyRequest, UpdateResult } from "./request.js"
import { type ApplyUnions, unionsOfApply } from "./unions.js"
import { during } from "./versions.js"

/** An apply. `run` takes its steps, which follow as methods in the same order. */
export class Apply {
  private readonly operation: Operation
  private readonly force: boolean
  /** The applier's entry before the apply. */
  private readonly last: VersionedSet | undefined
  private readonly unions: ApplyUnions

  /** Settles the unions of the configuration, since the merge takes them settled. */
  constructor(settings: Settings, live: TypedValue, config: TypedValue, request: ApplyRequest) {
    this.operation = new Operation(settings, live, request)
    this.force = request.force === true
    this.last = this.operation.managers.get(request.manager)
    this.unions = unionsOfApply(this.operation, config)
  }

  /** Returns the result, or the conflicts if there are any. */
  run(): UpdateResult | readonly Conflict[] {
    const merged = this.merge()
    const specified = this.ownSpecified()
    const object = this.prune(merged, specified)
    this.ownSettled(specified)
    const effect = this.operation.compareWith(object)
    const conflicts = this.force ? [] : this.conflictsOf(effect.losses)
    if (conflicts.length > 0) return conflicts
    this.takeOver(effect, object)
    this.operation.requireValidUnions(object)
    return this.resultOf(object)
  }

  /** Merges the configuration into the live object. */
  private merge(): Merged {
    const { operation, unions } = this
    // With `keepEqual`, a merge that changes nothing returns `live` itself, so that comparing the two objects later is free.
    const { merged, emptyMeetsEmptyList } = during("failed to merge config", () =>
      operation.live.mergeWith(unions.config, true),
    )
    const object = unions.settleMerged(merged)
    return { object, emptyMeetsEmptyList: emptyMeetsEmptyList || object !== merged }
  }

  /** Makes the applier the owner of the fields that its configuration specifies. */
  private ownSpecified(): Specified {
    const { set, hasEmptyMembers, hasBareItems } = during("failed to get field set", () =>
      this.unions.config.specified(this.last?.set),
    )
    const owned = this.unions.ownedWhilePruning(set)
    return { owned, isOwnable: this.own(owned) === owned, hasEmptyMembers, hasBareItems }
  }

  /** Removes the fields that the applier applied last time and leaves out now, unless another manager owns them. */
  private prune(merged: Merged, specified: Specified): TypedValue {
    const { versions, managers, request } = this.operation
    const { apiVersion } = request
    const { owned, isOwnable, hasEmptyMembers, hasBareItems } = specified
    const mayGo = hasBareItems || (hasEmptyMembers && merged.emptyMeetsEmptyList)
    const applied = isOwnable && !mayGo ? owned : null
    const pruned = during("failed to prune fields", () =>
      prune({ versions, merged: merged.object, managers, last: this.last, apiVersion, applied }),
    )
    return this.unions.settlePruned(merged.object, pruned)
  }

  /** Gives the applier the discriminators that the engine wrote for it, and takes away the members that the engine cleared. */
  private ownSettled({ owned }: Specified): void {
    const after = this.unions.edits.ownedAfter(owned, this.unions.config)
    if (after !== owned) this.own(after)
  }

  /** Makes the applier the owner of those fields of `set` that may be owned. Returns them. */
  private own(set: FieldSet): FieldSet {
    const { managers, request } = this.operation
    const ownable = this.operation.ownable(set)
    managers.set(request.manager, { set: ownable, apiVersion: request.apiVersion, applied: true })
    return ownable
  }

  private conflictsOf(losses: readonly Loss[]): Conflict[] {
    const conflicts: Conflict[] = []
    for (const { manager, changes, inConflict } of losses) {
      const paths = inConflict.union(this.unions.edits.conflictsWith(manager, inConflict))
      if (paths.isEmpty()) continue
      const causeOf = this.unions.edits.causesFor(manager)
      const before = new Lookup(changes.live.value)
      const after = new Lookup(changes.next.value)
      for (const path of paths) conflicts.push(new FoundConflict(manager, path, before, after, causeOf(path)))
    }
    return conflicts
  }

  /** Takes the changed fields from their other owners, and gives them the discriminators of their members. */
  private takeOver(effect: Effect, object: TypedValue): void {
    const { managers, settings } = this.operation
    this.operation.takeFromOthers(effect)
    this.unions.edits.handOver(managers, object, settings.filters)
  }

  private resultOf(object: TypedValue): UpdateResult {
    const { live, managers, request, settings } = this.operation
    const { report } = this.unions.edits
    const isSame = live.value === object.value || (!settings.returnInputOnNoop && equalValues(live.value, object.value))
    const isNoop =
      report.length > 0 && equalValues(live.value, object.value) && equalManagers(request.managers, managers)
    return { object: isSame ? live : object, managers, changed: !isSame, unions: isNoop ? [] : report }
  }
}

/** The merged object. */
interface Merged {
  readonly object: TypedValue
  /** Whether the configuration may have a null or an empty map where the object has a map or list with an empty list in it. */
  readonly emptyMeetsEmptyList: boolean
}

/** The fields that the configuration specifies. */
interface Specified {
  readonly owned: FieldSet
  /** Whether the applier may own all of them. */
  readonly isOwnable: boolean
  /** Whether the configuration has a null or an empty map. */
  readonly hasEmptyMembers: boolean
  /** Whether the configuration has an item of an associative list without any fields. */
  readonly hasBareItems: boolean
}
