// An OpenAPI v2 document in the form that kubectl reads: the protobuf messages of gnostic's openapi.v2.Document. Numbers of fields are
// those of its .proto file. Of schemas it has what clients go by, but not the bounds of values.
import { formatGoJson } from "../../../json/json.js"
import { listAt, mapAt, textAt } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import { isMap, type MapValue, type Value } from "../../../value/value.js"

/** A message, or a part of one. */
type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()
const nothing: Bytes = new Uint8Array(0)

/** The document as an openapi.v2.Document. */
export function openapiV2Protobuf(document: MapValue): Bytes {
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
    const found = own(item, method)
    return isMap(found) ? message(number, operation(found)) : nothing
  })
  return joined([...operations, parameters(9, item)])
}

function operation(given: MapValue): Bytes {
  return joined([text(5, textAt(given, "operationId")), parameters(8, given), extensions(13, given)])
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
        // ParametersItem, Parameter and NonBodyParameter each hold one of several.
        const oneOf = message(isQuery ? 3 : 4, joined(parts))
        return message(number, message(1, message(2, oneOf)))
      }),
  )
}

function schema(given: MapValue): Bytes {
  const { items, properties, additionalProperties, type } = given
  const required = listAt(given, "required").map(each => text(19, String(each)))
  const values = listAt(given, "enum").map(each => message(20, any(each)))
  return joined([
    text(1, textAt(given, "$ref")),
    text(2, textAt(given, "format")),
    text(4, textAt(given, "description")),
    given.default === undefined ? nothing : message(5, any(given.default)),
    ...required,
    ...values,
    isMap(additionalProperties) ? message(21, message(1, schema(additionalProperties))) : nothing,
    additionalProperties === true ? message(21, flag(2)) : nothing,
    typeof type === "string" ? message(22, text(1, type)) : nothing,
    isMap(items) ? message(23, message(1, schema(items))) : nothing,
    isMap(properties) ? message(25, named(1, properties, schema)) : nothing,
    extensions(31, given),
  ])
}

/** The entries of a map, each as a message of name and value. */
function named(number: number, map: MapValue, write: (value: MapValue) => Bytes): Bytes {
  const entries = Object.entries(map).map(([name, value]) => {
    return message(number, joined([text(1, name), message(2, isMap(value) ? write(value) : nothing)]))
  })
  return joined(entries)
}

function extensions(number: number, holder: MapValue): Bytes {
  const found = Object.entries(holder).filter(([name]) => name.startsWith("x-"))
  return joined(found.map(([name, value]) => message(number, joined([text(1, name), message(2, any(value))]))))
}

/** A value as gnostic's Any: as YAML, of which JSON is a part. */
function any(value: Value): Bytes {
  return text(2, formatGoJson(value, { sorted: false }))
}

/** A string field; nothing for "", as is the custom. */
function text(number: number, value: string): Bytes {
  return value === "" ? nothing : message(number, encoder.encode(value))
}

/** A field with bytes of a known length. */
function message(number: number, bytes: Bytes): Bytes {
  return joined([varint((number << 3) | 2), varint(bytes.length), bytes])
}

/** A boolean field that is true. */
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
