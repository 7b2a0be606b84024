// The dependents of each owner: the objects whose ownerReferences name its uid.

import { metadataOf, metaText } from "../../schema/metadata.js"
import { listAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"
import { OverlayMap } from "./overlay-map.js"

/** The address of an object that another one owns. */
export interface Dependent {
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** The dependents of one owner, by resource, namespace and name. */
interface Owned {
  /** The edition of the index that may change the map. */
  readonly edition: object
  readonly entries: OverlayMap<Dependent>
}

/** The dependents of all owners. A fork shares the maps, and each of the two copies those that it changes. */
export class Dependents {
  private byOwner = new OverlayMap<Owned>()
  private isShared = false
  private edition = {}

  /** Returns an index with the same contents. Takes the same time for any number of objects. */
  fork(): Dependents {
    const fork = new Dependents()
    fork.byOwner = this.byOwner
    this.edition = {}
    this.isShared = fork.isShared = true
    return fork
  }

  /** Returns the objects that have an owner reference to this uid. */
  of(uid: string): readonly Dependent[] {
    const found = this.byOwner.get(uid)
    return found === undefined ? [] : Array.from(found.entries.entries(), ([, dependent]) => dependent)
  }

  /** Notes that an object replaces another one, or is new or deleted. */
  replace(resource: string, before: MapValue | undefined, after: MapValue | undefined): void {
    if (referencesOf(before) === referencesOf(after)) return
    if (before !== undefined) this.remove(resource, before)
    if (after !== undefined) this.add(resource, after)
  }

  private add(resource: string, object: MapValue): void {
    const dependent = { resource, namespace: metaText(object, "namespace"), name: metaText(object, "name") }
    for (const uid of ownerUids(object)) this.writable(uid).set(keyOf(dependent), dependent)
  }

  private remove(resource: string, object: MapValue): void {
    const dependent = { resource, namespace: metaText(object, "namespace"), name: metaText(object, "name") }
    for (const uid of ownerUids(object)) {
      const entries = this.writable(uid)
      entries.delete(keyOf(dependent))
      if (entries.size === 0) this.byOwner.delete(uid)
    }
  }

  /** Returns the dependents of an owner in a map that no fork shares. */
  private writable(uid: string): OverlayMap<Dependent> {
    if (this.isShared) {
      this.byOwner = this.byOwner.fork()
      this.isShared = false
    }
    const known = this.byOwner.get(uid)
    if (known?.edition === this.edition) return known.entries
    const entries = known?.entries.fork() ?? new OverlayMap<Dependent>()
    this.byOwner.set(uid, { edition: this.edition, entries })
    return entries
  }
}

function referencesOf(object: MapValue | undefined): unknown {
  return object && own(metadataOf(object), "ownerReferences")
}

function ownerUids(object: MapValue): string[] {
  return listAt(metadataOf(object), "ownerReferences").flatMap(owner => {
    const uid = isMap(owner) ? own(owner, "uid") : undefined
    return typeof uid === "string" ? [uid] : []
  })
}

function keyOf({ resource, namespace, name }: Dependent): string {
  return `${resource} ${namespace}/${name}`
}
