/** Short forms for the tests of this folder: managers of a few kinds, and owners with their fields, one per line. */

import { decodeFields } from "../../src/fieldpath/fieldsv1/object.js"
import { kubernetesTypes } from "../../src/kubernetes/index.js"
import { type ManagedFieldsEntry, readManagedFields } from "../../src/managedfields/entries/entry.js"
import { FieldManager } from "../../src/managedfields/field-manager.js"
import type { FieldManagerOptions } from "../../src/managedfields/request.js"
import type { MapValue, Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"

/** An object as tests write it. */
export interface Thing {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: MapValue
  readonly [key: string]: Value
}

/** Returns a clock that advances by a minute at each reading: 12:00, 12:01, … */
export function clockFrom(start: string = "2024-05-01T12:00:00Z"): () => Date {
  let next = Date.parse(start)
  return () => {
    const now = new Date(next)
    next += 60_000
    return now
  }
}

/** A FieldManager for the built-in types, with a clock of its own. */
export function fieldManager(options: Partial<FieldManagerOptions> = {}): FieldManager {
  return new FieldManager({ types: kubernetesTypes, clock: clockFrom(), ...options })
}

/** A frozen Deployment. */
export function deployment(spec: Value, metadata: MapValue = {}): Thing {
  return deepFreeze({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", ...metadata }, spec })
}

/** A frozen ConfigMap. */
export function configMap(data: Value, metadata: MapValue = {}): Thing {
  return deepFreeze({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web", ...metadata }, data })
}

/** The managedFields of an object, in order. */
export function entriesOf(object: object): readonly ManagedFieldsEntry[] {
  return readManagedFields(object) ?? []
}

/** Returns the owners and their fields, one entry per line, in order: `a Apply v1: .data.x .data.y`, with the subresource after a slash. */
export function owners(object: object): string[] {
  return entriesOf(object).map(entry => {
    const subresource = entry.subresource === undefined ? "" : `/${entry.subresource}`
    const paths = decodeFields(entry.fieldsV1).set.toString().split("\n").join(" ")
    return `${entry.manager} ${entry.operation}${subresource} ${entry.apiVersion}: ${paths}`
  })
}

/** `owners`, with the times: `a Apply 12:00`. */
export function times(object: object): string[] {
  return entriesOf(object).map(
    ({ manager, operation, time }) => `${manager} ${operation} ${time?.slice(11, 16) ?? "-"}`,
  )
}

/** An entry of managedFields. `id` is `name Operation apiVersion`, with the subresource after a slash. */
export function entry(id: string, fieldsV1: Value, time?: string): ManagedFieldsEntry {
  const [manager = "", what = "", apiVersion = ""] = id.split(" ")
  const [operation = "", subresource] = what.split("/")
  return {
    manager,
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: "FieldsV1",
    fieldsV1,
    ...(subresource !== undefined && { subresource }),
  }
}

/** The object with these managedFields. */
export function managedBy<T extends { readonly metadata: MapValue }>(
  object: T,
  ...entries: readonly (ManagedFieldsEntry | Value)[]
): T {
  return deepFreeze({ ...object, metadata: { ...object.metadata, managedFields: entries as Value } })
}

/** Returns the message of the error that `run` throws, or "". */
export function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    return (error as Error).message
  }
  return ""
}
