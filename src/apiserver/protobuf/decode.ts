// Decodes protobuf to JSON values: those that Go gets by decoding the bytes to a struct and encoding the struct as JSON.
//
// A message is decoded in two steps. `collect` splits the bytes by field number and wire type. Then every field of the type is converted
// to its JSON value, even if the bytes lack it: a field without `omitempty` has its zero value in JSON.
import type { BinaryReader } from "@bufbuild/protobuf/wire"
import { parseJson } from "../../json/json.js"
import { formatTime } from "../../managedfields/entries/time.js"
import { base64, joined } from "../../value/bytes.js"
import { maxDepth } from "../../value/depth.js"
import { own, put } from "../../value/object.js"
import { formatQuantity } from "../../value/quantity.js"
import { integer, type MapValue, type Value } from "../../value/value.js"
import type { CustomJson, FieldType, MessageField, MessageType, Scalar } from "./message-types.js"

/** Creates a reader for these bytes. */
export type NewReader = (bytes: Uint8Array) => BinaryReader

/** A value from the wire: bytes for a string or a message. */
type Part = Uint8Array | number | bigint | boolean

/** Decodes a message to its JSON value. Throws an Error or a RangeError for malformed bytes. */
export function decodeMessage(bytes: Uint8Array, type: MessageType, newReader: NewReader): Record<string, Value> {
  return new Decoder(newReader).message(type, [bytes], 0)
}

class Decoder {
  private readonly newReader: NewReader
  private readonly text = new TextDecoder("utf-8", { ignoreBOM: true })

  constructor(newReader: NewReader) {
    this.newReader = newReader
  }

  /** Decodes a message from all its parts: protobuf merges a message field that occurs more than once. */
  message(type: MessageType, parts: readonly Part[], depth: number): Record<string, Value> {
    if (depth > maxDepth) throw new RangeError(`messages nest deeper than ${maxDepth} levels`)
    const partsByField = this.collect(type, joined(parts as readonly Uint8Array[]))
    const out: Record<string, Value> = {}
    for (const field of type.fields) {
      const fieldParts = partsByField.get(field) ?? noParts
      const value = this.value(field.type, fieldParts, depth)
      if (field.name === "") {
        const embedded = value as MapValue
        for (const key in embedded) put(out, key, own(embedded, key) as Value)
      } else if (!field.omitted || !isEmpty(field.type, fieldParts, value)) {
        put(out, field.name, value)
      }
    }
    return out
  }

  /** Returns the parts of each field. Skips fields that the type does not have. */
  private collect(type: MessageType, bytes: Uint8Array): Map<MessageField, Part[]> {
    const partsByField = new Map<MessageField, Part[]>()
    const reader = this.newReader(bytes)
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag()
      const field = type.field(number)
      if (field === undefined) {
        reader.skip(wireType, number)
        continue
      }
      let parts = partsByField.get(field)
      if (parts === undefined) partsByField.set(field, (parts = []))
      this.read(reader, wireType, field, parts)
    }
    checkEnd(reader)
    return partsByField
  }

  private read(reader: BinaryReader, wireType: number, field: MessageField, parts: Part[]): void {
    const { type } = field
    const item = type.kind === "list" || type.kind === "pointer" ? type.of : type
    const scalar = item.kind === "scalar" ? item.scalar : "y"
    if (wireType === wireTypes[scalar]) {
      parts.push(readPart(reader, scalar))
    } else if (wireType === wireTypes.y && type.kind === "list") {
      // A packed list of numbers is one sequence of bytes.
      const packed = this.newReader(reader.bytes())
      while (packed.pos < packed.len) parts.push(readPart(packed, scalar))
      checkEnd(packed)
    } else {
      throw new Error(`wrong wire type ${wireType} for field ${field.name || field.number}`)
    }
  }

  /** Converts the parts of a field to its JSON value. */
  private value(type: FieldType, parts: readonly Part[], depth: number): Value {
    switch (type.kind) {
      case "scalar":
        return this.scalar(type.scalar, parts.at(-1))
      case "struct":
        return this.message(type.message, parts, depth + 1)
      case "customJson":
        if (isTime(type.format) && joined(parts as readonly Uint8Array[]).length === 0) return null
        return customJson(type.format, this.message(type.message, parts, depth + 1))
    }
    if (parts.length === 0) return null
    switch (type.kind) {
      case "pointer":
        return this.value(type.of, parts, depth)
      case "list":
        return parts.map(part => this.value(type.of, [part], depth))
      case "map":
        return this.map(type.entry, parts, depth)
    }
  }

  private scalar(scalar: Scalar, part: Part | undefined): Value {
    if (part === undefined) return zeros[scalar]
    if (typeof part === "bigint") return integer(part)
    if (typeof part !== "object") return part
    return scalar === "s" ? this.text.decode(part) : base64(part)
  }

  private map(entry: MessageType, parts: readonly Part[], depth: number): MapValue {
    const out: Record<string, Value> = {}
    for (const part of parts) {
      const { key, value = null } = this.message(entry, [part], depth + 1)
      // Go: bytes that an entry lacks are empty, not absent.
      const isBytes = value === null && entry.field(2)?.type.kind === "scalar"
      put(out, key as string, isBytes ? "" : value)
    }
    return out
  }
}

