// Messages for a patched object that does not fit into its Go struct. An API server applies a strategic merge patch to maps, and then
// converts the result to the struct field by field. The messages here are the messages of that conversion, which stops at the first
// problem.
import type { Type } from "../../typed/type.js"
import { isInteger } from "../../value/number.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"

/** Names of fields of built-in kinds that are floats in Go. */
const float64 = new Set(["maximum", "minimum", "multipleOf"])
/** Names of fields of built-in kinds that are int64 in Go. Other numbers are int32. */
const int64 = new Set(
  `activeDeadlineSeconds capacity defaultUser deletionGracePeriodSeconds fsGroup generation gid gracePeriodSeconds maxItems maxLength maxProperties minItems minLength minProperties
  nodeAllocatableUpdatePeriodSeconds observedGeneration remainingItemCount revision runAsGroup runAsUser seconds sizeBytes
  startingDeadlineSeconds supplementalGroups terminationGracePeriodSeconds tolerationSeconds uid user`.split(/\s+/),
)

/** Returns the first problem of a value of this type, in the order of the type's fields; or undefined. `name` is the field's name. */
export function conversionProblem(value: Value, type: Type, name = ""): string | undefined {
  if (value === null) return undefined
  const shape = type.match(value)
  if (shape === null) return mismatch(value, type, name)
  if (shape.kind === "scalar") return scalarProblem(value, shape.scalar, name)
  if (shape.kind === "list")
    return firstProblem((value as readonly Value[]).map(item => conversionProblem(item, shape.item, name)))
  const map = value as MapValue
  const rest = Object.keys(map).filter(key => !shape.fields.has(key))
  return (
    firstProblem([...shape.fields].map(([key, field]) => problemAt(map, key, field.type))) ??
    (shape.rest.empty ? undefined : firstProblem(rest.map(key => problemAt(map, key, shape.rest))))
  )
}

function problemAt(map: MapValue, key: string, type: Type): string | undefined {
  const value = own(map, key)
  return value === undefined ? undefined : conversionProblem(value, type, key)
}

function firstProblem(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find(problem => problem !== undefined)
}

function mismatch(value: Value, type: Type, name: string): string {
  if (type.map !== null)
    return `cannot restore ${type.map.fields.size > 0 ? "struct from:" : "map from"} ${goValueKind(value)}`
  if (type.list !== null) return `cannot restore slice from ${goValueKind(value)}`
  return `unrecognized type: ${goScalarKind(type.scalar?.scalar ?? "", name)}`
}

function scalarProblem(value: Value, scalar: string, name: string): string | undefined {
  const expected = { numeric: "number", string: "string", boolean: "boolean" }[scalar]
  const actual = typeof value === "bigint" ? "number" : typeof value
  if (expected === undefined || expected === actual) return undefined
  // Go's language converts an int64 to a string, but to the character with that code. The conversion refuses this with a message of its
  // own.
  if (expected === "string" && actual === "number" && goValueKind(value) === "int64")
    return "cannot convert int64 to string"
  return `unrecognized type: ${goScalarKind(scalar, name)}`
}

function goScalarKind(scalar: string, name: string): string {
  if (scalar === "numeric") return goNumberType(name)
  return scalar === "boolean" ? "bool" : scalar
}

/** Returns the Go type of a number field with this name. */
export function goNumberType(name: string): "int32" | "int64" | "float64" {
  if (float64.has(name)) return "float64"
  return int64.has(name) ? "int64" : "int32"
}

function goValueKind(value: Value): string {
  if (isMap(value)) return "map"
  if (isList(value)) return "slice"
  if (typeof value === "number") return isInteger(value) ? "int64" : "float64"
  return { string: "string", boolean: "bool", bigint: "int64" }[typeof value as "string"]
}

/**
 * Returns the patch as a server prints it after applying it: without `$retainKeys`, and without each `$setElementOrder` and its list, since
 * Go removes these while it applies the patch.
 */
export function remainingPatch(patch: MapValue, live: Value | undefined): MapValue {
  if (!isMap(live)) return patch
  const order = "$setElementOrder/"
  const removed = new Set(["$retainKeys"])
  for (const key of Object.keys(patch)) if (key.startsWith(order)) removed.add(key).add(key.slice(order.length))
  const kept = Object.entries(patch).filter(([key]) => !removed.has(key))
  return Object.fromEntries(
    kept.map(([key, value]) => [key, isMap(value) ? remainingPatch(value, own(live, key)) : value]),
  )
}
