// Sorts by name, in place. Documents are mostly sorted already, and checking that costs a fraction of sorting.
import type { StructField, TypeDef } from "../../schema/schema.js"
import { compareStrings } from "../../value/compare.js"

export function sortNames(names: string[]): string[] {
  return names.every((name, i) => i === 0 || inOrder(names[i - 1] as string, name)) ? names : names.sort(compareStrings)
}

export function sortTypes(types: TypeDef[]): TypeDef[] {
  const sorted = types.every(({ name }, i) => i === 0 || inOrder((types[i - 1] as TypeDef).name, name))
  return sorted ? types : types.sort(compareNames)
}

/** Separate from `sortTypes`, since one function for both would read names of objects of many shapes, which is slow. */
export function sortFields(fields: StructField[]): StructField[] {
  for (let i = 1; i < fields.length; i++) {
    if (compareNames(fields[i - 1] as StructField, fields[i] as StructField) > 0) return fields.sort(compareNames)
  }
  return fields
}

interface Named {
  readonly name: string
}

function compareNames(a: Named, b: Named): number {
  return compareStrings(a.name, b.name)
}

/**
 * Whether the two are in the order of `compareStrings`.
 *
 * Names of types often have the same beginning, and JavaScript's own comparison is faster for them. It differs only if the lower one has a
 * surrogate.
 */
function inOrder(a: string, b: string): boolean {
  return a < b ? !surrogate.test(a) : a === b
}
const surrogate = /[\ud800-\udfff]/
