// Validates custom resources against structural schemas, with an API server's words.
//
// Each keyword of a schema that applies to the type of a value is one check. The result of a value includes the results of its parts. If all
// alternatives of an anyOf or oneOf fail, only the problems of one count: the alternative that passed the most checks.

import type { Parity } from "../../json/json.js"
import { countCharacters } from "../../value/bytes.js"
import { equalValues } from "../../value/equal.js"
import { listAt } from "../../value/fields.js"
import { own, sizeOf } from "../../value/object.js"
import { oncePer } from "../../value/once-per.js"
import { quoteGo } from "../../value/quote.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"
import { RequestFailure } from "../refusal/failure.js"
import type { FieldError } from "../refusal/field-error.js"
import type { Correlated } from "../structural/correlated.js"
import { hasFormat, isKnownFormat } from "../structural/formats.js"
import { checkNumber } from "../structural/numbers.js"
import { matchesPattern } from "../structural/patterns.js"
import {
  type Budget,
  general,
  invalid,
  isWhole,
  missing,
  newBudget,
  Result,
  tooFew,
  tooLong,
  tooMany,
  unsupported,
  wrong,
  wrongType,
} from "../structural/problem.js"
import { isTrue, propertyOf, restOf, schemaAt } from "../structural/schema.js"

/**
 * Returns the problems of a custom resource, or of a part of one, by its structural schema. An API server reports problems in a random order;
 * here, those of fields are in the order of the schema. Parts that did not change since `old` may be invalid.
 */
export function validateValue(
  value: Value,
  schema: MapValue,
  old?: Correlated,
  parity?: Parity,
): readonly FieldError[] {
  return checkPart(value, schema, "", newBudget(parity), old).problems.map(({ error }) => error)
}

/** Like `check`, but returns no problems for a value that did not change. */
function checkPart(value: Value, schema: MapValue, path: string, budget: Budget, old?: Correlated): Result {
  const result = check(value, schema, path, budget, old)
  if (!result.isValid && old?.isUnchanged === true) result.clear()
  return result
}

/** A value's schema, the place of the value, and the result of the checks. */
interface Site {
  readonly schema: MapValue
  readonly path: string
  readonly budget: Budget
  readonly result: Result
  readonly old: Correlated | undefined
}

function check(value: Value, schema: MapValue, path: string, budget: Budget, old?: Correlated): Result {
  const result = new Result(budget)
  const site = { schema, path, budget, result, old }
  spend(budget, stepsOfCheck)
  const types = typesOf(schema)
  const format = formatOf(schema, types)
  if (value === null) {
    if (types.length > 0 && !isTrue(schema, "nullable")) result.add(() => wrongType(path, types.join(), "null"))
    else result.matches++
    checkEnum(value, site)
    return result
  }
  if (types.length > 0 || format !== "") {
    checkType(value, types, format, site)
    result.matches++
  }
  checkClauses(value, site)
  if (typeof value === "string") checkString(value, format, site)
  else if (typeof value === "number" || typeof value === "bigint") {
    checkNumber(value, schema, types, format, path, result)
    result.matches += 2
  } else if (isList(value)) checkList(value, site)
  checkEnum(value, site)
  if (isMap(value)) checkMap(value, site)
  // One check for the enum, even without one, and one for the schema.
  result.matches += 2
  return result
}

function typesOf(schema: MapValue): readonly string[] {
  if (isTrue(schema, "x-kubernetes-int-or-string")) return ["integer", "string"]
  const type = own(schema, "type")
  return typeof type === "string" && type !== "" ? [type] : []
}

const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ["int32", "int64"],
  number: ["float", "double"],
}

/** Returns the format if it is checked for the type, otherwise "". */
function formatOf(schema: MapValue, types: readonly string[]): string {
  const format = own(schema, "format")
  if (typeof format !== "string") return ""
  const type = types.length === 1 ? (types[0] as string) : "string"
  const isChecked = type === "string" ? isKnownFormat(format) : numberFormats[type]?.includes(format)
  return isChecked === true ? format : ""
}

