// What makes two states the same: values and owners, whenever and in however many steps they came about.

import { formatGoJson } from "../../json/json.js"
import { type ManagedFieldsEntry, readManagedFields, withoutManagedFields } from "../../managedfields/entries/entry.js"
import { withoutTimes } from "../../managedfields/entries/managed.js"
import { metaText, withMetadata } from "../../requests/metadata.js"
import type { ListValue, MapValue, Value } from "../../value/value.js"
import type { Snapshot } from "./snapshot.js"

/** The values of all objects, as a text that is the same for the same values. */
export function valuesOf(now: Snapshot): string {
  return JSON.stringify(
    now.objects.map(object => sortedJson(withMetadata(withoutManagedFields(object), withoutCounts(object)))),
  )
}

/** The metadata that says when, and in how many steps, an object came about. */
function withoutCounts(object: MapValue): { readonly [key: string]: Value | undefined } {
  const nothing = { resourceVersion: undefined, uid: undefined, creationTimestamp: undefined, generation: undefined }
  return metaText(object, "deletionTimestamp") === "" ? nothing : { ...nothing, deletionTimestamp: "" }
}

/** Who owns what in all objects, as a text that is the same for the same owners. */
export function ownersOf(now: Snapshot): string {
  return JSON.stringify(now.objects.map(object => entriesOf(object).map(entry => sortedJson(entry as MapValue))))
}

function entriesOf(object: MapValue): readonly ManagedFieldsEntry[] {
  return withoutTimes(readManagedFields(object) ?? [])
}

function sortedJson(value: MapValue | ListValue): string {
  return formatGoJson(value, { sorted: true })
}

/** Everything that decides what comes of the next request. */
export function stateOf(now: Snapshot): string {
  return JSON.stringify([now.schema, valuesOf(now), ownersOf(now)])
}
