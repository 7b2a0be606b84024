// Objects in memory, and what has happened to them: the part that etcd plays for a real API server.
//
// Objects are immutable and stored at one version. Each write gets the next resourceVersion, which is one counter for the whole
// store, and becomes an event. Events are kept for watches that begin in the past, until they are compacted away or keep too much
// memory.

import { forbidden } from "../../requests/failure.js"
import { keyOf, listAt, metadataOf, metaText, withMetadata } from "../../requests/metadata.js"
import { compareStrings } from "../../value/compare.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"
import { charactersBeside } from "../../write/size.js"

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

/** How many events are kept unless the server is told otherwise, and how many characters of JSON they may keep in memory. */
const defaultHistory = 10_000
const defaultCharacters = 128 * 1024 * 1024

/** The objects of a resource by their keys: `namespace/name`. */
class Collection {
  readonly objects = new Map<string, MapValue>()
  /** The keys in order. The list never changes; another one takes its place when it is asked for. */
  private sorted: readonly string[] = []
  private added: string[] = []
  private hasRemoved = false

  set(key: string, object: MapValue): void {
    if (!this.objects.has(key)) this.added.push(key)
    this.objects.set(key, object)
  }

  delete(key: string): void {
    if (this.objects.delete(key)) this.hasRemoved = true
  }

  /** The keys of one namespace or of all (""), in order. */
  keys(namespace: string): readonly string[] {
    if (this.hasRemoved || this.added.length > 0) {
      // Sorting two lists that are in order takes a look at each key, and not more.
      const added = this.added.sort(compareStrings)
      const keys = new Set([...this.sorted, ...added].filter(key => this.objects.has(key)))
      this.sorted = [...keys].sort(compareStrings)
      this.added = []
      this.hasRemoved = false
    }
    if (namespace === "") return this.sorted
    // "0" is the character that follows "/".
    return this.sorted.slice(this.firstFrom(`${namespace}/`), this.firstFrom(`${namespace}0`))
  }

  private firstFrom(key: string): number {
    return firstIndex(this.sorted.length, i => compareStrings(this.sorted[i] as string, key) >= 0)
  }
}

