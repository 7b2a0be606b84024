// The rule of union.ts at every map of a typed value, copied on write: inputs stay as they are, and what has no edit is
// shared. The walk follows a plan (plan.ts), so it enters only what leads to unions; inside atomic lists and maps, which a
// merge takes or leaves as a whole, nothing is looked at. Members first, then the struct that holds them.
import { formatIssues, type Issue, UnionError } from "../errors.js"
import { equalElements, fieldElement, type PathElement } from "../fieldpath/element.js"
import { formatPath } from "../fieldpath/path.js"
import { areSettled, type CompiledUnion } from "../typed/compiled-union.js"
import { elementOfItem } from "../typed/list-items.js"
import { requireSameType, type TypedValue } from "../typed/typed-value.js"
import { maxDepth, tooDeep } from "../value/depth.js"
import { copyMap, isEmptyMap, own, put } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"
import { duplicateItems, isLost, lostObject } from "./accidents.js"
import { Items } from "./items.js"
import { type ListPlan, type MapPlan, type Plan, planOf } from "./plan.js"
import { type UnionPolicy, type UnionPolicyName, unionPolicy } from "./policy.js"
import type { UnionChange } from "./report.js"
import { type Decision, decideApply, decideUpdate } from "./union.js"

export interface UnionOptions {
  /** `v4` if absent. */
  readonly policy?: UnionPolicyName | UnionPolicy
}

export interface ApplyUnionOptions extends UnionOptions {
  /** The object before the merge, for policies that compare with it. Without it, what `applied` does not specify. */
  readonly live?: TypedValue
}

export interface NormalizedUnions {
  readonly object: TypedValue
  /** What was edited; nobody's ownership is known here, so no owners are named. */
  readonly unions: readonly UnionChange[]
}

/**
 * `next`, which is to take the place of `old`, with its unions settled. `next` itself where there is nothing to do.
 * Throws a UnionError with the problems of all structs where the policy finds that it can't tell what is meant.
 */
export function normalizeUnions(old: TypedValue, next: TypedValue, options: UnionOptions = {}): NormalizedUnions {
  requireSameType(old, next)
  const policy = unionPolicy(options.policy ?? "v4")
  const plan = policy.enabled ? planOf(next.type, "granular") : null
  if (plan === null) return { object: next, unions: [] }
  const { object, findings } = settleUpdate(policy, plan, old, next)
  return { object, unions: findings.filter(hasEdit).map(finding => changeOf(policy, finding)) }
}

/**
 * `target`, a merge of `applied` into a live object, with its unions settled as `applied` wants them. With the same value
 * for both, this settles a configuration before its merge. Throws a UnionError as `normalizeUnions` does.
 */
export function normalizeUnionsApply(
  applied: TypedValue,
  target: TypedValue,
  options: ApplyUnionOptions = {},
): NormalizedUnions {
  requireSameType(applied, target)
  if (options.live !== undefined) requireSameType(applied, options.live)
  const policy = unionPolicy(options.policy ?? "v4")
  const plan = policy.enabled ? planOf(target.type, "granular") : null
  if (plan === null) return { object: target, unions: [] }
  if (applyStays(policy, target, applied)) return { object: target, unions: [] }
  const { object, findings } = settleApply(policy, plan, options.live, target, applied, target.settled)
  return { object, unions: findings.filter(hasEdit).map(finding => changeOf(policy, finding)) }
}

/** A decision that was made somewhere, and the map it was made for. */
export interface Finding {
  readonly path: PathElement[]
  readonly union: CompiledUnion
  readonly decision: Decision
  /** The discriminator before the operation: that of the old object, or of the new one where no old one is known. */
  readonly from: Value | undefined
  /** The map without and with the edits, and in what was applied. */
  readonly before: MapValue
  readonly after: MapValue
  readonly applied: MapValue | null
}

export interface Settled {
  readonly object: TypedValue
  readonly findings: readonly Finding[]
}

