// Checks how much of an object its managedFields take up.

import { formatGoJson } from "../../json/json.js"
import { byteLength } from "../../value/bytes.js"
import { maxDepth, tooDeep } from "../../value/depth.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"
import { counted } from "../../value/words.js"
import { finding, type LintFinding } from "./finding.js"

/**
 * The limits beyond which managedFields count as large. In a sample of 1,956 objects returned by an API server and written in Kubernetes'
 * own ways, the largest managedFields had 12 entries and 3 kB. Half of the objects had two entries, which made up half of their bytes.
 */
export interface SizeLimits {
  /** The maximum number of entries; 20 if absent. An API server keeps at most ten entries of updates, but all entries of applies. */
  readonly maxEntries?: number | undefined
  /** The maximum number of bytes as JSON; 16,384 if absent. */
  readonly maxBytes?: number | undefined
  /** The maximum share of the object's bytes, from 0 to 1, if managedFields have more than 4,096 bytes; 0.75 if absent. */
  readonly maxShare?: number | undefined
}

/** Below this number of bytes the share does not matter. */
const fewBytes = 4096

export function lintSize(found: LintFinding[], live: MapValue, list: ListValue, limits: SizeLimits): void {
  const { maxEntries = 20, maxBytes = 16_384, maxShare = 0.75 } = limits
  const isShort = list.length <= maxEntries
  if (isShort && roughSize(list) < Math.min(maxBytes, fewBytes)) return
  const bytes = bytesOf(list)
  if (isShort && bytes <= Math.min(maxBytes, fewBytes)) return // the size of the object, which takes longest, does not matter
  const share = bytes / bytesOf(live)
  if (isShort && bytes <= maxBytes && share <= maxShare) return
  const entries = counted(list.length, "entry", "entries")
  const message = `has ${entries} and ${bytes} bytes, ${Math.round(share * 100)} % of the object, which every answer and every watch carries`
  const remedy =
    "list the owners with smd blame; remove managers that are gone with smd managers transfer, and entries at versions " +
    "that are gone with smd managers drop-gone-versions"
  found.push(finding("managed-fields-large", ".metadata.managedFields", message, remedy))
}

/**
 * Returns an estimate, usually slightly high, of the length of the value as JSON, computed without writing it: each key counts extra for
 * quotes, braces and escapes.
 */
function roughSize(value: Value, depth = 0): number {
  let size = 4
  if (depth > maxDepth) throw tooDeep()
  if (isMap(value)) for (const key in value) size += key.length + 8 + roughSize(value[key] as Value, depth + 1)
  else if (isList(value)) for (const item of value) size += roughSize(item, depth + 1)
  else if (typeof value === "string") size += value.length
  return size
}

function bytesOf(value: Value): number {
  return byteLength(formatGoJson(value))
}
