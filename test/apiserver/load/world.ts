// The objects of a load test and all writes to them, from which the expected events of each watch follow.
import { own } from "../../../src/value/object.js"
import { isMap, type MapValue } from "../../../src/value/value.js"

/** The number of namespaces, and of values of the label `group`. */
export const namespaces = 20
export const groups = 10

/** The objects that a watch selects; all objects if both are absent. */
export interface Filter {
  readonly namespace?: number
  readonly group?: number
}

/** The state of an object after one write. */
export interface ObjectState {
  /** The index in the name of the object, `object-INDEX`. */
  readonly index: number
  readonly group: number
  readonly resourceVersion: number
}

export function namespaceOf(index: number): number {
  return index % namespaces
}

/** Returns the path at which to list and watch the objects of a filter. */
export function pathOf({ namespace, group }: Filter): string {
  const inside = namespace === undefined ? "" : `/namespaces/load-${namespace}`
  return `/api/v1${inside}/configmaps?labelSelector=${group === undefined ? "group" : `group%3D${group}`}`
}

/** Returns an object whose content is about as large as that of real objects. */
export function configMapOf(index: number, group: number, step: number): MapValue {
  const name = `object-${index}`
  const metadata = { name, namespace: `load-${namespaceOf(index)}`, labels: { group: String(group) } }
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { step: String(step), text: "some text ".repeat(10) } }
}

/** Reads the state of an object in a response. */
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

/** The number of events of a watch, and a checksum of their types, resourceVersions and order. */
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

/** The group of an object that does not exist. */
const absent = -1

/** All writes, as reported by the writers, and all deletions, as reported by a watch of all objects. */
export class History {
  readonly problems: string[] = []
  private readonly writes = new Map<number, { readonly index: number; readonly group: number }>()
  /** The uids of objects whose deletion was acknowledged, and of those whose deletion a watch has shown. */
  private readonly deletions = { acknowledged: new Set<string>(), seen: new Set<string>() }

  get size(): number {
    return this.writes.size
  }

  written(state: ObjectState): void {
    this.add(state.resourceVersion, state.index, state.group)
  }

  deleted(index: number, resourceVersion: number, uid: string): void {
    this.deletions.seen.add(uid)
    this.add(resourceVersion, index, absent)
  }

  acknowledgedDeletion(uid: string): void {
    this.deletions.acknowledged.add(uid)
  }

  /** The number of objects whose deletion was acknowledged, but not shown to any watch. */
  get lostDeletions(): number {
    const { acknowledged, seen } = this.deletions
    return [...acknowledged].filter(uid => !seen.has(uid)).length
  }

  private add(resourceVersion: number, index: number, group: number): void {
    const known = this.writes.get(resourceVersion)
    if (known === undefined) this.writes.set(resourceVersion, { index, group })
    else if (known.index !== index || known.group !== group) {
      this.problems.push(`resourceVersion ${resourceVersion} is that of two writes`)
    }
  }

  /** Returns all writes in order, for questions about filters. */
  replay(objects: number): Replay {
    return new Replay(this.writes, objects)
  }
}

/** One write, with the group of the object before it. */
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

  /** Returns the expected events of a watch of these objects from this resourceVersion on. */
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

  /** Returns the final resourceVersion of each object; 0 for objects that the filter does not select. */
  state(filter: Filter): Int32Array {
    return this.versions.map((version, index) => (matches(filter, index, this.groups[index] as number) ? version : 0))
  }
}

function matches({ namespace, group }: Filter, index: number, actual: number): boolean {
  if (actual === absent) return false
  return (namespace === undefined || namespace === namespaceOf(index)) && (group === undefined || group === actual)
}
