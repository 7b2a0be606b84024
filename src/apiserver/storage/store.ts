// Stores objects and the history of their changes in memory, as etcd does for a real API server.
//
// Objects are immutable, and stored at the storage version of their resource. Each write gets the next resourceVersion, a counter of the
// whole store, and becomes an event. The store keeps events for watches that begin in the past until `compact` drops them or they take too
// much memory.

import { forbidden } from "../../kinds/refusal/failure.js"
import { metadataOf, metaText, withMetadata } from "../../schema/metadata.js"
import { compareStrings } from "../../value/compare.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import { charactersBeside } from "../../write/size.js"
import { Collection, compareEntries, type Entry, firstIndex } from "./collection.js"
import { type Dependent, Dependents } from "./dependents.js"
import { SharedFields } from "./shared-fields.js"

/** One change of the store. */
export interface StoreEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  /** The group and plural name of the resource: `apps/deployments`. */
  readonly resource: string
  /** The object after the write. A deleted object has the resourceVersion of its deletion. */
  readonly object: MapValue
  /** The object before the write. */
  readonly before: MapValue | undefined
  readonly resourceVersion: number
}

/** The default limits of the history: in events, and in characters of JSON that the events keep in memory. */
const defaultHistory = 10_000
const defaultHistoryCharacters = 128 * 1024 * 1024

const emptyCollection = new Collection()

/** The objects of all resources, and the history of their changes. */
export class Store {
  private collections = new Map<string, Collection>()
  private dependents = new Dependents()
  private events: StoreEvent[] = []
  /** How many characters each event keeps in memory, and their sum. */
  private sizes: number[] = []
  private characters = 0
  private readonly listeners = new Set<(event: StoreEvent) => void>()
  private readonly history: number
  private readonly historyCharacters: number
  /** The resourceVersion of the last write. */
  private last = 1
  /** The store has no events up to this resourceVersion. */
  private oldest = 1
  private isReadOnly = false
  private sharedFields = new SharedFields()

  constructor(history: number = defaultHistory, historyCharacters: number = defaultHistoryCharacters) {
    this.history = history
    this.historyCharacters = historyCharacters
  }

  /** The resourceVersion of the last write. */
  get resourceVersion(): number {
    return this.last
  }

  /** The store no longer has the events up to this resourceVersion. */
  get compacted(): number {
    return this.oldest
  }

  get(resource: string, namespace: string, name: string): MapValue | undefined {
    return this.collections.get(resource)?.get(namespace, name)
  }

  /** Returns the objects of a resource in one namespace or in all (""), sorted by namespace and name. */
  list(resource: string, namespace = ""): MapValue[] {
    // The list is current, so no entry in it is deleted.
    return this.entries(resource, namespace).map(({ object }) => object as MapValue)
  }

  /** Returns the entries of the objects that `list` returns, as a list that never changes. */
  entries(resource: string, namespace: string): readonly Entry[] {
    return (this.collections.get(resource) ?? emptyCollection).inOrder(namespace)
  }

  /** Returns every object with its resource, sorted by resource, namespace and name. */
  all(): { readonly resource: string; readonly object: MapValue }[] {
    const resources = [...this.collections.keys()].sort(compareStrings)
    return resources.flatMap(resource => this.list(resource).map(object => ({ resource, object })))
  }

  /** Counts the objects of each resource that has or had any, sorted by resource. */
  counts(): { readonly resource: string; readonly count: number }[] {
    const resources = [...this.collections.keys()].sort(compareStrings)
    return resources.map(resource => ({ resource, count: this.collections.get(resource)?.size ?? 0 }))
  }

  /** Returns the objects that have an owner reference to this uid. */
  dependentsOf(uid: string): readonly Dependent[] {
    return this.dependents.of(uid)
  }

