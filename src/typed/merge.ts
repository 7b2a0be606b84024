import { fieldElement, formatElement } from "../fieldpath/element.js"
import { maxDepth, tooDeep } from "../value/depth.js"
import { identicalValues } from "../value/equal.js"
import { copyMap, isEmptyMap, own, put } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"
import { areSettled } from "./compiled-union.js"
import { ItemTable, isSameItem, itemProblem } from "./list-items.js"
import type { ListShape, MapShape, ScalarShape, Shape, Type } from "./type.js"
import { scalarProblem } from "./validate.js"
import { Issues } from "./walk.js"

/**
 * `lhs` with everything that `rhs` specifies: nothing is removed, leaves of `rhs` win. Lists keep the order of `lhs`, unless
 * `rhs` says otherwise about items of both. Where nothing changes the result is `lhs` itself, at every level.
 *
 * `settled` says whether the unions of all maps that the merge made are.
 */
export function mergeValues(
  type: Type,
  lhs: Value,
  rhs: Value,
  options: MergeOptions,
): { value: Value; issues: Issues; settled: boolean } {
  const walk = new Merge(options)
  const value = mergeValue(walk, type, lhs, rhs, 0)
  return { value: value ?? null, issues: walk.issues, settled: walk.settled }
}

export interface MergeOptions {
  /** Both are valid, and `rhs` has no duplicate items, so that equal halves need not be looked into. */
  readonly trusted: boolean
  /** So is `lhs`, and neither has `lhs`. */
  readonly distinct: boolean
  /** Large atomic lists and maps are compared too: an equal one of `lhs` is then kept, as a small one always is. */
  readonly keepEqual: boolean
}

/** Of how many lists and maps an atomic one may consist so that it is compared for its identity alone. */
const smallLeaf = 32

class Merge {
  issues = new Issues()
  readonly trusted: boolean
  readonly distinct: boolean
  readonly leafLimit: number | undefined
  settled = true
  constructor({ trusted, distinct, keepEqual }: MergeOptions) {
    this.trusted = trusted
    this.distinct = distinct
    this.leafLimit = keepEqual ? undefined : smallLeaf
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

/** Items of both lists by number: items with the same path element have the same one in all the arrays. */
class Pairing {
  readonly table: ItemTable
  /** The numbers of the items of each list, in order. */
  readonly left: number[] = []
  readonly right: number[] = []
  /** The item of each side by number: undefined where it has none, null on the left where it has several. */
  readonly leftItems: Side[] = []
  readonly rightItems: Side[] = []
  constructor(shape: ListShape) {
    this.table = new ItemTable(shape)
  }
}

/** Pairs the items from the `from`th on. */
function pairItems(walk: Merge, shape: ListShape, lhs: ListValue, rhs: ListValue, from: number): Pairing | null {
  const pairs = new Pairing(shape)
  const { table, left, right, leftItems, rightItems } = pairs
  const before = walk.issues.count
  for (let i = from; i < rhs.length; i++) {
    const number = addItem(walk, shape, table, i, rhs[i] as Value)
    if (number < 0) continue
    if (rightItems[number] !== undefined) {
      walk.issues.add(`duplicate entries for key ${formatElement(table.element(number))}`)
    } else {
      rightItems[number] = rhs[i]
      right.push(number)
    }
  }
  for (let i = from; i < lhs.length; i++) {
    const number = addItem(walk, shape, table, i, lhs[i] as Value)
    if (number < 0) continue
    leftItems[number] = leftItems[number] === undefined ? lhs[i] : null
    left.push(number)
  }
  return walk.issues.count > before ? null : pairs
}

function addItem(walk: Merge, shape: ListShape, table: ItemTable, index: number, item: Value): number {
  const number = table.add(item)
  if (number < 0) walk.issues.add(`element ${index}: ${itemProblem(shape, item)}`)
  return number
}

/**
 * Merges two associative lists. Both are walked side by side. An item of `lhs` alone is taken when it is reached. The items
 * that `rhs` has too appear in the order of `rhs`: one of them that comes up in `lhs` too early is passed over and is taken
 * when `rhs` reaches it.
 */
function mergeList(walk: Merge, shape: ListShape, lhs: ListValue, rhs: ListValue, depth: number): Side {
  const out: Value[] = []
  // Lists that begin with the same items, as nearly all do, pair these without a table.
  let from = 0
  if (walk.distinct) {
    const end = Math.min(lhs.length, rhs.length)
    while (from < end && isSameItem(shape, lhs[from] as Value, rhs[from] as Value)) {
      mergeItem(walk, shape, out, lhs[from], rhs[from], depth)
      from++
    }
  }
  if (from < lhs.length || from < rhs.length) {
    const pairs = pairItems(walk, shape, lhs, rhs, from)
    if (pairs === null) return undefined
    mergePairs(walk, shape, out, pairs, lhs, from, depth)
  }
  if (out.length === 0) return undefined
  return sameItems(out, lhs) ? lhs : sameItems(out, rhs) ? rhs : out
}

function mergePairs(
  walk: Merge,
  shape: ListShape,
  out: Value[],
  { left, right, leftItems, rightItems }: Pairing,
  lhs: ListValue,
  from: number,
  depth: number,
): void {
  const shared = right.filter(number => leftItems[number] !== undefined)
  const done: boolean[] = []
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
        mergeItem(walk, shape, out, lhs[from + i], undefined, depth)
        i++
        continue
      }
      if (done[number] === true) i++
    }
    if (j < right.length) takeRight()
  }
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
