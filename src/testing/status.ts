// Finds the Status of an API server in what a program throws: errors of this package, of @kubernetes/client-node, and responses.

import { tryParseJson } from "../json/json.js"
import { mapAt, mapsAt, textAt } from "../value/fields.js"
import type { MapValue } from "../value/value.js"

/** A conflict as a Status reports it. */
export interface StatusConflict {
  /** The name of the manager that owns the field. */
  readonly manager: string
  /** The other parts of the manager, in a server's words: `with subresource "scale" using apps/v1`. */
  readonly details: string
  /** The path of the field. */
  readonly field: string
}

/** Returns the Status of an error or of a response; undefined if it has none. */
export function statusIn(value: unknown): MapValue | undefined {
  if (typeof value === "string") return statusIn(tryParseJson(value))
  if (typeof value !== "object" || value === null) return undefined
  if ("kind" in value && value.kind === "Status") return value as MapValue
  if ("toStatus" in value && typeof value.toStatus === "function") return statusIn(value.toStatus())
  // A RefusedError of this package, then an ApiException of client-node or a response.
  const parts = [["status", "body"].map(key => Reflect.get(value, key))].flat()
  for (const part of parts) {
    if (part === value || typeof part === "number") continue
    const found = statusIn(part)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the conflicts with managers that a Status reports. */
export function conflictsIn(status: MapValue): StatusConflict[] {
  const causes = mapsAt(mapAt(status, "details"), "causes")
  return causes
    .filter(cause => textAt(cause, "reason") === "FieldManagerConflict")
    .map(cause => {
      const [, name = '""', details = ""] =
        /^conflict with ("(?:[^"\\]|\\.)*") ?(.*)$/s.exec(textAt(cause, "message")) ?? []
      const manager = tryParseJson(name)
      return { manager: typeof manager === "string" ? manager : name, details, field: textAt(cause, "field") }
    })
}
