import { formatGoJson } from "../../json/json.js"
import { listAt } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"
import { type FieldError, fieldError } from "../refusal/field-error.js"
import { forEachPart } from "../structural/walk.js"

/**
 * Reports duplicate items of lists whose `x-kubernetes-list-type` is set or map, and items of lists of type map that are not objects.
 */
export function validateListTypes(value: Value, schema: MapValue): readonly FieldError[] {
  const errors: FieldError[] = []
  forEachPart(value, schema, (part, partSchema, path) => {
    if (isList(part)) checkItems(part, partSchema, path, errors)
  })
  return errors
}

function checkItems(list: ListValue, schema: MapValue, path: string, errors: FieldError[]): void {
  const type = own(schema, "x-kubernetes-list-type")
  const names = listAt(schema, "x-kubernetes-list-map-keys").map(String)
  if (type === "map") {
    const wrong = list.findIndex(item => item !== null && !isMap(item))
    if (wrong >= 0) {
      const detail = "must be an object for an array of list-type map"
      errors.push(fieldError("FieldValueInvalid", `${path}[${wrong}]`, list[wrong], detail))
      return
    }
  } else if (type !== "set") return
  const keys = type === "set" ? list : list.map(item => keyFields(item, names))
  const times = new Map<string, number>()
  keys.forEach((key, i) => {
    const text = formatGoJson(key)
    const count = (times.get(text) ?? 0) + 1
    times.set(text, count)
    if (count === 2) errors.push(fieldError("FieldValueDuplicate", `${path}[${i}]`, key))
  })
}

function keyFields(item: Value, names: readonly string[]): MapValue {
  const key: Record<string, Value> = {}
  for (const name of names) {
    const value = isMap(item) ? own(item, name) : undefined
    if (value !== undefined) put(key, name, value)
  }
  return key
}
