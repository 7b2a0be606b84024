// Go types that protoc-gen-go generates from protobuf messages. Protobuf defines their JSON, which their `json` tags don't show.

import type { GoField } from "../source/go-file.js"
import { type Declared, implementations } from "./program.js"

/** Whether a struct is a message. */
export function isMessage(declared: Declared): boolean {
  return declared.decl.type.kind === "struct" && hasMethod(declared, "ProtoReflect")
}

/** Whether a type is a protobuf enum, which is a number in Go and the name of a value in JSON. */
export function isEnum(declared: Declared): boolean {
  return hasMethod(declared, "EnumDescriptor")
}

/** A field of a message. */
export interface MessageField {
  readonly go: GoField
  /** The type that declares the field: the message, or the wrapper of a field of a `oneof`. */
  readonly from: Declared
  /** The name in JSON. */
  readonly name: string
  /** The name of the field's `oneof`. */
  readonly oneof: string | undefined
}

/** Returns the fields of a message. At most one field of a `oneof` is set. */
export function messageFields(message: Declared, fields: readonly GoField[]): MessageField[] {
  return fields.flatMap(go => {
    const oneof = go.tags.get("protobuf_oneof")
    if (oneof === undefined) return messageField(go, message, undefined)
    // Each field of a `oneof` has its own wrapper struct, which implements the interface type of the message's field.
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
