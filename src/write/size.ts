// The size limit of stored objects: etcd accepts requests of up to one and a half megabytes.

import { formatJson } from "../json/json.js"
import { RequestFailure } from "../kinds/refusal/failure.js"
import { withManagedFields } from "../managedfields/entries/entry.js"
import { byteLength } from "../value/bytes.js"
import { own } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"

/** The maximum size of a stored object. */
const mostBytes = 1.5 * 1024 * 1024

/**
 * Returns the object in a size that can be stored. As on a server, an object that is too large loses its managedFields, unless it comes from
 * an apply. Throws a RequestFailure if it is still too large.
 */
export function storable(object: MapValue, applied: boolean): MapValue {
  if (!isLarge(object)) return object
  const small = applied ? object : withManagedFields(object, [])
  if (applied || isLarge(small)) throw new RequestFailure(500, "etcdserver: request is too large")
  return small
}

function isLarge(object: MapValue): boolean {
  // A counted character takes at least a third of a byte of JSON and at most six bytes, so most objects need not be written as JSON.
  const characters = charactersOf(object, mostBytes * 3)
  if (characters * 6 <= mostBytes) return false
  return characters > mostBytes * 3 || byteLength(formatJson(object)) > mostBytes
}

/**
 * Estimates the number of characters in the JSON of the value; an escaped character counts as one. Stops counting beyond `most`, because the
 * JSON of a value that contains the same part many times may be far larger than the value in memory.
 */
export function charactersOf(value: Value, most: number = Number.POSITIVE_INFINITY): number {
  return count(value, undefined, most)
}

/** Like `charactersOf`, but lists and maps that the value shares with `before` count nothing. Measures the memory that the value adds. */
export function charactersBeside(value: Value, before: Value | undefined): number {
  return count(value, before, Number.POSITIVE_INFINITY)
}

function count(value: Value, before: Value | undefined, most: number): number {
  if (typeof value === "string") return value.length + 2
  if (typeof value !== "object" || value === null) return 4
  if (value === before) return 0
  let sum = 2
  if (isList(value)) {
    const others = isList(before ?? null) ? (before as ListValue) : []
    for (let i = 0; i < value.length && sum <= most; i++) sum += 1 + count(value[i] as Value, others[i], most - sum)
    return sum
  }
  const others = isMap(before) ? (before as MapValue) : {}
  for (const key in value) {
    if (sum > most) break
    sum += key.length + 4 + count(own(value, key) as Value, own(others, key), most - sum)
  }
  return sum
}
