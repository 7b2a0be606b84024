// Checks that a schema is structural, as an API server requires for the schema in a CustomResourceDefinition. If it is not, the server
// takes no types from it and treats the whole object as untyped. So do we, and report the reasons as diagnostics.
//
// The rules in short: every value has a type in the outer schema; `allOf`, `anyOf`, `oneOf` and `not` only restrict values of the outer
// schema; root and embedded objects may hardly restrict `metadata`; keywords that make pruning impossible are forbidden.
import { own } from "../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
import type { Conversion } from "./conversion/conversion.js"

type Level = "root" | "item" | "field"
type Complain = (message: string) => void

interface Check {
  readonly conversion: Conversion
  readonly complain: Complain
}

/** Whether the schema at the current place is structural. Adds a diagnostic for each reason why it is not. */
export function checkStructural(conversion: Conversion, root: MapValue): boolean {
  const before = conversion.diagnostics.length
  const complain = (message: string) => conversion.warn("not-structural", message)
  checkNode({ conversion, complain }, root, "root")
  checkCompleteness({ conversion, complain }, root, root)
  return conversion.diagnostics.length === before
}

const unsupported = ["id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions"]
const types: ReadonlySet<Value> = new Set(["array", "boolean", "integer", "number", "object", "string"])
const junctors = ["allOf", "anyOf", "oneOf"] as const

/** Runs `visit` at a place below the current one. */
function within(conversion: Conversion, steps: readonly string[], visit: () => void): void {
  for (const step of steps) conversion.enter(step)
  visit()
  for (const _ of steps) conversion.leave()
}

function childAt(node: MapValue, key: string): MapValue | undefined {
  const child = own(node, key)
  return isMap(child) ? child : undefined
}

/** Whether a value counts as set. Empty values do not: clients that write every field send them. */
function isSet(value: Value | undefined): boolean {
  if (value === undefined || value === null || value === "" || value === false) return false
  return typeof value !== "object" || Object.keys(value).length > 0
}

function checkNode(check: Check, node: MapValue, level: Level): void {
  const { conversion, complain } = check
  checkVocabulary(check, node)
  const type = own(node, "type") ?? ""
  const properties = childAt(node, "properties") ?? {}
  const rest = own(node, "additionalProperties") ?? undefined
  const items = childAt(node, "items")
  if (type === "array" && items === undefined) complain("an array needs `items`")
  if (items !== undefined) within(conversion, ["items"], () => checkNode(check, items, "item"))
  for (const name in properties) {
    const property = childAt(properties, name) ?? {}
    within(conversion, ["properties", name], () => checkNode(check, property, "field"))
  }
  if (rest !== undefined && level === "root") complain("`additionalProperties` must not be used at the root")
  if (isMap(rest)) within(conversion, ["additionalProperties"], () => checkNode(check, rest, "field"))
  checkExtensions(check, node, type, rest, level)
  checkMetadata(check, node, properties, level)
  const skipsAnyOf = isIntOrString(own(node, "anyOf"))
  checkJunctors(check, node, skipsAnyOf, startsIntOrString(own(node, "allOf")))
}

/** Checks for keywords that no schema may have, including inner ones. */
function checkVocabulary({ complain }: Check, node: MapValue): void {
  for (const key of unsupported) {
    const found = own(node, key)
    if (key === "additionalItems" ? found !== undefined && found !== null : isSet(found)) {
      complain(`\`${key}\` is not supported`)
    }
  }
  const type = own(node, "type")
  if (isSet(type) && !types.has(type as Value)) complain(`unknown type ${String(type)}`)
  const items = own(node, "items")
  if (isList(items)) complain("`items` must be one schema, not a list")
  if (own(node, "x-kubernetes-preserve-unknown-fields") === false) {
    complain("`x-kubernetes-preserve-unknown-fields` must be true or absent")
  }
}

function checkExtensions(
  { complain }: Check,
  node: MapValue,
  type: Value,
  rest: Value | undefined,
  level: Level,
): void {
  const preserves = own(node, "x-kubernetes-preserve-unknown-fields") === true
  const embeds = own(node, "x-kubernetes-embedded-resource") === true
  const intOrString = own(node, "x-kubernetes-int-or-string") === true
  if (intOrString && preserves) complain("an int-or-string can't preserve unknown fields")
  if (intOrString && embeds) complain("an int-or-string can't be an embedded resource")
  if (embeds && type !== "object") complain("an embedded resource must have the type object")
  else if (type === "" && !intOrString && !preserves) complain("`type` must not be empty")
  if (embeds && rest !== undefined) complain("an embedded resource must not have `additionalProperties`")
  if (embeds && !preserves && !isSet(own(node, "properties"))) {
    complain("an embedded resource needs `properties`, or must preserve unknown fields")
  }
  if (level === "root" && type !== "" && type !== "object") complain("the root must have the type object")
}

