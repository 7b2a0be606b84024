// Tells whether an object is settled: every union that a merge looks at has at most one member, and a discriminator that names exactly that
// member. Normalization has nothing to do for such objects, and most objects are settled.
//
// Validation notes in passing whether an object is settled. For results of merges and removals, this file finds out and remembers the
// answer. It compares them with the objects they were made from, so that it looks only into maps that changed.

import { areSettled } from "../schema/compiled-union.js"
import type { TypedValue } from "../typed/typed-value.js"
import { maxDepth, tooDeep } from "../value/depth.js"
import { own } from "../value/object.js"
import { isList, isMap, type MapValue, type Side, type Value } from "../value/value.js"
import type { ListPlan, MapPlan, Plan } from "./plan.js"

const known = new WeakMap<TypedValue, boolean>()

/** Whether all unions of `object` are settled. `a` and `b` are objects with which it may share parts. */
export function isSettled(plan: Plan, object: TypedValue, a?: TypedValue, b?: TypedValue): boolean {
  if (object.settledUnions) return true
  let answer = known.get(object)
  if (answer === undefined) {
    const left = a !== undefined && isSettled(plan, a) ? a.value : undefined
    const right = b !== undefined && isSettled(plan, b) ? b.value : undefined
    answer = holds(plan, left, right, object.value, 0)
    known.set(object, answer)
  }
  return answer
}

/** Whether everything in `value` is settled. Everything in `a` and `b` is known to be settled. */
function holds(plan: Plan, a: Side, b: Side, value: Value, depth: number): boolean {
  if (value === a || value === b) return true
  if (depth > maxDepth) throw tooDeep()
  if (isMap(value)) return plan.map === null || mapHolds(plan.map, a, b, value, depth)
  if (isList(value)) return plan.list === null || listHolds(plan.list, a, b, value, depth)
  return true
}

function mapHolds(plan: MapPlan, a: Side, b: Side, map: MapValue, depth: number): boolean {
  if (!areSettled(plan.unions, map)) return false
  const left = isMap(a) ? a : null
  const right = isMap(b) ? b : null
  for (const [name, below] of plan.fields) {
    const value = own(map, name)
    if (value !== undefined && !holds(below, childOf(left, name), childOf(right, name), value, depth + 1)) return false
  }
  if (plan.rest === null) return true
  for (const key in map) {
    if (plan.shape.fields.has(key)) continue
    if (!holds(plan.rest, childOf(left, key), childOf(right, key), map[key] as Value, depth + 1)) return false
  }
  return true
}

function childOf(map: MapValue | null, key: string): Side {
  return map === null ? undefined : own(map, key)
}

function listHolds(plan: ListPlan, a: Side, b: Side, list: readonly Value[], depth: number): boolean {
  const left = isList(a) ? a : none
  const right = isList(b) ? b : none
  for (let i = 0; i < list.length; i++) {
    if (!holds(plan.item, left[i], right[i], list[i] as Value, depth + 1)) return false
  }
  return true
}

const none: readonly Value[] = Object.freeze([])
