import { own, put } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { propertyOf, refusesNull, restOf, schemaAt } from "../structural/schema.js"
import { prunedDefault } from "./prune.js"

/**
 * Fills in the defaults of a structural schema: for absent fields, and for fields that are null but may not be. A default that is filled in
 * gets the defaults of its own fields. The result shares unchanged parts with the input, and defaults with the schema.
 */
export function withDefaults(value: Value, schema: MapValue | undefined): Value {
  if (schema === undefined) return value
  if (isList(value)) {
    const items = schemaAt(schema, "items")
    const next = value.map(item => withDefaults(orDefault(item, items), items))
    return next.every((item, i) => item === value[i]) ? value : next
  }
  return isMap(value) ? mapWithDefaults(value, schema) : value
}

function orDefault(value: Value, schema: MapValue | undefined): Value {
  return value === null && schema !== undefined && refusesNull(schema) ? (prunedDefault(schema) ?? null) : value
}

function mapWithDefaults(map: MapValue, schema: MapValue): MapValue {
  const out: Record<string, Value> = {}
  let changed = false
  const set = (key: string, value: Value, inner: MapValue | undefined) => {
    const next = withDefaults(value, inner)
    if (next !== own(map, key)) changed = true
    put(out, key, next)
  }
  for (const key in map) {
    const inner = propertyOf(schema, key) ?? restOf(schema)
    set(key, orDefault(map[key] as Value, inner), inner)
  }
  const properties = schemaAt(schema, "properties") ?? {}
  for (const key in properties) {
    const property = propertyOf(schema, key)
    const value = property === undefined ? undefined : prunedDefault(property)
    if (value !== undefined && own(map, key) === undefined) set(key, value, property)
  }
  return changed ? out : map
}
