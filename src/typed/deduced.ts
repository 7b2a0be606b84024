import type { Schema } from "../schema/schema.js"
import { compileSchema, type Type } from "./type.js"

/** The schema for objects that have none: maps are granular, lists atomic. */
export const deducedSchema: Schema = {
  types: [
    {
      name: "__untyped_atomic_",
      scalar: "untyped",
      list: { elementType: { namedType: "__untyped_atomic_" }, elementRelationship: "atomic" },
      map: { elementType: { namedType: "__untyped_atomic_" }, elementRelationship: "atomic" },
    },
    {
      name: "__untyped_deduced_",
      scalar: "untyped",
      list: { elementType: { namedType: "__untyped_atomic_" }, elementRelationship: "atomic" },
      map: { elementType: { namedType: "__untyped_deduced_" }, elementRelationship: "separable" },
    },
  ],
}

/** The type of an object without a schema, as Kubernetes uses it for custom resources that declare none: always the same object. */
export function deducedType(): Type {
  return compileSchema(deducedSchema).type("__untyped_deduced_")
}
