// Decides which items of two associative lists are merged with each other, and the order of the merged list.
import { keepLayout } from "../value/layout.js"
import type { ListValue, Side, Value } from "../value/value.js"
import { countSameItems, duplicateEntries, ItemTable, itemProblem } from "./list-items.js"
import type { ListShape } from "./type.js"
import type { Issues } from "./walk.js"

/** Two lists side by side. Items at the same index are merged with each other; undefined means that the side has no such item. */
export interface Aligned {
  readonly lhs: readonly Side[]
  readonly rhs: readonly Side[]
}

/**
 * Returns the items of both lists in the order of the merged list. If an item has no path element, or `rhs` has two items with the same
 * one, adds to `issues` and returns null. `distinct` promises that both lists are valid and without duplicates.
 */
export function alignLists(
  issues: Issues,
  shape: ListShape,
  lhs: ListValue,
  rhs: ListValue,
  distinct: boolean,
): Aligned | null {
  const same = distinct ? countSameItems(shape, lhs, rhs) : 0
  if (distinct && same === lhs.length && same === rhs.length) return { lhs, rhs }
  const pairing = pairItems(issues, shape, lhs, rhs, same)
  return pairing === null ? null : inOrder(pairing, lhs, rhs, same)
}

/** The items of both lists by number. Items with the same path element have the same number in both lists. */
class Pairing {
  static {
    keepLayout(new Pairing({} as ListShape))
  }

  readonly table: ItemTable
  /** The numbers of the items of each list, in order. */
  readonly left: number[] = []
  readonly right: number[] = []
  /** The item of each side by number: undefined if the side has no such item. On the left, null stands for several items. */
  readonly leftItems: Side[] = []
  readonly rightItems: Side[] = []
  constructor(shape: ListShape) {
    this.table = new ItemTable(shape)
  }
}

/** Pairs the items of both lists from index `from` on. */
function pairItems(issues: Issues, shape: ListShape, lhs: ListValue, rhs: ListValue, from: number): Pairing | null {
  const pairs = new Pairing(shape)
  const { table, left, right, leftItems, rightItems } = pairs
  const before = issues.count
  for (let i = from; i < rhs.length; i++) {
    const number = addItem(issues, shape, table, i, rhs[i] as Value)
    if (number < 0) continue
    if (rightItems[number] !== undefined) {
      issues.add(duplicateEntries(shape, rhs[i] as Value))
    } else {
      rightItems[number] = rhs[i]
      right.push(number)
    }
  }
  for (let i = from; i < lhs.length; i++) {
    const number = addItem(issues, shape, table, i, lhs[i] as Value)
    if (number < 0) continue
    leftItems[number] = leftItems[number] === undefined ? lhs[i] : null
    left.push(number)
  }
  return issues.count > before ? null : pairs
}

function addItem(issues: Issues, shape: ListShape, table: ItemTable, index: number, item: Value): number {
  const number = table.add(item)
  if (number < 0) issues.add(`element ${index}: ${itemProblem(shape, item)}`)
  return number
}

/**
 * Walks both lists side by side. An item that only `lhs` has is taken when the walk reaches it. Shared items keep the order of `rhs`: one
 * that comes too early in `lhs` is skipped there, and taken when the walk reaches it in `rhs`.
 */
function inOrder(
  { left, right, leftItems, rightItems }: Pairing,
  lhs: ListValue,
  rhs: ListValue,
  from: number,
): Aligned {
  const out = { lhs: lhs.slice(0, from) as Side[], rhs: rhs.slice(0, from) as Side[] }
  const shared = right.filter(number => leftItems[number] !== undefined)
  const done: boolean[] = []
  let nextShared = 0 // shared[nextShared] is the next shared item that may be taken from `lhs`
  let i = 0
  let j = 0
  while (i < left.length || j < right.length) {
    const number = left[i]
    if (number === right[j]) i++
    else if (number !== undefined) {
      if (rightItems[number] === undefined) {
        out.lhs.push(lhs[from + i++])
        out.rhs.push(undefined)
        continue
      }
      if (j < right.length && nextShared < shared.length && shared[nextShared] !== number) {
        i++
        continue
      }
      if (done[number] === true) i++
    }
    const next = right[j]
    if (next === undefined) continue
    j++
    done[next] = true
    if (shared[nextShared] === next) nextShared++
    out.lhs.push(leftItems[next])
    out.rhs.push(rightItems[next])
  }
  return out
}
