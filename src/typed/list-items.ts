// Items of associative lists. Only this file decides which path element identifies an item, and finds items by it.

import { keyElementOf, singleKeyElement, valueElementOf } from "../fieldpath/create-element.js"
import {
  equalElements,
  formatElement,
  invalidElement,
  type KeyElement,
  type KeyField,
  type PathElement,
} from "../fieldpath/element.js"
import type { Entry, FieldSet } from "../fieldpath/set.js"
import { formatJson } from "../json/json.js"
import { formatValue } from "../value/format.js"
import { keepLayout } from "../value/layout.js"
import { asFloat } from "../value/number.js"
import { own } from "../value/object.js"
import { isMap, type ListValue, type MapValue, type Value } from "../value/value.js"
import type { ListShape } from "./type.js"

/** Returns the path element of an item, or null if it has none; `itemProblem` gives the reason. */
export function elementOfItem(list: ListShape, item: Value): PathElement | null {
  if (!list.associative) return null
  if (list.keys.length === 0) return typeof item === "object" ? null : valueElementOf(item)
  return isMap(item) ? keyElementOfItem(list, item) : null
}

function keyElementOfItem(list: ListShape, item: MapValue): KeyElement | null {
  const { keys } = list
  if (keys.length === 1) {
    const key = keys[0] as (typeof keys)[0]
    const value = own(item, key.name)
    if (typeof value === "string") return singleKeyElement(key.name, value)
  }
  const fields: KeyField[] = []
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as (typeof keys)[0]
    const given = own(item, key.name)
    if (given === undefined && key.problem !== null) return null
    const value = given === undefined ? key.default : given
    if (value !== undefined) fields.push({ name: key.name, value })
  }
  return fields.length === 0 ? null : keyElementOf(fields)
}

/** Returns the reason why `elementOfItem` returned null. */
export function itemProblem(list: ListShape, item: Value): string {
  if (!list.associative) return "invalid indexing of non-associative list"
  if (list.keys.length === 0) {
    if (item === null) return "associative list without keys has an element that's an explicit null"
    return isMap(item)
      ? "associative list without keys has an element that's a map type"
      : "not supported: associative list with lists as elements"
  }
  if (item === null) return "associative list with keys may not have a null element"
  if (!isMap(item)) return "associative list with keys may not have non-map elements"
  for (const name of list.keyNames) {
    const problem = list.keys.find(key => key.name === name)?.problem
    if (problem && own(item, name) === undefined) return `couldn't find default value for ${name}: ${problem}`
  }
  const names = list.keyNames.map(name => formatValue(name)).join(" ")
  return `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`
}

/** Returns the problem of an item if the list has another one with the same path element. */
export function duplicateEntries(list: ListShape, item: Value): string {
  return `duplicate entries for key ${formatElement(elementOfItem(list, item) as PathElement)}`
}

/** Identifies an item: a string if that is the value of its only key or the item itself, else its path element. */
type ItemKey = string | PathElement

function keyOfItem(list: ListShape, item: Value): ItemKey | null {
  const { keys } = list
  if (keys.length > 1 || !list.associative) return elementOfItem(list, item)
  const [key] = keys
  let value: Value | undefined = item
  if (key !== undefined) {
    if (!isMap(item)) return null
    value = own(item, key.name)
    if (value === undefined) value = key.default
  }
  return typeof value === "string" ? value : elementOfItem(list, item)
}

function isSameKey(a: ItemKey, b: ItemKey): boolean {
  return a === b || (typeof a !== "string" && typeof b !== "string" && equalElements(a, b))
}

/**
 * Counts the items at the start of both lists that have the same path element as the item at the same index of the other list. If there are
 * no duplicates, these pairs need no table, and nearly all lists consist of such pairs.
 */
export function countSameItems(shape: ListShape, lhs: ListValue, rhs: ListValue): number {
  const end = Math.min(lhs.length, rhs.length)
  let same = 0
  while (same < end && isSameItem(shape, lhs[same] as Value, rhs[same] as Value)) same++
  return same
}

function isSameItem(list: ListShape, a: Value, b: Value): boolean {
  const key = keyOfItem(list, a)
  const other = key === null ? null : keyOfItem(list, b)
  return key !== null && other !== null && isSameKey(key, other)
}

/** Up to this many items are searched one by one, more by a hash table. */
const linearLimit = 8

/**
 * Numbers the distinct items of lists of one shape 0, 1, 2 … in the order in which they are added, and finds the number of an item. Finding
 * takes constant time, regardless of the number of items. Path elements are made only on demand.
 */
