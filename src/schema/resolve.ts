import type { TypeRef } from "./schema.js"

/** Returns the atom that a reference stands for, with its override, or null if the type is missing. `definitions` has the types by name. */
export function resolveRef(definitions: ReadonlyMap<string, TypeRef>, ref: TypeRef): TypeRef | null {
  const target = typeof ref.namedType === "string" ? definitions.get(ref.namedType) : ref
  if (target === undefined) return null
  const override = ref.elementRelationship
  if (typeof override !== "string") return target
  // Only one of several alternatives is overridden, and never a scalar.
  if (target.map) return { ...target, map: { ...target.map, elementRelationship: override } }
  if (target.list) return { ...target, list: { ...target.list, elementRelationship: override } }
  return null
}

/** Whether the reference is empty. */
export function isEmptyRef(ref: TypeRef): boolean {
  const { namedType, scalar, list, map, elementRelationship, nullable } = ref
  return typeof namedType !== "string" && !scalar && !list && !map && !elementRelationship && !nullable
}
