// How large an object may be where it is stored: etcd takes a request of one and a half megabytes.

import { formatJson } from "../json/json.js"
import { RequestFailure } from "../kinds/refusal/failure.js"
import { withManagedFields } from "../managedfields/entries/entry.js"
import { byteLength } from "../value/bytes.js"
import { own } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"

/** How many bytes a stored object may have. */
const mostBytes = 1.5 * 1024 * 1024

/**
 * The object as it can be stored: one that is too large loses its managedFields, unless it comes from an apply, as on a server.
 * Throws a RequestFailure if it is still too large.
 */
export function storable(object: MapValue, applied: boolean): MapValue {
  if (!isLarge(object)) return object
  const small = applied ? object : withManagedFields(object, [])
  if (applied || isLarge(small)) throw new RequestFailure(500, "etcdserver: request is too large")
  return small
}

function isLarge(object: MapValue): boolean {
  // A character that is counted needs six bytes of JSON at most, and a third of a byte at least. So most objects need not be written.
  const characters = charactersOf(object, mostBytes * 3)
  if (characters * 6 <= mostBytes) return false
  return characters > mostBytes * 3 || byteLength(formatJson(object)) > mostBytes
}

/**
 * About how many characters the JSON of the value has, counting an escaped one as one. Stops counting once there are more than `most`:
 * a value that has the same parts at many places may be far larger than what it takes in memory.
 */
export function charactersOf(value: Value, most: number = Number.POSITIVE_INFINITY): number {
  return count(value, undefined, most)
}

/** As `charactersOf`, for what of the value takes memory besides `before`: lists and maps that they share count nothing. */
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
  const others = isMap(before ?? null) ? (before as MapValue) : {}
  for (const key in value) {
    if (sum > most) break
    sum += key.length + 4 + count(own(value, key) as Value, own(others, key), most - sum)
  }
  return sum
}
