import { EntryStack, entryOf, setOfEntries } from "../fieldpath/builder.js"
import { fieldElement } from "../fieldpath/create-element.js"
import type { PathElement } from "../fieldpath/element.js"
import { Entry, FieldSet, leafEntry } from "../fieldpath/set.js"
import { maxDepth, maxParts, tooDeep, tooLarge } from "../value/depth.js"
import { equalValues } from "../value/equal.js"
import { isEmptyMap, own } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"
import { Comparison } from "./comparison.js"
import { countSameItems, elementOfItem, ItemTable, itemProblem } from "./list-items.js"
import { withoutDuplicates } from "./to-field-set.js"
import type { ListShape, MapShape, ScalarShape, Shape, Type } from "./type.js"
import { scalarProblem } from "./validate.js"
import { Issues } from "./walk.js"

const same = new Comparison(FieldSet.empty, FieldSet.empty, FieldSet.empty)

/**
 * Returns the comparison of `lhs` with `rhs`, and the issues found during it. `trusted` promises that both values are valid, so that
 * identical parts are skipped. `distinct` promises that neither has duplicate items.
 */
export function compareTyped(
  type: Type,
  lhs: Value,
  rhs: Value,
  trusted: boolean,
  distinct: boolean,
): { comparison: Comparison; issues: Issues } {
  const walk: Compare = { issues: new Issues(), stack: new EntryStack(), trusted, distinct, left: maxParts }
  const level = trusted && lhs === rhs ? null : compareValue(walk, type, lhs, rhs, 0)
  if (level === null) return { comparison: same, issues: walk.issues }
  const comparison = new Comparison(
    setOfEntries(level.modified),
    setOfEntries(level.added),
    setOfEntries(level.removed),
  )
  return { comparison, issues: walk.issues }
}

interface Compare {
  readonly issues: Issues
  readonly stack: EntryStack
  readonly trusted: boolean
  readonly distinct: boolean
  /** The number of parts that may still be visited. If both sides have a value, only lists and maps count. */
  left: number
}

/** The differences at one place: the place itself as a leaf, or the differences below it as entries of the three sets. */
class Level {
  readonly leaf: boolean
  readonly modified: Entry[] = []
  readonly added: Entry[] = []
  readonly removed: Entry[] = []
  constructor(leaf: boolean) {
    this.leaf = leaf
  }

  /** Adds the differences below `element`. */
  include(element: PathElement, found: Level): void {
    if (found.leaf || found.modified.length > 0) {
      this.modified.push(entryOf(element, found.leaf, setOfEntries(found.modified)) as Entry)
    }
    if (found.added.length > 0) this.added.push(new Entry(element, false, setOfEntries(found.added)))
    if (found.removed.length > 0) this.removed.push(new Entry(element, false, setOfEntries(found.removed)))
  }
}

/** A modified leaf. Shared, and never added to, since leaves have nothing below them. */
const modifiedLeaf = new Level(true)

function compareValue(walk: Compare, type: Type, lhs: Value, rhs: Value, depth: number): Level | null {
  if (depth > maxDepth) throw tooDeep()
  const left = type.match(lhs)
  const right = type.match(rhs)
  const fallback = type.fallback
  if (fallback === null) {
    walk.issues.add(type.problem as string)
    return null
  }
  const level = compareShape(walk, right ?? fallback, lhs, rhs, depth)
  if ((left ?? fallback) === (right ?? fallback)) return level
  // Sides of different kinds are compared as both kinds: everything below `lhs` is removed, everything below `rhs` is added.
  const other = compareShape(walk, left ?? fallback, lhs, rhs, depth)
  return level === null || other === null ? (level ?? other) : bothLevels(level, other)
}

function bothLevels(a: Level, b: Level): Level {
  const both = new Level(a.leaf || b.leaf)
  both.modified.push(...a.modified, ...b.modified)
  both.added.push(...a.added, ...b.added)
  both.removed.push(...a.removed, ...b.removed)
  return both
}

function compareShape(walk: Compare, shape: Shape, lhs: Value, rhs: Value, depth: number): Level | null {
  switch (shape.kind) {
    case "scalar":
      return compareScalar(walk, shape, lhs, rhs)
    case "map": {
      const left = isMap(lhs) ? lhs : {}
      const right = isMap(rhs) ? rhs : {}
      if (shape.atomic || (isEmptyMap(left) && isEmptyMap(right))) return compareLeaf(lhs, rhs)
      return compareMaps(walk, shape, left, right, depth)
    }
    case "list": {
      const left = isList(lhs) ? lhs : []
      const right = isList(rhs) ? rhs : []
      if (shape.atomic || (left.length === 0 && right.length === 0)) return compareLeaf(lhs, rhs)
      return compareLists(walk, shape, left, right, depth)
    }
  }
}

