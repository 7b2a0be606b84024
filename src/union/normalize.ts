// Normalizes unions: settles them in an update and at each step of an apply, and knows when there is nothing to settle. settling.ts does
// the walk.
import { requireSameType, type TypedValue } from "../typed/typed-value.js"
import { requireOptions } from "../value/argument.js"
import { isEmptyMap } from "../value/object.js"
import { isMap } from "../value/value.js"
import { normalizationPlan, type Plan } from "./plan.js"
import { defaultUnionPolicy, type UnionPolicy, type UnionPolicyName, unionPolicy } from "./policy.js"
import type { UnionChange } from "./report.js"
import { isSettled } from "./settled.js"
import { type SettledUnions, settle, UnionWalk } from "./settling.js"
import { changesOf } from "./union-decision.js"

/** Options for settling unions. */
export interface UnionOptions {
  /** The union policy; `extended` if absent. */
  readonly policy?: UnionPolicyName | UnionPolicy | undefined
}

/** Options for settling unions in an apply. */
export interface ApplyUnionOptions extends UnionOptions {
  /**
   * The object before the merge, for policies that compare with it. If absent, it is taken to be the part of `target` that `applied` does
   * not specify.
   */
  readonly live?: TypedValue | undefined
}

/** An object with its unions settled. */
export interface NormalizedUnions {
  /** The settled object. Shares unchanged parts with the given object, and is that object if nothing had to be done. */
  readonly object: TypedValue
  /** The edits. They name no owners, since none are known here. */
  readonly unions: readonly UnionChange[]
}

/**
 * Returns `next`, the successor of `old`, with its unions settled; `next` itself if there is nothing to do. If the value of `old` is null
 * or `{}`, the object is being created. Throws a UnionError with the problems of all structs if the policy can't settle a union, a
 * SchemaError if `old` and `next` are not of the same type, and a RangeError if no policy has the given name.
 */
export function normalizeUnions(old: TypedValue, next: TypedValue, options: UnionOptions = {}): NormalizedUnions {
  requireSameType(old, next)
  return normalize(next, options, (policy, plan) => settleUpdate(policy, plan, old, next))
}

/**
 * Returns `target`, the merge of `applied` into a live object, with its unions settled as `applied` wants them. If both are the same value,
 * this settles a configuration before its merge. Throws the same errors as `normalizeUnions`.
 */
export function normalizeUnionsApply(
  applied: TypedValue,
  target: TypedValue,
  options: ApplyUnionOptions = {},
): NormalizedUnions {
  requireOptions("options", options)
  const { live } = options
  requireSameType(applied, target)
  if (live !== undefined) requireSameType(applied, live)
  return normalize(target, options, (policy, plan) => settleApply(policy, plan, live, target, applied))
}

function normalize(
  object: TypedValue,
  options: UnionOptions,
  settle: (policy: UnionPolicy, plan: Plan) => SettledUnions,
): NormalizedUnions {
  requireOptions("options", options)
  const policy = unionPolicy(options.policy ?? defaultUnionPolicy)
  const plan = normalizationPlan(policy, object.type)
  if (plan === null) return { object, unions: [] }
  const settled = settle(policy, plan)
  return { object: settled.object, unions: changesOf(policy, settled.decisions) }
}

/** `normalizeUnions` with a plan, for the Updater. */
export function settleUpdate(policy: UnionPolicy, plan: Plan, old: TypedValue, next: TypedValue): SettledUnions {
  if (updateStays(policy) && isSettled(plan, next, old)) return { object: next, decisions: [] }
  const creates = old.value === null || (isMap(old.value) && isEmptyMap(old.value))
  if (creates && leavesNewObjects(policy)) return { object: next, decisions: [] }
  return settle(new UnionWalk(policy, "update", true, mayRepeatItems(old, next)), plan, old, next, undefined)
}

/** `normalizeUnionsApply` with a plan, for the Updater. */
export function settleApply(
  policy: UnionPolicy,
  plan: Plan,
  live: TypedValue | undefined,
  target: TypedValue,
  applied: TypedValue,
): SettledUnions {
  const mayRepeat = mayRepeatItems(live, target, applied)
  return settle(new UnionWalk(policy, "apply", live !== undefined, mayRepeat), plan, live, target, applied)
}

/** Settles a configuration on its own, before its merge; for the Updater. */
export function settleConfig(policy: UnionPolicy, plan: Plan, config: TypedValue): SettledUnions {
  const walk = new UnionWalk(policy, "config", false, config.mayRepeatItems)
  return settle(walk, plan, undefined, config, config)
}

/** Settles `pruned`, the result of pruning `merged`, in the places that pruning changed; for the Updater. */
export function settlePruned(policy: UnionPolicy, plan: Plan, merged: TypedValue, pruned: TypedValue): SettledUnions {
  return settle(new UnionWalk(policy, "prune", true, mayRepeatItems(merged, pruned)), plan, merged, pruned, undefined)
}

function mayRepeatItems(...objects: readonly (TypedValue | undefined)[]): boolean {
  return objects.some(object => object?.mayRepeatItems)
}

/**
 * Settles the unions that admission changed when it turned `requested`, the result of a request to `live`, into `admitted`; for the test
 * API server. `live` is undefined for a new object.
 */
export function settleAdmitted(
  policy: UnionPolicy,
  plan: Plan,
  live: TypedValue | undefined,
  requested: TypedValue,
  admitted: TypedValue,
): SettledUnions {
  if (live === undefined && leavesNewObjects(policy)) return { object: admitted, decisions: [] }
  const walk = new UnionWalk(policy, "admit", false, mayRepeatItems(live, requested, admitted))
  return settle(walk, plan, live, admitted, requested)
}

/**
 * Whether the policy settles nothing in a new object. The last version of KEP-1027 normalizes only updates and patches: a new object is
 * taken literally, and refused if it contradicts itself.
 */
export function leavesNewObjects(policy: UnionPolicy): boolean {
  return policy.unchangedMultiple === "leave-for-validation"
}

/** Whether the policy has nothing to do in an update if the new object is settled. */
function updateStays(policy: UnionPolicy): boolean {
  return policy.selectedAbsent !== "carry-over"
}

/** Whether the policy has nothing to do in an apply if the configuration and the merged object are settled. */
export function applyStays(policy: UnionPolicy): boolean {
  return policy.applyBasis === "applied-fields" && updateStays(policy)
}
