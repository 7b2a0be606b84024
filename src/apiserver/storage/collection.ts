// The objects of a resource, by namespace and name and in order.
import { compareStrings } from "../../value/compare.js"
import type { MapValue } from "../../value/value.js"

/** The place of an object in a collection. Lists hold entries, so that they need not look objects up. */
export interface Entry {
  readonly namespace: string
  readonly name: string
  /** The object at the moment; undefined once it was deleted. One of that name that is made later has an entry of its own. */
  readonly object: MapValue | undefined
}

/** The entries of one namespace. */
class Space {
  readonly entries = new Map<string, { namespace: string; name: string; object: MapValue | undefined }>()
  private sorted: readonly Entry[] = []
  /** The names that may be missing in the sorted list, or in it though they are gone. */
  private readonly changed = new Set<string>()

  set(namespace: string, name: string, object: MapValue): void {
    const entry = this.entries.get(name)
    if (entry !== undefined) entry.object = object
    else {
      this.entries.set(name, { namespace, name, object })
      this.changed.add(name)
    }
  }

  delete(name: string): void {
    const entry = this.entries.get(name)
    if (entry === undefined) return
    entry.object = undefined
    this.entries.delete(name)
    this.changed.add(name)
  }

  /** The entries by name. The list never changes; another one takes its place. */
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

/** The objects of a resource. */
export class Collection {
  size = 0
  private readonly spaces = new Map<string, Space>()
  private all: readonly Entry[] | undefined = []

  get(namespace: string, name: string): MapValue | undefined {
    return this.spaces.get(namespace)?.entries.get(name)?.object
  }

  set(namespace: string, name: string, object: MapValue): void {
    let space = this.spaces.get(namespace)
    if (space === undefined) this.spaces.set(namespace, (space = new Space()))
    const before = space.entries.size
    space.set(namespace, name, object)
    this.resized(space.entries.size - before)
  }

  delete(namespace: string, name: string): void {
    const space = this.spaces.get(namespace)
    if (space === undefined) return
    const before = space.entries.size
    space.delete(name)
    this.resized(space.entries.size - before)
    if (space.entries.size === 0) this.spaces.delete(namespace)
  }

  private resized(by: number): void {
    if (by === 0) return
    this.size += by
    this.all = undefined
  }

  /**
   * The entries of one namespace or of all (""), by namespace and name. The list never changes, but its entries have the objects of the
   * moment. Those of another namespace cost nothing.
   */
  inOrder(namespace: string): readonly Entry[] {
    if (namespace !== "") return this.spaces.get(namespace)?.inOrder() ?? []
    if (this.all === undefined) {
      // "a-/x" comes before "a/x".
      const names = [...this.spaces.keys()].sort((a, b) => compareStrings(`${a}/`, `${b}/`))
      const all: Entry[] = []
      // flatMap takes ten times as long.
      for (const name of names) for (const entry of this.spaces.get(name)?.inOrder() ?? []) all.push(entry)
      this.all = all
    }
    return this.all
  }
}

/** The first index below `length` for which the condition holds, as it does for all that follow; `length` if it never holds. */
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
