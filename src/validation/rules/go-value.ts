// The Go value that a JSON value becomes: when Go calls it unset, when two values are equal, and how Go writes it.
import { compareNumbers, compareStrings } from "../../value/compare.js"
import { equalValues } from "../../value/equal.js"
import { isEmptyMap, own, put, sizeOf } from "../../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Side, type Value } from "../../value/value.js"
import { type GoField, type GoType, isPlainStruct } from "./go-type.js"

const emptyStruct: MapValue = Object.freeze({})

/**
 * Returns the value that Go reads from JSON for the type. If `raw` is absent or does not fit, that is the zero value; undefined stands for
 * nil.
 */
export function goValue(type: GoType, raw: Side): Side {
  switch (type.kind) {
    case "string":
      return typeof raw === "string" ? raw : type.pointer ? undefined : ""
    case "bool":
      return typeof raw === "boolean" ? raw : type.pointer ? undefined : false
    case "integer":
    case "float":
      return typeof raw === "number" || typeof raw === "bigint" ? raw : type.pointer ? undefined : 0
    case "struct":
      return isMap(raw) ? raw : type.pointer ? undefined : emptyStruct
    case "slice":
      return isList(raw) ? raw : undefined
    case "map":
      return isMap(raw) ? raw : undefined
    case "bytes":
      return typeof raw === "string" ? raw : undefined
    case "any":
    case "opaque":
      return raw === null ? undefined : raw
  }
}

/** Returns the value of a field. `object` is a struct, or undefined for nil, which has no fields. */
export function fieldValue(field: GoField, object: Side): Side {
  if (object === undefined) return undefined
  if (field.json === "") return embeddedValue(field, object)
  return goValue(field.type, own(object as MapValue, field.json))
}

function embeddedValue({ type, hidden }: GoField, object: Value): Side {
  const keys = hidden()
  let inner = object
  if (keys !== null) {
    const visible: Record<string, Value> = {}
    for (const key in object as MapValue) if (!keys.has(key)) put(visible, key, (object as MapValue)[key] as Value)
    inner = visible
  }
  return type.pointer && !hasFieldOf(type, inner) ? undefined : inner
}

/** Whether one of the fields is given. Otherwise Go does not create an embedded struct that is a pointer. */
function hasFieldOf(type: GoType, object: Value): boolean {
  return type.fields().some(({ json, type: inner }) => {
    return json === "" ? hasFieldOf(inner, object) : own(object as MapValue, json) !== undefined
  })
}

/** Whether Go calls the value unset: nil, an empty list or map, or a zero value. */
export function isUnset(type: GoType, value: Side): boolean {
  if (value === undefined) return true
  if (type.pointer) return false
  switch (type.kind) {
    case "slice":
      return (value as ListValue).length === 0
    case "map":
      return isEmptyMap(value as MapValue)
    case "string":
    case "bytes":
      return value === ""
    case "bool":
      return value === false
    case "integer":
    case "float":
      return value === 0 || value === 0n
    case "struct":
      return type.fields().every(field => isUnset(field.type, fieldValue(field, value)))
    case "any":
      return false
    case "opaque":
      return value === "" || value === false || value === 0
  }
}

/** Whether Go calls two values of the type equal. A nil list equals an empty one, and an absent value equals a zero value. */
export function equalGo(type: GoType, a: Side, b: Side): boolean {
  // Values that are equal as JSON are equal in Go; most are.
  return a === b || (a !== undefined && b !== undefined && equalValues(a, b)) || equalTyped(type, a, b)
}

function equalTyped(type: GoType, a: Side, b: Side): boolean {
  if (a === b) return true
  if (type.pointer && (a === undefined || b === undefined)) return false
  switch (type.kind) {
    case "string":
    case "bool":
      return false
    case "integer":
    case "float":
      return a !== undefined && b !== undefined && compareNumbers(a as number | bigint, b as number | bigint) === 0
    case "bytes":
      return (a ?? "") === (b ?? "")
    case "any":
    case "opaque":
      return a !== undefined && b !== undefined && equalValues(a, b)
    case "slice":
      return equalSlices(type.element as GoType, (a ?? []) as ListValue, (b ?? []) as ListValue)
    case "map":
      return equalMaps(type.element as GoType, (a ?? emptyStruct) as MapValue, (b ?? emptyStruct) as MapValue)
    case "struct":
      return a !== undefined && b !== undefined && equalStructs(type, a as MapValue, b as MapValue)
  }
}

/** Compares the keys that are present, which are few of the many fields of Kubernetes' types. */
function equalStructs(type: GoType, a: MapValue, b: MapValue): boolean {
  const byKey = type.byKey()
  if (byKey === null) {
    return type.fields().every(field => equalTyped(field.type, fieldValue(field, a), fieldValue(field, b)))
  }
  for (const key in a) {
    const [value, other] = [a[key], own(b, key)]
    if (value === other) continue
    const field = byKey.get(key)
    if (field === undefined) continue
    if (!equalTyped(field.type, goValue(field.type, value), goValue(field.type, other))) return false
  }
  for (const key in b) {
    const field = byKey.get(key)
    if (field === undefined || own(a, key) !== undefined) continue
    if (!equalTyped(field.type, goValue(field.type, undefined), goValue(field.type, b[key]))) return false
  }
  return true
}

function equalSlices(element: GoType, a: ListValue, b: ListValue): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    if (!equalTyped(element, goValue(element, a[i]), goValue(element, b[i]))) return false
  }
  return true
}

function equalMaps(element: GoType, a: MapValue, b: MapValue): boolean {
  if (sizeOf(a) !== sizeOf(b)) return false
  for (const key in a) {
    const other = own(b, key)
    if (other === undefined) return false
    if (!equalTyped(element, goValue(element, a[key]), goValue(element, other))) return false
  }
  return true
}

/** Returns the value as Go writes it to JSON: all fields of a struct in their order, with zero values for those without `omitempty`. */
export function goJson(type: GoType, value: Side): Value {
  if (value === undefined) return type.pointer ? null : (type.zero ?? null)
  if (type.kind === "slice") {
    const element = type.element as GoType
    return (value as ListValue).map(item => goJson(element, goValue(element, item)))
  }
  if (type.kind !== "struct" && type.kind !== "map") return value
  const written: Record<string, Value> = {}
  if (type.kind === "struct") writeStruct(written, type, value)
  else {
    const element = type.element as GoType
    const keys = Object.keys(value as MapValue).sort(compareStrings)
    for (const key of keys) put(written, key, goJson(element, goValue(element, (value as MapValue)[key])))
  }
  return written
}

function writeStruct(
  written: Record<string, Value>,
  type: GoType,
  value: Side,
  hidden: ReadonlySet<string> | null = null,
): void {
  if (value === undefined) return
  for (const field of type.fields()) {
    if (hidden?.has(field.json)) continue
    const inner = fieldValue(field, value)
    if (field.json === "") writeStruct(written, field.type, inner, union(hidden, field.hidden()))
    else if (!field.omitempty || !leftOut(field.type, inner)) put(written, field.json, goJson(field.type, inner))
  }
}

function union(a: ReadonlySet<string> | null, b: ReadonlySet<string> | null): ReadonlySet<string> | null {
  return a === null || b === null ? (a ?? b) : new Set([...a, ...b])
}

/** Whether `omitempty` leaves the value out. It never leaves out a struct. */
function leftOut(type: GoType, value: Side): boolean {
  return isPlainStruct(type) ? false : isUnset(type, value)
}
