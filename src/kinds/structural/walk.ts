import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { propertyOf, restOf, schemaAt } from "./schema.js"

/** Sees a value, its schema, and its path. */
export type Visit = (value: Value, schema: MapValue, path: string) => void

/** Visits a value and each of its parts that its schema declares, outside of clauses. */
export function forEachPart(value: Value, schema: MapValue, visit: Visit, path = ""): void {
  visit(value, schema, path)
  if (isList(value)) {
    const items = schemaAt(schema, "items")
    if (items !== undefined) value.forEach((item, i) => forEachPart(item, items, visit, `${path}[${i}]`))
    return
  }
  if (!isMap(value)) return
  const rest = restOf(schema)
  for (const key in value) {
    const part = value[key] as Value
    if (rest !== undefined) forEachPart(part, rest, visit, `${path}[${key}]`)
    const property = propertyOf(schema, key)
    if (property !== undefined) forEachPart(part, property, visit, path === "" ? key : `${path}.${key}`)
  }
}
