// The built-in types as protobuf messages: the number, the JSON name and the type of each field.
//
// fields-data.ts has them as text. A line of `typesData` is a struct. Its fields, separated by spaces, are in the order of the JSON. A
// field is its number, its name ("" for an embedded struct), `?` if JSON omits an empty value or else `=`, and its type. A type is a letter
// for a scalar or for a struct with JSON of its own, or the number of a line. A type may follow `*` (pointer), `[` (list), `{` (map) or `(`
// (a message whose only field is a list).
import { kindsData, typesData } from "./fields-data.js"

/** The type of a field. */
export type FieldType =
  | { readonly kind: "scalar"; readonly scalar: Scalar }
  | { readonly kind: "pointer" | "list"; readonly of: FieldType }
  /** `entry` has the fields `key` and `value`. */
  | { readonly kind: "map"; readonly entry: MessageType }
  | { readonly kind: "struct"; readonly message: MessageType }
  /** A struct with JSON of its own, in this format. */
  | { readonly kind: "customJson"; readonly format: CustomJson; readonly message: MessageType }

/** A string, a boolean, an integer of 32 or 64 bits, a float, or bytes. */
export type Scalar = "s" | "b" | "i" | "l" | "d" | "y"

/** The formats of structs with JSON of their own. */
export type CustomJson = "quantity" | "intOrString" | "time" | "microTime" | "raw" | "either" | "schemaOrBool" | "items"

/** A field of a message. */
export interface MessageField {
  readonly number: number
  /** The key in JSON; "" for a struct that is embedded. */
  readonly name: string
  /** Whether JSON omits the field when it is empty. */
  readonly omitted: boolean
  readonly type: FieldType
}

/** The message for a Go struct. */
export class MessageType {
  private readonly line: string
  private parsed: readonly MessageField[] | undefined
  private byNumber: ReadonlyMap<number, MessageField> | undefined

  constructor(line: string) {
    this.line = line
  }

  /** The fields in the order of the JSON. */
  get fields(): readonly MessageField[] {
    // Parsed on first use, since types refer to each other in cycles.
    this.parsed ??= this.line === "" ? [] : this.line.split(" ").map(parseField)
    return this.parsed
  }

  /** Finds a field by its number. */
  field(number: number): MessageField | undefined {
    this.byNumber ??= new Map(this.fields.map(field => [field.number, field]))
    return this.byNumber.get(number)
  }
}

/** Returns the message of a kind; undefined if the kind is not built in. `DeleteOptions` exists at every version. */
export function messageTypeOf(apiVersion: string, kind: string): MessageType | undefined {
  kinds ??= parseKinds()
  return kinds.get(`${kind === "DeleteOptions" ? "" : apiVersion} ${kind}`)
}

let kinds: ReadonlyMap<string, MessageType> | undefined
let structs: readonly MessageType[] | undefined

function parseKinds(): Map<string, MessageType> {
  const messages = new Map<string, MessageType>()
  for (const line of kindsData.split("\n")) {
    const [apiVersion = "", ...rows] = line.split(" ")
    for (const row of rows) {
      const [kind, number] = row.split(":")
      messages.set(`${apiVersion} ${kind}`, structAt(Number(number)))
    }
  }
  return messages
}

function structAt(number: number): MessageType {
  structs ??= typesData.split("\n").map(line => new MessageType(line))
  const struct = structs[number]
  if (struct === undefined) throw new RangeError(`no struct has the number ${number}`)
  return struct
}

function parseField(text: string): MessageField {
  const [, number, name = "", omission, type = ""] = /^(\d+)([^?=]*)([?=])(.+)$/.exec(text) ?? []
  return { number: Number(number), name, omitted: omission === "?", type: fieldType(type) }
}

const types = new Map<string, FieldType>()

function fieldType(text: string): FieldType {
  let type = types.get(text)
  if (type === undefined) types.set(text, (type = parseType(text)))
  return type
}

function parseType(text: string): FieldType {
  const [first = "", rest] = [text[0], text.slice(1)]
  const custom = (format: CustomJson, line: string): FieldType => ({
    kind: "customJson",
    format,
    message: new MessageType(line),
  })
  switch (first) {
    case "s":
    case "b":
    case "i":
    case "l":
    case "d":
    case "y":
      return { kind: "scalar", scalar: first }
    case "*":
      return { kind: "pointer", of: fieldType(rest) }
    case "[":
      return { kind: "list", of: fieldType(rest) }
    case "{":
      return { kind: "map", entry: new MessageType(`1key=s 2value=${rest}`) }
    case "(":
      return custom("items", `1items=[${rest}`)
    case "Q":
      return custom("quantity", "1string=s")
    case "I":
      return custom("intOrString", "1type=l 2integer=i 3text=s")
    case "T":
      return custom("time", "1seconds=l 2nanos=i")
    case "M":
      return custom("microTime", "1seconds=l 2nanos=i")
    case "J":
      return custom("raw", "1raw=s")
    case "A":
      return custom("either", `2list=[${rest} 1single=*${rest}`)
    case "P":
      return custom("either", `2list=[s 1single=*${rest}`)
    case "B":
      return custom("schemaOrBool", `1allows=b 2schema=*${rest}`)
    default:
      return { kind: "struct", message: structAt(Number(text)) }
  }
}
