// Looking up an entry in a level of a field set: by bisection, and in large levels in which much is looked for by an index.
//
// Bisecting the entries themselves reads the order of one entry after the other, each from a place of its own in memory, which
// takes most of the time once the sets do not fit into the processor's caches. In an index the orders are side by side.
import { compareElements, type PathElement } from "./element.js"

interface Ordered {
  readonly order: number
  readonly element: PathElement
}

/** The entry of this element among these, which are sorted. */
export function bisect<E extends Ordered>(entries: readonly E[], element: PathElement): E | undefined {
  const wanted = element.order
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const entry = entries[middle] as E
    const order = entry.order - wanted || compareElements(entry.element, element)
    if (order === 0) return entry
    if (order < 0) low = middle + 1
    else high = middle
  }
  return undefined
}

/** The orders of all entries, then the entries: one array, so that both are near. */
export type LevelIndex<E> = readonly (number | E)[]

export function indexLevel<E extends Ordered>(entries: readonly E[]): LevelIndex<E> {
  const count = entries.length
  const index = new Array<number | E>(2 * count)
  for (let i = 0; i < count; i++) {
    const entry = entries[i] as E
    index[i] = entry.order
    index[count + i] = entry
  }
  return index
}

export function findInIndex<E extends Ordered>(index: LevelIndex<E>, element: PathElement): E | undefined {
  const wanted = element.order
  const count = index.length >>> 1
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    let order = (index[middle] as number) - wanted
    if (order === 0) {
      const entry = index[count + middle] as E
      order = compareElements(entry.element, element)
      if (order === 0) return entry
    }
    if (order < 0) low = middle + 1
    else high = middle
  }
  return undefined
}
