// Groups of items: lists by a key that the items have in common, and groups that can be joined.

/** Adds an item to the list of the key. */
export function addToGroup<K, T>(groups: Map<K, T[]>, key: K, item: T): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [item])
  else group.push(item)
}

/** Groups items by their keys, in the order of the first item of each group. */
export function groupBy<K, T>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) addToGroup(groups, keyOf(item), item)
  return groups
}

/** Groups of items that can be joined. At first, each item is a group of its own. */
export class DisjointGroups<T> {
  /** For each item another item of its group, except for the item that represents the group. */
  private readonly next = new Map<T, T>()

  /** Returns the item that represents the group of the item. */
  of(item: T): T {
    let last = item
    for (let next = this.next.get(last); next !== undefined; next = this.next.get(last)) last = next
    if (last !== item) this.next.set(item, last)
    return last
  }

  /** Joins the groups of all these items. */
  join([first, ...others]: readonly T[]): void {
    for (const item of others) {
      const [x, y] = [this.of(first as T), this.of(item)]
      if (x !== y) this.next.set(x, y)
    }
  }
}
