import { fieldElement, indexElement } from "../fieldpath/create-element.js"
import { areSettled } from "../schema/compiled-union.js"
import { maxDepth, maxParts, tooDeep, tooLarge } from "../value/depth.js"
import { goPrint, goSyntax, goTypeName } from "../value/format.js"
import { notJson } from "../value/plain.js"
import type { ListValue, MapValue, Value } from "../value/value.js"
import { duplicateEntries, elementOfItem, ItemTable, itemProblem } from "./list-items.js"
import type { ListShape, MapShape, Type } from "./type.js"
import { Issues } from "./walk.js"

/**
 * Returns every reason why `value` does not fit `type` or is not a JSON value, and further facts that the walk found. With
 * `allowDuplicates`, items of associative lists may share their keys.
 */
export function validate(type: Type, value: Value, allowDuplicates: boolean): Validation {
  const walk = { issues: new Issues(), left: maxParts, allowDuplicates, settled: true, repeats: false }
  validateValue(walk, type, value, 0)
  return walk
}

interface Validation {
  readonly issues: Issues
  /** The number of parts that may still be visited. */
  left: number
  readonly allowDuplicates: boolean
  /** Whether all unions are settled (`CompiledUnion.isSettled`). Noted for `union`, since validation visits every map anyway. */
  settled: boolean
  /** Whether items of an associative list share their keys. */
  repeats: boolean
}

function validateValue(walk: Validation, type: Type, value: Value | undefined, depth: number): void {
  if (depth > maxDepth) throw tooDeep()
  if (--walk.left < 0) throw tooLarge()
  const unfit = notJson(value)
  if (unfit !== null) {
    walk.issues.add(unfit)
    return
  }
  const match = isBeyondInt64(value) ? null : type.match(value)
  const shape = match ?? type.fallback
  if (shape === null) walk.issues.add(type.problem as string)
  else if (shape.kind === "scalar") {
    const problem = scalarProblem(shape.scalar, value)
    if (problem !== null) walk.issues.add(problem)
  } else if (value === null) return
  else if (shape !== match) walk.issues.add(`expected ${shape.kind}, got ${printWrapped(value as Value)}`)
  else if (shape.kind === "map") validateMap(walk, shape, value as MapValue, depth)
  else validateList(walk, shape, value as ListValue, depth)
}

/** Whether this is an integer that does not fit into an int64, so that Kubernetes can't store it. */
function isBeyondInt64(value: Value | undefined): boolean {
  return typeof value === "bigint" && BigInt.asIntN(64, value) !== value
}

/** Prints the value as `%v` prints upstream's values, which are pointers to a wrapper: `&{1}`. */
function printWrapped(value: Value): string {
  return `&{${goPrint(value)}}`
}

/** Returns the problem of a scalar of this type, or null. Null and absent values fit. */
export function scalarProblem(scalar: string, value: Value | undefined): string | null {
  if (value === undefined || value === null) return null
  switch (scalar) {
    case "numeric":
      if (typeof value === "number" || (typeof value === "bigint" && !isBeyondInt64(value))) return null
      return `expected numeric (int or float), got ${goTypeName(value)}`
    case "string":
      return typeof value === "string"
        ? null
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`
    case "boolean":
      return typeof value === "boolean" ? null : `expected boolean, got ${printWrapped(value)}`
    case "untyped":
      return typeof value !== "object" && !isBeyondInt64(value)
        ? null
        : `expected any scalar, got ${printWrapped(value)}`
    default:
      return `unexpected scalar type in schema: ${scalar}`
  }
}

function validateMap(walk: Validation, shape: MapShape, map: MapValue, depth: number): void {
  for (const key in map) {
    const field = shape.fields.get(key)
    const type = field === undefined ? shape.rest : field.type
    const value = map[key]
    if (typeof value === "string" ? type.anyText : typeof value === "boolean" && type.anyBoolean) {
      if (--walk.left < 0) throw tooLarge()
      continue
    }
    const before = walk.issues.count
    if (field === undefined && type.empty) walk.issues.add("field not declared in schema")
    else validateValue(walk, type, value, depth + 1)
    if (walk.issues.count > before) walk.issues.prefix(field?.element ?? fieldElement(key), before)
  }
  if (walk.settled && shape.compiledUnions.length > 0) walk.settled = areSettled(shape.compiledUnions, map)
}

function validateList(walk: Validation, shape: ListShape, list: ListValue, depth: number): void {
  const seen = shape.associative ? new ItemTable(shape) : null
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as Value
    if (seen !== null) {
      const known = seen.size
      const number = item === undefined ? -1 : seen.add(item)
      // An item without a path element can't be told from the others, so the rest of the list is not validated.
      if (number < 0) {
        walk.issues.add(`element ${i}: ${notJson(item) ?? itemProblem(shape, item)}`)
        return
      }
      if (number < known) {
        walk.repeats = true
        if (!walk.allowDuplicates) {
          walk.issues.add(duplicateEntries(shape, item))
        }
      }
    }
    const within = walk.issues.count
    validateValue(walk, shape.item, item, depth + 1)
    if (walk.issues.count > within) walk.issues.prefix(elementOfItem(shape, item) ?? indexElement(i), within)
  }
}
