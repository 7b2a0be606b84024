// Plain JSON values, which the engine merges, compares and tracks.
//
// A value is an ordinary JSON tree without wrapper classes, so callers can pass the results of `JSON.parse`, a YAML reader or a Kubernetes
// client as they are. The engine never changes values; results share every unchanged subtree with their inputs.
//
// null is a value ("explicit null"). Absent is `undefined`, which never appears inside a tree.
// Integers in the safe range are numbers. Larger ones are bigints, so that the digits of an int64 survive. 1, 1.0 and 1n are equal.

/** A JSON tree. Maps are ordinary or null-prototype objects. */
export type Value = null | boolean | number | bigint | string | ListValue | MapValue
/** A list. Never changed by the engine, and shared by its results. */
export type ListValue = readonly Value[]
/**
 * A map: an ordinary or null-prototype object. Only its own keys count. Never changed by the engine, and shared by its results.
 */
export type MapValue = { readonly [key: string]: Value }
/** A value other than a list, a map or null. */
export type ScalarValue = boolean | number | bigint | string

/** The value on one side of a merge or comparison; undefined if that side is absent. */
export type Side = Value | undefined

/** Whether the value is a list. False for undefined. */
export function isList(value: Value | undefined): value is ListValue {
  return Array.isArray(value)
}

/** Whether the value is a map. False for null and undefined. */
export function isMap(value: Value | undefined): value is MapValue {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Returns the integer as the engine keeps it: a number in the safe range, otherwise a bigint. */
export function integer(digits: bigint): number | bigint {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : digits
}