function typeNameOf(value: Value): string {
  switch (typeof value) {
    case "boolean":
    case "string":
      return typeof value
    case "bigint":
      return "integer"
    case "number":
      return isWhole(value) ? "integer" : "number"
  }
  return isList(value) ? "array" : "object"
}

function checkType(
  value: Exclude<Value, null>,
  types: readonly string[],
  format: string,
  { path, result }: Site,
): void {
  const type = typeNameOf(value)
  const isPlain = typeof value === "string" || isList(value)
  const isNumeric = types.includes("number") || types.includes("integer")
  if (types.includes(type) || (type === "integer" && types.includes("number"))) result.matches++
  else if (format === "") result.add(() => wrongType(path, types.join(), type))
  else if (!isPlain)
    result.add(() => wrongType(path, format, type === "integer" ? "int64" : type === "number" ? "float64" : ""))
  // Go: if there is a format for strings, a list passes too.
  else if (isNumeric) result.add(() => wrongType(path, types.join(), type))
  else result.matches++
}

function checkString(value: string, format: string, { schema, path, budget, result }: Site): void {
  result.matches++
  const problem = wrongLength(value, schema, path)
  if (problem !== undefined) result.add(() => problem)
  else {
    const pattern = own(schema, "pattern")
    if (typeof pattern === "string" && pattern !== "" && !isMatch(pattern, value, budget)) {
      result.add(() => invalid(path, value, `should match '${pattern}'`))
    }
  }
  if (format === "" || !isKnownFormat(format)) return
  result.matches++
  if (!hasFormat(value, format)) result.add(() => wrongType(path, format, value))
}

function isMatch(pattern: string, value: string, budget: Budget): boolean {
  const matches = matchesPattern(pattern, value, budget)
  if (matches !== undefined) return matches
  const shown = quoteGo(pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern)
  throw tooMuch(`this test API server does not match this much text with a pattern as large as ${shown}`)
}

/** The steps for checking a value against a schema or a clause, without its parts. */
const stepsOfCheck = 50

function spend(budget: Budget, steps: number): void {
  budget.left -= steps
  if (budget.left < 0) throw tooMuch("this test API server does not check this many values against this many clauses")
}

function tooMuch(message: string): RequestFailure {
  return new RequestFailure(422, message, "Invalid", {})
}

function wrongLength(value: string, schema: MapValue, path: string) {
  const most = own(schema, "maxLength")
  const least = own(schema, "minLength")
  if (typeof most !== "number" && typeof least !== "number") return undefined
  const length = countCharacters(value)
  if (typeof most === "number" && length > most) return tooLong(path, most)
  if (typeof least === "number" && length < least) return invalid(path, value, `should be at least ${least} chars long`)
  return undefined
}

function checkList(list: ListValue, { schema, path, budget, result, old }: Site): void {
  result.matches += 2
  const items = schemaAt(schema, "items")
  if (items !== undefined)
    list.forEach((item, i) => result.merge(checkPart(item, items, `${path}[${i}]`, budget, old?.item(i))))
  const least = own(schema, "minItems")
  const most = own(schema, "maxItems")
  const size = list.length
  if (typeof least === "number" && size < least) {
    result.add(() => tooFew(path, size, least, "items", budget.parity))
  }
  if (typeof most === "number" && size > most) result.add(() => tooMany(path, size, most, "items"))
}

function checkMap(map: MapValue, site: Site): void {
  const { schema, path, budget, result } = site
  result.matches++
  const least = own(schema, "minProperties")
  const most = own(schema, "maxProperties")
  const size = sizeOf(map)
  if (typeof least === "number" && size < least) {
    result.add(() => tooFew(path, size, least, "properties", budget.parity))
  }
  if (typeof most === "number" && size > most) result.add(() => tooMany(path, size, most, "properties"))
  checkFields(map, site)
  for (const name of listAt(schema, "required")) {
    if (own(map, String(name)) === undefined) result.add(() => missing(`${path}.${name}`))
  }
}

