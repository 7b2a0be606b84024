// What an API server says of a patched object that its Go struct can't hold. Strategic merge patches are applied to maps, which are
// then put into the struct field by field; the words are those of that conversion, which stops at the first problem.
import type { Type } from "../../typed/type.js"
import { isInteger } from "../../value/number.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"

/** Numbers of built-in kinds that are no integers. */
const float64 = new Set(["maximum", "minimum", "multipleOf"])
/** Fields of built-in kinds that are int64 in Go; other numbers are int32. */
const int64 = new Set(
  `activeDeadlineSeconds capacity defaultUser deletionGracePeriodSeconds fsGroup generation gid gracePeriodSeconds maxItems maxLength maxProperties minItems minLength minProperties
  nodeAllocatableUpdatePeriodSeconds observedGeneration remainingItemCount revision runAsGroup runAsUser seconds sizeBytes
  startingDeadlineSeconds supplementalGroups terminationGracePeriodSeconds tolerationSeconds uid user`.split(/\s+/),
)

/** The first problem of an object of this type, in the order of the fields of the type; undefined if there is none. */
export function conversionProblem(value: Value, type: Type, name = ""): string | undefined {
  if (value === null) return undefined
  const shape = type.match(value)
  if (shape === null) return mismatch(value, type, name)
  if (shape.kind === "scalar") return scalarProblem(value, shape.scalar, name)
  if (shape.kind === "list")
    return first((value as readonly Value[]).map(item => conversionProblem(item, shape.item, name)))
  const map = value as MapValue
  const rest = Object.keys(map).filter(key => !shape.fields.has(key))
  return (
    first([...shape.fields].map(([key, field]) => problemAt(map, key, field.type))) ??
    (shape.rest.empty ? undefined : first(rest.map(key => problemAt(map, key, shape.rest))))
  )
}

function problemAt(map: MapValue, key: string, type: Type): string | undefined {
  const value = own(map, key)
  return value === undefined ? undefined : conversionProblem(value, type, key)
}

function first(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find(problem => problem !== undefined)
}

function mismatch(value: Value, type: Type, name: string): string {
  if (type.map !== null)
    return `cannot restore ${type.map.fields.size > 0 ? "struct from:" : "map from"} ${kindOf(value)}`
  if (type.list !== null) return `cannot restore slice from ${kindOf(value)}`
  return `unrecognized type: ${goKind(type.scalar?.scalar ?? "", name)}`
}

function scalarProblem(value: Value, scalar: string, name: string): string | undefined {
  const wanted = { numeric: "number", string: "string", boolean: "boolean" }[scalar]
  const given = typeof value === "bigint" ? "number" : typeof value
  if (wanted === undefined || wanted === given) return undefined
  // Go converts numbers to text, though not to the text of the number, and so it refuses that in other words.
  if (wanted === "string" && given === "number" && kindOf(value) === "int64") return "cannot convert int64 to string"
  return `unrecognized type: ${goKind(scalar, name)}`
}

function goKind(scalar: string, name: string): string {
  if (scalar === "numeric") return numberKind(name)
  return scalar === "boolean" ? "bool" : scalar
}

/** The type that a number of this name has in Go. */
export function numberKind(name: string): "int32" | "int64" | "float64" {
  if (float64.has(name)) return "float64"
  return int64.has(name) ? "int64" : "int32"
}

function kindOf(value: Value): string {
  if (isMap(value)) return "map"
  if (isList(value)) return "slice"
  if (typeof value === "number") return isInteger(value) ? "int64" : "float64"
  return { string: "string", boolean: "bool", bigint: "int64" }[typeof value as "string"]
}

/**
 * The patch as a server prints it after it was applied: lists that come with an order are taken out of it on the way, and so are
 * lists of keys to retain.
 */
export function leftOfPatch(patch: MapValue, live: Value | undefined): MapValue {
  if (!isMap(live)) return patch
  const order = "$setElementOrder/"
  const taken = new Set(["$retainKeys"])
  for (const key of Object.keys(patch)) if (key.startsWith(order)) taken.add(key).add(key.slice(order.length))
  const kept = Object.entries(patch).filter(([key]) => !taken.has(key))
  return Object.fromEntries(
    kept.map(([key, value]) => [key, isMap(value) ? leftOfPatch(value, own(live, key)) : value]),
  )
}
