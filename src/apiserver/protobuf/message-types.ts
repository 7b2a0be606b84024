// The built-in types as messages: which field a number stands for, what it is called in JSON, and of what type it is.
//
// fields-data.ts spells it as text. A line of `typesData` is a struct; its fields are divided by spaces, in the order of the JSON:
// a number, the name ("" for a struct whose fields are those of the one around it), `?` if the field is left out when it is empty
// or else `=`, and the type. A type is a letter for a scalar or for a struct that has a JSON of its own, or the number of a line,
// or one of `*` (pointer), `[` (list), `{` (map), `(` (a message whose one field is a list) with a type after it.
import { kindsData, typesData } from "./fields-data.js"

export type FieldType =
  | { readonly kind: "scalar"; readonly scalar: Scalar }
  | { readonly kind: "pointer" | "list"; readonly of: FieldType }
  /** `entry` has the fields `key` and `value`. */
  | { readonly kind: "map"; readonly entry: MessageType }
  | { readonly kind: "struct"; readonly message: MessageType }
  /** A struct whose JSON is not that of its fields; `form` says what it is. */
  | { readonly kind: "formed"; readonly form: Form; readonly message: MessageType }

/** A string, a boolean, an integer of 32 or 64 bits, a float, or bytes. */
export type Scalar = "s" | "b" | "i" | "l" | "d" | "y"

/** The structs that write JSON of their own. */
export type Form = "quantity" | "intOrString" | "time" | "microTime" | "raw" | "either" | "schemaOrBool" | "items"

export interface MessageField {
  readonly number: number
  /** The key in JSON; "" for a struct that is embedded. */
  readonly name: string
  /** Whether JSON does without the field when it is empty. */
  readonly omitted: boolean
  readonly type: FieldType
}

/** A message, as Go has a struct for it. */
export class MessageType {
  private readonly line: string
  private read: readonly MessageField[] | undefined
  private numbers: ReadonlyMap<number, MessageField> | undefined

  constructor(line: string) {
    this.line = line
  }

  /** The fields in the order of the JSON. */
  get fields(): readonly MessageField[] {
    // Types hold each other in circles, so they are read when they are first needed.
    this.read ??= this.line === "" ? [] : this.line.split(" ").map(fieldOf)
    return this.read
  }

  /** The field of this number; undefined if there is none. */
  field(number: number): MessageField | undefined {
    this.numbers ??= new Map(this.fields.map(field => [field.number, field]))
    return this.numbers.get(number)
  }
}

/** The message of the objects of a kind; undefined if the kind is not built in. Every version has `DeleteOptions`. */
export function messageTypeOf(apiVersion: string, kind: string): MessageType | undefined {
  kinds ??= readKinds()
  return kinds.get(`${kind === "DeleteOptions" ? "" : apiVersion} ${kind}`)
}

let kinds: ReadonlyMap<string, MessageType> | undefined
let structs: readonly MessageType[] | undefined

function readKinds(): Map<string, MessageType> {
  const found = new Map<string, MessageType>()
  for (const line of kindsData.split("\n")) {
    const [apiVersion = "", ...rows] = line.split(" ")
    for (const row of rows) {
      const [kind, number] = row.split(":")
      found.set(`${apiVersion} ${kind}`, structOf(Number(number)))
    }
  }
  return found
}

function structOf(number: number): MessageType {
  structs ??= typesData.split("\n").map(line => new MessageType(line))
  const found = structs[number]
  if (found === undefined) throw new RangeError(`no struct has the number ${number}`)
  return found
}

function fieldOf(text: string): MessageField {
  const [, number, name = "", omission, type = ""] = /^(\d+)([^?=]*)([?=])(.+)$/.exec(text) ?? []
  return { number: Number(number), name, omitted: omission === "?", type: typeOf(type) }
}

const types = new Map<string, FieldType>()

function typeOf(text: string): FieldType {
  let found = types.get(text)
  if (found === undefined) types.set(text, (found = readType(text)))
  return found
}

function readType(text: string): FieldType {
  const [first = "", rest] = [text[0], text.slice(1)]
  const formed = (form: Form, line: string): FieldType => ({ kind: "formed", form, message: new MessageType(line) })
  switch (first) {
    case "s":
    case "b":
    case "i":
    case "l":
    case "d":
    case "y":
      return { kind: "scalar", scalar: first }
    case "*":
      return { kind: "pointer", of: typeOf(rest) }
    case "[":
      return { kind: "list", of: typeOf(rest) }
    case "{":
      return { kind: "map", entry: new MessageType(`1key=s 2value=${rest}`) }
    case "(":
      return formed("items", `1items=[${rest}`)
    case "Q":
      return formed("quantity", "1string=s")
    case "I":
      return formed("intOrString", "1type=l 2integer=i 3text=s")
    case "T":
      return formed("time", "1seconds=l 2nanos=i")
    case "M":
      return formed("microTime", "1seconds=l 2nanos=i")
    case "J":
      return formed("raw", "1raw=s")
    case "A":
      return formed("either", `2list=[${rest} 1single=*${rest}`)
    case "P":
      return formed("either", `2list=[s 1single=*${rest}`)
    case "B":
      return formed("schemaOrBool", `1allows=b 2schema=*${rest}`)
    default:
      return { kind: "struct", message: structOf(Number(text)) }
  }
}
