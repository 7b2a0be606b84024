import type { TypeRef } from "./schema.js"

/** The atom a reference stands for, with its override; null if there is none. `definitions` has the types of the schema by name. */
export function resolveRef(definitions: ReadonlyMap<string, TypeRef>, ref: TypeRef): TypeRef | null {
  const target = typeof ref.namedType === "string" ? definitions.get(ref.namedType) : ref
  if (target === undefined) return null
  const override = ref.elementRelationship
  if (typeof override !== "string") return target
  // Of several alternatives only one is overridden; scalars can't be.
  if (target.map) return { ...target, map: { ...target.map, elementRelationship: override } }
  if (target.list) return { ...target, list: { ...target.list, elementRelationship: override } }
  return null
}