/** `normalizeUnions` with a plan, for the Updater. */
export function settleUpdate(policy: UnionPolicy, plan: Plan, old: TypedValue, next: TypedValue): Settled {
  if (next.settled && updateStays(policy)) return { object: next, findings: [] }
  return settle(new Normalization(policy, "update", true, next.mayRepeatItems), plan, old, next, undefined)
}

/** `normalizeUnionsApply` with a plan, for the Updater, which may know that what `applied` does not mention is settled. */
export function settleApply(
  policy: UnionPolicy,
  plan: Plan,
  live: TypedValue | undefined,
  target: TypedValue,
  applied: TypedValue,
  restSettled: boolean,
): Settled {
  const walk = new Normalization(policy, "apply", live !== undefined, target.mayRepeatItems)
  if (walk.onlyApplied && applied !== target && !restSettled) walk.settled = false
  return settle(walk, plan, live, target, applied)
}

/** Whether the policy has nothing to do in an update to an object that is settled. */
function updateStays(policy: UnionPolicy): boolean {
  return (
    policy.emptyDiscriminator !== "clear-all-or-fail" &&
    policy.removedDiscriminator !== "clear-all-or-fail" &&
    policy.selectedAbsent !== "carry-over" &&
    !policy.accidents
  )
}

/** Whether the policy has nothing to do in an apply, as both objects are settled. */
export function applyStays(policy: UnionPolicy, target: TypedValue, applied: TypedValue): boolean {
  return target.settled && applied.settled && policy.applyBasis === "applied-fields" && updateStays(policy)
}

/** Whether the decision changed the map, rather than found it as it should be. */
export function hasEdit({ before, after }: Finding): boolean {
  return before !== after
}

/** What a finding says in a report. Whether the discriminator was implied, the caller may know better. */
export function changeOf(policy: UnionPolicy, finding: Finding, implied: boolean = isImplied(finding)): UnionChange {
  const { path, union, decision, from, after } = finding
  const field = union.discriminator
  return {
    path,
    ...(union.def.name !== undefined && { name: union.def.name }),
    policy: policy.name,
    ...(field !== undefined && {
      discriminator: {
        field,
        from,
        to: union.rawSelection(after),
        implied,
        ...(implied && decision.because !== undefined && { because: decision.because }),
      },
    }),
    cleared: decision.clear.map(member => ({ field: member, owners: [] })),
    ...(decision.carry !== undefined && { carried: decision.carry }),
  }
}

function isImplied({ union, decision, before }: Finding): boolean {
  return decision.write !== undefined && union.rawSelection(before) !== decision.write
}

class Normalization {
  /** Kept for V8: see EntryStack. */
  static readonly kept: Normalization = new Normalization({} as UnionPolicy, "update", false, false)

  readonly policy: UnionPolicy
  readonly verb: "update" | "apply"
  /** Whether there is an old object; a struct of it may be absent all the same. */
  readonly knowsOld: boolean
  /** Whether lists of the new object may hold several items with one key. */
  readonly mayRepeatItems: boolean
  /** Nothing can come of structs that the configuration does not mention. */
  readonly onlyApplied: boolean
  /** Paths are completed step by step on the way back up. */
  readonly findings: Finding[] = []
  readonly problems: { readonly path: PathElement[]; readonly message: string }[] = []
  /** Whether the edits kept the value valid: no item got the key of another, no number became a string. */
  sound = true
  /** Whether all unions of the maps visited are settled now. */
  settled = true

  constructor(policy: UnionPolicy, verb: "update" | "apply", knowsOld: boolean, mayRepeatItems: boolean) {
    this.mayRepeatItems = mayRepeatItems
    this.policy = policy
    this.verb = verb
    this.knowsOld = knowsOld
    this.onlyApplied = verb === "apply" && policy.applyBasis === "applied-fields"
  }

  get count(): number {
    return this.findings.length + this.problems.length
  }

