// Unions in an apply or update: when they are settled, and what the applier owns afterwards.
//
// An apply settles the configuration, merges it, settles the merged object, prunes, settles the parts that pruning touched, and then looks
// for conflicts. A policy based on the merged object treats an apply as an update, so it settles only the result of merge and pruning. The
// applier gains the discriminators that the engine writes and loses the members that it clears: it owns everything that the engine wrote on
// its behalf, and nothing that does not exist.
import type { Path } from "../fieldpath/path.js"
import { FieldSet } from "../fieldpath/set.js"
import type { CompiledUnion } from "../schema/compiled-union.js"
import type { TypedValue } from "../typed/typed-value.js"
import { applyStays, settleApply, settleConfig, settlePruned, settleUpdate } from "../union/normalize.js"
import { normalizationPlan, type Plan } from "../union/plan.js"
import type { UnionPolicy } from "../union/policy.js"
import { type UnionChange, unionFieldPath } from "../union/report.js"
import { isSettled } from "../union/settled.js"
import { changesOf, isImplied, type UnionDecision } from "../union/union-decision.js"
import type { MapValue } from "../value/value.js"
import type { Operation } from "./operation.js"
import { noEdits, RecordedEdits, type UnionEdits } from "./union-edits.js"
import type { OwnedObject } from "./union-owners.js"

/** The part of unions in the steps of an apply, in this order. Without unions, each step returns its input. */
export interface ApplyUnions {
  /** The configuration, with its unions settled before the merge. */
  readonly config: TypedValue

  /** Returns the merged object, with its unions settled if the policy is based on the configuration. */
  settleMerged(merged: TypedValue): TypedValue

  /**
   * Returns the applier's set during pruning: the fields that its configuration specifies, and the discriminators that it owned before and
   * that members of the configuration imply.
   */
  ownedWhilePruning(specified: FieldSet): FieldSet

  /** Returns the pruned object, with its unions settled. */
  settlePruned(merged: TypedValue, pruned: TypedValue): TypedValue

  /** The engine's edits so far. */
  readonly edits: UnionEdits
}

/** Settles the configuration of an apply. */
export function unionsOfApply(operation: Operation, config: TypedValue): ApplyUnions {
  const plan = normalizationPlan(operation.unionPolicy, operation.live.type)
  return plan === null ? new NoUnions(config) : new SettledUnions(operation, plan, config)
}

/** Returns the new object of an update with its unions settled, and the engine's changes to them. */
export function settleUnionsOfUpdate(
  operation: Operation,
  next: TypedValue,
): { readonly object: TypedValue; readonly report: readonly UnionChange[] } {
  const { unionPolicy: policy, live } = operation
  const plan = normalizationPlan(policy, live.type)
  if (plan === null) return { object: next, report: [] }
  const { object, decisions } = settleUpdate(policy, plan, live, next)
  const edits = new RecordedEdits(policy, operation.ownedObject())
  for (const change of changesOf(policy, decisions)) edits.add(change)
  return { object, report: edits.report }
}

/** The policy is off, or the type has no unions. */
class NoUnions implements ApplyUnions {
  readonly config: TypedValue
  readonly edits: UnionEdits = noEdits

  constructor(config: TypedValue) {
    this.config = config
  }

  settleMerged(merged: TypedValue): TypedValue {
    return merged
  }

  ownedWhilePruning(specified: FieldSet): FieldSet {
    return specified
  }

  settlePruned(_: TypedValue, pruned: TypedValue): TypedValue {
    return pruned
  }
}

class SettledUnions implements ApplyUnions {
  readonly config: TypedValue
  readonly edits: RecordedEdits
  private readonly policy: UnionPolicy
  private readonly plan: Plan
  private readonly live: OwnedObject
  private readonly settled: SettledConfig

  constructor(operation: Operation, plan: Plan, config: TypedValue) {
    const { unionPolicy: policy } = operation
    this.settled = settledConfig(policy, plan, config)
    this.config = this.settled.object
    this.policy = policy
    this.plan = plan
    this.live = operation.ownedObject()
    this.edits = new RecordedEdits(policy, this.live)
  }

