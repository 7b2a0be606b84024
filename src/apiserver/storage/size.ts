// How large an object may be where it is stored: etcd takes a request of one and a half megabytes.

import { formatJson } from "../../json/json.js"
import { readManagedFields, withManagedFields } from "../../managedfields/entries/entry.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { RequestFailure } from "../failure.js"

/** How many bytes a stored object may have. */
const mostBytes = 1.5 * 1024 * 1024

/** The refusal of an object that is too large to be stored. */
class TooLarge extends RequestFailure {
  constructor() {
    super(500, "etcdserver: request is too large")
  }
}

/** Throws a RequestFailure if the object is too large to be stored. */
export function refuseLarge(object: MapValue): void {
  // No character needs more than six bytes of JSON, so most objects need not be written to know.
  if (charactersOf(object) * 6 <= mostBytes) return
  if (new TextEncoder().encode(formatJson(object)).length > mostBytes) throw new TooLarge()
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

/**
 * What `write` returns. If the object is too large to be stored, tries once more without managedFields, as a server does for every
 * write but an apply: `finish` takes them out.
 */
export function orWithoutOwners<T>(write: (finish: (object: MapValue) => MapValue) => T): T {
  try {
    return write(object => object)
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error
    return write(object => ((readManagedFields(object) ?? []).length === 0 ? object : withManagedFields(object, [])))
  }
}
