import { identicalValues } from "../../value/equal.js"
import { copyMap, own, put } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"

/**
 * The object with a JSON merge patch (RFC 7386) applied, as an API server does it: a null removes the field, a map is merged,
 * anything else replaces the value. Beyond the RFC, maps inside a list lose their null fields too, unless the list comes in place
 * of a map. Shares with both what did not change, and changes neither.
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

function withoutNulls(value: Value): Value {
  if (isList(value)) return value.map(withoutNulls)
  return isMap(value) ? mergePatch({}, value) : value
}

/**
 * The merge patch that makes `after` of `before`; undefined where none does, as a null in a value can't be written. A list that
 * differs is in it as a whole. Shares values with `after`.
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
