import type { Schema } from "../schema/schema.js"
import { deducedName, untypedTypes } from "../schema/untyped.js"
import { compileSchema, type Type } from "./type.js"

/** The schema for objects that have none: maps are granular, lists atomic. */
export const deducedSchema: Schema = { types: untypedTypes }

/** The type of an object without a schema, as Kubernetes uses it for custom resources that declare none: always the same object. */
export function deducedType(): Type {
  return compileSchema(deducedSchema).type(deducedName)
}