function checkFields(map: MapValue, { schema, path, budget, result, old }: Site): void {
  const rest = restOf(schema)
  const isClosed = own(schema, "additionalProperties") === false
  if (rest !== undefined || isClosed) {
    for (const key in map) {
      if (propertyOf(schema, key) !== undefined) continue
      if (rest !== undefined)
        result.merge(checkPart(map[key] as Value, rest, `${path}.${key}`, budget, old?.field(key)))
      else result.add(() => wrong(path, key, `${path}.${key} in body is a forbidden property`))
    }
  }
  const properties = schemaAt(schema, "properties") ?? {}
  for (const name in properties) {
    const property = propertyOf(schema, name)
    const value = own(map, name)
    if (property === undefined || value === undefined) continue
    // Both objects have the version and the kind of the request, so these fields say nothing about changes.
    const before = path === "" && (name === "kind" || name === "apiVersion") ? undefined : old?.field(name)
    result.merge(checkPart(value, property, path === "" ? name : `${path}.${name}`, budget, before))
  }
}

function checkEnum(value: Value, { schema, path, budget, result }: Site): void {
  const values = listAt(schema, "enum")
  if (values.length === 0 || (value !== null && isListed(value, values, budget))) return
  result.add(() => unsupported(path, value, values))
}

function isListed(value: Exclude<Value, null>, values: readonly Value[], budget: Budget): boolean {
  if (typeof value === "string") return setOf(values).has(value)
  spend(budget, values.length * stepsOfCheck)
  return values.some(one => isSame(value, one))
}

/** Returns the values as a set, in which strings are found quickly. */
const setOf = oncePer((values: readonly Value[]): ReadonlySet<Value> => new Set(values))

/** Go: a number is converted to the type of the listed one, so a float loses its fraction if that is an integer. */
function isSame(value: Value, listed: Value): boolean {
  if (typeof value === "number" && isWhole(listed) && !isWhole(value)) return Math.trunc(value) === listed
  return equalValues(value, listed)
}

/** Go: unchanged parts are recognized only outside of clauses. */
function checkClauses(value: Exclude<Value, null>, { schema, path, budget, result }: Site): void {
  const of = (keyword: string) =>
    listAt(schema, keyword).map(clause => check(value, isMap(clause) ? clause : {}, path, budget))
  checkAnyOf(of("anyOf"), path, result)
  checkOneOf(of("oneOf"), path, result)
  checkAllOf(of("allOf"), path, result)
  const not = schemaAt(schema, "not")
  if (not !== undefined && check(value, not, path, budget).isValid) {
    result.add(() => general(`"${path}" must not validate the schema (not)`))
  }
  result.matches += 2
}

/** Returns the result with the most checks, the first if there are several. */
function nearest(results: readonly Result[]): Result {
  return results.reduce((best, one) => (one.matches > best.matches ? one : best))
}

function checkAnyOf(results: readonly Result[], path: string, result: Result): void {
  if (results.length === 0) return
  const valid = results.find(one => one.isValid)
  if (valid === undefined) result.add(() => general(`"${path}" must validate at least one schema (anyOf)`))
  result.merge(valid ?? nearest(results))
}

function checkOneOf(results: readonly Result[], path: string, result: Result): void {
  if (results.length === 0) return
  const [first, ...more] = results.filter(one => one.isValid)
  if (first !== undefined && more.length === 0) {
    result.merge(first)
    return
  }
  const alternatives = first === undefined ? "Found none valid" : `Found ${more.length + 1} valid alternatives`
  result.add(() => general(`"${path}" must validate one and only one schema (oneOf). ${alternatives}`))
  if (first === undefined) result.merge(nearest(results))
}

function checkAllOf(results: readonly Result[], path: string, result: Result): void {
  if (results.length === 0) return
  for (const one of results) result.merge(one)
  if (results.every(one => one.isValid)) return
  const none = results.some(one => one.isValid) ? "" : ". None validated"
  result.add(() => general(`"${path}" must validate all the schemas (allOf)${none}`))
}
