// Encodes an OpenAPI v2 document in the protobuf that kubectl reads: gnostic's openapi.v2.Document, with the field numbers of its .proto
// file. Schemas lose keywords that clients do not use, such as limits on values.
import { formatGoJson } from "../../../json/json.js"
import { joined } from "../../../value/bytes.js"
import { listAt, mapAt, textAt } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import { encodeField, encodeNumber, encodeText } from "../../../value/protobuf.js"
import { isMap, type MapValue, type Value } from "../../../value/value.js"

const nothing: Uint8Array = new Uint8Array(0)

/** Encodes the document as an openapi.v2.Document. */
export function encodeOpenAPIv2(document: MapValue): Uint8Array {
  const info = mapAt(document, "info")
  return joined([
    text(1, textAt(document, "swagger")),
    encodeField(2, joined([text(1, textAt(info, "title")), text(2, textAt(info, "version"))])),
    encodeField(8, named(2, mapAt(document, "paths"), pathItem)),
    encodeField(9, named(1, mapAt(document, "definitions"), schema)),
  ])
}

function pathItem(item: MapValue): Uint8Array {
  const numbers = { get: 2, put: 3, post: 4, delete: 5, patch: 8 }
  const operations = Object.entries(numbers).map(([method, number]) => {
    const value = own(item, method)
    return isMap(value) ? encodeField(number, operation(value)) : nothing
  })
  return joined([...operations, parameters(9, item)])
}

function operation(value: MapValue): Uint8Array {
  return joined([text(5, textAt(value, "operationId")), parameters(8, value), extensions(13, value)])
}

function parameters(number: number, holder: MapValue): Uint8Array {
  return joined(
    listAt(holder, "parameters")
      .filter(isMap)
      .map(each => {
        const isQuery = each.in === "query"
        const parts = [
          each.required === true ? encodeNumber(1, 1) : nothing,
          text(2, textAt(each, "in")),
          text(4, textAt(each, "name")),
          text(isQuery ? 6 : 5, textAt(each, "type")),
        ]
        // ParametersItem, Parameter and NonBodyParameter are unions, so each wraps one message.
        const oneOf = encodeField(isQuery ? 3 : 4, joined(parts))
        return encodeField(number, encodeField(1, encodeField(2, oneOf)))
      }),
  )
}

function schema(source: MapValue): Uint8Array {
  const { items, properties, additionalProperties, type } = source
  const required = listAt(source, "required").map(each => text(19, String(each)))
  const values = listAt(source, "enum").map(each => encodeField(20, any(each)))
  return joined([
    text(1, textAt(source, "$ref")),
    text(2, textAt(source, "format")),
    text(4, textAt(source, "description")),
    source.default === undefined ? nothing : encodeField(5, any(source.default)),
    ...required,
    ...values,
    isMap(additionalProperties) ? encodeField(21, encodeField(1, schema(additionalProperties))) : nothing,
    additionalProperties === true ? encodeField(21, encodeNumber(2, 1)) : nothing,
    typeof type === "string" ? encodeField(22, text(1, type)) : nothing,
    isMap(items) ? encodeField(23, encodeField(1, schema(items))) : nothing,
    isMap(properties) ? encodeField(25, named(1, properties, schema)) : nothing,
    extensions(31, source),
  ])
}

/** Encodes each entry of a map as a message with name and value. */
function named(number: number, map: MapValue, write: (value: MapValue) => Uint8Array): Uint8Array {
  const entries = Object.entries(map).map(([name, value]) => {
    return encodeField(number, joined([text(1, name), encodeField(2, isMap(value) ? write(value) : nothing)]))
  })
  return joined(entries)
}

function extensions(number: number, holder: MapValue): Uint8Array {
  const entries = Object.entries(holder).filter(([name]) => name.startsWith("x-"))
  return joined(
    entries.map(([name, value]) => encodeField(number, joined([text(1, name), encodeField(2, any(value))]))),
  )
}

/** Encodes a value as gnostic's Any, which holds YAML: JSON is valid YAML. */
function any(value: Value): Uint8Array {
  return text(2, formatGoJson(value, { sorted: false }))
}

/** Encodes a string field; no bytes for "", as in proto3. */
function text(number: number, value: string): Uint8Array {
  return value === "" ? nothing : encodeText(number, value)
}
