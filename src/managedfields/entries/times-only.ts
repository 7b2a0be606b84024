// The last step of an API server's storage: a request that would change only times changes nothing.
import { equalValues } from "../../value/equal.js"
import type { MapValue } from "../../value/value.js"
import { type ManagedFieldsEntry, readManagedFields, withoutManagedFields } from "./entry.js"

/**
 * Whether the two objects differ only in times of their entries. Entries are compared in their order, as in an API server: if a new time
 * has moved an entry, the objects differ in more than times.
 */
export function differInTimesOnly(before: MapValue, after: MapValue): boolean {
  const entriesBefore = readManagedFields(before) ?? []
  const entries = readManagedFields(after) ?? []
  if (entries.length !== entriesBefore.length) return false
  let timesDiffer = false
  for (let i = 0; i < entries.length; i++) {
    const old = entriesBefore[i] as ManagedFieldsEntry
    const entry = entries[i] as ManagedFieldsEntry
    if (entry === old) continue
    if (!equalButForTime(old, entry)) return false
    if (entry.time !== old.time) timesDiffer = true
  }
  return timesDiffer && equalValues(withoutManagedFields(before), withoutManagedFields(after))
}

function equalButForTime({ time: _, ...a }: ManagedFieldsEntry, { time: __, ...b }: ManagedFieldsEntry): boolean {
  return equalValues(a as MapValue, b as MapValue)
}
