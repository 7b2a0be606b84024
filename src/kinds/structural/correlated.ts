// Which part of an update stands for which part of the stored object: an API server does not refuse what was there before.

import { formatGoJson } from "../../json/json.js"
import { equalValues } from "../../value/equal.js"
import { listAt } from "../../value/fields.js"
import { own, sizeOf } from "../../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"
import { propertyOf, restOf, schemaAt } from "./schema.js"

/**
 * A value beside the one that it comes from, by the structural schema. Fields of maps go by their names and items of associative
 * lists by their keys; items of other lists, and what the schema does not declare, come from nothing.
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

  /** Whether the value is the one that it comes from. Go: a map with a field that its schema does not declare never is. */
  get isUnchanged(): boolean {
    return (this.unchanged ??= this.compare())
  }

  /** The field of that name; undefined if it comes from nothing. */
  field(name: string): Correlated | undefined {
    const value = isMap(this.value) ? own(this.value, name) : undefined
    const old = isMap(this.old) ? own(this.old, name) : undefined
    const schema = propertyOf(this.schema, name) ?? restOf(this.schema)
    return value === undefined || old === undefined || schema === undefined
      ? undefined
      : new Correlated(value, old, schema)
  }

  /** The item at the index; undefined if it comes from nothing. */
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

/** The first item of the list with the keys of `item`; undefined if there is none, or the list is not associative. */
export function itemLike(list: ListValue, item: Value, schema: MapValue): Value | undefined {
  if (!isAssociative(schema)) return undefined
  const key = keyOf(item, schema)
  return key === undefined ? undefined : indexOf(list, schema).get(key)
}

const indexes = new WeakMap<ListValue, { readonly schema: MapValue; readonly items: ReadonlyMap<string, Value> }>()

/** The items of the list by their keys. Kept, since every item of another list is looked for. */
function indexOf(list: ListValue, schema: MapValue): ReadonlyMap<string, Value> {
  const known = indexes.get(list)
  if (known?.schema === schema) return known.items
  const items = new Map<string, Value>()
  for (const item of list) {
    const key = keyOf(item, schema)
    if (key !== undefined && !items.has(key)) items.set(key, item)
  }
  indexes.set(list, { schema, items })
  return items
}

/** What tells the item apart; undefined for one that lacks a key, or has a key that is no scalar. */
function keyOf(item: Value, schema: MapValue): string | undefined {
  if (!isMap(item)) return undefined
  const values = listAt(schema, "x-kubernetes-list-map-keys").map(key => own(item, String(key)))
  return values.every(isScalar) ? formatGoJson(values) : undefined
}

function isScalar(value: Value | undefined): value is Value {
  return value !== undefined && value !== null && typeof value !== "object"
}
