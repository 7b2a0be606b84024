// The objects of one resource, by namespace and name, and as sorted lists.
import { compareStrings } from "../../value/compare.js"
import type { MapValue } from "../../value/value.js"
import { OverlayMap } from "./overlay-map.js"

/** An object in a collection. Sorted lists hold entries, so reading a list needs no lookups. */
export interface Entry {
  readonly namespace: string
  readonly name: string
  /** The current object; undefined once it is deleted. A later object of the same name gets an entry of its own. */
  readonly object: MapValue | undefined
}

/** Compares the names of namespaces as a server sorts them. The slash matters: "a-/x" comes before "a/x". */
function compareNamespaces(a: string, b: string): number {
  return compareStrings(`${a}/`, `${b}/`)
}

/** Compares entries by namespace and name. */
export function compareEntries(a: Entry, b: Entry): number {
  return a.namespace === b.namespace ? compareStrings(a.name, b.name) : compareNamespaces(a.namespace, b.namespace)
}

/** An entry that the collections of one edition may change. */
interface OwnEntry extends Entry {
  readonly edition: object
  object: MapValue | undefined
}

class NamespaceEntries {
  /** The edition of the collection that may change them. */
  readonly edition: object
  readonly entries: OverlayMap<OwnEntry>
  private sorted: readonly Entry[] = []
  /** The names whose entries were added, replaced or deleted since the list was sorted. */
  private readonly changed = new Set<string>()

  constructor(edition: object, entries = new OverlayMap<OwnEntry>()) {
    this.edition = edition
    this.entries = entries
  }

  /** Returns the same entries for another edition. */
  forkFor(edition: object): NamespaceEntries {
    const fork = new NamespaceEntries(edition, this.entries.fork())
    fork.sorted = this.inOrder()
    return fork
  }

  /** Returns whether the list of entries changed. */
  set(namespace: string, name: string, object: MapValue): boolean {
    const { edition } = this
    const entry = this.entries.get(name)
    if (entry?.edition === edition) {
      entry.object = object
      return false
    }
    this.entries.set(name, { edition, namespace, name, object })
    this.changed.add(name)
    return true
  }

  delete(name: string): boolean {
    const entry = this.entries.get(name)
    if (entry === undefined) return false
    if (entry.edition === this.edition) entry.object = undefined
    this.entries.delete(name)
    this.changed.add(name)
    return true
  }

  /** Returns the entries sorted by name. A returned list never changes. */
  inOrder(): readonly Entry[] {
    if (this.changed.size === 0) return this.sorted
    const before = this.sorted
    const after: Entry[] = []
    let next = 0
    for (const name of [...this.changed].sort(compareStrings)) {
      const at = firstIndex(before.length, i => compareStrings((before[i] as Entry).name, name) >= 0)
      while (next < at) after.push(before[next++] as Entry)
      if (before[next]?.name === name) next++
      const entry = this.entries.get(name)
      if (entry !== undefined) after.push(entry)
    }
    while (next < before.length) after.push(before[next++] as Entry)
    this.changed.clear()
    this.sorted = after
    return after
  }
}

/** The objects of a resource. A fork shares all entries, and each of the two replaces those whose objects it changes. */
export class Collection {
  size = 0
  private namespaces = new OverlayMap<NamespaceEntries>()
  /** Whether a fork has the same map of namespaces. */
  private isShared = false
  /** Entries of another edition may be shared, and are not changed. */
  private edition = {}
  private all: readonly Entry[] | undefined = []

  /** Returns a collection with the same objects. Takes the same time for any number of objects. */
  fork(): Collection {
    const fork = new Collection()
    fork.size = this.size
    fork.namespaces = this.namespaces
    fork.all = this.all
    this.edition = {}
    this.isShared = fork.isShared = true
    return fork
  }

  get(namespace: string, name: string): MapValue | undefined {
    return this.namespaces.get(namespace)?.entries.get(name)?.object
  }

  set(namespace: string, name: string, object: MapValue): void {
    let inNamespace = this.writable(namespace)
    if (inNamespace === undefined) this.namespaces.set(namespace, (inNamespace = new NamespaceEntries(this.edition)))
    const before = inNamespace.entries.size
    if (inNamespace.set(namespace, name, object)) this.all = undefined
    this.size += inNamespace.entries.size - before
  }

  delete(namespace: string, name: string): void {
    const inNamespace = this.writable(namespace)
    if (inNamespace?.delete(name) !== true) return
    this.all = undefined
    this.size--
    if (inNamespace.entries.size === 0) this.namespaces.delete(namespace)
  }

  /** Returns the entries of a namespace, for this edition. */
  private writable(namespace: string): NamespaceEntries | undefined {
    if (this.isShared) {
      this.namespaces = this.namespaces.fork()
      this.isShared = false
    }
    const known = this.namespaces.get(namespace)
    if (known === undefined || known.edition === this.edition) return known
    const fork = known.forkFor(this.edition)
    this.namespaces.set(namespace, fork)
    return fork
  }

  /**
   * Returns the entries of one namespace or of all (""), sorted by namespace and name. A returned list never changes, but its entries
   * always have the current objects. Listing one namespace costs nothing for the objects in others.
   */
  inOrder(namespace: string): readonly Entry[] {
    if (namespace !== "") return this.namespaces.get(namespace)?.inOrder() ?? []
    if (this.all === undefined) {
      const names = Array.from(this.namespaces.entries(), ([name]) => name).sort(compareNamespaces)
      const all: Entry[] = []
      // flatMap takes ten times as long.
      for (const name of names) for (const entry of this.namespaces.get(name)?.inOrder() ?? []) all.push(entry)
      this.all = all
    }
    return this.all
  }
}

/**
 * Finds the first index below `length` for which the condition holds, or returns `length`. The condition must hold for every index
 * after the first one, too.
 */
export function firstIndex(length: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