function compareLeaf(lhs: Value, rhs: Value): Level | null {
  return equalValues(rhs, lhs) ? null : modifiedLeaf
}

function compareScalar(walk: Compare, shape: ScalarShape, lhs: Value, rhs: Value): Level | null {
  if (!walk.trusted) {
    const left = scalarProblem(shape.scalar, lhs)
    const right = scalarProblem(shape.scalar, rhs)
    if (left !== null && right !== null) {
      walk.issues.add(`lhs: ${left}`)
      walk.issues.add(`rhs: ${right}`)
    }
  }
  return compareLeaf(lhs, rhs)
}

function compareMaps(walk: Compare, shape: MapShape, lhs: MapValue, rhs: MapValue, depth: number): Level | null {
  if (--walk.left < 0) throw tooLarge()
  let level: Level | null = null
  for (const key in lhs) {
    const left = lhs[key] as Value
    const right = own(rhs, key)
    if (left === right && walk.trusted) continue
    const field = shape.fields.get(key)
    const type = field === undefined ? shape.rest : field.type
    const element = field === undefined ? fieldElement(key) : field.element
    if (right === undefined) level = enterWhole(walk, level, "removed", element, type, left, depth)
    else {
      const before = walk.issues.count
      level = enter(walk, level, element, compareValue(walk, type, left, right, depth + 1), before)
    }
  }
  return enterNewKeys(walk, level, shape, lhs, rhs, depth)
}

// Not part of compareMaps, so that each level of its recursion takes less stack.
function enterNewKeys(
  walk: Compare,
  level: Level | null,
  shape: MapShape,
  lhs: MapValue,
  rhs: MapValue,
  depth: number,
): Level | null {
  let into = level
  for (const key in rhs) {
    if (own(lhs, key) !== undefined) continue
    const field = shape.fields.get(key)
    const type = field === undefined ? shape.rest : field.type
    const element = field === undefined ? fieldElement(key) : field.element
    into = enterWhole(walk, into, "added", element, type, rhs[key] as Value, depth)
  }
  return into
}

/** Adds the differences at `element` to `level`, which is made if it is null. Puts `element` in front of the new issues. */
function enter(
  walk: Compare,
  level: Level | null,
  element: PathElement,
  found: Level | null,
  before: number,
): Level | null {
  if (walk.issues.count > before) walk.issues.prefix(element, before)
  if (found === null) return level
  const into = level ?? new Level(false)
  into.include(element, found)
  return into
}

/** Adds `element` and everything below it to the removed or added fields. */
function enterWhole(
  walk: Compare,
  level: Level | null,
  how: "removed" | "added",
  element: PathElement,
  type: Type,
  value: Value,
  depth: number,
): Level {
  const before = walk.issues.count
  const below = everythingBelow(walk, type, value, depth + 1, FieldSet.empty)
  if (walk.issues.count > before) walk.issues.prefix(element, before)
  const into = level ?? new Level(false)
  into[how].push(entryOf(element, true, below) as Entry)
  return into
}

/** Compares two associative lists item by item. Items are paired by their path elements, so their order does not matter. */
function compareLists(walk: Compare, shape: ListShape, lhs: ListValue, rhs: ListValue, depth: number): Level | null {
  if (--walk.left < 0) throw tooLarge()
  let level: Level | null = null
  const same = walk.distinct ? countSameItems(shape, lhs, rhs) : 0
  const table = new ItemTable(shape)
  const left = groupItems(walk, shape, table, lhs, same)
  const right = groupItems(walk, shape, table, rhs, same)
  for (let i = 0; i < same + table.size; i++) {
    const number = i - same
    const before = i < same ? lhs[i] : left[number]
    const after = i < same ? rhs[i] : right[number]
    if (before instanceof Duplicates || after instanceof Duplicates) {
      level = enterDuplicates(walk, level, table.element(number), shape.item, before, after, depth)
    } else if (before === undefined) {
      level = enterWhole(walk, level, "added", table.element(number), shape.item, after as Value, depth)
    } else if (after === undefined) {
      level = enterWhole(walk, level, "removed", table.element(number), shape.item, before, depth)
    } else if (before !== after || !walk.trusted) {
      const issues = walk.issues.count
      const found = compareValue(walk, shape.item, before, after, depth + 1)
      if (found === null && walk.issues.count === issues) continue
      level = enter(walk, level, elementOfItem(shape, before) as PathElement, found, issues)
    }
  }
  return level
}

