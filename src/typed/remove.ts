import { entryOf, setOfEntries } from "../fieldpath/builder.js"
import { fieldElement } from "../fieldpath/create-element.js"
import { equalElements, type KeyElement } from "../fieldpath/element.js"
import { type Entry, FieldSet, leafEntry } from "../fieldpath/set.js"
import { maxDepth, tooDeep } from "../value/depth.js"
import { isEmptyMap, put } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"
import { elementOfItem, entriesByText, entryOfItem } from "./list-items.js"
import type { ListShape, MapShape, Type } from "./type.js"

/**
 * Returns `value` without the members of `set`. A list or map that loses its last child becomes null, and so does an empty or atomic one
 * that the set reaches into. Parts that the set does not reach keep their identity; if nothing is removed, the result is `value` itself.
 *
 * `sound` is false if an item that stays in a list has lost its keys, so that it can no longer be told from others.
 */
export function removeItems(type: Type, value: Value, set: FieldSet): Removal {
  const walk = { value, sound: true }
  walk.value = removeBelow(walk, type, value, set, 0)
  return walk
}

interface Removal {
  value: Value
  sound: boolean
}

function removeBelow(walk: Removal, type: Type, value: Value, set: FieldSet, depth: number): Value {
  if (depth > maxDepth) throw tooDeep()
  const shape = type.shapeOf(value)
  if (shape === null) return null
  if (shape.kind === "scalar") return value
  if (shape.atomic) return null
  if (shape.kind === "map")
    return isMap(value) && !isEmptyMap(value) ? removeKeys(walk, shape, value, set, depth) : null
  return isList(value) && value.length > 0 ? removeFromList(walk, shape, value, set, depth) : null
}

function removeKeys(walk: Removal, shape: MapShape, map: MapValue, set: FieldSet, depth: number): Value {
  if (set.isEmpty()) return map
  const out: Record<string, Value> = {}
  let left = 0
  let same = true
  for (const key in map) {
    const before = map[key] as Value
    const field = shape.fields.get(key)
    const entry = set.find(field === undefined ? fieldElement(key) : field.element)
    if (entry?.member === true) {
      same = false
      continue
    }
    const below = entry?.children ?? null
    const after =
      below === null
        ? before
        : removeBelow(walk, field === undefined ? shape.rest : field.type, before, below, depth + 1)
    if (after !== before) same = false
    put(out, key, after)
    left++
  }
  if (same) return map
  return left === 0 ? null : out
}

function removeFromList(walk: Removal, shape: ListShape, list: ListValue, set: FieldSet, depth: number): Value {
  if (set.isEmpty()) return list
  const out: Value[] = []
  const texts = entriesByText(shape, list, set)
  let same = true
  for (let i = 0; i < list.length; i++) {
    const before = list[i] as Value
    const entry = entryOfItem(shape, before, set, texts)
    if (entry?.member === true) {
      same = false
      continue
    }
    const after = entry?.children ? removeBelow(walk, shape.item, before, entry.children, depth + 1) : before
    if (after !== before) {
      same = false
      const element = elementOfItem(shape, after)
      if (element === null || entry === undefined || !equalElements(element, entry.element)) walk.sound = false
    }
    out.push(after)
  }
  if (same) return list
  return out.length === 0 ? null : out
}

/**
 * Returns the part of `value` that `set` names, with the lists and maps that lead there; null if that is nothing. Atomic and empty lists
 * and maps are taken whole.
 */
export function extractItems(type: Type, value: Value, set: FieldSet): Value {
  return extractBelow(type, value, set, 0)
}

function extractBelow(type: Type, value: Value, set: FieldSet, depth: number): Value {
  if (depth > maxDepth) throw tooDeep()
  const shape = type.shapeOf(value)
  if (shape === null) return null
  if (shape.kind === "scalar") return value
  if (shape.kind === "map") {
    if (!isMap(value)) return null
    return shape.atomic || isEmptyMap(value) ? value : extractKeys(shape, value, set, depth)
  }
  if (!isList(value)) return null
  return shape.atomic || value.length === 0 ? value : extractFromList(shape, value, set, depth)
}

function extractKeys(shape: MapShape, map: MapValue, set: FieldSet, depth: number): Value {
  const out: Record<string, Value> = {}
  let found = 0
  let same = true
  for (const key in map) {
    const before = map[key] as Value
    const field = shape.fields.get(key)
    const entry = set.find(field === undefined ? fieldElement(key) : field.element)
    if (entry === undefined) {
      same = false
      continue
    }
    // Go: below a member, the set is applied again from its top, not from the member on.
    const below = entry.member ? set : (entry.children ?? FieldSet.empty)
    const after = extractBelow(field === undefined ? shape.rest : field.type, before, below, depth + 1)
    if (after !== before) same = false
    put(out, key, after)
    found++
  }
  if (found === 0) return null
  return same ? map : out
}

function extractFromList(shape: ListShape, list: ListValue, set: FieldSet, depth: number): Value {
  const out: Value[] = []
  const texts = entriesByText(shape, list, set)
  let same = true
  for (let i = 0; i < list.length; i++) {
    const before = list[i] as Value
    const entry = entryOfItem(shape, before, set, texts)
    const after = entry?.children ? extractBelow(shape.item, before, entry.children, depth + 1) : before
    if (entry === undefined || after !== before) same = false
    if (entry !== undefined) out.push(after)
  }
  if (out.length === 0) return null
  return same ? list : out
}

/**
 * Returns `items` with key fields added: for each of its paths that `present` also has, the keys of all list items on the way. Extracted
 * items can then still be told apart.
 */
export function withKeyFields(items: FieldSet, present: FieldSet): FieldSet {
  const keys = keysOnTheWay(items, present)
  return keys === null ? items : items.union(keys)
}

/** Returns the key fields of the list items on the way to paths that both sets have; null if they have no common path. */
function keysOnTheWay(items: FieldSet, present: FieldSet): FieldSet | null {
  const out: Entry[] = []
  let common = false
  for (let i = 0; i < items.entries.length; i++) {
    const { element, member, children } = items.entries[i] as Entry
    const other = present.find(element)
    if (other === undefined) continue
    const below = children === null || other.children === null ? null : keysOnTheWay(children, other.children)
    if (below === null && !(member && other.member)) continue
    common = true
    const keys = element.kind === "key" ? keyFieldsOf(element) : FieldSet.empty
    const entry = entryOf(element, false, below === null ? keys : below.union(keys))
    if (entry !== null) out.push(entry)
  }
  return common ? setOfEntries(out) : null
}

/** Returns the key fields of an item. */
export function keyFieldsOf({ fields }: KeyElement): FieldSet {
  return setOfEntries(fields.map(({ name }) => leafEntry(fieldElement(name))))
}
