// Protobuf to the JSON value that Go has for the same object: it reads the bytes into a struct, and writes that as JSON.
//
// A message is read in two steps. `collect` takes the bytes apart, by the numbers and wire types of the fields. Then every field
// of the type gets its JSON value, also those that were not there: what JSON does not leave out has its zero value.
import type { BinaryReader } from "@bufbuild/protobuf/wire"
import { parseJson } from "../../json/json.js"
import { formatTime } from "../../managedfields/entries/time.js"
import { base64, joined } from "../../value/bytes.js"
import { maxDepth } from "../../value/depth.js"
import { own, put } from "../../value/object.js"
import { formatQuantity } from "../../value/quantity.js"
import { integer, type MapValue, type Value } from "../../value/value.js"
import type { FieldType, Form, MessageField, MessageType, Scalar } from "./message-types.js"

/** Makes a reader of these bytes. */
export type NewReader = (bytes: Uint8Array) => BinaryReader

/** What stands on the wire for a field: bytes for a string or a message. */
type Part = Uint8Array | number | bigint | boolean

/** The JSON value of a message. Throws an Error or a RangeError that says what is wrong with the bytes. */
export function decodeMessage(bytes: Uint8Array, type: MessageType, newReader: NewReader): Record<string, Value> {
  return new Decoder(newReader).message(type, [bytes], 0)
}

class Decoder {
  private readonly newReader: NewReader
  private readonly text = new TextDecoder("utf-8", { ignoreBOM: true })

  constructor(newReader: NewReader) {
    this.newReader = newReader
  }

  /** The message whose bytes are these, one after the other: a message that comes twice is put together. */
  message(type: MessageType, parts: readonly Part[], depth: number): Record<string, Value> {
    if (depth > maxDepth) throw new RangeError(`messages nest deeper than ${maxDepth} levels`)
    const found = this.collect(type, joined(parts as readonly Uint8Array[]))
    const out: Record<string, Value> = {}
    for (const field of type.fields) {
      const its = found.get(field) ?? none
      const value = this.value(field.type, its, depth)
      if (field.name === "") {
        const embedded = value as MapValue
        for (const key in embedded) put(out, key, own(embedded, key) as Value)
      } else if (!field.omitted || !isEmpty(field.type, its, value)) {
        put(out, field.name, value)
      }
    }
    return out
  }

  /** What the bytes have of each field. Fields that the type does not have are passed over. */
  private collect(type: MessageType, bytes: Uint8Array): Map<MessageField, Part[]> {
    const found = new Map<MessageField, Part[]>()
    const reader = this.newReader(bytes)
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag()
      const field = type.field(number)
      if (field === undefined) {
        reader.skip(wireType, number)
        continue
      }
      let parts = found.get(field)
      if (parts === undefined) found.set(field, (parts = []))
      this.read(reader, wireType, field, parts)
    }
    checkEnd(reader)
    return found
  }

  private read(reader: BinaryReader, wireType: number, field: MessageField, parts: Part[]): void {
    const { type } = field
    const item = type.kind === "list" || type.kind === "pointer" ? type.of : type
    const scalar = item.kind === "scalar" ? item.scalar : "y"
    if (wireType === wireTypes[scalar]) {
      parts.push(readPart(reader, scalar))
    } else if (wireType === wireTypes.y && type.kind === "list") {
      // A list of numbers can be packed into one part.
      const packed = this.newReader(reader.bytes())
      while (packed.pos < packed.len) parts.push(readPart(packed, scalar))
      checkEnd(packed)
    } else {
      throw new Error(`wrong wire type ${wireType} for field ${field.name || field.number}`)
    }
  }

  /** The JSON value of a field for which these parts were found. */
  private value(type: FieldType, parts: readonly Part[], depth: number): Value {
    switch (type.kind) {
      case "scalar":
        return this.scalar(type.scalar, parts.at(-1))
      case "struct":
        return this.message(type.message, parts, depth + 1)
      case "formed":
        if (isTime(type.form) && joined(parts as readonly Uint8Array[]).length === 0) return null
        return formed(type.form, this.message(type.message, parts, depth + 1))
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

const none: readonly Part[] = []

const wireTypes: Readonly<Record<Scalar, number>> = { b: 0, i: 0, l: 0, d: 1, s: 2, y: 2 }

const zeros: Readonly<Record<Scalar, Value>> = { s: "", b: false, i: 0, l: 0, d: 0, y: null }

/** The JSON of a struct that has one of its own, from that of its fields. */
function formed(form: Form, fields: Readonly<Record<string, Value>>): Value {
  const { string, type, integer: number, text, seconds, nanos, raw, list, single, allows, schema, items } = fields
  switch (form) {
    case "quantity":
      return string === "" ? "0" : formatQuantity(string as string)
    case "intOrString":
      if (type !== 0 && type !== 1) throw new RangeError(`impossible type ${type} of an IntOrString`)
      return (type === 0 ? number : text) as Value
    case "time":
    case "microTime":
      return timeOf(Number(seconds), form === "microTime" ? Number(nanos) : undefined)
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

function isTime(form: Form): boolean {
  return form === "time" || form === "microTime"
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

/** Whether `omitempty` leaves a field out. A pointer is left out if there is none, whatever it would point to. */
function isEmpty(type: FieldType, parts: readonly Part[], value: Value): boolean {
  if (type.kind === "pointer") return parts.length === 0
  return value === null || value === "" || value === 0 || value === false
}

/** The start of the year 1, which is Go's zero time. */
const zeroTime = -62135596800

/** A time as its JSON: null for the zero time; with microseconds if `nanos` are given. */
function timeOf(seconds: number, nanos: number | undefined): Value {
  const micros = Math.trunc((nanos ?? 0) / 1000)
  const carried = Math.floor(micros / 1e6)
  const rest = micros - carried * 1e6
  const whole = seconds + carried
  if (whole === zeroTime && rest === 0) return null
  const text = formatTime(new Date(whole * 1000))
  return nanos === undefined ? text : text.replace("Z", `.${String(rest).padStart(6, "0")}Z`)
}
