// Normalization of unions: what is settled in an update and at each step of an apply, and when there is nothing to settle.
// settling.ts does the walk.
import { requireSameType, type TypedValue } from "../typed/typed-value.js"
import { requireOptions } from "../value/argument.js"
import { isEmptyMap } from "../value/object.js"
import { isMap } from "../value/value.js"
import { changesOf } from "./finding.js"
import { normalizationPlan, type Plan } from "./plan.js"
import { defaultUnionPolicy, type UnionPolicy, type UnionPolicyName, unionPolicy } from "./policy.js"
import type { UnionChange } from "./report.js"
import { isSettled } from "./settled.js"
import { type Settled, Settling, settle } from "./settling.js"

/** How unions are settled. */
export interface UnionOptions {
  /** The union policy; `extended` if absent. */
  readonly policy?: UnionPolicyName | UnionPolicy | undefined
}

/** How unions are settled in an apply. */
export interface ApplyUnionOptions extends UnionOptions {
  /** The object before the merge, for policies that compare with it. Without it, that is what `applied` does not specify. */
  readonly live?: TypedValue | undefined
}

/** An object with its unions settled. */
export interface NormalizedUnions {
  /** The settled object. Shares what is unchanged with the object given, and is that object if nothing had to be done. */
  readonly object: TypedValue
  /** What was edited. It names no owners, since none are known here. */
  readonly unions: readonly UnionChange[]
}

/**
 * `next`, which is to take the place of `old`, with its unions settled; `next` itself if there is nothing to do. If the value of
 * `old` is null or `{}`, the object is being created. Throws a
 * UnionError with the problems of all structs if there is one for which the policy can't tell what is meant, a SchemaError if `old`
 * and `next` are not of the same type, and a RangeError for the name of a policy that does not exist.
 */
export function normalizeUnions(old: TypedValue, next: TypedValue, options: UnionOptions = {}): NormalizedUnions {
  requireSameType(old, next)
  return normalize(next, options, (policy, plan) => settleUpdate(policy, plan, old, next))
}

/**
 * `target`, the merge of `applied` into a live object, with its unions settled as `applied` wants them. With the same value for
 * both, this settles a configuration before its merge. Throws what `normalizeUnions` throws.
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
  settle: (policy: UnionPolicy, plan: Plan) => Settled,
): NormalizedUnions {
  requireOptions("options", options)
  const policy = unionPolicy(options.policy ?? defaultUnionPolicy)
  const plan = normalizationPlan(policy, object.type)
  if (plan === null) return { object, unions: [] }
  const settled = settle(policy, plan)
  return { object: settled.object, unions: changesOf(policy, settled.findings) }
}

/** `normalizeUnions` with a plan, for the Updater. */
export function settleUpdate(policy: UnionPolicy, plan: Plan, old: TypedValue, next: TypedValue): Settled {
  if (updateStays(policy) && isSettled(plan, next, old)) return { object: next, findings: [] }
  const creates = old.value === null || (isMap(old.value) && isEmptyMap(old.value))
  if (creates && leavesNewObjects(policy)) return { object: next, findings: [] }
  return settle(new Settling(policy, "update", true, mayRepeatItems(old, next)), plan, old, next, undefined)
}

/** `normalizeUnionsApply` with a plan, for the Updater. */
export function settleApply(
  policy: UnionPolicy,
  plan: Plan,
  live: TypedValue | undefined,
  target: TypedValue,
  applied: TypedValue,
): Settled {
  const mayRepeat = mayRepeatItems(live, target, applied)
  return settle(new Settling(policy, "apply", live !== undefined, mayRepeat), plan, live, target, applied)
}

/** Settles a configuration by itself, before its merge; for the Updater. */
export function settleConfig(policy: UnionPolicy, plan: Plan, config: TypedValue): Settled {
  const walk = new Settling(policy, "config", false, config.mayRepeatItems)
  return settle(walk, plan, undefined, config, config)
}

/** Settles `pruned`, what pruning left of `merged`, where pruning changed something; for the Updater. */
export function settlePruned(policy: UnionPolicy, plan: Plan, merged: TypedValue, pruned: TypedValue): Settled {
  return settle(new Settling(policy, "prune", true, mayRepeatItems(merged, pruned)), plan, merged, pruned, undefined)
}

function mayRepeatItems(...objects: readonly (TypedValue | undefined)[]): boolean {
  return objects.some(object => object?.mayRepeatItems)
}

/**
 * Settles the unions that admission changed when it made `admitted` of `made`, which a request had made of `live` (undefined for a new
 * object); for the test API server.
 */
export function settleAdmitted(
  policy: UnionPolicy,
  plan: Plan,
  live: TypedValue | undefined,
  made: TypedValue,
  admitted: TypedValue,
): Settled {
  if (live === undefined && leavesNewObjects(policy)) return { object: admitted, findings: [] }
  const walk = new Settling(policy, "admit", false, mayRepeatItems(live, made, admitted))
  return settle(walk, plan, live, admitted, made)
}

/**
 * Whether the policy settles nothing in an object that is created. KEP-1027, as it was left, normalizes updates and patches alone: a
 * new object means what it says, and is refused if that contradicts itself.
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
