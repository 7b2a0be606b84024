// The annotation of DaemonSets that counts the changes of their template. A server keeps the number in a field of its own, and has the
// annotation in everything that it reads and writes.

import { mapAt, metadataOf, withKeys, withMetadata } from "../../requests/metadata.js"
import { equalValues } from "../../value/equal.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"

const annotation = "deprecated.daemonset.template.generation"

/** A DaemonSet as it is after it was read: one that says no number has 0. Other objects as they are. */
export function withTemplateGeneration(object: MapValue): MapValue {
  return isDaemonSet(object) ? withNumber(object, numberOf(object)) : object
}

/** A DaemonSet as it is stored: new ones begin with 1, and a number can't be written, but grows with every change of the template. */
export function countTemplate(object: MapValue, live: MapValue | undefined): MapValue {
  if (!isDaemonSet(object)) return object
  if (live === undefined) return withNumber(object, Math.max(numberOf(object), 1))
  return withNumber(object, equalValues(templateOf(object), templateOf(live)) ? numberOf(live) : numberOf(live) + 1)
}

function isDaemonSet(object: MapValue): boolean {
  return object.kind === "DaemonSet" && object.apiVersion === "apps/v1"
}

function templateOf(object: MapValue): MapValue {
  return mapAt(mapAt(object, "spec"), "template")
}

function numberOf(object: MapValue): number {
  const text = own(mapAt(metadataOf(object), "annotations"), annotation)
  return typeof text === "string" && /^[+-]?\d{1,15}$/.test(text) ? Number(text) : 0
}

function withNumber(object: MapValue, number: number): MapValue {
  const annotations = withKeys(mapAt(metadataOf(object), "annotations"), { [annotation]: String(number) })
  return withMetadata(object, { annotations })
}
