// Applies the rules of union.ts to every map of a typed value. Inputs are never changed: edited maps are copied, and everything else is
// shared. The walk follows a plan (plan.ts), so it enters only parts that lead to unions. It enters no atomic lists and maps, which a merge
// takes as a whole. It visits members before their struct.
import { formatIssues, type Issue, UnionError } from "../errors.js"
import { fieldElement } from "../fieldpath/create-element.js"
import { equalElements, type PathElement } from "../fieldpath/element.js"
import { equalPaths, formatPath, type Path } from "../fieldpath/path.js"
import type { CompiledUnion } from "../schema/compiled-union.js"
import { elementOfItem, ItemTable } from "../typed/list-items.js"
import type { ListShape } from "../typed/type.js"
import type { TypedValue } from "../typed/typed-value.js"
import { maxDepth, tooDeep } from "../value/depth.js"
import { copyMap, isEmptyMap, own, put } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Side, type Value } from "../value/value.js"
import { Items } from "./items.js"
import type { ListPlan, MapPlan, Plan } from "./plan.js"
import type { UnionPolicy } from "./policy.js"
import { type Decision, decideAdmitted, decideApply, decideConfig, decidePruned, decideUpdate } from "./union.js"
import { isImplied, memberPath, type UnionDecision } from "./union-decision.js"

type Verb = "update" | "config" | "apply" | "prune" | "admit"

const deciders = {
  update: decideUpdate,
  config: decideConfig,
  apply: decideApply,
  prune: decidePruned,
  admit: decideAdmitted,
} as const

export interface SettledUnions {
  readonly object: TypedValue
  readonly decisions: readonly UnionDecision[]
}

/** One walk: its step and operation, and its decisions. */
export class UnionWalk {
  readonly policy: UnionPolicy
  readonly verb: Verb
  /** Whether there is an old object. A struct may still be absent in it. */
  readonly knowsOld: boolean
  /** Whether lists of the objects may have several items with the same key. */
  readonly mayRepeatItems: boolean
  /** Whether only structs that the configuration mentions can have anything to settle. */
  readonly onlyApplied: boolean
  /** All decisions, including problems. Their paths are completed step by step on the way back up. */
  readonly decisions: UnionDecision[] = []
  /** Whether the value is still valid after the edits: no number became a string. */
  sound = true

  constructor(policy: UnionPolicy, verb: Verb, knowsOld: boolean, mayRepeatItems: boolean) {
    this.mayRepeatItems = mayRepeatItems
    this.policy = policy
    this.verb = verb
    this.knowsOld = knowsOld
    this.onlyApplied = (verb === "config" || verb === "apply") && policy.applyBasis === "applied-fields"
  }

  /** Puts `element` in front of the paths of the decisions from index `from` on. */
  prefix(element: PathElement, from: number): void {
    for (let i = from; i < this.decisions.length; i++) this.decisions[i]?.path.unshift(element)
  }

  /** Drops the decisions from index `from` on that are inside the given members, which are cleared. */
  forget(union: CompiledUnion, members: readonly string[], from: number): void {
    if (members.length === 0 || from === this.decisions.length) return
    const paths = members.map(member => memberPath(union, member))
    const found = this.decisions.splice(from)
    for (const decided of found) {
      const inside = (path: Path) => equalPaths(decided.path.slice(0, path.length), path)
      if (!paths.some(inside)) this.decisions.push(decided)
    }
  }
}

/**
 * Returns `next` with its unions settled, and the decisions. If given, `old` is the predecessor of `next`, and `applied` the configuration
 * from which `next` was made. Throws a UnionError with all problems.
 */
export function settle(
  walk: UnionWalk,
  plan: Plan,
  old: TypedValue | undefined,
  next: TypedValue,
  applied: TypedValue | undefined,
): SettledUnions {
  const { decisions } = walk
  const value = visit(walk, plan, old?.value, next.value, applied?.value, 0)
  throwProblems(decisions)
  return { object: next.withEdits(value, walk.sound), decisions }
}

function throwProblems(decisions: readonly UnionDecision[]): void {
  const issues: Issue[] = []
  // Upstream's messages on unions have no paths.
  const bare: Issue[] = []
  for (const { path, decision } of decisions) {
    const { problem: message } = decision
    if (message === undefined) continue
    issues.push({ path: formatPath(path), message })
    bare.push({ path: "", message })
  }
  if (issues.length > 0) throw new UnionError(issues, formatIssues(bare))
}

function visit(walk: UnionWalk, plan: Plan, old: Side, next: Value, applied: Side, depth: number): Value {
  if (depth > maxDepth) throw tooDeep()
  if (walk.verb === "prune" && next === old) return next
  if (walk.verb === "admit" && next === applied) return next
  if (isMap(next)) {
    if (plan.map === null || (walk.onlyApplied && !isMap(applied))) return next
    return visitMap(walk, plan.map, isMap(old) ? old : null, next, isMap(applied) ? applied : null, depth)
  }
  if (isList(next)) {
    if (plan.list === null || (walk.onlyApplied && !isList(applied))) return next
    return visitList(walk, plan.list, isList(old) ? old : null, next, isList(applied) ? applied : null, depth)
  }
  return next
}