  /** Returns a store with the same objects and history, and without listeners. It takes hardly longer for many objects than for few. */
  fork(): Store {
    const fork = new Store(this.history, this.historyCharacters)
    fork.collections = new Map(Array.from(this.collections, ([resource, collection]) => [resource, collection.fork()]))
    fork.dependents = this.dependents.fork()
    fork.events = this.events.slice()
    fork.sizes = this.sizes.slice()
    fork.characters = this.characters
    fork.last = this.last
    fork.oldest = this.oldest
    fork.isReadOnly = this.isReadOnly
    // The fields never change, so both stores can share them.
    fork.sharedFields = this.sharedFields
    return fork
  }

  /** Undoes every write after this resourceVersion. Throws a RangeError if the store no longer has its events, or has not come so far. */
  rewind(resourceVersion: number): void {
    if (!Number.isInteger(resourceVersion) || resourceVersion < this.oldest || resourceVersion > this.last) {
      const known = `the store knows its state from ${this.oldest} to ${this.last}`
      throw new RangeError(`there is no state at the resourceVersion ${resourceVersion}: ${known}`)
    }
    const first = this.firstEventAfter(resourceVersion)
    for (const { resource, object, before } of this.events.splice(first).reverse()) {
      if (before === undefined) this.removeObject(resource, object)
      else this.setObject(resource, before)
    }
    for (const size of this.sizes.splice(first)) this.characters -= size
    this.last = resourceVersion
  }

  /** Stores the object under its namespace and name. Returns the object with its new resourceVersion. */
  put(resource: string, object: MapValue): MapValue {
    this.checkWritable(resource, object)
    const stored = this.withNextVersion(object)
    const before = this.setObject(resource, stored)
    this.addEvent(before === undefined ? "ADDED" : "MODIFIED", resource, stored, before)
    return stored
  }

  /**
   * Stores the object with its own resourceVersion. If that is the newest, later writes continue from there; if not, watches can no longer
   * begin before the last write. The object gets the next resourceVersion instead, as by `put`, if its own is not a positive integer, or
   * if it is old and the store has the same object or a watch is open.
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
    this.setObject(resource, object)
    if (isOld) this.compact(this.last)
    else {
      this.last = version
      this.addEvent(live === undefined ? "ADDED" : "MODIFIED", resource, object, live)
    }
  }

  /** Refuses every write from now on, except during `writeAnyway`. */
  makeReadOnly(): void {
    this.isReadOnly = true
  }

  /** Runs `write`, which may write even if the store is read-only. */
  writeAnyway(write: () => void): void {
    const before = this.isReadOnly
    this.isReadOnly = false
    try {
      write()
    } finally {
      this.isReadOnly = before
    }
  }

  /** Throws a RequestFailure if the store is read-only. */
  checkWritable(resource: string, object: MapValue): void {
    if (!this.isReadOnly) return
    const [group = "", name = ""] = resource.split("/")
    const why = "this API server is read-only and stores nothing; a dry run (dryRun=All) works"
    throw forbidden({ group, name }, metaText(object, "name"), why)
  }

  /**
   * Removes the object; `object` is its last state. Returns the last state with the resourceVersion of the deletion: the next one, or `version`
   * if that is higher.
   */
  remove(resource: string, object: MapValue, version = 0): MapValue {
    this.checkWritable(resource, object)
    const before = this.removeObject(resource, object)
    this.last = Math.max(this.last, version - 1)
    const removed = this.withNextVersion(object)
    this.addEvent("DELETED", resource, removed, before)
    return removed
  }

  /** Finds the first event of a resource after this resourceVersion. */
  nextEvent(resource: string, resourceVersion: number): StoreEvent | undefined {
    for (let i = this.firstEventAfter(resourceVersion); i < this.events.length; i++) {
      const event = this.events[i] as StoreEvent
      if (event.resource === resource) return event
    }
    return undefined
  }

  /**
   * Returns a function that finds an object of a resource as it was at this resourceVersion. The function returns undefined if the object
   * has changed since and the store no longer has the event. It must not be used after the next write.
   */
  statesAt(resource: string, resourceVersion: number): (entry: Entry) => MapValue | undefined {
    if (resourceVersion === this.last) return ({ object }) => object
    let changed: Map<string, MapValue | undefined> | undefined
    return ({ namespace, name, object }) => {
      if (object !== undefined && versionOf(object) <= resourceVersion) return object
      changed ??= this.changedAfter(resource, resourceVersion)
      return changed.get(nameInNamespace(namespace, name))
    }
  }

