// The annotation in which client-side apply keeps its last configuration.

import { formatGoJson, tryParseJson } from "../../json/json.js"
import { byteLength } from "../../value/bytes.js"
import { equalValues } from "../../value/equal.js"
import { copyMap, own, put } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"

export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

/** The maximum size of the keys and values of all annotations together, in bytes. */
const annotationsLimit = 256 * 1024

/** The annotations; undefined if the object has none, or if one is not a string. Null counts as "". */
function annotationsOf(object: MapValue): Readonly<Record<string, string>> | undefined {
  const metadata = own(object, "metadata")
  const annotations = isMap(metadata) ? own(metadata, "annotations") : undefined
  if (!isMap(annotations)) return undefined
  const out: Record<string, string> = {}
  for (const key in annotations) {
    const value = annotations[key]
    if (value !== null && typeof value !== "string") return undefined
    put(out, key, value ?? "")
  }
  return out
}

function withAnnotations(object: MapValue, annotations: MapValue | undefined): MapValue {
  const metadata = own(object, "metadata")
  if (metadata !== undefined && !isMap(metadata)) return object
  if (annotations !== undefined) return { ...object, metadata: { ...metadata, annotations } }
  if (metadata === undefined || own(metadata, "annotations") === undefined) return object
  const { annotations: _, ...rest } = copyMap(metadata)
  return { ...object, metadata: rest }
}

/** The last applied configuration, as text; "" if the object has none. */
export function lastAppliedOf(object: MapValue): string {
  const annotations = annotationsOf(object)
  return annotations === undefined ? "" : ((own(annotations, lastAppliedAnnotation) as string | undefined) ?? "")
}

/** Returns the last applied configuration; undefined if the object has none, or if its text is not a JSON object. */
export function lastAppliedConfig(object: MapValue): MapValue | undefined {
  const text = lastAppliedOf(object)
  const config = text === "" ? undefined : tryParseJson(text)
  return isMap(config) ? config : undefined
}

/**
 * Returns the object with `text` as the last applied configuration, or without the annotation if the annotations would get too large.
 * Annotations that are null become "".
 */
export function withLastApplied(object: MapValue, text: string): MapValue {
  const annotations = annotationsOf(object) ?? {}
  const { [lastAppliedAnnotation]: _, ...others } = annotations
  const changed = { ...annotations, [lastAppliedAnnotation]: text }
  const settled = sizeOf(changed) > annotationsLimit ? others : changed
  const metadata = own(object, "metadata")
  const same = isMap(metadata) && equalValues(own(metadata, "annotations") ?? null, settled)
  return same ? object : withAnnotations(object, settled)
}

/** Returns the text for `config` in the annotation. */
export function formatLastApplied(config: MapValue): string {
  const annotations = annotationsOf(config)
  if (annotations === undefined) return `${formatGoJson(withAnnotations(config, undefined))}\n`
  const { [lastAppliedAnnotation]: _, ...others } = annotations
  return `${formatGoJson(withAnnotations(config, others))}\n`
}

function sizeOf(annotations: MapValue): number {
  let size = 0
  for (const key in annotations) size += byteLength(key) + byteLength(annotations[key] as Value as string)
  return size
}