function visitMap(
  walk: UnionWalk,
  plan: MapPlan,
  old: MapValue | null,
  next: MapValue,
  applied: MapValue | null,
  depth: number,
): MapValue {
  // A map that is empty on all sides is a leaf.
  if (isEmptyMap(next) && isEmptyMap(old) && isEmptyMap(applied)) return next
  const { length } = walk.decisions
  let out = next
  for (const [name, below] of plan.fields) out = visitKey(walk, below, name, old, next, out, applied, depth)
  if (plan.rest !== null) {
    for (const key in next) {
      if (!plan.shape.fields.has(key)) out = visitKey(walk, plan.rest, key, old, next, out, applied, depth)
    }
  }
  if (plan.unions.length === 0) return out
  const settled = visitUnions(walk, plan, old, out, applied, depth, length)
  if (!plan.fit && settled !== out) walk.sound = false
  return settled
}

/** Returns `out`, which is `next` or a copy of it, with the value at `key` settled. Copies `next` at the first edit. */
function visitKey(
  walk: UnionWalk,
  plan: Plan,
  key: string,
  old: MapValue | null,
  next: MapValue,
  out: MapValue,
  applied: MapValue | null,
  depth: number,
): MapValue {
  const child = own(next, key)
  if (child === undefined) return out
  const { length } = walk.decisions
  const before = old === null ? undefined : own(old, key)
  const wanted = applied === null ? undefined : own(applied, key)
  const edited = visit(walk, plan, before, child, wanted, depth + 1)
  if (walk.decisions.length > length) walk.prefix(fieldElement(key), length)
  if (edited === child) return out
  const copy = out === next ? copyMap(next) : out
  put(copy, key, edited)
  return copy
}

/**
 * Settles the unions of a struct one after the other, up to the first problem. The decisions from index `below` on are inside the struct.
 */
function visitUnions(
  walk: UnionWalk,
  plan: MapPlan,
  old: MapValue | null,
  next: MapValue,
  applied: MapValue | null,
  depth: number,
  below: number,
): MapValue {
  const decide = deciders[walk.verb]
  const byMerged = walk.verb === "apply" && walk.policy.applyBasis === "merged-vs-live"
  let out = next
  for (const union of plan.unions) {
    const before = out
    const decision = decide(walk.policy, union, { old, next: before, applied })
    if (decision === null) continue
    if (byMerged) walk.forget(union, decision.clear, below)
    out = edit(union, decision, before, old, byMerged ? applied : null)
    const from = union.rawSelection(walk.knowsOld ? old : before)
    walk.decisions.push({ path: [], union, decision, from, before, after: out, applied })
    if (decision.problem !== undefined) break
    // A carried-over member is settled as if it had always been there.
    const carried = decision.carry ?? ""
    const inside = plan.fields.get(carried)
    if (decision.carry !== undefined && inside !== undefined) {
      out = visitKey(walk, inside, carried, old, out, out, null, depth)
    }
  }
  return out
}

/** Returns the map with the edits of the decision. Nulls of `applied` stay, since the next merge would bring them back. */
function edit(
  union: CompiledUnion,
  decision: Decision,
  map: MapValue,
  old: MapValue | null,
  applied: MapValue | null,
): MapValue {
  const { clear, write, carry } = decision
  const writes = isImplied(union, decision, map)
  if (clear.length === 0 && !writes && carry === undefined) return map
  const out = copyMap(map)
  if (applied === null || union.items !== null) union.clear(out, clear)
  else {
    for (const member of clear) {
      if (own(applied, member) === null) put(out, member, null)
      else delete out[member]
    }
  }
  if (writes) put(out, union.discriminator as string, write as string)
  const carried = carry === undefined || old === null ? undefined : own(old, carry)
  if (carry !== undefined && carried !== undefined) put(out, carry, carried)
  return out
}

function visitList(
  walk: UnionWalk,
  plan: ListPlan,
  old: ListValue | null,
  next: ListValue,
  applied: ListValue | null,
  depth: number,
): ListValue {
  const { shape } = plan
  const before = new Items(shape, old)
  const wanted = new Items(shape, applied)
  const distinct = walk.mayRepeatItems ? new ItemTable(shape) : null
  let out: Value[] | null = null
  for (let i = 0; i < next.length; i++) {
    const item = next[i] as Value
    // Go: if several items have the same key, only the first is settled.
    if (distinct !== null && distinct.size !== distinct.add(item)) continue
    const { length } = walk.decisions
    const was = distinct === null ? before.findAt(i, item) : before.find(item)
    const given = distinct === null ? wanted.findAt(i, item) : wanted.find(item)
    const edited = visit(walk, plan.item, was, item, given, depth + 1)
    if (walk.decisions.length === length && edited === item) continue
    const place = elementOfItem(shape, item)
    if (place !== null) walk.prefix(place, length)
    if (edited === item) continue
    const after = elementOfItem(shape, edited)
    if (place !== null && (after === null || !equalElements(after, place))) refuseKeys(walk, shape, length)
    out ??= next.slice()
    out[i] = edited
  }
  return out ?? next
}

/** Turns edits of an item that would change its keys into problems. The item's decisions begin at index `from`. */
function refuseKeys(walk: UnionWalk, shape: ListShape, from: number): void {
  const { decisions } = walk
  for (let i = from; i < decisions.length; i++) {
    const decided = decisions[i] as UnionDecision
    const { union, decision, path } = decided
    if (path.length > 1) continue
    const edits = decision.write === undefined ? decision.clear : [...decision.clear, union.discriminator]
    const key = shape.keys.find(({ name }) => edits.includes(name))
    if (key === undefined) continue
    const problem = `settling the union would change ${key.name}, which is a key of the list`
    decisions[i] = { ...decided, decision: { clear: [], problem } }
  }
}
