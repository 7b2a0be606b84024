import { EntryStack, entryOf, sameEntries } from "../fieldpath/builder.js"
import { fieldElement } from "../fieldpath/create-element.js"
import { equalElements, invalidElement, type PathElement } from "../fieldpath/element.js"
import { type Entry, FieldSet, leafEntry } from "../fieldpath/set.js"
import { maxDepth, maxParts, tooDeep, tooLarge } from "../value/depth.js"
import { isEmptyMap } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"
import { elementOfItem } from "./list-items.js"
import { isLeaf, type ListShape, type MapShape, type Type } from "./type.js"
import { Issues } from "./walk.js"

export interface Specified {
  readonly set: FieldSet
  readonly issues: Issues
  /** Whether a member stands for a granular map or list that is null or empty here, but need not be so elsewhere. */
  readonly hasEmptyMembers: boolean
  /** Whether an item of an associative list specifies nothing: its keys have defaults, and it has no fields. */
  readonly hasBareItems: boolean
}

/**
 * Returns the set of everything that a value specifies: its leaves, the items of associative lists, the keys of maps that are not declared
 * fields, and values that are null or an empty map. Items that share their keys are members without anything below them.
 *
 * Shares with `alike` the levels that are the same. An applier mostly specifies the same fields as last time, and sets that share their
 * levels need no walk to be compared.
 */
export function toFieldSet(type: Type, value: Value, alike: FieldSet = FieldSet.empty): Specified {
  const walk: SetWalk = {
    issues: new Issues(),
    stack: new EntryStack(),
    hasEmptyMembers: false,
    hasBareItems: false,
    left: maxParts,
  }
  const set = setBelow(walk, type, value, 0, alike)
  const { issues, hasEmptyMembers, hasBareItems } = walk
  return { set, issues, hasEmptyMembers, hasBareItems }
}

interface SetWalk {
  readonly issues: Issues
  readonly stack: EntryStack
  hasEmptyMembers: boolean
  hasBareItems: boolean
  /** The number of parts that may still be visited. */
  left: number
}

/**
 * Returns the members below a value. A leaf has no members below it; it is itself a member of the set above. Shares the levels that are the
 * same as in `alike`, up to the whole set.
 */
function setBelow(walk: SetWalk, type: Type, value: Value, depth: number, alike: FieldSet): FieldSet {
  if (depth > maxDepth) throw tooDeep()
  if (--walk.left < 0) throw tooLarge()
  const shape = type.shapeOf(value)
  if (shape === null) walk.issues.add(type.problem as string)
  else if (shape.kind === "map" && !shape.atomic && isMap(value)) return mapSet(walk, shape, value, depth, alike)
  else if (shape.kind === "list" && !shape.atomic && isList(value)) return listSet(walk, shape, value, depth, alike)
  return FieldSet.empty
}

function mapSet(walk: SetWalk, shape: MapShape, map: MapValue, depth: number, alike: FieldSet): FieldSet {
  const { stack, issues } = walk
  const start = stack.top
  for (const key in map) {
    const value = map[key] as Value
    const field = shape.fields.get(key)
    const type = field === undefined ? shape.rest : field.type
    const element = field === undefined ? fieldElement(key) : field.element
    const shapeThere = typeof value === "object" ? type.shapeOf(value) : (type.scalar ?? type.fallback)
    if (shapeThere !== null && isLeaf(shapeThere)) {
      stack.push(leafEntry(element))
      continue
    }
    const before = issues.count
    const empty = value === null || (isMap(value) && isEmptyMap(value))
    if (empty) walk.hasEmptyMembers = true
    const member = empty || field === undefined
    const known = alike.find(element)
    const below = setBelow(walk, type, value, depth + 1, known?.children ?? FieldSet.empty)
    const entry = isEntry(known, element, member, below) ? known : entryOf(element, member, below)
    if (entry !== null) stack.push(entry)
    if (issues.count > before) issues.prefix(element, before)
  }
  return stack.takeSet(start, alike)
}

/**
 * Whether `entry` is what `entryOf` would return. The elements must be the same object: equal ones may print differently.
 */
function isEntry(entry: Entry | undefined, element: PathElement, member: boolean, below: FieldSet): entry is Entry {
  return entry !== undefined && entry.children === below && entry.member === member && entry.element === element
}

function listSet(walk: SetWalk, shape: ListShape, list: ListValue, depth: number, alike: FieldSet): FieldSet {
  const { stack, issues } = walk
  const start = stack.top
  let last = FieldSet.empty
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as Value
    const element = elementOfItem(shape, item) ?? invalidElement
    const before = issues.count
    const known = alike.find(element)
    last = setBelow(walk, shape.item, item, depth + 1, known?.children ?? last)
    if (issues.count > before) issues.prefix(element, before)
    if (last.isEmpty() && shape.item.map?.atomic === false) walk.hasBareItems = true
    stack.push(isEntry(known, element, true, last) ? known : (entryOf(element, true, last) as Entry))
  }
  if (list.length === 0) return FieldSet.empty
  const entries = withoutDuplicates(stack.take(start), "second")
  return sameEntries(entries, alike.entries) ? alike : new FieldSet(entries)
}

/**
 * Keeps one entry for each element. If an element had several, its entry becomes a member with nothing below it. `entries` is sorted; it is
 * shortened and returned.
 *
 * Go: a field set keeps the second of several equal elements, a comparison the first. The elements of 0 and -0 show the difference.
 */
export function withoutDuplicates(entries: Entry[], keep: "first" | "second"): Entry[] {
  let kept = 0
  let copies = 1
  for (let i = 1; i < entries.length; i++) {
    const entry = entries[i] as Entry
    const last = entries[kept] as Entry
    if (equalElements(last.element, entry.element)) {
      copies++
      entries[kept] = leafEntry(keep === "second" && copies === 2 ? entry.element : last.element)
    } else {
      copies = 1
      entries[++kept] = entry
    }
  }
  entries.length = kept + 1
  return entries
}
