// The total order over values that sorts field sets: numbers, then strings, booleans, lists, maps, null.
import { maxDepth, maxParts, tooDeep, tooLarge } from "./depth.js"
import { ownOfAny } from "./object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "./value.js"

/**
 * Compares two strings by their UTF-8 bytes, as Go does, and returns -1, 0 or 1. JavaScript's `<` orders characters beyond the basic
 * plane differently.
 */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0
  const shorter = a.length < b.length ? a.length : b.length
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return rank(x) < rank(y) ? -1 : 1
  }
  return a.length < b.length ? -1 : 1
}

// Surrogates stand for characters above U+FFFF, so they rank after the rest of the basic plane.
function rank(unit: number): number {
  return unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/**
 * Compares two numbers and returns -1, 0 or 1. Like upstream, compares two integers exactly, and an integer with a float as two floats.
 */
export function compareNumbers(a: number | bigint, b: number | bigint): number {
  // `isSafeInteger` is false for every bigint, so one of these is a bigint and the other a float.
  if (typeof a !== typeof b && !Number.isSafeInteger(a) && !Number.isSafeInteger(b)) {
    return compareNumbers(Number(a), Number(b))
  }
  return a < b ? -1 : a > b ? 1 : 0
}

/** Compares two values of any kind and returns -1, 0 or 1. The result is 0 exactly if `equalValues` is true. */
export function compareValues(a: Value, b: Value): number {
  left = maxParts
  return compareAt(a, b, 0)
}

/** The number of parts that the comparison may still visit. */
let left = 0

function compareAt(a: Value, b: Value, depth: number): number {
  if (a === b) return 0
  if (depth > maxDepth) throw tooDeep()
  if (--left < 0) throw tooLarge()
  const kind = kindOf(a)
  const other = kindOf(b)
  if (kind !== other) return kind < other ? -1 : 1
  switch (kind) {
    case 0:
      return compareNumbers(a as number, b as number)
    case 1:
      return compareStrings(a as string, b as string)
    case 2:
      return a === false ? -1 : 1
    case 3:
      return compareLists(a as ListValue, b as ListValue, depth)
    case 4:
      return compareMaps(a as MapValue, b as MapValue, depth)
    default:
      return 0
  }
}

function kindOf(value: Value): number {
  if (typeof value === "number" || typeof value === "bigint") return 0
  if (typeof value === "string") return 1
  if (typeof value === "boolean") return 2
  return isList(value) ? 3 : isMap(value) ? 4 : 5
}

function compareLists(a: ListValue, b: ListValue, depth: number): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareAt(a[i] as Value, b[i] as Value, depth + 1)
    if (order !== 0) return order
  }
  return a.length === b.length ? 0 : a.length < b.length ? -1 : 1
}

// Goes through the sorted keys of both maps. A map that lacks a key of the other is the greater one, unless it has no keys left.
function compareMaps(a: MapValue, b: MapValue, depth: number): number {
  const countA = Object.keys(a).length
  const countB = Object.keys(b).length
  const keys = Object.keys({ ...a, ...b }).sort(compareStrings)
  for (let i = 0; i < keys.length; i++) {
    if (i === countA) return -1
    if (i === countB) return 1
    const x = ownOfAny(a, keys[i] as string)
    const y = ownOfAny(b, keys[i] as string)
    if (x === undefined) return 1
    if (y === undefined) return -1
    const order = compareAt(x, y, depth + 1)
    if (order !== 0) return order
  }
  return 0
}
