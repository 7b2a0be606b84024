// The objects of a load test, and every write that happened to them: what a watch must have shown.
import { own } from "../../../src/value/object.js"
import { isMap, type MapValue } from "../../../src/value/value.js"

/** How many namespaces the objects are in, and how many values their label `group` has. */
export const namespaces = 20
export const groups = 10

/** The objects that a watch is about; all of them where nothing is said. */
export interface Filter {
  readonly namespace?: number
  readonly group?: number
}

/** The state of an object as one write left it. */
export interface ObjectState {
  /** Which object: `object-INDEX`. */
  readonly index: number
  readonly group: number
  readonly resourceVersion: number
}

export function namespaceOf(index: number): number {
  return index % namespaces
}

/** Where the objects of a filter are listed and watched. */
export function pathOf({ namespace, group }: Filter): string {
  const inside = namespace === undefined ? "" : `/namespaces/load-${namespace}`
  return `/api/v1${inside}/configmaps?labelSelector=${group === undefined ? "group" : `group%3D${group}`}`
}

/** What the object is like: its content is large enough to be like real ones. */
export function configMapOf(index: number, group: number, step: number): MapValue {
  const name = `object-${index}`
  const metadata = { name, namespace: `load-${namespaceOf(index)}`, labels: { group: String(group) } }
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { step: String(step), text: "some text ".repeat(10) } }
}

/** Reads what matters of an object of an answer. */
export function stateOf(object: MapValue): ObjectState {
  const metadata = own(object, "metadata") as MapValue
  const labels = own(metadata, "labels")
  const group = isMap(labels) ? Number(own(labels, "group")) : Number.NaN
  return {
    index: Number(String(own(metadata, "name")).slice("object-".length)),
    group,
    resourceVersion: Number(own(metadata, "resourceVersion")),
  }
}

/** What a watch shows: how many events, and a sum over their types and resourceVersions in their order. */
export class Trace {
  events = 0
  sum = 0
  last: number

  constructor(resourceVersion: number) {
    this.last = resourceVersion
  }

  add(type: EventType, resourceVersion: number): void {
    this.events++
    this.sum = (Math.imul(this.sum, 31) + resourceVersion * 4 + eventTypes.indexOf(type)) | 0
    this.last = resourceVersion
  }
}

const eventTypes = ["ADDED", "MODIFIED", "DELETED"] as const
export type EventType = (typeof eventTypes)[number]

/** The group of an object that is not there. */
const absent = -1

/** Every write, as those who wrote learned of it, and every deletion, as a watch of all objects told of it. */
export class History {
  readonly problems: string[] = []
  private readonly writes = new Map<number, { readonly index: number; readonly group: number }>()

  get size(): number {
    return this.writes.size
  }

  written(state: ObjectState): void {
    this.add(state.resourceVersion, state.index, state.group)
  }

  deleted(index: number, resourceVersion: number): void {
    this.add(resourceVersion, index, absent)
  }

  private add(resourceVersion: number, index: number, group: number): void {
    const known = this.writes.get(resourceVersion)
    if (known === undefined) this.writes.set(resourceVersion, { index, group })
    else if (known.index !== index || known.group !== group) {
      this.problems.push(`resourceVersion ${resourceVersion} is that of two writes`)
    }
  }

  /** All writes in order, ready to be asked about filters. */
  replay(objects: number): Replay {
    return new Replay(this.writes, objects)
  }
}

/** One write with the group that the object had before it. */
interface Step {
  readonly resourceVersion: number
  readonly index: number
  readonly before: number
  readonly after: number
}

export class Replay {
  private readonly steps: Step[] = []
  /** The resourceVersion and the group of each object at the end; 0 and `absent` for one that is gone. */
  private readonly versions: Int32Array
  private readonly groups: Int8Array

  constructor(writes: ReadonlyMap<number, { readonly index: number; readonly group: number }>, objects: number) {
    this.versions = new Int32Array(objects)
    this.groups = new Int8Array(objects).fill(absent)
    const sorted = [...writes].sort(([a], [b]) => a - b)
    for (const [resourceVersion, { index, group }] of sorted) {
      this.steps.push({ resourceVersion, index, before: this.groups[index] as number, after: group })
      this.groups[index] = group
      this.versions[index] = group === absent ? 0 : resourceVersion
    }
  }

  /** What a watch of these objects shows from this resourceVersion on. */
  trace(filter: Filter, from: number): Trace {
    const trace = new Trace(from)
    for (const { resourceVersion, index, before, after } of this.steps) {
      if (resourceVersion <= from) continue
      const was = matches(filter, index, before)
      const is = matches(filter, index, after)
      if (is) trace.add(was ? "MODIFIED" : "ADDED", resourceVersion)
      else if (was) trace.add("DELETED", resourceVersion)
    }
    return trace
  }

  /** The resourceVersion of each object of the filter at the end; 0 for the others. */
  state(filter: Filter): Int32Array {
    return this.versions.map((version, index) => (matches(filter, index, this.groups[index] as number) ? version : 0))
  }
}

function matches({ namespace, group }: Filter, index: number, actual: number): boolean {
  if (actual === absent) return false
  return (namespace === undefined || namespace === namespaceOf(index)) && (group === undefined || group === actual)
}
