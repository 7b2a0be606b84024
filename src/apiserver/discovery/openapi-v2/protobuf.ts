// Encodes an OpenAPI v2 document in the protobuf that kubectl reads: gnostic's openapi.v2.Document, with the field numbers of its .proto
// file. Schemas lose keywords that clients do not use, such as limits on values.
import { formatGoJson } from "../../../json/json.js"
import { listAt, mapAt, textAt } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import { isMap, type MapValue, type Value } from "../../../value/value.js"

/** An encoded message, or a part of one. */
type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()
const nothing: Bytes = new Uint8Array(0)

/** Encodes the document as an openapi.v2.Document. */
export function encodeOpenAPIv2(document: MapValue): Bytes {
  const info = mapAt(document, "info")
  return joined([
    text(1, textAt(document, "swagger")),
    message(2, joined([text(1, textAt(info, "title")), text(2, textAt(info, "version"))])),
    message(8, named(2, mapAt(document, "paths"), pathItem)),
    message(9, named(1, mapAt(document, "definitions"), schema)),
  ])
}

function pathItem(item: MapValue): Bytes {
  const numbers = { get: 2, put: 3, post: 4, delete: 5, patch: 8 }
  const operations = Object.entries(numbers).map(([method, number]) => {
    const value = own(item, method)
    return isMap(value) ? message(number, operation(value)) : nothing
  })
  return joined([...operations, parameters(9, item)])
}

function operation(value: MapValue): Bytes {
  return joined([text(5, textAt(value, "operationId")), parameters(8, value), extensions(13, value)])
}

function parameters(number: number, holder: MapValue): Bytes {
  return joined(
    listAt(holder, "parameters")
      .filter(isMap)
      .map(each => {
        const isQuery = each.in === "query"
        const parts = [
          each.required === true ? flag(1) : nothing,
          text(2, textAt(each, "in")),
          text(4, textAt(each, "name")),
          text(isQuery ? 6 : 5, textAt(each, "type")),
        ]
        // ParametersItem, Parameter and NonBodyParameter are unions, so each wraps one message.
        const oneOf = message(isQuery ? 3 : 4, joined(parts))
        return message(number, message(1, message(2, oneOf)))
      }),
  )
}

function schema(source: MapValue): Bytes {
  const { items, properties, additionalProperties, type } = source
  const required = listAt(source, "required").map(each => text(19, String(each)))
  const values = listAt(source, "enum").map(each => message(20, any(each)))
  return joined([
    text(1, textAt(source, "$ref")),
    text(2, textAt(source, "format")),
    text(4, textAt(source, "description")),
    source.default === undefined ? nothing : message(5, any(source.default)),
    ...required,
    ...values,
    isMap(additionalProperties) ? message(21, message(1, schema(additionalProperties))) : nothing,
    additionalProperties === true ? message(21, flag(2)) : nothing,
    typeof type === "string" ? message(22, text(1, type)) : nothing,
    isMap(items) ? message(23, message(1, schema(items))) : nothing,
    isMap(properties) ? message(25, named(1, properties, schema)) : nothing,
    extensions(31, source),
  ])
}

/** Encodes each entry of a map as a message with name and value. */
function named(number: number, map: MapValue, write: (value: MapValue) => Bytes): Bytes {
  const entries = Object.entries(map).map(([name, value]) => {
    return message(number, joined([text(1, name), message(2, isMap(value) ? write(value) : nothing)]))
  })
  return joined(entries)
}

function extensions(number: number, holder: MapValue): Bytes {
  const entries = Object.entries(holder).filter(([name]) => name.startsWith("x-"))
  return joined(entries.map(([name, value]) => message(number, joined([text(1, name), message(2, any(value))]))))
}

/** Encodes a value as gnostic's Any, which holds YAML: JSON is valid YAML. */
function any(value: Value): Bytes {
  return text(2, formatGoJson(value, { sorted: false }))
}

/** Encodes a string field; no bytes for "", as in proto3. */
function text(number: number, value: string): Bytes {
  return value === "" ? nothing : message(number, encoder.encode(value))
}

/** Encodes a field whose bytes follow their length. */
function message(number: number, bytes: Bytes): Bytes {
  return joined([varint((number << 3) | 2), varint(bytes.length), bytes])
}

/** Encodes a boolean field that is true. */
function flag(number: number): Bytes {
  return joined([varint(number << 3), varint(1)])
}

function varint(value: number): Bytes {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}

function joined(parts: readonly Bytes[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