/**
 * Items that share an element count as one leaf. If duplicates replace a single item, everything below that item is removed. If a single
 * item replaces duplicates, everything below it is added.
 */
function enterDuplicates(
  walk: Compare,
  level: Level | null,
  element: PathElement,
  type: Type,
  before: Value | Duplicates | undefined,
  after: Value | Duplicates | undefined,
  depth: number,
): Level {
  const into = level ?? new Level(false)
  if (before instanceof Duplicates && after instanceof Duplicates) {
    if (!equalValues(before.items, after.items)) into.modified.push(leafEntry(element))
  } else if (before instanceof Duplicates) {
    if (after !== undefined) enterWhole(walk, into, "added", element, type, after as Value, depth)
    into.removed.push(leafEntry(element))
  } else {
    if (before !== undefined) enterWhole(walk, into, "removed", element, type, before as Value, depth)
    into.added.push(leafEntry(element))
  }
  return into
}

/** The items of one list that share an element. */
class Duplicates {
  readonly items: Value[]
  constructor(items: Value[]) {
    this.items = items
  }
}

/** Returns the items of a list, from index `from` on, by the number of their element. */
function groupItems(
  walk: Compare,
  shape: ListShape,
  table: ItemTable,
  list: ListValue,
  from: number,
): (Value | Duplicates | undefined)[] {
  const groups: (Value | Duplicates | undefined)[] = []
  for (let i = from; i < list.length; i++) {
    const item = list[i] as Value
    const number = table.add(item)
    if (number < 0) {
      walk.issues.add(`element ${i}: ${itemProblem(shape, item)}`)
      continue
    }
    const known = groups[number]
    if (known === undefined) groups[number] = item
    else if (known instanceof Duplicates) known.items.push(item)
    else groups[number] = new Duplicates([known, item])
  }
  return groups
}

/** Returns the set of everything below a value that only one side has: every leaf, and every list, map and item that leads to one. */
function everythingBelow(walk: Compare, type: Type, value: Value, depth: number, alike: FieldSet): FieldSet {
  if (depth > maxDepth) throw tooDeep()
  if (--walk.left < 0) throw tooLarge()
  const shape = type.shapeOf(value)
  if (shape === null) walk.issues.add(type.problem as string)
  else if (shape.kind === "map" && !shape.atomic && isMap(value)) return everyKey(walk, shape, value, depth, alike)
  else if (shape.kind === "list" && !shape.atomic && isList(value)) return everyItem(walk, shape, value, depth)
  return FieldSet.empty
}

function everyKey(walk: Compare, shape: MapShape, map: MapValue, depth: number, alike: FieldSet): FieldSet {
  const { stack, issues } = walk
  const start = stack.top
  for (const key in map) {
    const field = shape.fields.get(key)
    const element = field === undefined ? fieldElement(key) : field.element
    const type = field === undefined ? shape.rest : field.type
    const value = map[key] as Value
    if (typeof value !== "object" && type.problem === null) {
      if (--walk.left < 0) throw tooLarge()
      stack.push(leafEntry(element))
      continue
    }
    const before = issues.count
    const below = everythingBelow(walk, type, value, depth + 1, FieldSet.empty)
    if (issues.count > before) issues.prefix(element, before)
    stack.push(entryOf(element, true, below) as Entry)
  }
  return stack.takeSet(start, alike)
}

function everyItem(walk: Compare, shape: ListShape, list: ListValue, depth: number): FieldSet {
  if (!walk.trusted) {
    // Reports the same problems as upstream: in the order of the items, and without those inside duplicates.
    const level = compareLists(walk, shape, [], list, depth)
    return level === null ? FieldSet.empty : setOfEntries(level.added)
  }
  const { stack } = walk
  const start = stack.top
  let last = FieldSet.empty
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as Value
    const element = elementOfItem(shape, item) as PathElement
    last = everythingBelow(walk, shape.item, item, depth + 1, last)
    stack.push(entryOf(element, true, last) as Entry)
  }
  return stack.top === start ? FieldSet.empty : new FieldSet(withoutDuplicates(stack.take(start), "first"))
}
