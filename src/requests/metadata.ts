// Reading and writing `metadata` of objects, which are never changed.
import { copyMap, own, put } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"

/** The map at `key`; an empty one if there is none. */
export function mapAt(map: MapValue, key: string): MapValue {
  const found = own(map, key)
  return isMap(found) ? found : {}
}

/** The list at `key`; an empty one if there is none. */
export function listAt(map: MapValue, key: string): ListValue {
  const found = own(map, key)
  return isList(found) ? found : []
}

export function metadataOf(object: MapValue): MapValue {
  return mapAt(object, "metadata")
}

/** The text at this key of the metadata; "" if there is none. */
export function metaText(object: MapValue, key: string): string {
  const found = own(metadataOf(object), key)
  return typeof found === "string" ? found : ""
}

/** A copy with these keys set, or removed where the value is undefined. The map itself if that changes nothing. */
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

/** The object with these keys of the metadata set, or removed where the value is undefined. */
export function withMetadata(object: MapValue, changes: { readonly [key: string]: Value | undefined }): MapValue {
  const before = metadataOf(object)
  const metadata = withKeys(before, changes)
  return metadata === before && own(object, "metadata") === before ? object : withKeys(object, { metadata })
}

/** The object with this phase in its status. */
export function withPhase(object: MapValue, phase: string): MapValue {
  return withKeys(object, { status: withKeys(mapAt(object, "status"), { phase }) })
}

/** The name as messages give it: with the namespace before it, if there is one. */
export function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`
}