/** The first index below `length` for which the condition holds, as it does for all that follow; `length` if it never holds. */
function firstIndex(length: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

const none = new Collection()

/** An object that another one owns. */
export interface Dependent {
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

export class Store {
  private readonly collections = new Map<string, Collection>()
  /** The dependents of the object of each uid, by resource and key. */
  private readonly dependents = new Map<string, Map<string, Dependent>>()
  private events: StoreEvent[] = []
  /** How many characters each of the events keeps in memory, and how many all. */
  private sizes: number[] = []
  private characters = 0
  private readonly listeners = new Set<(event: StoreEvent) => void>()
  private readonly history: number
  private readonly mostCharacters: number
  private last = 1
  private oldest = 1
  /** Whether every write is refused. */
  readOnly = false

  constructor(history: number = defaultHistory, mostCharacters: number = defaultCharacters) {
    this.history = history
    this.mostCharacters = mostCharacters
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
    return this.collections.get(resource)?.objects.get(keyOf(namespace, name))
  }

  /** The objects of a resource, of one namespace or of all (""), sorted by namespace and name. */
  list(resource: string, namespace = ""): MapValue[] {
    const { objects } = this.collections.get(resource) ?? none
    return this.keys(resource, namespace).map(key => objects.get(key) as MapValue)
  }

  /** The keys of what `list` returns. */
  keys(resource: string, namespace: string): readonly string[] {
    return (this.collections.get(resource) ?? none).keys(namespace)
  }

  /** Every object with its resource, sorted by resource, namespace and name. */
  all(): { readonly resource: string; readonly object: MapValue }[] {
    const resources = [...this.collections.keys()].sort(compareStrings)
    return resources.flatMap(resource => this.list(resource).map(object => ({ resource, object })))
  }

  /** How many objects there are of each resource that has or had any, sorted by resource. */
  counts(): { readonly resource: string; readonly count: number }[] {
    const resources = [...this.collections.keys()].sort(compareStrings)
    return resources.map(resource => ({ resource, count: this.collections.get(resource)?.objects.size ?? 0 }))
  }

  /** The objects that the object of this uid owns. */
  dependentsOf(uid: string): readonly Dependent[] {
    return [...(this.dependents.get(uid)?.values() ?? [])]
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
    const version = versionOf(object)
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
    const kept = this.collections.get(resource)
    const key = keyOf(metaText(object, "namespace"), metaText(object, "name"))
    const before = kept?.objects.get(key)
    kept?.delete(key)
    if (before !== undefined) this.forgetOwners(resource, key, before)
    const gone = this.numbered(object)
    this.happened("DELETED", resource, gone, before)
    return gone
  }

  /** The first event of a resource after this resourceVersion. */
  nextEvent(resource: string, resourceVersion: number): StoreEvent | undefined {
    for (let i = this.firstEventAfter(resourceVersion); i < this.events.length; i++) {
      const event = this.events[i] as StoreEvent
      if (event.resource === resource) return event
    }
    return undefined
  }

  /**
   * Finds objects of a resource by their keys, as they were at this resourceVersion. The function returns undefined for an object that
   * has changed since if the event is not kept any more.
   */
  statesAt(resource: string, resourceVersion: number): (key: string) => MapValue | undefined {
    const { objects } = this.collections.get(resource) ?? none
    let changed: Map<string, MapValue | undefined> | undefined
    return key => {
      const object = objects.get(key)
      if (object !== undefined && versionOf(object) <= resourceVersion) return object
      changed ??= this.changedAfter(resource, resourceVersion)
      return changed.get(key)
    }
  }

  /** Each object that has changed after this resourceVersion, as it was before. */
  private changedAfter(resource: string, resourceVersion: number): Map<string, MapValue | undefined> {
    const changed = new Map<string, MapValue | undefined>()
    if (resourceVersion < this.oldest) return changed
    for (let i = this.firstEventAfter(resourceVersion); i < this.events.length; i++) {
      const { resource: other, object, before } = this.events[i] as StoreEvent
      const key = keyOf(metaText(object, "namespace"), metaText(object, "name"))
      if (other === resource && !changed.has(key)) changed.set(key, before)
    }
    return changed
  }

  /** Calls `listener` with every event from now on, until the function that is returned is called. */
  listen(listener: (event: StoreEvent) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Forgets the events up to this resourceVersion. */
  compact(resourceVersion: number): void {
    this.oldest = Math.max(this.oldest, Math.min(resourceVersion, this.last))
    const first = this.firstEventAfter(this.oldest)
    this.events.splice(0, first)
    for (const size of this.sizes.splice(0, first)) this.characters -= size
  }

  private firstEventAfter(resourceVersion: number): number {
    return firstIndex(this.events.length, i => (this.events[i] as StoreEvent).resourceVersion > resourceVersion)
  }

  /** Returns the object that was there before. */
  private keep(resource: string, object: MapValue): MapValue | undefined {
    const key = keyOf(metaText(object, "namespace"), metaText(object, "name"))
    let kept = this.collections.get(resource)
    if (kept === undefined) this.collections.set(resource, (kept = new Collection()))
    const before = kept.objects.get(key)
    kept.set(key, object)
    if (before === undefined || !haveSameOwners(before, object)) {
      if (before !== undefined) this.forgetOwners(resource, key, before)
      this.noteOwners(resource, key, object)
    }
    return before
  }

  private noteOwners(resource: string, key: string, object: MapValue): void {
    const dependent = { resource, namespace: metaText(object, "namespace"), name: metaText(object, "name") }
    for (const uid of ownersOf(object)) {
      let owned = this.dependents.get(uid)
      if (owned === undefined) this.dependents.set(uid, (owned = new Map()))
      owned.set(`${resource} ${key}`, dependent)
    }
  }

  private forgetOwners(resource: string, key: string, object: MapValue): void {
    for (const uid of ownersOf(object)) {
      const owned = this.dependents.get(uid)
      owned?.delete(`${resource} ${key}`)
      if (owned?.size === 0) this.dependents.delete(uid)
    }
  }

  private numbered(object: MapValue): MapValue {
    this.last++
    return withMetadata(object, { resourceVersion: String(this.last) })
  }

  private happened(type: StoreEvent["type"], resource: string, object: MapValue, before: MapValue | undefined): void {
    const event = { type, resource, object, before, resourceVersion: this.last }
    const size = charactersBeside(object, before)
    this.events.push(event)
    this.sizes.push(size)
    this.characters += size
    this.forgetOldest()
    for (const listener of [...this.listeners]) listener(event)
  }

  /** Forgets half of the events if there are too many, so that a write costs the same however much is kept. The last one stays. */
  private forgetOldest(): void {
    const { events, sizes } = this
    if (events.length <= this.history * 2 && this.characters <= this.mostCharacters) return
    let first = Math.max(0, events.length - this.history)
    let characters = this.characters
    for (let i = 0; i < events.length - 1; i++) {
      if (i >= first && characters <= this.mostCharacters / 2) break
      characters -= sizes[i] as number
      first = Math.max(first, i + 1)
    }
    this.compact((events[first] as StoreEvent).resourceVersion - 1)
  }
}

function versionOf(object: MapValue): number {
  return Number(metaText(object, "resourceVersion"))
}

function haveSameOwners(a: MapValue, b: MapValue): boolean {
  return own(metadataOf(a), "ownerReferences") === own(metadataOf(b), "ownerReferences")
}

function ownersOf(object: MapValue): string[] {
  return listAt(metadataOf(object), "ownerReferences").flatMap(owner => {
    const uid = isMap(owner) ? own(owner, "uid") : undefined
    return typeof uid === "string" ? [uid] : []
  })
}
