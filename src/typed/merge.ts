import { fieldElement, formatElement, type PathElement } from "../fieldpath/element.js"
import { maxDepth, tooDeep } from "../value/depth.js"
import { identicalValues } from "../value/equal.js"
import { copyMap, isEmptyMap, own, put } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"
import { areSettled } from "./compiled-union.js"
import { ElementTable, elementOfItem, itemProblem } from "./list-items.js"
import type { ListShape, MapShape, ScalarShape, Shape, Type } from "./type.js"
import { scalarProblem } from "./validate.js"
import { Issues } from "./walk.js"

/**
 * `lhs` with everything that `rhs` specifies: nothing is removed, leaves of `rhs` win. Lists keep the order of `lhs`, unless
 * `rhs` says otherwise about items of both. Where nothing changes the result is `lhs` itself, at every level.
 *
 * `trusted` says that both are valid and that `rhs` has no duplicate items, so that equal halves need not be looked into.
 * With `keepEqual`, large atomic lists and maps are compared too: an equal one of `lhs` is then kept, as a small one always is.
 */
export function mergeValues(
  type: Type,
  lhs: Value,
  rhs: Value,
  trusted: boolean,
  keepEqual: boolean,
): { value: Value; issues: Issues; settled: boolean } {
  const walk = new Merge(trusted, keepEqual ? undefined : smallLeaf)
  const value = mergeValue(walk, type, lhs, rhs, 0)
  return { value: value ?? null, issues: walk.issues, settled: walk.settled }
}

/** Of how many lists and maps an atomic one may consist so that it is compared for its identity alone. */
const smallLeaf = 32

class Merge {
  issues = new Issues()
  readonly trusted: boolean
  readonly leafLimit: number | undefined
  /** Whether the unions of all maps that the merge made are settled. */
  settled = true
  constructor(trusted: boolean, leafLimit: number | undefined) {
    this.trusted = trusted
    this.leafLimit = leafLimit
  }
}

/** Undefined is absent; as a result, also what can't be merged: upstream leaves it out where it does not report it. */
type Side = Value | undefined

function mergeValue(walk: Merge, type: Type, lhs: Side, rhs: Side, depth: number): Side {
  if (walk.trusted) {
    if (rhs === undefined || lhs === rhs) return lhs
    if (lhs === undefined) return rhs
  }
  if (depth > maxDepth) throw tooDeep()
  const left = type.match(lhs)
  const right = type.match(rhs)
  const fallback = type.fallback
  if (fallback === null) {
    walk.issues.add(type.problem as string)
    return undefined
  }
  if (rhs === undefined) return mergeShape(walk, left ?? fallback, lhs, rhs, depth)
  // Sides of different kinds are first merged as what `lhs` is, only to find what is wrong with them.
  if (!walk.trusted && lhs !== undefined && left !== right && !type.single)
    mergeShape(walk, left ?? fallback, lhs, rhs, depth)
  return mergeShape(walk, right ?? fallback, lhs, rhs, depth)
}

function mergeShape(walk: Merge, shape: Shape, lhs: Side, rhs: Side, depth: number): Side {
  switch (shape.kind) {
    case "scalar":
      return mergeScalar(walk, shape, lhs, rhs)
    case "map": {
      const left = isMap(lhs) ? lhs : null
      const right = isMap(rhs) ? rhs : null
      if (shape.atomic || (isNothing(left) && isNothing(right))) return mergeLeaf(walk, lhs, rhs)
      if (walk.trusted && (isNothing(left) || isNothing(right))) return isNothing(left) ? rhs : lhs
      return mergeMap(walk, shape, left ?? {}, right ?? {}, depth)
    }
    case "list": {
      const left = isList(lhs) ? lhs : null
      const right = isList(rhs) ? rhs : null
      if (shape.atomic || (isNoItem(left) && isNoItem(right))) return mergeLeaf(walk, lhs, rhs)
      if (walk.trusted && (isNoItem(left) || isNoItem(right))) return isNoItem(left) ? rhs : lhs
      return mergeList(walk, shape, left ?? [], right ?? [], depth)
    }
  }
}

function isNothing(map: MapValue | null): boolean {
  return map === null || isEmptyMap(map)
}

function isNoItem(list: ListValue | null): boolean {
  return list === null || list.length === 0
}

/** A leaf is taken whole from `rhs`, where it has one; an equal one of `lhs` is kept for its identity. */
function mergeLeaf(walk: Merge, lhs: Side, rhs: Side): Side {
  return rhs === undefined || (lhs !== undefined && identicalValues(lhs, rhs, walk.leafLimit)) ? lhs : rhs
}

function mergeScalar(walk: Merge, shape: ScalarShape, lhs: Side, rhs: Side): Side {
  if (!walk.trusted) {
    const left = scalarProblem(shape.scalar, lhs)
    const right = scalarProblem(shape.scalar, rhs)
    if (left !== null && right !== null) {
      walk.issues.add(`lhs: ${left}`)
      walk.issues.add(`rhs: ${right}`)
      return undefined
    }
  }
  return mergeLeaf(walk, lhs, rhs)
}

