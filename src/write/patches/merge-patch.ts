import { identicalValues } from "../../value/equal.js"
import { copyMap, own, put } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"

/**
 * Applies a JSON merge patch (RFC 7386) as an API server does: a null removes the field, a map is merged, and any other value replaces the
 * old one. Beyond the RFC, maps inside a list also lose their null fields, unless the list replaces a map. Changes neither argument; the
 * result shares unchanged parts with both.
 */
export function mergePatch(live: MapValue, patch: MapValue): MapValue {
  const out = copyMap(live)
  for (const key in patch) {
    const value = patch[key] as Value
    if (value === null) delete out[key]
    else put(out, key, patched(own(live, key), value))
  }
  return out
}

function patched(live: Value | undefined, patch: Value): Value {
  if (!isMap(live)) return withoutNulls(patch)
  return isMap(patch) ? mergePatch(live, patch) : patch
}

/** Returns the value without null fields at any depth. Null items of lists stay. */
export function withoutNulls(value: Value): Value {
  if (isList(value)) return value.map(withoutNulls)
  return isMap(value) ? mergePatch({}, value) : value
}

/**
 * Returns the merge patch that turns `before` into `after`. It contains lists that differ as a whole, and shares values with `after`. Returns
 * undefined if no patch does: a merge patch can't write a null.
 */
export function mergePatchBetween(before: MapValue, after: MapValue): MapValue | undefined {
  const patch = patchOf(before, after)
  return identicalValues(mergePatch(before, patch), after) ? patch : undefined
}

function patchOf(before: MapValue, after: MapValue): MapValue {
  const patch: Record<string, Value> = {}
  for (const key in before) if (own(after, key) === undefined) put(patch, key, null)
  for (const key in after) {
    const [from, to] = [own(before, key), own(after, key) as Value]
    if (from !== undefined && identicalValues(from, to)) continue
    put(patch, key, isMap(from) && isMap(to) ? patchOf(from, to) : to)
  }
  return patch
}
