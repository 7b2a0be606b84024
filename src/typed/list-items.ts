// Items of associative lists and their path elements: the one place that turns an item into its element and finds items again.
import {
  equalElements,
  type KeyElement,
  type KeyField,
  keyElementOf,
  type PathElement,
  singleKeyElement,
  ValueElement,
} from "../fieldpath/element.js"
import { formatValue } from "../value/format.js"
import { formatJson } from "../value/json.js"
import { own } from "../value/object.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import type { ListShape } from "./type.js"

/** The path element of an item, or null where it can have none; `itemProblem` says why. */
export function elementOfItem(list: ListShape, item: Value): PathElement | null {
  if (!list.associative) return null
  if (list.keys.length === 0) return typeof item === "object" ? null : new ValueElement(item)
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

/** Why `elementOfItem` gave null. */
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

/** Up to this many elements are searched one by one; beyond, by a hash table. */
const linearLimit = 8

/**
 * Numbers distinct elements 0, 1, 2 … in the order they are added, and finds the number of an element again.
 * Finding takes constant time however many elements there are.
 */
export class ElementTable {
  readonly elements: PathElement[] = []
  /** The first element with each lookup key; null while there are few elements. */
  private first: Map<Value, number> | null = null
  /** For each element, the next one with the same lookup key, or -1. */
  private readonly next: number[] = []

  /** The number of `element`, or -1. */
  find(element: PathElement): number {
    if (this.first === null) {
      for (let i = 0; i < this.elements.length; i++) {
        if (equalElements(this.elements[i] as PathElement, element)) return i
      }
      return -1
    }
    let number = this.first.get(lookupKey(element)) ?? -1
    while (number >= 0 && !equalElements(this.elements[number] as PathElement, element))
      number = this.next[number] as number
    return number
  }

  /** The number of `element`, which is a new one where it was not in the table. */
  add(element: PathElement): number {
    const found = this.find(element)
    if (found >= 0) return found
    const number = this.elements.length
    this.elements.push(element)
    if (this.first !== null) this.link(this.first, number)
    else if (number >= linearLimit) {
      this.first = new Map()
      for (let i = 0; i <= number; i++) this.link(this.first, i)
    }
    return number
  }

  private link(first: Map<Value, number>, number: number): void {
    const key = lookupKey(this.elements[number] as PathElement)
    this.next[number] = -1
    let last = first.get(key)
    if (last === undefined) {
      first.set(key, number)
      return
    }
    for (let after = this.next[last] as number; after >= 0; after = this.next[after] as number) last = after
    this.next[last] = number
  }
}

/** The same for equal elements, and for hardly any others: 1, 1n and 1.0 are equal, and so may be a float and integers near it. */
function lookupKey(element: PathElement): Value {
  if (element.kind === "value") return asFloat(element.value)
  let key = ""
  if (element.kind !== "key") return key
  const [only] = element.fields
  if (only !== undefined && element.fields.length === 1 && typeof only.value !== "object") return asFloat(only.value)
  for (let i = 0; i < element.fields.length; i++) {
    const { name, value } = element.fields[i] as KeyField
    const text = typeof value === "object" ? formatJson(value) : String(asFloat(value))
    key += `${name}${text.length}:${text}`
  }
  return key
}

function asFloat(value: Value): Value {
  return typeof value === "bigint" ? Number(value) : value
}
