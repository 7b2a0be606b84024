// Replays recorded stories: imitates the FieldManagers of a kube-apiserver's endpoints, and its storage.

import type { FieldSet } from "../../src/fieldpath/set.js"
import { kubernetesTypes } from "../../src/kubernetes/index.js"
import type { ManagedFieldsEntry } from "../../src/managedfields/entries/entry.js"
import {
  changeApiVersion,
  decodeFields,
  FieldManager,
  type FieldManagerOptions,
  type TypeFinder,
} from "../../src/managedfields/index.js"
import { TypeConverter } from "../../src/openapi/index.js"
import { equalValues } from "../../src/value/equal.js"
import { isMap, type MapValue, type Value } from "../../src/value/value.js"
import { entriesOf } from "../managedfields/notation.js"
import { autoscalers } from "../managedfields/types/autoscalers.js"
import type { Endpoint, Step, Story } from "./api-server-stories.js"

/** An object in storage. */
export interface Stored {
  readonly object: MapValue
  readonly views?: Step["views"]
}

/** Whether a message is about Go's types and its scheme, which do not exist here. */
export function isBeyond(message: Value | undefined): boolean {
  const beyond =
    /unable to convert unstructured object to|request to convert CR to an invalid group\/version: autoscaling\/v1/
  return typeof message === "string" && beyond.test(message)
}

/** The FieldManagers at the endpoints of a server with these definitions. */
export class Server {
  readonly story: Story
  private readonly types: TypeFinder
  private readonly isCustom: boolean

  constructor(story: Story, crds: readonly MapValue[]) {
    this.story = story
    this.isCustom = crds.length > 0
    const sources = crds.map(document => ({ document }))
    this.types = this.isCustom ? new TypeConverter(sources, { fallback: kubernetesTypes.find }) : kubernetesTypes
  }

  manager(endpoint: Endpoint, time: string | undefined, more: Partial<FieldManagerOptions> = {}): FieldManager {
    return new FieldManager(this.options(endpoint, time, more))
  }

  /** Returns the options of the FieldManager of an endpoint. */
  options(endpoint: Endpoint, time: string | undefined, more: Partial<FieldManagerOptions> = {}): FieldManagerOptions {
    const { apiVersion, kind, subresource } = endpoint
    return {
      types: this.types,
      kind: { apiVersion, kind },
      resetFields: kind === "Scale" ? new Map() : this.resetFields(apiVersion, subresource),
      converter: this.converterFor(kind),
      clock: () => new Date(time || 0),
      ...more,
    }
  }

  private resetFields(apiVersion: string, subresource: string): Map<string, FieldSet> {
    const found = Object.entries(this.story.resetFields[apiVersion]?.[subresource] ?? {})
    return new Map(found.map(([version, fields]) => [version, decodeFields(fields as MapValue).set]))
  }

  private converterFor(kind: string) {
    if (kind === "HorizontalPodAutoscaler") return autoscalers
    return this.isCustom ? changeApiVersion(this.types) : { convert: () => undefined }
  }
}

/** Returns the object in storage after a successful request. */
export function storedAfter(step: Step): Stored | undefined {
  const object = step.live ?? (step.verb === "delete" ? undefined : step.response)
  if (object === undefined || isGone(object)) return undefined
  return { object, ...(step.views !== undefined && { views: step.views }) }
}

/** Whether an object under deletion has lost its last finalizer, so that it is gone. */
function isGone(object: MapValue): boolean {
  const { deletionTimestamp, finalizers = [] } = mapAt(object, "metadata")
  return (
    deletionTimestamp !== undefined && equalValues(finalizers, []) && mapAt(object, "spec").finalizers === undefined
  )
}

/** Returns the time of the request, from an entry that it wrote. */
export function newTime(live: MapValue | undefined, result: MapValue | undefined): string | undefined {
  const known = live === undefined ? [] : entriesOf(live)
  const isNew = (entry: ManagedFieldsEntry) =>
    !known.some(old => equalValues(old as object as MapValue, entry as object as MapValue))
  const all = result === undefined ? [] : entriesOf(result)
  const written = all.filter(isNew)
  return (written.length > 0 ? written : all)
    .map(({ time }) => time ?? "")
    .sort()
    .at(-1)
}

/** Sorts causes: with several managers, they have the random order of a Go map. */
export function sorted(status: object): unknown {
  const { details, ...rest } = status as MapValue
  if (!isMap(details) || !Array.isArray(details.causes)) return status
  return { ...rest, details: { ...details, causes: details.causes.map(cause => JSON.stringify(cause)).sort() } }
}

export function withEntries(object: MapValue, entries: readonly ManagedFieldsEntry[]): MapValue {
  return { ...object, metadata: { ...mapAt(object, "metadata"), managedFields: entries as unknown as Value } }
}

export function mapAt(object: MapValue, key: string): MapValue {
  const found = object[key]
  return isMap(found) ? found : {}
}
