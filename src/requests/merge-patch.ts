import { copyMap, own, put } from "../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"

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
