// What becomes of a custom resource by its structural schema: fields that the schema does not have are pruned, and defaults are
// filled in.
import { copyMap, own, put } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { mapAt } from "../metadata.js"
import type { Shaped } from "./go-shape.js"

/** The object without fields that the schema does not declare. Shares what does not change with the input. */
export function prune(object: MapValue, schema: MapValue, preserve: boolean): Shaped {
  const unknown: string[] = []
  const root = { ...schema, "x-kubernetes-embedded-resource": true }
  return { object: preserve ? object : (pruneValue(object, root, "", unknown) as MapValue), unknown }
}

function pruneValue(value: Value, schema: MapValue, path: string, unknown: string[]): Value {
  if (isList(value)) {
    const items = own(schema, "items")
    if (!isMap(items)) return value
    const next = value.map((item, index) => pruneValue(item, items, `${path}[${index}]`, unknown))
    return next.some((item, index) => item !== value[index]) ? next : value
  }
  if (!isMap(value)) return value
  const properties = mapAt(schema, "properties")
  const rest = own(schema, "additionalProperties")
  const keeps = own(schema, "x-kubernetes-preserve-unknown-fields") === true || rest === true
  let out: Record<string, Value> | undefined
  for (const key in value) {
    const child = own(value, key) as Value
    const here = path === "" ? key : `${path}.${key}`
    if (own(schema, "x-kubernetes-embedded-resource") === true && objectFields.includes(key)) continue
    const type = own(properties, key) ?? (isMap(rest) ? rest : undefined)
    if (!isMap(type) && keeps) continue
    if (!isMap(type)) unknown.push(here)
    const next = isMap(type) ? pruneValue(child, type, here, unknown) : undefined
    if (next === child) continue
    out ??= copyMap(value)
    if (next === undefined) delete out[key]
    else put(out, key, next)
  }
  return out ?? value
}

const objectFields = ["apiVersion", "kind", "metadata"]

/** The object with the defaults of the schema: for what is absent, and for nulls where null is not allowed. */
export function withSchemaDefaults(object: MapValue, schema: MapValue): MapValue {
  return defaultValue(object, schema) as MapValue
}

function defaultValue(value: Value, schema: MapValue): Value {
  if (isList(value)) {
    const items = own(schema, "items")
    if (!isMap(items)) return value
    const next = value.map(item =>
      item === null && !mayBeNull(items) ? (own(items, "default") ?? item) : defaultValue(item, items),
    )
    return next.some((item, index) => item !== value[index]) ? next : value
  }
  if (!isMap(value)) return value
  const properties = mapAt(schema, "properties")
  let out: Record<string, Value> | undefined
  for (const key in properties) {
    const type = own(properties, key)
    const fallback = isMap(type) ? own(type, "default") : undefined
    if (!isMap(type) || fallback === undefined) continue
    const child = own(out ?? value, key)
    if (child !== undefined && (child !== null || mayBeNull(type))) continue
    out ??= copyMap(value)
    put(out, key, fallback)
  }
  const rest = own(schema, "additionalProperties")
  for (const key in out ?? value) {
    const type = own(properties, key) ?? rest
    if (!isMap(type)) continue
    const child = own(out ?? value, key) as Value
    const next = defaultValue(child, type)
    if (next === child) continue
    out ??= copyMap(value)
    put(out, key, next)
  }
  return out ?? value
}

function mayBeNull(schema: MapValue): boolean {
  return own(schema, "nullable") === true
}
