import { compareNumbers } from "./compare.js"
import { maxDepth, maxParts, tooDeep, tooLarge } from "./depth.js"
import { own } from "./object.js"
import { isMap, type ListValue, type MapValue, type Value } from "./value.js"

/**
 * Whether two JSON values are deeply equal. Numbers are equal by value (1, 1.0 and 1n). The order of items matters, the order of keys does
 * not. Null equals only null. Expects maps that inherit no keys; `equalAnyValues` takes any.
 */
export function equalValues(a: Value, b: Value): boolean {
  return a === b || equal(a, b, 0, maxParts)
}

/** Whether two JSON values are deeply equal, or both are absent. */
export function equalIfPresent(a: Value | undefined, b: Value | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalValues(a, b)
}

/**
 * Whether two values are deeply equal. Numbers are equal by value (1, 1.0 and 1n). The order of items matters, the order of keys does not.
 * Null equals only null. Only an object's own enumerable keys count. Throws a StructuredMergeError if both values nest deeper than 1,000
 * levels, or if the comparison would visit more than four million lists and maps.
 */
export function equalAnyValues(a: Value, b: Value): boolean {
  return a === b || equal(a, b, ownOnly, maxParts)
}

/**
 * Like `equalValues`, but a bigint and a number differ, and so do 0 and -0, since replacing one by the other may change the written text.
 * Values with more than `limit` lists and maps count as different.
 */
export function identicalValues(a: Value, b: Value, limit: number = maxParts): boolean {
  return isSame(a, b) || equal(a, b, exact, limit)
}

/** Whether both are the same object or scalar: like `Object.is`, which is slow for strings. */
export function isSame(a: Value | undefined, b: Value | undefined): boolean {
  return typeof a === "number" ? Object.is(a, b) : a === b
}

/** The ways to compare; 0 is the way of `equalValues`. */
const exact = 1
const ownOnly = 2

/** The number of lists and maps that the running comparison may still visit. */
let left = 0

function equal(a: Value, b: Value, how: number, limit: number): boolean {
  // A getter in a value may start a comparison of its own during this one.
  const outer = left
  left = limit
  try {
    const same = equalAt(a, b, 0, how)
    if (left < 0 && limit === maxParts) throw tooLarge()
    return same
  } finally {
    left = outer
  }
}

function equalAt(a: Value, b: Value, depth: number, how: number): boolean {
  if (a === b) return how !== exact || isSame(a, b)
  if (typeof a !== "object" || typeof b !== "object") {
    if (how === exact || (typeof a !== "bigint" && typeof b !== "bigint")) return false
    return isNumber(a) && isNumber(b) && compareNumbers(a, b) === 0
  }
  if (a === null || b === null || --left < 0) return false
  if (depth >= maxDepth) throw tooDeep()
  if (isMap(a)) return isMap(b) && (how === ownOnly ? equalObjects(a, b, depth) : equalMaps(a, b, depth, how))
  return !isMap(b) && equalLists(a, b, depth, how)
}

function isNumber(value: Value): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint"
}

function equalLists(a: ListValue, b: ListValue, depth: number, how: number): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    const x = a[i] as Value
    const y = b[i] as Value
    if (typeof x === "number" && how === exact ? !Object.is(x, y) : x !== y && !equalAt(x, y, depth + 1, how)) {
      return false
    }
  }
  return true
}

function equalMaps(a: MapValue, b: MapValue, depth: number, how: number): boolean {
  let surplus = 0
  for (const key in a) {
    const x = a[key] as Value
    const y = own(b, key)
    if (typeof x === "number" && how === exact) {
      if (!Object.is(x, y)) return false
    } else if (x !== y && (y === undefined || !equalAt(x, y, depth + 1, how))) return false
    surplus++
  }
  for (const _ in b) surplus--
  return surplus === 0
}

/** Like `equalMaps`, for objects that may inherit keys. Inside a `for in` loop, engines answer `hasOwn` from the keys of the loop. */
function equalObjects(a: MapValue, b: MapValue, depth: number): boolean {
  for (const key in a) {
    if (!hasOwn.call(a, key)) continue
    if (!hasOwn.call(b, key) || !equalAt(a[key] as Value, b[key] as Value, depth + 1, ownOnly)) return false
  }
  for (const key in b) if (hasOwn.call(b, key) && !hasOwn.call(a, key)) return false
  return true
}

const { hasOwnProperty: hasOwn } = Object.prototype
