// The OpenAPI v2 document of the server, made of its v3 documents: one for all groups, in the narrower language of v2.
//
// kubectl asks for it where the v3 documents do not do: to check a List, to look for a kind that is not served, and for
// `explain --output=plaintext-openapiv2`. What v2 can't say is left out as an API server leaves it out: alternatives, and whatever
// is below a field that is nullable or keeps unknown fields.

import { listAt, mapAt, textAt, withKeys } from "../../../value/fields.js"
import { own, put } from "../../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../../value/value.js"

const reference = "$ref"

/** The v2 document of these v3 documents. */
export function openapiV2(documents: readonly MapValue[]): MapValue {
  const paths: Record<string, Value> = {}
  const definitions: Record<string, Value> = {}
  for (const document of documents) {
    for (const [path, item] of Object.entries(mapAt(document, "paths"))) {
      if (isMap(item)) put(paths, path, pathItem(item))
    }
    for (const [name, schema] of Object.entries(mapAt(mapAt(document, "components"), "schemas"))) {
      if (isMap(schema)) put(definitions, name, schemaOf(schema))
    }
  }
  return { swagger: "2.0", info: { title: "Kubernetes", version: "unversioned" }, paths, definitions }
}

const methods = ["get", "put", "post", "delete", "patch"]

function pathItem(item: MapValue): MapValue {
  const found = methods.flatMap(method => {
    const operation = own(item, method)
    return isMap(operation) ? [[method, operationOf(operation)]] : []
  })
  const parameters = listAt(item, "parameters").filter(isMap).flatMap(parameterOf)
  return { ...Object.fromEntries(found), ...(parameters.length > 0 && { parameters }) }
}

/** An operation without bodies: nobody looks these up here. */
function operationOf(operation: MapValue): MapValue {
  const { requestBody: _, parameters: __, responses, ...rest } = operation
  const parameters = listAt(operation, "parameters").filter(isMap).flatMap(parameterOf)
  const answers = Object.entries(isMap(responses) ? responses : {}).map(([code, response]) => {
    return [code, { description: isMap(response) ? textAt(response, "description") : "" }]
  })
  return { ...rest, ...(parameters.length > 0 && { parameters }), responses: Object.fromEntries(answers) }
}

/** A parameter has its type itself, and no schema. */
function parameterOf(parameter: MapValue): MapValue[] {
  const { schema, ...rest } = parameter
  if (!["path", "query"].includes(textAt(parameter, "in"))) return []
  const { type = "string", format, uniqueItems } = isMap(schema) ? schema : {}
  return [{ ...rest, type, ...(format !== undefined && { format }), ...(uniqueItems !== undefined && { uniqueItems }) }]
}

/** A schema in the language of v2. */
function schemaOf(schema: MapValue): MapValue {
  const target = targetOf(schema)
  if (target !== "") {
    const description = own(schema, "description")
    return { [reference]: target, ...(description !== undefined && { description }) }
  }
  const { allOf: _, anyOf: __, oneOf, not: ___, nullable: ____, ...narrow } = schema
  const { items, properties, additionalProperties, ...rest } = narrow
  const keepsUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true
  if (schema.nullable === true) return withKeys(rest, { type: undefined, required: undefined })
  if (keepsUnknown) return withKeys(rest, { type: untyped(rest.type) })
  const required = listAt(schema, "required").filter(
    name => mapAt(mapAt(schema, "properties"), String(name)).nullable !== true,
  )
  return withKeys(rest, {
    ...(isEitherType(oneOf) && { type: "string" }),
    ...(rest.type === "array" && !isMap(items) && { type: undefined }),
    required: required.length === 0 ? undefined : required,
    ...(isMap(items) && { items: schemaOf(items) }),
    ...(isMap(properties) && { properties: propertiesOf(properties) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: isMap(additionalProperties) ? schemaOf(additionalProperties) : additionalProperties,
    }),
  })
}

/** Whether these are alternatives of nothing but the type: a quantity is text or a number, and v2 says text. */
function isEitherType(oneOf: Value | undefined): boolean {
  return isList(oneOf) && oneOf.every(each => isMap(each) && Object.keys(each).join() === "type")
}

/** Clients take an object or a list without parts for a broken one. */
function untyped(type: Value | undefined): Value | undefined {
  return type === "object" || type === "array" ? undefined : type
}

function propertiesOf(properties: MapValue): MapValue {
  const out: Record<string, Value> = {}
  for (const [name, property] of Object.entries(properties)) put(out, name, isMap(property) ? schemaOf(property) : {})
  return out
}

/** What the schema refers to, "" if nothing. v3 wraps references that have more beside them. */
function targetOf(schema: MapValue): string {
  const [only] = listAt(schema, "allOf")
  const direct = textAt(schema, reference) || (isMap(only) ? textAt(only, reference) : "")
  return direct.replace("#/components/schemas/", "#/definitions/")
}
