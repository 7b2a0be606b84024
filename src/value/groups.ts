// Lists of items that have something in common, by that key.

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
