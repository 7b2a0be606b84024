// Go types that protoc-gen-go makes of protobuf messages. Their JSON is the one that protobuf defines, which their `json` tags don't show.
import type { GoField } from "./go-file.js"
import { type Declared, implementations } from "./program.js"

/** Whether a struct is a message. */
export function isMessage(declared: Declared): boolean {
  return declared.decl.type.kind === "struct" && hasMethod(declared, "ProtoReflect")
}

/** Whether a type is an enum of protobuf: a number in Go, and the name of a value in JSON. */
export function isEnum(declared: Declared): boolean {
  return hasMethod(declared, "EnumDescriptor")
}

/** A field of a message. */
export interface MessageField {
  readonly go: GoField
  /** The type that has the field: the message, or the one around a field of a `oneof`. */
  readonly from: Declared
  /** The name in JSON. */
  readonly name: string
  /** The name of the `oneof` that the field is in. */
  readonly oneof: string | undefined
}

/** The fields of a message. Of the fields of a `oneof`, at most one is set. */
export function messageFields(message: Declared, fields: readonly GoField[]): MessageField[] {
  return fields.flatMap(go => {
    const oneof = go.tags.get("protobuf_oneof")
    if (oneof === undefined) return messageField(go, message, undefined)
    // Each field of it is in a struct of its own, which is of the interface type that the field of the message has.
    return implementations(message, go.type).flatMap(from =>
      from.decl.type.kind === "struct" ? from.decl.type.fields.flatMap(inner => messageField(inner, from, oneof)) : [],
    )
  })
}

function messageField(go: GoField, from: Declared, oneof: string | undefined): MessageField[] {
  const options = go.tags.get("protobuf")?.split(",") ?? []
  const option = (key: string) => options.find(text => text.startsWith(`${key}=`))?.slice(key.length + 1)
  const name = option("json") ?? option("name")
  return name === undefined ? [] : [{ go, from, name, oneof }]
}

function hasMethod({ package: home, decl }: Declared, method: string): boolean {
  return home.files.some(({ methods }) => methods.has(`${decl.name}.${method}`))
}
