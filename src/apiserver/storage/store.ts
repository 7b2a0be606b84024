// Objects in memory, and what has happened to them: the part that etcd plays for a real API server.
//
// Objects are immutable and stored at one version. Each write gets the next resourceVersion, which is one counter for the whole
// store, and becomes an event. Events are kept for watches that begin in the past, until they are compacted away.

import { forbidden } from "../../requests/failure.js"
import { keyOf, metaText, withMetadata } from "../../requests/metadata.js"
import { compareStrings } from "../../value/compare.js"
import type { MapValue } from "../../value/value.js"

/** A write that has happened. */
export interface StoreEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  /** The group and plural name of the resource: `apps/deployments`. */
  readonly resource: string
  /** The object after the write; one that was deleted has the resourceVersion of its deletion. */
  readonly object: MapValue
  /** The object before the write. */
  readonly before: MapValue | undefined
  readonly resourceVersion: number
}

/** The name under which the objects of a resource are kept, at whatever version it is asked for. */
export function storeKey({ group, plural }: { readonly group: string; readonly plural: string }): string {
  return `${keptWith.get(`${group}/${plural}`) ?? group}/${plural}`
}

/** Resources whose objects are kept with those of the same name in another group: there is one Event in two groups. */
const keptWith: ReadonlyMap<string, string> = new Map([["events.k8s.io/events", ""]])

/** How many events are kept unless the server is told otherwise. */
const defaultHistory = 10_000

export class Store {
  private readonly objects = new Map<string, Map<string, MapValue>>()
  private events: StoreEvent[] = []
  private readonly listeners = new Set<(event: StoreEvent) => void>()
  private readonly history: number
  private last = 1
  private oldest = 1
  /** Whether every write is refused. */
  readOnly = false

  constructor(history: number = defaultHistory) {
    this.history = history
  }

  /** The resourceVersion of the last write. */
  get resourceVersion(): number {
    return this.last
  }

  /** Events up to this resourceVersion are not kept any more. */
  get compacted(): number {
    return this.oldest
  }

  get(resource: string, namespace: string, name: string): MapValue | undefined {
    return this.objects.get(resource)?.get(keyOf(namespace, name))
  }

  /** The objects of a resource, of one namespace or of all (""), sorted by namespace and name. */
  list(resource: string, namespace = ""): MapValue[] {
    const prefix = `${namespace}/`
    const found = [...(this.objects.get(resource) ?? [])]
    return found
      .filter(([key]) => namespace === "" || key.startsWith(prefix))
      .sort(([a], [b]) => compareStrings(a, b))
      .map(([, object]) => object)
  }

  /** Every object with its resource, sorted by resource, namespace and name. */
  all(): { readonly resource: string; readonly object: MapValue }[] {
    const resources = [...this.objects.keys()].sort(compareStrings)
    return resources.flatMap(resource => this.list(resource).map(object => ({ resource, object })))
  }

  /** How many objects there are of each resource that has or had any, sorted by resource. */
  counts(): { readonly resource: string; readonly count: number }[] {
    const resources = [...this.objects.keys()].sort(compareStrings)
    return resources.map(resource => ({ resource, count: this.objects.get(resource)?.size ?? 0 }))
  }

  /** Stores the object under its namespace and name. Returns it with its new resourceVersion. */
  put(resource: string, object: MapValue): MapValue {
    this.requireWritable(resource, object)
    const stored = this.numbered(object)
    const before = this.keep(resource, stored)
    this.happened(before === undefined ? "ADDED" : "MODIFIED", resource, stored, before)
    return stored
  }

  /**
   * As `put`, but the object keeps the resourceVersion that it brings along, and later writes go on from the highest. An older one than
   * the highest is kept too, unless the same object is there already or a watch would miss it; watches can't begin before it then.
   */
  restore(resource: string, object: MapValue): void {
    const version = Number(metaText(object, "resourceVersion"))
    const isOld = version <= this.last
    const live = this.get(resource, metaText(object, "namespace"), metaText(object, "name"))
    const isKnown = live !== undefined && metaText(live, "uid") === metaText(object, "uid")
    if (!Number.isSafeInteger(version) || version < 1 || (isOld && (isKnown || this.listeners.size > 0))) {
      this.put(resource, object)
      return
    }
    this.keep(resource, object)
    if (isOld) this.compact(this.last)
    else {
      this.last = version
      this.happened(live === undefined ? "ADDED" : "MODIFIED", resource, object, live)
    }
  }

  /** Throws a RequestFailure if nothing may be written. */
  requireWritable(resource: string, object: MapValue): void {
    if (!this.readOnly) return
    const [group = "", name = ""] = resource.split("/")
    const why = "this API server is read-only and stores nothing; a dry run (dryRun=All) works"
    throw forbidden({ group, name }, metaText(object, "name"), why)
  }

  /** Removes the object, whose last state is given. Returns that with the resourceVersion of the deletion. */
  remove(resource: string, object: MapValue): MapValue {
    this.requireWritable(resource, object)
    const kept = this.objects.get(resource)
    const key = keyOf(metaText(object, "namespace"), metaText(object, "name"))
    const before = kept?.get(key)
    kept?.delete(key)
    const gone = this.numbered(object)
    this.happened("DELETED", resource, gone, before)
    return gone
  }

  /** The first event of a resource after this resourceVersion. */
  nextEvent(resource: string, resourceVersion: number): StoreEvent | undefined {
    let low = 0
    let high = this.events.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.events[middle] as StoreEvent).resourceVersion > resourceVersion) high = middle
      else low = middle + 1
    }
    for (let i = low; i < this.events.length; i++) {
      const event = this.events[i] as StoreEvent
      if (event.resource === resource) return event
    }
    return undefined
  }

  /** Calls `listener` with every event from now on, until the function that is returned is called. */
  listen(listener: (event: StoreEvent) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Forgets the events up to this resourceVersion. */
  compact(resourceVersion: number): void {
    this.oldest = Math.max(this.oldest, Math.min(resourceVersion, this.last))
    this.events = this.events.filter(event => event.resourceVersion > this.oldest)
  }

  /** Returns the object that was there before. */
  private keep(resource: string, object: MapValue): MapValue | undefined {
    const key = keyOf(metaText(object, "namespace"), metaText(object, "name"))
    let kept = this.objects.get(resource)
    if (kept === undefined) {
      kept = new Map()
      this.objects.set(resource, kept)
    }
    const before = kept.get(key)
    kept.set(key, object)
    return before
  }

  private numbered(object: MapValue): MapValue {
    this.last++
    return withMetadata(object, { resourceVersion: String(this.last) })
  }

  private happened(type: StoreEvent["type"], resource: string, object: MapValue, before: MapValue | undefined): void {
    const event = { type, resource, object, before, resourceVersion: this.last }
    this.events.push(event)
    // Dropped by halves, so that a write costs the same however much is kept.
    if (this.events.length > this.history * 2)
      this.compact((this.events[this.history] as StoreEvent).resourceVersion - 1)
    for (const listener of [...this.listeners]) listener(event)
  }
}
