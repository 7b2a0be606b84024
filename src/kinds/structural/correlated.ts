// Pairs the parts of an updated object with those of the stored object: an API server does not refuse unchanged parts.

import { formatGoJson } from "../../json/json.js"
import { equalValues } from "../../value/equal.js"
import { listAt } from "../../value/fields.js"
import { own, sizeOf } from "../../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"
import { propertyOf, restOf, schemaAt } from "./schema.js"

/**
 * A value and its old value. Fields of maps are paired by name, and items of associative lists by their keys. Items of other lists, and fields
 * that the structural schema does not declare, have no old value.
 */
export class Correlated {
  private readonly value: Value
  private readonly old: Value
  private readonly schema: MapValue
  private unchanged: boolean | undefined

  constructor(value: Value, old: Value, schema: MapValue) {
    this.value = value
    this.old = old
    this.schema = schema
    this.unchanged = undefined
  }

  /** Whether the value is equal to its old value. Go: a map with an undeclared field always counts as changed. */
  get isUnchanged(): boolean {
    return (this.unchanged ??= this.compare())
  }

  /** Returns the field of this name with its old value; undefined if it has none. */
  field(name: string): Correlated | undefined {
    const value = isMap(this.value) ? own(this.value, name) : undefined
    const old = isMap(this.old) ? own(this.old, name) : undefined
    const schema = propertyOf(this.schema, name) ?? restOf(this.schema)
    return value === undefined || old === undefined || schema === undefined
      ? undefined
      : new Correlated(value, old, schema)
  }

  /** Returns the item at the index with its old value; undefined if it has none. */
  item(index: number): Correlated | undefined {
    const value = isList(this.value) ? this.value[index] : undefined
    const items = schemaAt(this.schema, "items")
    if (value === undefined || items === undefined || !isList(this.old)) return undefined
    const old = itemLike(this.old, value, this.schema)
    return old === undefined ? undefined : new Correlated(value, old, items)
  }

  private compare(): boolean {
    const { value, old } = this
    if (isList(value) && isList(old)) {
      if (value.length !== old.length) return false
      if (!isAssociative(this.schema)) return equalValues(value, old)
      return value.every((_, i) => this.item(i)?.isUnchanged === true)
    }
    if (isMap(value) && isMap(old)) {
      return sizeOf(value) === sizeOf(old) && Object.keys(value).every(key => this.field(key)?.isUnchanged === true)
    }
    return equalValues(value, old)
  }
}

function isAssociative(schema: MapValue): boolean {
  return own(schema, "x-kubernetes-list-type") === "map" && listAt(schema, "x-kubernetes-list-map-keys").length > 0
}

/** Returns the first item of the list with the keys of `item`, if the list is associative and has such an item. */
export function itemLike(list: ListValue, item: Value, schema: MapValue): Value | undefined {
  if (!isAssociative(schema)) return undefined
  const key = keyText(item, schema)
  return key === undefined ? undefined : indexOf(list, schema).get(key)
}

const indexes = new WeakMap<ListValue, { readonly schema: MapValue; readonly items: ReadonlyMap<string, Value> }>()

/** Returns the items of the list by their keys. Memoized, because every item of the other list is looked up. */
function indexOf(list: ListValue, schema: MapValue): ReadonlyMap<string, Value> {
  const known = indexes.get(list)
  if (known?.schema === schema) return known.items
  const items = new Map<string, Value>()
  for (const item of list) {
    const key = keyText(item, schema)
    if (key !== undefined && !items.has(key)) items.set(key, item)
  }
  indexes.set(list, { schema, items })
  return items
}

/** Returns the keys of an item as text; undefined if it lacks a key, or if a key is not a scalar. */
function keyText(item: Value, schema: MapValue): string | undefined {
  if (!isMap(item)) return undefined
  const values = listAt(schema, "x-kubernetes-list-map-keys").map(key => own(item, String(key)))
  return values.every(isScalar) ? formatGoJson(values) : undefined
}

function isScalar(value: Value | undefined): value is Value {
  return value !== undefined && value !== null && typeof value !== "object"
}