  /**
   * Returns the entries of the objects that a list had at this resourceVersion; undefined if the store no longer has the events since, or there
   * was no such version yet. They must not be used after the next write.
   */
  entriesAt(resource: string, namespace: string, resourceVersion: number): readonly Entry[] | undefined {
    if (resourceVersion < this.oldest || resourceVersion > this.last) return undefined
    const entries = this.entries(resource, namespace)
    const changed = this.changedAfter(resource, resourceVersion)
    if (changed.size === 0) return entries
    const then = entries.filter(({ object }) => versionOf(object as MapValue) <= resourceVersion)
    for (const object of changed.values()) {
      if (object === undefined) continue
      const entry = { namespace: metaText(object, "namespace"), name: metaText(object, "name"), object }
      if (namespace === "" || entry.namespace === namespace) then.push(entry)
    }
    return then.sort(compareEntries)
  }

  /** Returns each object that changed after this resourceVersion, as it was before its first change. */
  private changedAfter(resource: string, resourceVersion: number): Map<string, MapValue | undefined> {
    const changed = new Map<string, MapValue | undefined>()
    if (resourceVersion < this.oldest) return changed
    for (let i = this.firstEventAfter(resourceVersion); i < this.events.length; i++) {
      const { resource: other, object, before } = this.events[i] as StoreEvent
      const key = nameInNamespace(metaText(object, "namespace"), metaText(object, "name"))
      if (other === resource && !changed.has(key)) changed.set(key, before)
    }
    return changed
  }

  /** Calls `listener` with every event from now on. Returns a function that stops this. */
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

  /** Stores the object without an event. Returns the object that it replaces. */
  private setObject(resource: string, object: MapValue): MapValue | undefined {
    const namespace = metaText(object, "namespace")
    const name = metaText(object, "name")
    let collection = this.collections.get(resource)
    if (collection === undefined) this.collections.set(resource, (collection = new Collection()))
    const before = collection.get(namespace, name)
    collection.set(namespace, name, object)
    this.dependents.replace(resource, before, object)
    return before
  }

  /** Removes the object of this name without an event, and returns it. */
  private removeObject(resource: string, object: MapValue): MapValue | undefined {
    const namespace = metaText(object, "namespace")
    const name = metaText(object, "name")
    const collection = this.collections.get(resource)
    const before = collection?.get(namespace, name)
    collection?.delete(namespace, name)
    this.dependents.replace(resource, before, undefined)
    return before
  }

  private withNextVersion(object: MapValue): MapValue {
    this.last++
    const managedFields = this.sharedFields.share(own(metadataOf(object), "managedFields"))
    return withMetadata(object, { managedFields, resourceVersion: String(this.last) })
  }

  private addEvent(type: StoreEvent["type"], resource: string, object: MapValue, before: MapValue | undefined): void {
    const event = { type, resource, object, before, resourceVersion: this.last }
    const size = charactersBeside(object, before)
    this.events.push(event)
    this.sizes.push(size)
    this.characters += size
    this.dropOldEvents()
    for (const listener of [...this.listeners]) listener(event)
  }

  /** Drops about half of the events if there are too many, which keeps the cost of a write constant. The last event stays. */
  private dropOldEvents(): void {
    const { events, sizes } = this
    if (events.length <= this.history * 2 && this.characters <= this.historyCharacters) return
    let first = Math.max(0, events.length - this.history)
    let characters = this.characters
    for (let i = 0; i < events.length - 1; i++) {
      if (i >= first && characters <= this.historyCharacters / 2) break
      characters -= sizes[i] as number
      first = Math.max(first, i + 1)
    }
    this.compact((events[first] as StoreEvent).resourceVersion - 1)
  }
}

function versionOf(object: MapValue): number {
  return Number(metaText(object, "resourceVersion"))
}

/** Identifies an object among those of its resource. */
function nameInNamespace(namespace: string, name: string): string {
  return `${namespace}/${name}`
}
