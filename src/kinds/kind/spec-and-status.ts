// The spec and the status of objects, which built-in kinds read and change.
import { metaText } from "../../schema/metadata.js"
import { mapAt, mapsAt, textAt, withKeys } from "../../value/fields.js"
import type { MapValue } from "../../value/value.js"

export const specOf = (object: MapValue): MapValue => mapAt(object, "spec")
export const statusOf = (object: MapValue): MapValue => mapAt(object, "status")
export const phaseOf = (object: MapValue): string => textAt(statusOf(object), "phase")

/** Returns the object with this phase in its status. */
export function withPhase(object: MapValue, phase: string): MapValue {
  return withKeys(object, { status: withKeys(statusOf(object), { phase }) })
}

/** Whether the status has a condition of this type that is true. */
export function hasCondition(object: MapValue, type: string): boolean {
  return mapsAt(statusOf(object), "conditions").some(
    condition => condition.type === type && condition.status === "True",
  )
}

/** Whether the object is marked for deletion. */
export const isDeleted = (object: MapValue): boolean => metaText(object, "deletionTimestamp") !== ""
