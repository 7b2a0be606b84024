import equal from "fast-deep-equal"
import { equalValues } from "../value/equal.js"
import type { Value } from "../value/value.js"
import type { Schema, TypeRef } from "./schema.js"

/**
 * Whether two schemas have the same types in the same order, written the same way. An inlined type and a reference to an equal named type
 * differ.
 */
export function equalSchemas(a: Schema, b: Schema): boolean {
  return a === b || same(a, b)
}

/** Whether two references are to the same type, written the same way. */
export function equalTypeRefs(a: TypeRef, b: TypeRef): boolean {
  return a === b || same(a, b)
}

// Only a yes of fast-deep-equal counts: it mistakes keys of defaults such as `valueOf` for methods, and deep nesting overflows its stack.
function same(a: Schema | TypeRef, b: Schema | TypeRef): boolean {
  try {
    if (equal(a, b)) return true
  } catch {}
  return equalValues(a as unknown as Value, b as unknown as Value)
}
