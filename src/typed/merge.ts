import { fieldElement } from "../fieldpath/create-element.js"
import { maxDepth, maxParts, tooDeep, tooLarge } from "../value/depth.js"
import { identicalValues, isSame } from "../value/equal.js"
import { copyMap, isEmptyMap, own, put } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Side, type Value } from "../value/value.js"
import { alignLists } from "./align.js"
import type { ListShape, MapShape, ScalarShape, Shape, Type } from "./type.js"
import { scalarProblem } from "./validate.js"
import { Issues } from "./walk.js"

/**
 * Returns `lhs` with everything that `rhs` specifies: nothing is removed, and leaves of `rhs` win. Lists keep the order of `lhs`, but
 * shared items follow the order of `rhs`. Unchanged parts of the result are those of `lhs`, at every level. Replacing 0 by -0 is a change,
 * though the two are equal: upstream writes the value that was applied last.
 */
export function mergeValues(type: Type, lhs: Value, rhs: Value, options: MergeMode): Merged {
  const { trusted, distinct, keepEqual } = options
  const leafLimit = keepEqual ? undefined : smallLeaf
  const walk: Merge = {
    value: null,
    issues: new Issues(),
    emptyMeetsEmptyList: false,
    left: maxParts,
    trusted,
    distinct,
    leafLimit,
  }
  walk.value = mergeValue(walk, type, lhs, rhs, 0) ?? null
  return walk
}

export interface Merged {
  readonly value: Value
  readonly issues: Issues
  /**
   * Whether `rhs` has a null or an empty map for a granular list or map of `lhs` that has an empty list in it. Set only if `trusted`.
   */
  readonly emptyMeetsEmptyList: boolean
}

export interface MergeMode {
  /** Both values are valid, and `rhs` has no duplicate items, so that identical parts are skipped. */
  readonly trusted: boolean
  /** `trusted`, and `lhs` has no duplicate items either. */
  readonly distinct: boolean
  /** Large atomic lists and maps are compared too. If they are equal, the one of `lhs` is kept, as it is for small ones. */
  readonly keepEqual: boolean
}

/** Atomic values with at most this many lists and maps in them are compared, just so that an equal one keeps its identity. */
const smallLeaf = 32

interface Merge {
  /** The result, once the walk is done. */
  value: Value
  issues: Issues
  emptyMeetsEmptyList: boolean
  /** The number of parts that may still be visited. */
  left: number
  readonly trusted: boolean
  readonly distinct: boolean
  readonly leafLimit: number | undefined
}

/** The result is undefined also for a value that can't be merged: upstream reports it or leaves it out. */
function mergeValue(walk: Merge, type: Type, lhs: Side, rhs: Side, depth: number): Side {
  if (walk.trusted) {
    if (rhs === undefined || isSame(lhs, rhs)) return lhs
    if (lhs === undefined || (typeof rhs !== "object" && type.problem === null)) return rhs
  }
  if (depth > maxDepth) throw tooDeep()
  if (--walk.left < 0) throw tooLarge()
  const left = type.match(lhs)
  const right = type.match(rhs)
  const fallback = type.fallback
  if (fallback === null) {
    walk.issues.add(type.problem as string)
    return undefined
  }
  if (rhs === undefined) return mergeShape(walk, left ?? fallback, lhs, rhs, depth)
  // Sides of different kinds are first merged as the kind of `lhs`, only to collect the issues that upstream reports.
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
      if (walk.trusted && isNothing(left)) return rhs
      if (walk.trusted && isNothing(right)) {
        walk.emptyMeetsEmptyList ||= hasEmptyList(left as MapValue)
        return lhs
      }
      return mergeMap(walk, shape, left ?? {}, right ?? {}, depth)
    }
    case "list": {
      const left = isList(lhs) ? lhs : null
      const right = isList(rhs) ? rhs : null
      if (shape.atomic || (isNoItem(left) && isNoItem(right))) return mergeLeaf(walk, lhs, rhs)
      if (walk.trusted && isNoItem(left)) return rhs
      if (walk.trusted && isNoItem(right)) {
        walk.emptyMeetsEmptyList ||= right === null && hasEmptyList(left as ListValue)
        return lhs
      }
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

/** Whether the value is an empty list or has one somewhere in it. */
function hasEmptyList(value: Value): boolean {
  if (isList(value)) return value.length === 0 || value.some(hasEmptyList)
  if (isMap(value)) for (const key in value) if (hasEmptyList(value[key] as Value)) return true
  return false
}

/** Takes a leaf whole from `rhs` if that has one. If it is equal to the leaf of `lhs`, that one keeps its identity. */
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

/** Copies `lhs` only at the first changed key, so an unchanged map keeps its identity. */
function mergeMap(walk: Merge, shape: MapShape, lhs: MapValue, rhs: MapValue, depth: number): Side {
  let out: Record<string, Value> | null = null
  for (const key in rhs) {
    const left = own(lhs, key)
    if (walk.trusted && isSame(left, rhs[key])) continue
    const field = shape.fields.get(key)
    const before = walk.issues.count
    const merged = mergeValue(walk, field === undefined ? shape.rest : field.type, left, rhs[key], depth + 1)
    if (walk.issues.count > before) walk.issues.prefix(field?.element ?? fieldElement(key), before)
    if (!isSame(merged, left)) out = withKey(out ?? copyMap(lhs), key, merged)
  }
  if (!walk.trusted) {
    // The same for keys that only `lhs` has. A function for both loops would take more stack at each level.
    for (const key in lhs) {
      if (own(rhs, key) !== undefined) continue
      const field = shape.fields.get(key)
      const left = lhs[key]
      const before = walk.issues.count
      const merged = mergeValue(walk, field === undefined ? shape.rest : field.type, left, undefined, depth + 1)
      if (walk.issues.count > before) walk.issues.prefix(field?.element ?? fieldElement(key), before)
      if (merged !== left) out = withKey(out ?? copyMap(lhs), key, merged)
    }
  }
  if (out === null) return isEmptyMap(lhs) ? undefined : lhs
  return isEmptyMap(out) ? undefined : out
}

function withKey(map: Record<string, Value>, key: string, value: Side): Record<string, Value> {
  if (value === undefined) delete map[key]
  else put(map, key, value)
  return map
}

function mergeList(walk: Merge, shape: ListShape, lhs: ListValue, rhs: ListValue, depth: number): Side {
  const { issues, trusted } = walk
  const aligned = alignLists(issues, shape, lhs, rhs, walk.distinct)
  if (aligned === null) return undefined
  const out: Value[] = []
  for (let i = 0; i < aligned.lhs.length; i++) {
    // Go: problems inside items are found, but not reported.
    if (!trusted) walk.issues = new Issues()
    const merged = mergeValue(walk, shape.item, aligned.lhs[i], aligned.rhs[i], depth + 1)
    if (merged !== undefined) out.push(merged)
    walk.issues = issues
  }
  if (out.length === 0) return undefined
  return sameItems(out, lhs) ? lhs : sameItems(out, rhs) ? rhs : out
}

function sameItems(a: ListValue, b: ListValue): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (!isSame(a[i], b[i])) return false
  return true
}
