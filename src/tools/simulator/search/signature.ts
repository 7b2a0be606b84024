// Texts that are equal for equal states. Two states are equal if their values and owners are; times and counters of the metadata are ignored.

import { formatGoJson } from "../../../json/json.js"
import {
  type ManagedFieldsEntry,
  readManagedFields,
  withoutManagedFields,
} from "../../../managedfields/entries/entry.js"
import { withoutTimes } from "../../../managedfields/entries/managed.js"
import { metaText, withMetadata } from "../../../schema/metadata.js"
import type { MapValue, Value } from "../../../value/value.js"
import type { Snapshot } from "../simulation/snapshot.js"

/** Returns a text that identifies the values of all objects. */
export function valuesSignature(now: Snapshot): string {
  return JSON.stringify(
    now.objects.map(object => formatGoJson(withMetadata(withoutManagedFields(object), withoutCounts(object)))),
  )
}

/** Returns the changes to metadata that remove times and counters. */
function withoutCounts(object: MapValue): { readonly [key: string]: Value | undefined } {
  const nothing = { resourceVersion: undefined, uid: undefined, creationTimestamp: undefined, generation: undefined }
  return metaText(object, "deletionTimestamp") === "" ? nothing : { ...nothing, deletionTimestamp: "" }
}

/** Returns a text that identifies the owners of all fields of all objects. */
export function ownersSignature(now: Snapshot): string {
  return JSON.stringify(now.objects.map(object => entriesOf(object).map(entry => formatGoJson(entry as MapValue))))
}

function entriesOf(object: MapValue): readonly ManagedFieldsEntry[] {
  return withoutTimes(readManagedFields(object) ?? [])
}

/** Returns a text that identifies everything on which the result of the next request depends. */
export function stateSignature(now: Snapshot): string {
  return JSON.stringify([now.schema, valuesSignature(now), ownersSignature(now)])
}
