// Creates path elements. Most elements are interned, so equal ones are mostly the same object and compare at the cost of `===`. Elements are
// not interned if they have several keys, a key that is not a string, a very long text, or a list or map as their value.
import { aString, requireArgument } from "../value/argument.js"
import { compareStrings } from "../value/compare.js"
import { notJson } from "../value/plain.js"
import { detached, Table } from "../value/table.js"
import type { MapValue, Value } from "../value/value.js"
import { FieldElement, IndexElement, KeyElement, type KeyField, ValueElement } from "./element.js"

const fieldElements = new Table<string, FieldElement>()
const valueElements = new Table<string | number | boolean, ValueElement>()
/** Only the first indexes: unlike names, higher ones rarely come up again. */
const indexElements = new Array<IndexElement | undefined>(256).fill(undefined)
/** The first table finds elements by the value of the key. If another key name has the same value, the second finds it by name and value. */
const keyElements = new Table<string, KeyElement>()
const otherKeyElements = new Table<string, KeyElement>()

/** Returns the element of a struct field or map key. */
export function fieldElement(name: string): FieldElement {
  return fieldElements.get(name) ?? newFieldElement(name)
}

function newFieldElement(name: string): FieldElement {
  requireArgument("name", name, aString)
  return fieldElements.add(name, new FieldElement(name))
}

/**
 * Returns the element of a list item with these keys, in any order: `keyElement({name: "http", port: 80})`. Throws a TypeError for a value
 * that is not JSON.
 */
export function keyElement(keys: MapValue): KeyElement {
  const fields: KeyField[] = []
  for (const name in keys) fields.push({ name, value: requireJson(keys[name] as Value) })
  return keyElementOf(fields.sort((a, b) => compareStrings(a.name, b.name)))
}

/** Returns the element of a list item with these keys, which must be sorted by name. Keeps the list. */
export function keyElementOf(fields: readonly KeyField[], floats = false): KeyElement {
  const first = fields[0]
  return fields.length === 1 && first !== undefined && typeof first.value === "string"
    ? singleKeyElement(first.name, first.value)
    : new KeyElement(first?.name ?? "", first?.value, fields, floats)
}

/** Returns the element of a list item with one key, a string: by far the most frequent kind. */
export function singleKeyElement(name: string, value: string): KeyElement {
  const known = keyElements.get(value)
  if (known?.name === name) return known
  if (known === undefined) return keptKeyElement(keyElements, value, name, value)
  const both = `${name.length}:${name}${value}`
  return otherKeyElements.get(both) ?? keptKeyElement(otherKeyElements, both, name, value)
}

function keptKeyElement(elements: Table<string, KeyElement>, id: string, name: string, value: string): KeyElement {
  const own = detached(value)
  return elements.add(id === value ? own : id, new KeyElement(name, own, null, false))
}

/** Returns the element of an item of a set (an associative list of scalars). Throws a TypeError for a value that is not JSON. */
export function valueElement(value: Value): ValueElement {
  return valueElementOf(requireJson(value))
}

/** Like `valueElement`, for a value that is known to be JSON. */
export function valueElementOf(value: Value, floats = false): ValueElement {
  // A table would confuse -0 with 0, and numbers that paths print differently.
  const exact = typeof value === "number" && !floats && value !== 0
  if (!exact && typeof value !== "string" && typeof value !== "boolean") return new ValueElement(value, floats)
  return valueElements.get(value) ?? keptValueElement(typeof value === "string" ? detached(value) : value)
}

function keptValueElement(value: string | number | boolean): ValueElement {
  return valueElements.add(value, new ValueElement(value))
}

function requireJson(value: Value): Value {
  const problem = notJson(value)
  if (problem !== null) throw new TypeError(`value of a path element: ${problem}`)
  return value
}

/** Returns the element of a list item by its 0-based position. Throws a RangeError for a number that is not an integer. */
export function indexElement(index: number): IndexElement {
  if (!Number.isInteger(index)) throw new RangeError(`index of a path element must be an integer, got ${index}`)
  return indexElementOf(index)
}

/** Like `indexElement`, for an index that is known to be an integer. */
export function indexElementOf(index: number | bigint): IndexElement {
  if (index < 0 || index >= indexElements.length) return new IndexElement(index)
  return (indexElements[Number(index)] ??= new IndexElement(index))
}
