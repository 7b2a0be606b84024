// The metadata of objects, read and changed. An object without metadata counts as one with empty metadata.
import { mapAt, textAt, withKeys } from "../value/fields.js"
import { own } from "../value/object.js"
import type { MapValue, Value } from "../value/value.js"

/** Returns the metadata of an object, or an empty map if there is none. */
export function metadataOf(object: MapValue): MapValue {
  return mapAt(object, "metadata")
}

/** Returns the string at `key` of the metadata, or "" if there is none. */
export function metaText(object: MapValue, key: string): string {
  return textAt(metadataOf(object), key)
}

/** Returns the object with the given keys of its metadata set, or removed if their new value is undefined. */
export function withMetadata(object: MapValue, changes: { readonly [key: string]: Value | undefined }): MapValue {
  const before = metadataOf(object)
  const metadata = withKeys(before, changes)
  return metadata === before && own(object, "metadata") === before ? object : withKeys(object, { metadata })
}
