// How large an object may be where it is stored: etcd takes a request of one and a half megabytes.

import { formatJson } from "../../json/json.js"
import { withManagedFields } from "../../managedfields/entries/entry.js"
import { RequestFailure } from "../../requests/failure.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"

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
  // No character needs more than six bytes of JSON, so most objects need not be written to know.
  return charactersOf(object) * 6 > mostBytes && new TextEncoder().encode(formatJson(object)).length > mostBytes
}

/** At least as many characters as the JSON of the value has, counting an escaped one as one. */
function charactersOf(value: Value): number {
  if (typeof value === "string") return value.length + 2
  let sum = 2
  if (isList(value)) for (const item of value) sum += charactersOf(item) + 1
  else if (isMap(value)) for (const key in value) sum += key.length + 4 + charactersOf(own(value, key) as Value)
  else sum = 24
  return sum
}
