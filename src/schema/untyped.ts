import type { Atom, TypeDef, TypeRef } from "./schema.js"

/** Kubernetes' name for the type that allows any value and is owned as a whole. */
export const untypedName = "__untyped_atomic_"
/** Kubernetes' name for the type of values without a schema: maps are granular, lists atomic. */
export const deducedName = "__untyped_deduced_"

/** The type `untypedName`: any value, owned as a whole. */
export const untypedAtom: Atom = {
  scalar: "untyped",
  list: { elementType: { namedType: untypedName }, elementRelationship: "atomic" },
  map: { elementType: { namedType: untypedName }, elementRelationship: "atomic" },
}

/** The type `deducedName`: any value, with maps owned key by key. */
export const deducedAtom: Atom = {
  scalar: "untyped",
  list: { elementType: { namedType: untypedName }, elementRelationship: "atomic" },
  map: { elementType: { namedType: deducedName }, elementRelationship: "separable" },
}

/** The two untyped types, which every schema of Kubernetes lists at its end. */
export const untypedTypes: readonly TypeDef[] = [
  { name: untypedName, ...untypedAtom },
  { name: deducedName, ...deducedAtom },
]

/** Whether a type of this name is one of `untypedTypes`. */
export function isUntypedName(name: string): boolean {
  return name === untypedName || name === deducedName
}

/** Whether values of the type have no schema: it is `deducedName`, or inlined and untyped. */
export function isDeducedRef(ref: TypeRef): boolean {
  return typeof ref.namedType === "string" ? ref.namedType === deducedName : ref.scalar === "untyped"
}