  /** Puts `element` in front of what was found since there were so many findings and problems. */
  prefix(element: PathElement, findings: number, problems: number): void {
    for (let i = findings; i < this.findings.length; i++) this.findings[i]?.path.unshift(element)
    for (let i = problems; i < this.problems.length; i++) this.problems[i]?.path.unshift(element)
  }
}

function settle(
  walk: Normalization,
  plan: Plan,
  old: TypedValue | undefined,
  next: TypedValue,
  applied: TypedValue | undefined,
): Settled {
  const value = visit(walk, plan, old?.value, next.value, applied?.value, 0)
  const duplicates =
    walk.policy.accidents && walk.verb === "update" ? duplicateItems(next.type, old?.value, next.value) : []
  throwProblems(walk.problems, duplicates)
  if (walk.policy.accidents && isLost((old ?? applied)?.value, next.value)) {
    return { object: lostObject(next.type), findings: [] }
  }
  return { object: next.withEdits(value, walk.sound, walk.settled), findings: walk.findings }
}

function throwProblems(problems: Normalization["problems"], duplicates: readonly Issue[]): void {
  if (problems.length + duplicates.length === 0) return
  const issues = problems.map(({ path, message }) => ({ path: formatPath(path), message }))
  // Upstream's messages on unions have no paths.
  const bare = issues.map(({ message }) => ({ path: "", message }))
  throw new UnionError([...issues, ...duplicates], formatIssues([...bare, ...duplicates]))
}

type Side = Value | undefined

function visit(walk: Normalization, plan: Plan, old: Side, next: Value, applied: Side, depth: number): Value {
  if (depth > maxDepth) throw tooDeep()
  if (isMap(next)) {
    const wanted = isMap(applied) ? applied : null
    if (plan.map === null || (wanted === null && walk.onlyApplied)) return next
    return visitMap(walk, plan.map, isMap(old) ? old : null, next, wanted, depth)
  }
  if (isList(next)) {
    const wanted = isList(applied) ? applied : null
    if (plan.list === null || (wanted === null && walk.onlyApplied)) return next
    return visitList(walk, plan.list, isList(old) ? old : null, next, wanted, depth)
  }
  return next
}

function visitMap(
  walk: Normalization,
  plan: MapPlan,
  old: MapValue | null,
  next: MapValue,
  applied: MapValue | null,
  depth: number,
): MapValue {
  // Empty on all sides: a leaf.
  if (isEmptyMap(next) && isNothing(old) && isNothing(applied)) return next
  let out: Record<string, Value> | null = null
  for (const { name, element, plan: below } of plan.fields) {
    const child = own(next, name)
    if (child === undefined) continue
    const edited = visitKey(walk, below, name, element, old, child, applied, depth)
    if (edited !== child) put((out ??= copyMap(next)), name, edited)
  }
  if (plan.rest !== null) {
    for (const key in next) {
      if (plan.shape.fields.has(key)) continue
      const child = next[key] as Value
      const edited = visitKey(walk, plan.rest, key, null, old, child, applied, depth)
      if (edited !== child) put((out ??= copyMap(next)), key, edited)
    }
  }
  if (plan.unions.length === 0) return out ?? next
  const settled = visitUnions(walk, plan, old, out ?? next, applied, depth)
  if (!plan.fit && settled !== (out ?? next)) walk.sound = false
  if (walk.settled) walk.settled = areSettled(plan.unions, settled)
  return settled
}

function isNothing(map: MapValue | null): boolean {
  return map === null || isEmptyMap(map)
}

function visitKey(
  walk: Normalization,
  plan: Plan,
  key: string,
  element: PathElement | null,
  old: MapValue | null,
  child: Value,
  applied: MapValue | null,
  depth: number,
): Value {
  const findings = walk.findings.length
  const problems = walk.problems.length
  const before = old === null ? undefined : own(old, key)
  const wanted = applied === null ? undefined : own(applied, key)
  const edited = visit(walk, plan, before, child, wanted, depth + 1)
  if (walk.count > findings + problems) walk.prefix(element ?? fieldElement(key), findings, problems)
  return edited
}