export class ItemTable {
  static {
    keepLayout(new ItemTable({} as ListShape))
  }

  private readonly list: ListShape
  private readonly keys: ItemKey[] = []
  /** Null while there are few items. */
  private index: KeyIndex | null = null

  constructor(list: ListShape) {
    this.list = list
  }

  /** The number of distinct items. */
  get size(): number {
    return this.keys.length
  }

  /** Returns the path element of the items with this number, as the first of them has it. */
  element(number: number): PathElement {
    const key = this.keys[number] as ItemKey
    if (typeof key !== "string") return key
    const [name] = this.list.keyNames
    return name === undefined ? valueElementOf(key) : singleKeyElement(name, key)
  }

  /** Returns the number of this item, or -1 if the table does not have it. */
  find(item: Value): number {
    const key = keyOfItem(this.list, item)
    return key === null ? -1 : this.findKey(key)
  }

  /** Returns the number of this item, and adds it if the table does not have it. Returns -1 if the item has no path element. */
  add(item: Value): number {
    const key = keyOfItem(this.list, item)
    if (key === null) return -1
    const found = this.findKey(key)
    if (found >= 0) return found
    const number = this.keys.length
    this.keys.push(key)
    if (this.index !== null) this.index.add(this.keys, number)
    else if (number >= linearLimit) {
      this.index = new KeyIndex()
      for (let i = 0; i <= number; i++) this.index.add(this.keys, i)
    }
    return number
  }

  private findKey(key: ItemKey): number {
    if (this.index !== null) return this.index.find(this.keys, key)
    for (let i = 0; i < this.keys.length; i++) if (isSameKey(this.keys[i] as ItemKey, key)) return i
    return -1
  }
}

/** Finds the number of a key. */
class KeyIndex {
  static {
    keepLayout(new KeyIndex())
  }

  /** `first` has a number for each lookup key. `next` leads from a number to the next one with the same lookup key, which is rare. */
  private readonly first = new Map<Value, number>()
  private readonly next = new Map<number, number>()

  find(keys: readonly ItemKey[], key: ItemKey): number {
    let number = this.first.get(lookupKey(key))
    while (number !== undefined && !isSameKey(keys[number] as ItemKey, key)) number = this.next.get(number)
    return number ?? -1
  }

  add(keys: readonly ItemKey[], number: number): void {
    const lookup = lookupKey(keys[number] as ItemKey)
    const first = this.first.get(lookup)
    if (first !== undefined) this.next.set(number, first)
    this.first.set(lookup, number)
  }
}

/**
 * Returns the entries of the items that a string identifies, for `entryOfItem`. Null unless list and set are so long that bisecting the set
 * for each item would take longer than making this map.
 */
export function entriesByText(
  { keyNames }: ListShape,
  list: ListValue,
  { entries }: FieldSet,
): ReadonlyMap<string, Entry> | null {
  if (entries.length <= linearLimit || list.length * 4 <= entries.length) return null
  const texts = new Map<string, Entry>()
  for (const entry of entries) {
    const { element } = entry
    if (element.kind !== "key" && element.kind !== "value") continue
    const isItem =
      element.kind === "value" ? keyNames.length === 0 : element.count === 1 && element.name === keyNames[0]
    if (isItem && typeof element.value === "string") texts.set(element.value, entry)
  }
  return texts
}

/** Returns the entry of the item in a field set, or undefined. `texts` is the result of `entriesByText` for the set. */
export function entryOfItem(
  list: ListShape,
  item: Value,
  set: FieldSet,
  texts: ReadonlyMap<string, Entry> | null,
): Entry | undefined {
  if (texts === null) return set.find(elementOfItem(list, item) ?? invalidElement)
  const key = keyOfItem(list, item)
  return typeof key === "string" ? texts.get(key) : set.find(key ?? invalidElement)
}

/** Returns the same value for equal elements, such as those of 1, 1n and 1.0, and rarely for different ones (neighboring bigints). */
export function lookupKey(element: string | PathElement): Value {
  if (typeof element === "string") return element
  if (element.kind === "value") return asFloat(element.value)
  let key = ""
  if (element.kind !== "key") return key
  if (element.count === 1 && typeof element.value !== "object") return asFloat(element.value as Value)
  for (let i = 0; i < element.fields.length; i++) {
    const { name, value } = element.fields[i] as KeyField
    const text = typeof value === "object" ? formatJson(value) : String(asFloat(value))
    key += `${name}${text.length}:${text}`
  }
  return key
}
