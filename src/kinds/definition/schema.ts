// Checks the keywords of the schemas of a CustomResourceDefinition, structural or not: unsupported keywords, and keywords that exclude each
// other.
import { listAt, textsAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue } from "../../value/value.js"
import { fieldPathOf } from "../rules/field-path.js"
import { restOf, schemaAt } from "../structural/schema.js"
import type { Field } from "../validation/field.js"
import { goFieldsOf, goItems, goSchema } from "./go-structs.js"
import { hasKeyword } from "./parts.js"

/** The surroundings of a schema, which decide which keywords it may have. */
interface Context {
  /** Why there may be no default; undefined if there may be one. */
  readonly noDefault?: string
  /** Whether this is `apiVersion`, `kind` or `metadata` of a resource, or a part of them. */
  readonly insideMeta: boolean
}

const atRoot: ReadonlySet<string> = new Set(
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations".split(
    " ",
  ),
)

/** Adds the problems that only the root of a schema can have. If the status subresource is enabled, fewer keywords are allowed there. */
export function checkRoot(root: Field, hasStatus: boolean): void {
  const schema = root.map
  if (hasStatus) {
    for (const name of goFieldsOf(schema)) {
      if (name === "Type" && root.at("type").text !== "object") {
        root
          .at("type")
          .invalid(
            `only "object" is allowed as the type at the root of the schema if the status subresource is enabled`,
          )
        break
      }
      if (!atRoot.has(name)) {
        const detail = `only [${[...atRoot].join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`
        root.invalid(detail, goSchema(schema))
        break
      }
    }
  }
  if (root.at("nullable").value === true) root.at("nullable").forbidden("nullable cannot be true at the root")
}

/** Adds the problems of a schema and of all its parts. */
export function checkKeywords(field: Field, context: Context = { insideMeta: false }, isRoot = true): void {
  checkUnsupported(field, context)
  checkParts(field, context, isRoot)
  const preserves = field.at("x-kubernetes-preserve-unknown-fields")
  if (preserves.value === false) preserves.invalid("must be true or undefined")
  checkListsAndMaps(field)
  field
    .at("x-kubernetes-validations")
    .items()
    .forEach(rule => checkRule(rule, field.map))
}

const types = ["array", "boolean", "integer", "number", "object", "string"]

function checkUnsupported(field: Field, { noDefault, insideMeta }: Context): void {
  const schema = field.map
  const type = field.at("type")
  if (type.text !== "") type.oneOf(types)
  if (noDefault !== undefined && field.at("default").isSet)
    field.at("default").forbidden(`must not be set ${noDefault}`)
  for (const keyword of ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"]) {
    const isThere = keyword === "additionalItems" ? field.at(keyword).isSet : hasKeyword(schema, keyword)
    if (isThere) field.at(keyword).forbidden(`${keyword} is not supported`)
  }
  if (type.text === "null") type.forbidden("type cannot be set to null, use nullable as an alternative")
  if (isList(field.at("items").value)) field.at("items").forbidden("items must be a schema object and not an array")
  const embedded = field.at("x-kubernetes-embedded-resource")
  if (insideMeta && embedded.value === true) embedded.forbidden("must not be used inside of resource meta")
  if (field.at("uniqueItems").value === true) {
    field
      .at("uniqueItems")
      .forbidden("uniqueItems cannot be set to true since the runtime complexity becomes quadratic")
  }
}

function checkParts(field: Field, context: Context, isRoot: boolean): void {
  const schema = field.map
  const rest = field.at("additionalProperties")
  if (rest.isSet && rest.value !== true && hasKeyword(schema, "properties")) {
    rest.forbidden("additionalProperties and properties are mutual exclusive")
  }
  if (restOf(schema) !== undefined) {
    const why = "inside additionalProperties applying to object metadata"
    checkKeywords(rest, context.insideMeta ? { ...context, noDefault: why } : context, false)
  }
  const isResource = isRoot || own(schema, "x-kubernetes-embedded-resource") === true
  for (const [name, property] of field.at("properties").entries()) {
    const isMeta = isResource && ["metadata", "kind", "apiVersion"].includes(name)
    const inner = isMeta ? { ...context, insideMeta: true } : context
    checkKeywords(property, isMeta && isRoot ? { ...inner, noDefault: `in top-level ${name}` } : inner, false)
  }
  for (const keyword of ["allOf", "oneOf", "anyOf"]) {
    for (const clause of field.at(keyword).items()) checkKeywords(clause, context, false)
  }
  if (schemaAt(schema, "not") !== undefined) checkKeywords(field.at("not"), context, false)
  for (const keyword of ["definitions", "dependencies"]) {
    for (const [, inner] of field.at(keyword).entries()) {
      if (isMap(inner.value)) checkKeywords(inner, context, false)
    }
  }
  const items = field.at("items")
  for (const each of isList(items.value) ? items.items() : schemaAt(schema, "items") === undefined ? [] : [items]) {
    checkKeywords(each, context, false)
  }
}