function checkMetadata({ conversion, complain }: Check, node: MapValue, properties: MapValue, level: Level): void {
  if (level !== "root" && own(node, "x-kubernetes-embedded-resource") !== true) return
  for (const name of ["apiVersion", "kind"]) {
    const property = childAt(properties, name)
    if (property !== undefined && own(property, "type") !== "string") {
      within(conversion, ["properties", name], () => complain("must have the type string"))
    }
  }
  const metadata = childAt(properties, "metadata")
  if (metadata === undefined) return
  within(conversion, ["properties", "metadata"], () => {
    if (own(metadata, "type") !== "object") complain("must have the type object")
    if (level === "root" && saysTooMuch(metadata)) complain("must not restrict more than name and generateName")
  })
}

function saysTooMuch(metadata: MapValue): boolean {
  for (const key in metadata) {
    if (key === "type" || key === "default") continue
    const value = own(metadata, key)
    if (key === "properties" && isMap(value)) {
      if (Object.keys(value).some(name => name !== "name" && name !== "generateName")) return true
    } else if (isSet(value) || key === "additionalProperties") return true
  }
  return false
}

/** Whether this is the pattern `anyOf: [{type: integer}, {type: string}]`, the only place where a type is allowed in a junctor. */
function isIntOrString(anyOf: Value | undefined): boolean {
  return isList(anyOf) && anyOf.length === 2 && isOnlyType(anyOf[0], "integer") && isOnlyType(anyOf[1], "string")
}

function startsIntOrString(allOf: Value | undefined): boolean {
  const first = isList(allOf) ? allOf[0] : undefined
  return isMap(first) && isIntOrString(own(first, "anyOf"))
}

function isOnlyType(value: Value | undefined, type: string): boolean {
  return isMap(value) && own(value, "type") === type && Object.keys(value).length === 1
}

/** `skipsAnyOf` means that `anyOf` is the int-or-string pattern, `skipsFirst` that the first schema of `allOf` has it. */
function checkJunctors(check: Check, node: MapValue, skipsAnyOf: boolean, skipsFirst: boolean): void {
  const { conversion } = check
  for (const junctor of junctors) {
    const clauses = own(node, junctor)
    if (!isList(clauses) || (junctor === "anyOf" && skipsAnyOf)) continue
    clauses.forEach((clause, index) => {
      if (!isMap(clause)) return
      const skips = junctor === "allOf" && skipsFirst && index === 0
      within(conversion, [junctor, String(index)], () => checkClause(check, clause, skips))
    })
  }
  const not = childAt(node, "not")
  if (not !== undefined) within(conversion, ["not"], () => checkClause(check, not, false))
}

const outerOnly = [
  "type",
  "default",
  "title",
  "description",
  "nullable",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-validations",
]
const outerEvenIfEmpty = ["x-kubernetes-list-type", "x-kubernetes-map-type"]

/** Checks that a schema inside a junctor only restricts values. */
function checkClause(check: Check, clause: MapValue, skipsAnyOf: boolean): void {
  const { conversion, complain } = check
  checkVocabulary(check, clause)
  const rest = own(clause, "additionalProperties")
  const used = outerOnly.filter(key =>
    key === "default" ? (own(clause, key) ?? null) !== null : isSet(own(clause, key)),
  )
  used.push(...outerEvenIfEmpty.filter(key => (own(clause, key) ?? null) !== null))
  if (rest === true || isMap(rest)) used.push("additionalProperties")
  for (const key of used) complain(`\`${key}\` must not stand inside allOf, anyOf, oneOf or not`)
  checkJunctors(check, clause, skipsAnyOf, false)
  const items = childAt(clause, "items")
  if (items !== undefined) within(conversion, ["items"], () => checkClause(check, items, false))
  const properties = childAt(clause, "properties") ?? {}
  for (const name in properties) {
    const property = childAt(properties, name) ?? {}
    within(conversion, ["properties", name], () => {
      if (name === "metadata") complain("metadata must not be restricted inside allOf, anyOf, oneOf or not")
      checkClause(check, property, false)
    })
  }
}

/** Checks that fields and items used in the root's junctors are declared outside them. Upstream checks only the root's junctors. */
function checkCompleteness(check: Check, clause: MapValue, outer: MapValue | undefined): void {
  const { conversion } = check
  const compare = (inner: MapValue | undefined, counterpart: MapValue | undefined, steps: readonly string[]) => {
    if (inner === undefined) return
    within(conversion, steps, () => {
      if (counterpart === undefined) check.complain("is restricted here, but not defined outside")
      else checkInner(inner, counterpart)
    })
  }
  const checkInner = (inner: MapValue, counterpart: MapValue): void => {
    checkCompleteness(check, inner, counterpart)
    compare(childAt(inner, "items"), childAt(counterpart, "items"), ["items"])
    const properties = childAt(inner, "properties") ?? {}
    const defined = childAt(counterpart, "properties") ?? {}
    for (const name in properties) {
      compare(childAt(properties, name) ?? {}, childAt(defined, name), ["properties", name])
    }
  }
  compare(childAt(clause, "not"), outer, ["not"])
  for (const junctor of junctors) {
    const clauses = own(clause, junctor)
    if (!isList(clauses)) continue
    clauses.forEach((inner, index) => compare(isMap(inner) ? inner : undefined, outer, [junctor, String(index)]))
  }
}
