// Fields of maps, read as the type that they should have. A field of another type counts as absent.
import { copyMap, own, put } from "./object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "./value.js"

/** Returns the string at `key`, or "" if there is none. */
export function textAt(map: MapValue, key: string): string {
  const value = own(map, key)
  return typeof value === "string" ? value : ""
}

/** Returns the map at `key`, or an empty map if there is none. */
export function mapAt(map: MapValue, key: string): MapValue {
  const value = own(map, key)
  return isMap(value) ? value : {}
}

/** Returns the list at `key`, or an empty list if there is none. */
export function listAt(map: MapValue, key: string): ListValue {
  const value = own(map, key)
  return isList(value) ? value : []
}

/** Returns the strings in the list at `key`. */
export function textsAt(map: MapValue, key: string): readonly string[] {
  return listAt(map, key).filter(item => typeof item === "string")
}

/** Returns the maps in the list at `key`. */
export function mapsAt(map: MapValue, key: string): readonly MapValue[] {
  return listAt(map, key).filter(isMap)
}

/**
 * Returns a copy of the map in which the given keys are set, or removed if their new value is undefined. Returns the map itself if nothing
 * changes.
 */
export function withKeys(map: MapValue, changes: { readonly [key: string]: Value | undefined }): MapValue {
  let out: Record<string, Value> | undefined
  for (const key in changes) {
    const value = changes[key]
    if (value === own(map, key)) continue
    out ??= copyMap(map)
    if (value === undefined) delete out[key]
    else put(out, key, value)
  }
  return out ?? map
}