/** Checks the types of lists and maps, which determine how they are merged. */
function checkListsAndMaps(field: Field): void {
  const mapType = field.at("x-kubernetes-map-type")
  const listType = field.at("x-kubernetes-list-type")
  const type = field.at("type")
  const mustBe = (expected: string, keyword: string) => {
    const detail = `must be ${expected} if ${keyword} is specified`
    if (type.text === "") type.required(detail)
    else type.invalid(detail)
  }
  if (mapType.isSet && type.text !== "object") mustBe("object", "x-kubernetes-map-type")
  mapType.oneOfIfSet(["atomic", "granular"])
  if (listType.isSet && type.text !== "array") mustBe("array", "x-kubernetes-list-type")
  else if (listType.text === "set") checkSet(field.at("items"))
  listType.oneOfIfSet(["atomic", "set", "map"])
  const keys = textsAt(field.map, "x-kubernetes-list-map-keys")
  if (keys.length > 0 && listType.text !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty"
    if (listType.isSet) listType.invalid(detail)
    else listType.required(detail)
  }
  if (listType.text === "map") checkListMap(field, keys)
  if (listType.text === "map" || listType.text === "set") checkListKeys(field, keys, listType.text)
}

function checkSet(items: Field): void {
  const listType = items.at("x-kubernetes-list-type")
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set"
  const type = items.at("type").text
  if (type === "array" && listType.isSet && listType.text !== "atomic") listType.invalid(detail)
  const mapType = items.at("x-kubernetes-map-type")
  // Go: the message shows the list type.
  if (type === "object" && mapType.text !== "atomic") mapType.holding(listType.value ?? null).invalid(detail)
}

function checkListMap(field: Field, keys: readonly string[]): void {
  const items = field.at("items")
  const names = field.at("x-kubernetes-list-map-keys")
  if (keys.length === 0) names.required("must not be empty if x-kubernetes-list-type is map")
  if (!items.isSet) {
    items.required("must have a schema if x-kubernetes-list-type is map")
    return
  }
  if (!isMap(items.value)) {
    items.invalid("must only have a single schema if x-kubernetes-list-type is map", goItems(items.value ?? null))
    return
  }
  const type = items.at("type")
  if (type.text !== "object") {
    type.holding(type.text).invalid("must be object if parent array's x-kubernetes-list-type is map")
    return
  }
  const seen = new Set<string>()
  for (const key of keys) {
    const property = items.at("properties").key(key)
    if (!property.isSet) names.invalid("entries must all be names of item properties")
    else if (["array", "object"].includes(property.at("type").text)) {
      // Go: the message shows the type of the item.
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map"
      property.at("type").holding(type.text).invalid(detail)
    }
    if (seen.has(key)) names.invalid("must not contain duplicate entries")
    seen.add(key)
  }
}

function checkListKeys(field: Field, keys: readonly string[], listType: string): void {
  const items = field.at("items")
  if (!isMap(items.value)) return
  if (items.at("nullable").value === true) {
    items.at("nullable").forbidden(`cannot be nullable when x-kubernetes-list-type is ${listType}`)
  }
  if (listType !== "map") return
  const required = listAt(items.map, "required")
  const why = "this property is in x-kubernetes-list-map-keys, so it"
  for (const key of keys) {
    const property = items.at("properties").key(key)
    if (!property.isSet) continue
    if (!required.includes(key) && !property.at("default").isSet) {
      property.at("default").required(`${why} must have a default or be a required property`)
    }
    if (property.at("nullable").value === true) property.at("nullable").forbidden(`${why} cannot be nullable`)
  }
}

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"]
const newline = /[\n\r]/

/** Checks a rule, except for its expressions. */
function checkRule(rule: Field, schema: MapValue): void {
  const text = rule.at("rule").text.trim()
  const message = rule.at("message")
  if (text === "") rule.at("rule").required("rule is not specified")
  else if (message.text !== "" && message.text.trim() === "") message.invalid("must be non-empty if specified")
  else if (newline.test(message.text.trim())) message.invalid("must not contain line breaks")
  else if (newline.test(text) && message.text === "") {
    message.required("message must be specified if rule contains line breaks")
  }
  const expression = rule.at("messageExpression")
  if (expression.text !== "" && expression.text.trim() === "") {
    expression.required("messageExpression must be non-empty if specified")
  }
  rule.at("reason").oneOfIfSet(reasons)
  const path = rule.at("fieldPath")
  if (path.text === "") return
  if (path.text.trim() === "") path.invalid("must be non-empty if specified")
  if (newline.test(path.text)) path.invalid("must not contain line breaks")
  if (fieldPathOf(schema, path.text) === undefined) path.invalid("must be a valid path")
}
