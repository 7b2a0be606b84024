// Checks whether a schema of a CustomResourceDefinition is structural: every field has a type outside of clauses (anyOf, allOf, oneOf and
// not), and clauses only restrict values.

import { compareStrings } from "../../value/compare.js"
import { equalValues } from "../../value/equal.js"
import { listAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import type { FieldError } from "../refusal/field-error.js"
import { patternProblem, type RegexBudget } from "../structural/patterns.js"
import { isTrue, propertyOf, restOf, schemaAt } from "../structural/schema.js"
import { Field } from "../validation/field.js"
import { hasKeyword } from "./parts.js"

/** Returns the sorted problems of the structure of a schema. Compiling its patterns takes from `budget`. */
export function structuralErrors(schema: MapValue, path: string, budget: RegexBudget): readonly FieldError[] {
  const errors: FieldError[] = []
  const root = new Field(schema, path, errors)
  checkInvariants(root, "root", budget)
  forEachClause(root, clause => checkCompleteness(clause, root))
  return errors.sort((a, b) => compareStrings(`${a.field}: ${a.message}`, `${b.field}: ${b.message}`))
}

type Level = "root" | "item" | "field"

const emptyType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
}

function checkInvariants(field: Field, level: Level, budget: RegexBudget): void {
  const schema = field.map
  const type = field.at("type")
  const items = field.at("items")
  if (type.text === "array" && !items.isSet) items.required("must be specified")
  if (items.isSet) checkInvariants(items, "item", budget)
  for (const [, property] of field.at("properties").entries()) checkInvariants(property, "field", budget)
  const rest = field.at("additionalProperties")
  if (rest.isSet && level === "root") rest.forbidden("must not be used at the root")
  if (isMap(rest.value)) checkInvariants(rest, "field", budget)
  checkExtensions(field)
  checkClauses(field, isIntOrString(listAt(schema, "anyOf")), firstOfAll(schema), budget)
  checkType(field, level)
  if (level === "root" || isEmbedded(schema)) {
    for (const name of ["kind", "apiVersion"]) {
      const own = field.at("properties").key(name)
      if (own.isSet && own.at("type").text !== "string")
        own.at("type").holding(own.at("type").text).invalid("must be string")
    }
  }
  checkMetadata(field, level)
  if (isEmbedded(schema) && !preserves(schema) && !hasKeyword(schema, "properties")) {
    const why =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
    field.at("properties").required(why)
  }
}

const isEmbedded = (schema: MapValue) => isTrue(schema, "x-kubernetes-embedded-resource")
const preserves = (schema: MapValue) => isTrue(schema, "x-kubernetes-preserve-unknown-fields")

function checkExtensions(field: Field): void {
  if (!isTrue(field.map, "x-kubernetes-int-or-string")) return
  for (const keyword of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"]) {
    if (isTrue(field.map, keyword)) {
      field.at(keyword).invalid("must be false if x-kubernetes-int-or-string is true")
    }
  }
}

function checkType(field: Field, level: Level): void {
  const schema = field.map
  const type = field.at("type")
  if (isEmbedded(schema) && type.text !== "object") {
    const why = "must be object if x-kubernetes-embedded-resource is true"
    if (type.text === "") type.required(why)
    else type.invalid(why)
  } else if (type.text === "" && !isTrue(schema, "x-kubernetes-int-or-string") && !preserves(schema)) {
    type.required(emptyType[level])
  }
  if (isEmbedded(schema) && field.at("additionalProperties").isSet) {
    field.at("additionalProperties").forbidden("must not be used if x-kubernetes-embedded-resource is set")
  }
  if (level === "root" && type.text !== "" && type.text !== "object") type.invalid("must be object at the root")
}

function checkMetadata(field: Field, level: Level): void {
  const metadata = field.at("properties").key("metadata")
  if (!isMap(metadata.value)) return
  const type = metadata.at("type")
  if ((level === "root" || isEmbedded(field.map)) && type.text !== "object")
    type.holding(type.text).invalid("must be object")
  if (level !== "root") return
  const { type: _, default: __, ...others } = metadata.map
  const names = Object.keys(schemaAt(others, "properties") ?? {})
  const allowed = names.every(name => name === "name" || name === "generateName")
  if (Object.keys(others).every(key => !hasKeyword(others, key) || (key === "properties" && allowed))) return
  metadata.forbidden("must not specify anything other than name and generateName, but metadata is implicitly specified")
}

