// Converts the server's OpenAPI v3 documents to one v2 document, which can express less.
//
// kubectl reads v2 where the v3 documents are not enough: to check a List, to look for a kind that is not served, and for
// `explain --output=plaintext-openapiv2`. As an API server does, the conversion drops what v2 can't express: alternatives, and everything
// below a field that is nullable or keeps unknown fields. Defaults of built-in kinds are dropped too.

import { listAt, mapAt, textAt, withKeys } from "../../../value/fields.js"
import { own, put } from "../../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../../value/value.js"

const reference = "$ref"

/** Combines v3 documents into one v2 document. `custom` is the names of the schemas of custom resources, which keep their defaults. */
export function toOpenAPIv2(documents: readonly MapValue[], custom: ReadonlySet<string>): MapValue {
  const paths: Record<string, Value> = {}
  const definitions: Record<string, Value> = {}
  for (const document of documents) {
    for (const [path, item] of Object.entries(mapAt(document, "paths"))) {
      if (isMap(item)) put(paths, path, convertPathItem(item))
    }
    for (const [name, schema] of Object.entries(mapAt(mapAt(document, "components"), "schemas"))) {
      if (isMap(schema)) put(definitions, name, convertSchema(schema, custom.has(name)))
    }
  }
  return { swagger: "2.0", info: { title: "Kubernetes", version: "unversioned" }, paths, definitions }
}

const methods = ["get", "put", "post", "delete", "patch"]

function convertPathItem(item: MapValue): MapValue {
  const operations = methods.flatMap(method => {
    const operation = own(item, method)
    return isMap(operation) ? [[method, convertOperation(operation)]] : []
  })
  const parameters = listAt(item, "parameters").filter(isMap).flatMap(convertParameter)
  return { ...Object.fromEntries(operations), ...(parameters.length > 0 && { parameters }) }
}

/** Converts an operation. The bodies of requests and responses are dropped, since no client reads them from v2. */
function convertOperation(operation: MapValue): MapValue {
  const { requestBody: _, parameters: __, responses, ...rest } = operation
  const parameters = listAt(operation, "parameters").filter(isMap).flatMap(convertParameter)
  const descriptions = Object.entries(isMap(responses) ? responses : {}).map(([code, response]) => {
    return [code, { description: isMap(response) ? textAt(response, "description") : "" }]
  })
  return { ...rest, ...(parameters.length > 0 && { parameters }), responses: Object.fromEntries(descriptions) }
}

/** Converts a parameter: v2 has its type in the parameter, v3 in a schema. Returns nothing for a header or a cookie. */
function convertParameter(parameter: MapValue): MapValue[] {
  const { schema, ...rest } = parameter
  if (!["path", "query"].includes(textAt(parameter, "in"))) return []
  const { type = "string", format, uniqueItems } = isMap(schema) ? schema : {}
  return [{ ...rest, type, ...(format !== undefined && { format }), ...(uniqueItems !== undefined && { uniqueItems }) }]
}

function convertSchema(schema: MapValue, keepsDefaults: boolean): MapValue {
  const target = referenceTarget(schema)
  if (target !== "") {
    const description = own(schema, "description")
    return { [reference]: target, ...(description !== undefined && { description }) }
  }
  const { allOf: _, anyOf: __, oneOf, not: ___, nullable: ____, ...narrow } = schema
  const { items, properties, additionalProperties, ...all } = narrow
  const rest = keepsDefaults ? all : withKeys(all, { default: undefined })
  const keepsUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true
  if (schema.nullable === true) return withKeys(rest, { type: undefined, required: undefined })
  if (keepsUnknown) return withKeys(rest, { type: withoutContainerType(rest.type) })
  const required = listAt(schema, "required").filter(
    name => mapAt(mapAt(schema, "properties"), String(name)).nullable !== true,
  )
  return withKeys(rest, {
    ...(isChoiceOfTypes(oneOf) && { type: "string" }),
    ...(rest.type === "array" && !isMap(items) && { type: undefined }),
    required: required.length === 0 ? undefined : required,
    ...(isMap(items) && { items: convertSchema(items, keepsDefaults) }),
    ...(isMap(properties) && { properties: convertProperties(properties, keepsDefaults) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: isMap(additionalProperties)
        ? convertSchema(additionalProperties, keepsDefaults)
        : additionalProperties,
    }),
  })
}

/** Whether the alternatives differ in their type only. A quantity is such a choice, of text or number, and v2 says text. */
function isChoiceOfTypes(oneOf: Value | undefined): boolean {
  return isList(oneOf) && oneOf.every(each => isMap(each) && Object.keys(each).join() === "type")
}

/** Returns undefined for `object` and `array`, since clients treat such a type as broken if it has no properties or items. */
function withoutContainerType(type: Value | undefined): Value | undefined {
  return type === "object" || type === "array" ? undefined : type
}

function convertProperties(properties: MapValue, keepsDefaults: boolean): MapValue {
  const out: Record<string, Value> = {}
  for (const [name, property] of Object.entries(properties))
    put(out, name, isMap(property) ? convertSchema(property, keepsDefaults) : {})
  return out
}

/** Returns the target of a reference, "" for other schemas. v3 wraps a reference in `allOf` if the schema has more keys. */
function referenceTarget(schema: MapValue): string {
  const [only] = listAt(schema, "allOf")
  const direct = textAt(schema, reference) || (isMap(only) ? textAt(only, reference) : "")
  return direct.replace("#/components/schemas/", "#/definitions/")
}
