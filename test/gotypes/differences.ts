/** What differs between types and unions read from Go and those of the bundle. */

import { memberName } from "../../src/schema/item-member.js"
import type { TypeDef } from "../../src/schema/schema.js"
import type { UnionDef, UnionOverlay } from "../../src/schema/union.js"
import { deducedAtom, deducedName, untypedName } from "../../src/schema/untyped.js"

/** The differences of two types, field by field. */
export function differences(expected: TypeDef, actual: TypeDef): string[] {
  const found: string[] = []
  walk(expected.name, canonical(expected), canonical(actual), found)
  return found
}

const rawExtension = "io.k8s.apimachinery.pkg.runtime.RawExtension"
const inlined = JSON.stringify(deducedAtom)

/**
 * The bundle comes from OpenAPI v2 and the types read here from OpenAPI v3, which spell three things differently: any value by a name or in
 * place, raw JSON as the untyped type or as a type of its own that is the same, and maps whose keys are owned one by one with or without
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

/** Unions by the name of their type. */
export type Unions = Readonly<Record<string, readonly UnionDef[]>>

/** What markers can say of unions, in an order of its own. */
export function declaredUnions({ types }: UnionOverlay): Unions {
  const sorted = types.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return Object.fromEntries(sorted.map(({ name, unions }) => [name, unions.map(comparable)]))
}

/** What two tables of unions say differently, by the name of the type. */
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
