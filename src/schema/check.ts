// Tells schemas from other values, before anything reads their types.
import { SchemaError } from "../errors.js"
import { own } from "../value/object.js"
import { isList, isMap, type ListValue, type Value } from "../value/value.js"
import type { Schema } from "./schema.js"

/** Throws a SchemaError unless `types` is a list of maps, or absent. Problems inside a type are reported when the type is used. */
export function checkTypes(schema: unknown): void {
  if (isMap(schema as Value) && isListOfTypes((schema as Schema).types ?? [])) return
  throw new SchemaError(
    "schema error: types must be a list of maps whose names are strings; parseSchema reports where they are not",
  )
}

/** Like `checkTypes`, but the schema must have a list of types. */
export function requireTypes(schema: unknown): void {
  checkTypes(schema)
  if (isList((schema as { readonly types?: Value }).types ?? null)) return
  throw new SchemaError("schema error: types are missing; a schema has a list of types under this name")
}

function isListOfTypes(list: unknown): boolean {
  return (
    isList(list as Value) &&
    !(list as ListValue).includes(undefined as never) &&
    (list as ListValue).every(type => isMap(type) && typeof (own(type, "name") ?? "") === "string")
  )
}