  settleMerged(merged: TypedValue): TypedValue {
    const { policy, plan, live, config, settled } = this
    if (policy.applyBasis === "merged-vs-live") return merged
    const isAsGiven = settled.implied.size + settled.dropped.length === 0 && applyStays(policy)
    if (isAsGiven && isSettled(plan, config) && isSettled(plan, merged, live.object, config)) return merged
    return this.settle(merged)
  }

  ownedWhilePruning(specified: FieldSet): FieldSet {
    const { actor, managers } = this.live
    const last = managers.get(actor)
    const kept = last === undefined ? [] : this.settled.expected.filter(path => last.set.has(path))
    return kept.length === 0 ? specified : specified.union(FieldSet.of(kept))
  }

  settlePruned(merged: TypedValue, pruned: TypedValue): TypedValue {
    const { policy, plan } = this
    if (policy.applyBasis === "merged-vs-live") return this.settle(pruned)
    if (pruned === merged || policy.prunedDiscriminator === "goes" || isSettled(plan, pruned, merged)) return pruned
    const { object, decisions } = settlePruned(policy, plan, merged, pruned)
    this.addDecisions(decisions)
    return object
  }

  /** Returns `object`, the merged or pruned object, with its unions settled as the configuration wants them. */
  private settle(object: TypedValue): TypedValue {
    const { policy, plan, live, config, settled } = this
    const result = settleApply(policy, plan, live.object, object, config)
    this.edits.addDropped(settled.dropped, result.decisions)
    this.addDecisions(result.decisions)
    return result.object
  }

  private addDecisions(decisions: readonly UnionDecision[]): void {
    for (const decided of decisions) this.edits.addDecision(decided, this.isImplied(decided))
  }

  /** Whether the engine wrote the discriminator, here or in the configuration before the merge. */
  private isImplied({ union, decision, applied, before }: UnionDecision): boolean {
    if (this.policy.applyBasis === "merged-vs-live") return isImplied(union, decision, applied)
    if (applied === null) return isImplied(union, decision, before)
    return decision.write !== undefined && this.settled.implied.get(applied)?.includes(union) === true
  }
}

/** A configuration with its unions settled before the merge. */
interface SettledConfig {
  readonly object: TypedValue
  /** The maps in which the engine wrote discriminators, each with the unions of those discriminators. */
  readonly implied: ReadonlyMap<MapValue, readonly CompiledUnion[]>
  /** Members that were removed: nulls and zeros next to the member that is set. */
  readonly dropped: readonly UnionDecision[]
  /** The discriminators that single members of the configuration imply, if they are written only after the merge. */
  readonly expected: readonly Path[]
}

function settledConfig(policy: UnionPolicy, plan: Plan, config: TypedValue): SettledConfig {
  const { applyBasis, writeDiscriminator } = policy
  if (
    (applyBasis === "merged-vs-live" && (writeDiscriminator === "never" || isSettled(plan, config))) ||
    (applyStays(policy) && isSettled(plan, config))
  ) {
    return { object: config, implied: noneImplied, dropped: [], expected: [] }
  }
  const { object, decisions } = settleConfig(policy, plan, config)
  const implied = new Map<MapValue, CompiledUnion[]>()
  const dropped: UnionDecision[] = []
  const expected: Path[] = []
  for (const decided of decisions) {
    const { union, decision, before, after } = decided
    if (decision.clear.length > 0) dropped.push(decided)
    const isExpected = decision.write === undefined && decision.because !== undefined
    if (isExpected) expected.push(unionFieldPath(decided, union.discriminator ?? ""))
    const known = implied.get(before) ?? []
    if (isImplied(union, decision, before)) known.push(union)
    implied.delete(before)
    if (known.length > 0) implied.set(after, known)
  }
  return { object, implied, dropped, expected }
}

const noneImplied: SettledConfig["implied"] = new Map()