const intOrString: Value = [{ type: "integer" }, { type: "string" }]

function isIntOrString(clauses: readonly Value[]): boolean {
  return equalValues(clauses as Value, intOrString)
}

/** Whether the first clause of allOf allows exactly integers and strings. */
function firstOfAll(schema: MapValue): boolean {
  const [first] = listAt(schema, "allOf")
  return isMap(first) && isIntOrString(listAt(first, "anyOf"))
}

/** Checks the patterns and clauses of a schema. Skips clauses that allow an integer or a string, where such clauses are allowed. */
function checkClauses(field: Field, skipsAnyOf: boolean, skipsFirst: boolean, budget: RegexBudget): void {
  for (const keyword of ["anyOf", "allOf", "oneOf"]) {
    if (keyword === "anyOf" && skipsAnyOf) continue
    field
      .at(keyword)
      .items()
      .forEach((clause, i) => checkNested(clause, keyword === "allOf" && skipsFirst && i === 0, budget))
  }
  if (field.at("not").isSet) checkNested(field.at("not"), false, budget)
  const pattern = field.at("pattern")
  const problem = patternProblem(pattern.text, budget)
  if (problem !== undefined) {
    pattern.invalid(`must be a valid regular expression, but isn't: error parsing regexp: ${problem}`)
  }
}

/** The keywords that a clause may not have, and the words for that in messages. */
const forbidden: readonly (readonly [keyword: string, must: string])[] = [
  ["type", "empty"],
  ["default", "undefined"],
  ["title", "empty"],
  ["description", "empty"],
  ["nullable", "false"],
  ["x-kubernetes-preserve-unknown-fields", "false"],
  ["x-kubernetes-embedded-resource", "false"],
  ["x-kubernetes-int-or-string", "false"],
  ["x-kubernetes-list-map-keys", "empty"],
  ["x-kubernetes-list-type", "undefined"],
  ["x-kubernetes-map-type", "undefined"],
  ["x-kubernetes-validations", "empty"],
]

function checkNested(clause: Field, skipsAnyOf: boolean, budget: RegexBudget): void {
  checkClauses(clause, skipsAnyOf, false, budget)
  if (isMap(clause.at("items").value ?? null)) checkNested(clause.at("items"), false, budget)
  for (const [, property] of clause.at("properties").entries()) checkNested(property, false, budget)
  const schema = clause.map
  for (const [keyword, must] of forbidden) {
    const isThere = keyword === "default" ? clause.at(keyword).isSet : hasKeyword(schema, keyword)
    if (isThere) clause.at(keyword).forbidden(`must be ${must} to be structural`)
  }
  const rest = own(schema, "additionalProperties") ?? false
  if (rest !== false) clause.at("additionalProperties").forbidden("must be undefined to be structural")
  const metadata = clause.at("properties").key("metadata")
  if (metadata.isSet) metadata.forbidden("must not be specified in a nested context")
}

function forEachClause(field: Field, visit: (clause: Field) => void): void {
  if (field.at("not").isSet) visit(field.at("not"))
  for (const keyword of ["allOf", "anyOf", "oneOf"]) field.at(keyword).items().forEach(visit)
}

/** Checks that fields in a clause are declared outside of it. Go: checks only clauses of the root. */
function checkCompleteness(clause: Field, declared: Field): void {
  if (!declared.isSet) {
    declared.required(`because it is defined in ${clause.path}`)
    return
  }
  forEachClause(clause, inner => checkCompleteness(inner, declared))
  if (isMap(clause.at("items").value ?? null)) checkCompleteness(clause.at("items"), declared.at("items"))
  for (const [name, property] of clause.at("properties").entries()) {
    checkCompleteness(property, declared.at("properties").key(name))
  }
}

/** Whether the schema or a part of it, clauses included, passes the test. */
export function someSchema(schema: MapValue, test: (schema: MapValue) => boolean): boolean {
  if (test(schema)) return true
  const parts: (Value | undefined)[] = [
    schemaAt(schema, "items"),
    restOf(schema),
    schemaAt(schema, "not"),
    ...["anyOf", "allOf", "oneOf"].flatMap(keyword => listAt(schema, keyword)),
    ...Object.keys(schemaAt(schema, "properties") ?? {}).map(name => propertyOf(schema, name)),
  ]
  return parts.some(part => part !== undefined && isMap(part) && someSchema(part, test))
}
