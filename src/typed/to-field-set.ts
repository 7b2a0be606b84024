import { entryOf, setOfEntries, sortEntries } from "../fieldpath/builder.js"
import { equalElements, fieldElement, invalidElement } from "../fieldpath/element.js"
import { type Entry, FieldSet, leafEntry } from "../fieldpath/set.js"
import { isEmptyMap } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"
import { elementOfItem } from "./list-items.js"
import type { ListShape, MapShape, Type } from "./type.js"
import { Issues } from "./walk.js"
import { maxDepth, tooDeep } from "../value/depth.js"

/**
 * The set of what a value specifies: its leaves, the items of associative lists, the keys of maps that are not declared
 * fields, and whatever is null or an empty map. Items that share their keys are members without anything below them.
 */
export function toFieldSet(type: Type, value: Value): { set: FieldSet; issues: Issues } {
  const issues = new Issues()
  return { set: setBelow(issues, type, value, 0), issues }
}

/** Whether the value at this type is one leaf, which its parent records, rather than something with members below. */
function isLeaf(issues: Issues, type: Type, value: Value): boolean {
  const shape = type.shapeOf(value)
  if (shape === null) {
    issues.add(type.problem as string)
    return false
  }
  return shape.kind === "scalar" || shape.atomic
}

/** The members below a value that is no leaf. */
function setBelow(issues: Issues, type: Type, value: Value, depth: number): FieldSet {
  if (depth > maxDepth) throw tooDeep()
  const shape = type.shapeOf(value)
  if (shape === null || shape.kind === "scalar" || shape.atomic) return FieldSet.empty
  if (shape.kind === "map") return isMap(value) ? mapSet(issues, shape, value, depth) : FieldSet.empty
  return isList(value) ? listSet(issues, shape, value, depth) : FieldSet.empty
}

function mapSet(issues: Issues, shape: MapShape, map: MapValue, depth: number): FieldSet {
  const entries: Entry[] = []
  for (const key in map) {
    const value = map[key] as Value
    const field = shape.fields.get(key)
    const type = field === undefined ? shape.rest : field.type
    const element = field === undefined ? fieldElement(key) : field.element
    const before = issues.count
    if (isLeaf(issues, type, value)) entries.push(leafEntry(element))
    else {
      const member = field === undefined || value === null || (isMap(value) && isEmptyMap(value))
      const entry = entryOf(element, member, setBelow(issues, type, value, depth + 1))
      if (entry !== null) entries.push(entry)
    }
    if (issues.count > before) issues.prefix(element, before)
  }
  return setOfEntries(entries)
}

function listSet(issues: Issues, shape: ListShape, list: ListValue, depth: number): FieldSet {
  const entries: Entry[] = []
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as Value
    const element = elementOfItem(shape, item) ?? invalidElement
    const before = issues.count
    const below = isLeaf(issues, shape.item, item) ? FieldSet.empty : setBelow(issues, shape.item, item, depth + 1)
    if (issues.count > before) issues.prefix(element, before)
    entries.push(entryOf(element, true, below) as Entry)
  }
  sortEntries(entries)
  return entries.length === 0 ? FieldSet.empty : new FieldSet(withoutDuplicates(entries))
}

/** Of entries for the same element, sorted, one is kept, as a plain member. */
export function withoutDuplicates(entries: Entry[]): Entry[] {
  let kept = 0
  for (let i = 1; i < entries.length; i++) {
    const entry = entries[i] as Entry
    if (equalElements((entries[kept] as Entry).element, entry.element)) entries[kept] = leafEntry(entry.element)
    else entries[++kept] = entry
  }
  entries.length = kept + 1
  return entries
}
