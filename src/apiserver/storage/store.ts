// Objects in memory, and what has happened to them: the part that etcd plays for a real API server.
//
// Objects are immutable and stored at one version. Each write gets the next resourceVersion, which is one counter for the whole
// store, and becomes an event. Events are kept for watches that begin in the past, until they are compacted away or keep too much
// memory.

import { forbidden } from "../../kinds/refusal/failure.js"
import { metadataOf, metaText, withMetadata } from "../../schema/metadata.js"
import { compareStrings } from "../../value/compare.js"
import { listAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"
import { charactersBeside } from "../../write/size.js"
import { Collection, type Entry, firstIndex } from "./collection.js"

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
    return this.collections.get(resource)?.get(namespace, name)
  }

  /** The objects of a resource, of one namespace or of all (""), sorted by namespace and name. */
  list(resource: string, namespace = ""): MapValue[] {
    // None was deleted since the entries were put in order.
    return this.entries(resource, namespace).map(({ object }) => object as MapValue)
  }

  /** The places of what `list` returns, in a list that never changes. */
  entries(resource: string, namespace: string): readonly Entry[] {
    return (this.collections.get(resource) ?? none).inOrder(namespace)
  }

  /** Every object with its resource, sorted by resource, namespace and name. */
  all(): { readonly resource: string; readonly object: MapValue }[] {
    const resources = [...this.collections.keys()].sort(compareStrings)
    return resources.flatMap(resource => this.list(resource).map(object => ({ resource, object })))
  }

  /** How many objects there are of each resource that has or had any, sorted by resource. */
  counts(): { readonly resource: string; readonly count: number }[] {
    const resources = [...this.collections.keys()].sort(compareStrings)
    return resources.map(resource => ({ resource, count: this.collections.get(resource)?.size ?? 0 }))
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
    const namespace = metaText(object, "namespace")
    const name = metaText(object, "name")
    const before = kept?.get(namespace, name)
    kept?.delete(namespace, name)
    if (before !== undefined) this.forgetOwners(resource, nameInNamespace(namespace, name), before)
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
   * Finds objects of a resource as they were at this resourceVersion. The function returns undefined for an object that has changed
   * since if the event is not kept any more. It is for now only: a later write is nothing that it knows of.
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

  /** Each object that has changed after this resourceVersion, as it was before. */
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
    const namespace = metaText(object, "namespace")
    const name = metaText(object, "name")
    let kept = this.collections.get(resource)
    if (kept === undefined) this.collections.set(resource, (kept = new Collection()))
    const before = kept.get(namespace, name)
    kept.set(namespace, name, object)
    if (before === undefined || !haveSameOwners(before, object)) {
      const key = nameInNamespace(namespace, name)
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

/** Identifies an object among those of its resource. */
function nameInNamespace(namespace: string, name: string): string {
  return `${namespace}/${name}`
}