/** Copies `lhs` at the first changed key only, so an unchanged map keeps its identity. */
function mergeMap(walk: Merge, shape: MapShape, lhs: MapValue, rhs: MapValue, depth: number): Side {
  let out: Record<string, Value> | null = null
  for (const key in rhs) {
    const before = own(lhs, key)
    const after = mergeKey(walk, shape, key, before, rhs[key], depth)
    if (after === before) continue
    out = withKey(out ?? copyMap(lhs), key, after)
  }
  if (walk.trusted) return out === null ? lhs : made(walk, shape, out)
  for (const key in lhs) {
    if (own(rhs, key) !== undefined) continue
    const after = mergeKey(walk, shape, key, lhs[key], undefined, depth)
    if (after !== lhs[key]) out = withKey(out ?? copyMap(lhs), key, after)
  }
  if (out === null) return lhs
  return isEmptyMap(out) ? undefined : made(walk, shape, out)
}

function made(walk: Merge, shape: MapShape, map: MapValue): MapValue {
  if (walk.settled && shape.oneOfs.length > 0) walk.settled = areSettled(shape.oneOfs, map)
  return map
}

function withKey(map: Record<string, Value>, key: string, value: Side): Record<string, Value> {
  if (value === undefined) delete map[key]
  else put(map, key, value)
  return map
}

function mergeKey(walk: Merge, shape: MapShape, key: string, lhs: Side, rhs: Side, depth: number): Side {
  const field = shape.fields.get(key)
  const before = walk.issues.count
  const merged = mergeValue(walk, field === undefined ? shape.rest : field.type, lhs, rhs, depth + 1)
  if (walk.issues.count > before) walk.issues.prefix(field?.element ?? fieldElement(key), before)
  return merged
}

/** Items of both lists by path element; an element has the same number in all the arrays. */
class Pairing {
  readonly table = new ElementTable()
  /** The numbers of the items of each list, in order. */
  readonly left: number[] = []
  readonly right: number[] = []
  /** The item of each side by number: undefined where it has none, null on the left where it has several. */
  readonly leftItems: Side[] = []
  readonly rightItems: Side[] = []
}

function pairItems(walk: Merge, shape: ListShape, lhs: ListValue, rhs: ListValue): Pairing | null {
  const pairs = new Pairing()
  const { table, left, right, leftItems, rightItems } = pairs
  const before = walk.issues.count
  for (let i = 0; i < rhs.length; i++) {
    const element = indexItem(walk, shape, i, rhs[i] as Value)
    if (element === null) continue
    const number = table.add(element)
    if (rightItems[number] !== undefined) walk.issues.add(`duplicate entries for key ${formatElement(element)}`)
    else {
      rightItems[number] = rhs[i]
      right.push(number)
    }
  }
  for (let i = 0; i < lhs.length; i++) {
    const element = indexItem(walk, shape, i, lhs[i] as Value)
    if (element === null) continue
    const number = table.add(element)
    leftItems[number] = leftItems[number] === undefined ? lhs[i] : null
    left.push(number)
  }
  return walk.issues.count > before ? null : pairs
}

function indexItem(walk: Merge, shape: ListShape, index: number, item: Value): PathElement | null {
  const element = elementOfItem(shape, item)
  if (element === null) walk.issues.add(`element ${index}: ${itemProblem(shape, item)}`)
  return element
}

/**
 * Merges two associative lists. Both are walked side by side. An item of `lhs` alone is taken when it is reached. The items
 * that `rhs` has too appear in the order of `rhs`: one of them that comes up in `lhs` too early is passed over and is taken
 * when `rhs` reaches it.
 */
function mergeList(walk: Merge, shape: ListShape, lhs: ListValue, rhs: ListValue, depth: number): Side {
  const pairs = pairItems(walk, shape, lhs, rhs)
  if (pairs === null) return undefined
  const { left, right, leftItems, rightItems } = pairs
  const shared = right.filter(number => leftItems[number] !== undefined)
  const done: boolean[] = []
  const out: Value[] = []
  let nextShared = 0 // shared[nextShared] is the next item of both that may be taken from `lhs`
  let i = 0
  let j = 0
  const takeRight = (): void => {
    const number = right[j++] as number
    done[number] = true
    if (shared[nextShared] === number) nextShared++
    mergeItem(walk, shape, out, leftItems[number], rightItems[number], depth)
  }
  while (i < left.length || j < right.length) {
    const number = left[i]
    if (number !== undefined && j < right.length) {
      if (number === right[j]) {
        i++
        takeRight()
        continue
      }
      if (rightItems[number] !== undefined && nextShared < shared.length && shared[nextShared] !== number) {
        i++
        continue
      }
    }
    if (number !== undefined) {
      if (rightItems[number] === undefined) {
        mergeItem(walk, shape, out, lhs[i], undefined, depth)
        i++
        continue
      }
      if (done[number] === true) i++
    }
    if (j < right.length) takeRight()
  }
  if (out.length === 0) return undefined
  return sameItems(out, lhs) ? lhs : sameItems(out, rhs) ? rhs : out
}

// Go: problems within items are found and forgotten.
function mergeItem(walk: Merge, shape: ListShape, out: Value[], lhs: Side, rhs: Side, depth: number): void {
  const { issues } = walk
  if (!walk.trusted) walk.issues = new Issues()
  const merged = mergeValue(walk, shape.item, lhs, rhs, depth + 1)
  if (merged !== undefined) out.push(merged)
  walk.issues = issues
}

function sameItems(a: ListValue, b: ListValue): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
