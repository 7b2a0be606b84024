import type { Schema } from "../schema/schema.js"
import { deducedName, untypedTypes } from "../schema/untyped.js"
import { compileSchema, type Type } from "./type.js"

/** The schema for objects without one: maps are granular, lists are atomic. */
export const deducedSchema: Schema = { types: untypedTypes }

/** Returns the type of an object without a schema, as Kubernetes uses it for custom resources without one. Always the same object. */
export function deducedType(): Type {
  return compileSchema(deducedSchema).type(deducedName)
}
