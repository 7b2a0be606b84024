// Plain JSON values: what the engine merges, compares and tracks.
//
// A value is an ordinary JSON tree. There are no wrapper classes, so what `JSON.parse`, a YAML reader or a Kubernetes client
// returns can be passed as it is. Values are never changed; results share every unchanged subtree with their inputs.
//
// null is a value of its own ("explicit null"); absent is `undefined` and never appears inside a tree.
// Integers in the safe range are numbers; beyond it they are bigints, so that int64 digits survive. 1, 1.0 and 1n are equal.

/** A JSON tree. Maps are ordinary or null-prototype objects. */
export type Value = null | boolean | number | bigint | string | ListValue | MapValue
/** A list. Never changed by the engine, and shared by its results. */
export type ListValue = readonly Value[]
/**
 * A map: an ordinary or null-prototype object of which only own keys count. Never changed by the engine, and shared by its
 * results.
 */
export type MapValue = { readonly [key: string]: Value }
/** A value that is no list, no map and not null. */
export type ScalarValue = boolean | number | bigint | string

/** A value of one side of a merge or comparison, undefined where that side has none. */
export type Side = Value | undefined

/** Whether the value is a list. False for undefined. */
export function isList(value: Value | undefined): value is ListValue {
  return Array.isArray(value)
}

/** Whether the value is a map. False for null and undefined. */
export function isMap(value: Value | undefined): value is MapValue {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The integer as the engine keeps it: a number in the safe range, a bigint beyond. */
export function integer(digits: bigint): number | bigint {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : digits
}