const noParts: readonly Part[] = []

const wireTypes: Readonly<Record<Scalar, number>> = { b: 0, i: 0, l: 0, d: 1, s: 2, y: 2 }

const zeros: Readonly<Record<Scalar, Value>> = { s: "", b: false, i: 0, l: 0, d: 0, y: null }

/** Converts the fields of a struct with JSON of its own to that JSON. */
function customJson(format: CustomJson, fields: Readonly<Record<string, Value>>): Value {
  const { string, type, integer: number, text, seconds, nanos, raw, list, single, allows, schema, items } = fields
  switch (format) {
    case "quantity":
      return string === "" ? "0" : formatQuantity(string as string)
    case "intOrString":
      if (type !== 0 && type !== 1) throw new RangeError(`impossible type ${type} of an IntOrString`)
      return (type === 0 ? number : text) as Value
    case "time":
    case "microTime":
      return timeJson(Number(seconds), format === "microTime" ? Number(nanos) : undefined)
    case "raw":
      return raw === "" ? null : parseJson(raw as string)
    case "either":
      return (list ?? single) as Value
    case "schemaOrBool":
      return (schema ?? allows) as Value
    case "items":
      // Go: such a list is never absent.
      return items ?? []
  }
}

function isTime(format: CustomJson): boolean {
  return format === "time" || format === "microTime"
}

function readPart(reader: BinaryReader, scalar: Scalar): Part {
  switch (scalar) {
    case "b":
      return reader.bool()
    case "i":
      return reader.int32()
    case "l":
      return BigInt(reader.int64())
    case "d": {
      const number = reader.double()
      if (!Number.isFinite(number)) throw new RangeError(`JSON has no number ${number}`)
      return number
    }
    default:
      return reader.bytes()
  }
}

function checkEnd({ pos, len }: BinaryReader): void {
  if (pos > len) throw new RangeError("unexpected end of the message")
}

/** Whether `omitempty` omits the field. A pointer is omitted only if it is nil, whatever value it points to. */
function isEmpty(type: FieldType, parts: readonly Part[], value: Value): boolean {
  if (type.kind === "pointer") return parts.length === 0
  return value === null || value === "" || value === 0 || value === false
}

/** Go's zero time, the start of the year 1, in seconds. */
const zeroTime = -62135596800

/** Formats a time for JSON, with microseconds if `nanos` is set; null for the zero time. */
function timeJson(seconds: number, nanos: number | undefined): Value {
  const micros = Math.trunc((nanos ?? 0) / 1000)
  const carriedSeconds = Math.floor(micros / 1e6)
  const rest = micros - carriedSeconds * 1e6
  const wholeSeconds = seconds + carriedSeconds
  if (wholeSeconds === zeroTime && rest === 0) return null
  const text = formatTime(new Date(wholeSeconds * 1000))
  return nanos === undefined ? text : text.replace("Z", `.${String(rest).padStart(6, "0")}Z`)
}
