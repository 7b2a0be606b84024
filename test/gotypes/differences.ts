/** Compares types and unions that were read from Go with those of the bundle. */

import { memberName } from "../../src/schema/item-member.js"
import type { TypeDef } from "../../src/schema/schema.js"
import type { UnionDef, UnionOverlay } from "../../src/schema/union.js"
import { deducedAtom, deducedName, untypedName } from "../../src/schema/untyped.js"

/** Returns the differences of two types, field by field. */
export function differences(expected: TypeDef, actual: TypeDef): string[] {
  const found: string[] = []
  walk(expected.name, canonical(expected), canonical(actual), found)
  return found
}

const rawExtension = "io.k8s.apimachinery.pkg.runtime.RawExtension"
const inlined = JSON.stringify(deducedAtom)

/**
 * The bundle comes from OpenAPI v2 and the types read here from OpenAPI v3. They spell three things differently:
 * - an arbitrary value has a named type, or is written in place;
 * - raw JSON is the untyped type, or a type of its own with the same meaning;
 * - the relationship of maps with separable keys is written out, or left out.
 * a word about it.
 */
function canonical(type: TypeDef): unknown {
  return JSON.parse(
    JSON.stringify(type)
      .replaceAll(inlined, `{"namedType":"${deducedName}"}`)
      .replaceAll(`"${rawExtension}"`, `"${untypedName}"`)
      .replaceAll(',"elementRelationship":"separable"', ""),
  )
}

function walk(path: string, expected: unknown, actual: unknown, found: string[]): void {
  if (JSON.stringify(expected) === JSON.stringify(actual)) return
  if (!isRecord(expected) || !isRecord(actual)) {
    found.push(`${path}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(actual)}`)
    return
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const [a, b] = [expected[key], actual[key]]
    if (key === "fields" && Array.isArray(a) && Array.isArray(b)) walk(path, byName(a), byName(b), found)
    else walk(`${path}.${key}`, a, b, found)
  }
}

function byName(fields: readonly { readonly name: string }[]): Record<string, unknown> {
  return Object.fromEntries(fields.map(field => [field.name, field]))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Returns unions by the names of their types. */
export type Unions = Readonly<Record<string, readonly UnionDef[]>>

/** Returns the parts of unions that markers can state, in a fixed order. */
export function declaredUnions({ types }: UnionOverlay): Unions {
  const sorted = types.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return Object.fromEntries(sorted.map(({ name, unions }) => [name, unions.map(comparable)]))
}

/** Returns the differences of two tables of unions, by the name of the type. */
export function unionDifferences(read: Unions, table: Unions): Map<string, string> {
  const found = new Map<string, string>()
  for (const name of [...new Set([...Object.keys(read), ...Object.keys(table)])].sort()) {
    const [a, b] = [read, table].map(unions => JSON.stringify(unions[name]))
    if (a !== b) found.set(name, `read ${a}, table ${b}`)
  }
  return found
}

function comparable({ discriminator, fields, emptyValues = [], cardinality }: UnionDef): UnionDef {
  return {
    ...(discriminator !== undefined && { discriminator }),
    fields: fields?.toSorted((a, b) => (memberName(a) < memberName(b) ? -1 : 1)) ?? [],
    emptyValues: emptyValues.toSorted(),
    ...(cardinality !== undefined && { cardinality }),
  }
}