/** Each union of a struct sees what those before it did. The first problem ends it. */
function visitUnions(
  walk: Normalization,
  plan: MapPlan,
  old: MapValue | null,
  next: MapValue,
  applied: MapValue | null,
  depth: number,
): MapValue {
  const decide = walk.verb === "update" ? decideUpdate : decideApply
  let out = next
  for (const union of plan.unions) {
    const before = out
    const decision = decide(walk.policy, union, { old, next: before, applied })
    if (decision === null) continue
    if (decision.problem !== undefined) {
      walk.problems.push({ path: [], message: decision.problem })
      break
    }
    out = edit(union, decision, before, old)
    const from = union.rawSelection(walk.knowsOld ? old : before)
    walk.findings.push({ path: [], union, decision, from, before, after: out, applied })
    if (decision.carry !== undefined) out = settleCarried(walk, plan, decision.carry, old, out, depth)
  }
  return out
}

/** What was taken over is settled as if it had been there all along. */
function settleCarried(
  walk: Normalization,
  plan: MapPlan,
  member: string,
  old: MapValue | null,
  next: MapValue,
  depth: number,
): MapValue {
  const field = plan.fields.find(({ name }) => name === member)
  const carried = own(next, member)
  if (field === undefined || carried === undefined) return next
  const settled = visitKey(walk, field.plan, member, field.element, old, carried, null, depth)
  if (settled === carried) return next
  const out = copyMap(next)
  put(out, member, settled)
  return out
}

function edit(union: CompiledUnion, decision: Decision, map: MapValue, old: MapValue | null): MapValue {
  const { clear, write, carry } = decision
  const writes = write !== undefined && union.rawSelection(map) !== write
  if (clear.length === 0 && !writes && carry === undefined) return map
  const out = copyMap(map)
  for (const member of clear) delete out[member]
  if (writes && union.discriminator !== undefined) put(out, union.discriminator, write)
  const carried = carry === undefined || old === null ? undefined : own(old, carry)
  if (carry !== undefined && carried !== undefined) put(out, carry, carried)
  return out
}

function visitList(
  walk: Normalization,
  plan: ListPlan,
  old: ListValue | null,
  next: ListValue,
  applied: ListValue | null,
  depth: number,
): ListValue {
  const { shape } = plan
  let before: Items | null = null
  let wanted: Items | null = null
  let out: Value[] | null = null
  const firsts = walk.mayRepeatItems ? new Items(shape, next) : null
  for (let i = 0; i < next.length; i++) {
    const item = next[i] as Value
    // Lists that share an item where they stand need not be searched for it.
    const sharedOld = old === null || old[i] === item
    const sharedApplied = applied === null || applied[i] === item
    // Go: of items with one key only the first is looked at.
    if (firsts !== null && firsts.find(item) !== item) {
      walk.settled = false
      continue
    }
    if (old !== null && !sharedOld) before ??= new Items(shape, old)
    if (applied !== null && !sharedApplied) wanted ??= new Items(shape, applied)
    const findings = walk.findings.length
    const problems = walk.problems.length
    const oldItem = sharedOld ? old?.[i] : before?.find(item)
    const appliedItem = sharedApplied ? applied?.[i] : wanted?.find(item)
    const edited = visit(walk, plan.item, oldItem, item, appliedItem, depth + 1)
    if (walk.count === findings + problems && edited === item) continue
    const place = elementOfItem(shape, item)
    if (place !== null) walk.prefix(place, findings, problems)
    if (edited === item) continue
    const after = elementOfItem(shape, edited)
    if (after === null || place === null || !equalElements(after, place)) walk.sound = false
    out ??= next.slice()
    out[i] = edited
  }
  return out ?? next
}
