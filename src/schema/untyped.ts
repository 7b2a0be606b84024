import type { Atom, TypeDef } from "./schema.js"

/** The name that Kubernetes gives the type of anything at all, owned as a whole. */
export const untypedName = "__untyped_atomic_"
/** The name that Kubernetes gives the type of what has no schema: maps are granular, lists atomic. */
export const deducedName = "__untyped_deduced_"

/** What the type `untypedName` is: anything at all, owned as a whole. */
export const untypedAtom: Atom = {
  scalar: "untyped",
  list: { elementType: { namedType: untypedName }, elementRelationship: "atomic" },
  map: { elementType: { namedType: untypedName }, elementRelationship: "atomic" },
}

/** What the type `deducedName` is: anything at all, maps owned key by key. */
export const deducedAtom: Atom = {
  scalar: "untyped",
  list: { elementType: { namedType: untypedName }, elementRelationship: "atomic" },
  map: { elementType: { namedType: deducedName }, elementRelationship: "separable" },
}

/** The two types without a schema, as every schema of Kubernetes lists them at its end. */
export const untypedTypes: readonly TypeDef[] = [
  { name: untypedName, ...untypedAtom },
  { name: deducedName, ...deducedAtom },
]

/** Whether a type of this name is one of `untypedTypes`. */
export function isUntypedName(name: string): boolean {
  return name === untypedName || name === deducedName
}
