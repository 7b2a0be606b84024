import equal from "fast-deep-equal"
import type { Schema, TypeRef } from "./schema.js"

/**
 * Whether two schemas have the same types in the same order, written the same way. A type written in place and a reference
 * to an equal named type differ.
 */
export function equalSchemas(a: Schema, b: Schema): boolean {
  return a === b || equal(a, b)
}

export function equalTypeRefs(a: TypeRef, b: TypeRef): boolean {
  return a === b || equal(a, b)
}
