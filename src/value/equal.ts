import { compareNumbers } from "./compare.js"
import { maxDepth, tooDeep } from "./depth.js"
import { own } from "./object.js"
import { isMap, type ListValue, type MapValue, type Value } from "./value.js"

/** Deep equality. Numbers are equal by value (1, 1.0 and 1n), keys in any order, items in this order; null equals only null. */
export function equalValues(a: Value, b: Value): boolean {
  return a === b || equal(a, b, false, unlimited)
}

/**
 * As `equalValues`, but a bigint and a number differ: replacing one by the other would change the digits written. Values with
 * more than `limit` lists and maps are taken for different.
 */
export function identicalValues(a: Value, b: Value, limit: number = unlimited): boolean {
  return a === b || equal(a, b, true, limit)
}

const unlimited = 1 << 30

/** How many lists and maps may still be looked into. */
let left = 0

function equal(a: Value, b: Value, exact: boolean, limit: number): boolean {
  left = limit
  return equalAt(a, b, 0, exact)
}

function equalAt(a: Value, b: Value, depth: number, exact: boolean): boolean {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object") {
    if (exact || (typeof a !== "bigint" && typeof b !== "bigint")) return false
    return isNumber(a) && isNumber(b) && compareNumbers(a, b) === 0
  }
  if (a === null || b === null || --left < 0) return false
  if (depth > maxDepth) throw tooDeep()
  if (isMap(a)) return isMap(b) && equalMaps(a, b, depth, exact)
  return !isMap(b) && equalLists(a, b, depth, exact)
}

function isNumber(value: Value): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint"
}

function equalLists(a: ListValue, b: ListValue, depth: number, exact: boolean): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    const x = a[i] as Value
    const y = b[i] as Value
    if (x !== y && !equalAt(x, y, depth + 1, exact)) return false
  }
  return true
}

function equalMaps(a: MapValue, b: MapValue, depth: number, exact: boolean): boolean {
  let surplus = 0
  for (const key in a) {
    const x = a[key] as Value
    const y = own(b, key)
    if (x !== y && (y === undefined || !equalAt(x, y, depth + 1, exact))) return false
    surplus++
  }
  for (const _ in b) surplus--
  return surplus === 0
}
