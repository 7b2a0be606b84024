/** What differs between types and unions read from Go and those of the bundle. */
import type { TypeDef } from "../../src/schema/schema.js"
import type { UnionDef } from "../../src/schema/union.js"
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
 * The bundle comes from OpenAPI v2 and what is read here from OpenAPI v3, which spell two things differently: any value by a name or in
 * place, and raw JSON as the untyped type or as a type of its own that is the same.
 */
function canonical(type: TypeDef): unknown {
  return JSON.parse(
    JSON.stringify(type)
      .replaceAll(inlined, `{"namedType":"${deducedName}"}`)
      .replaceAll(`"${rawExtension}"`, `"${untypedName}"`),
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

type Unions = ReadonlyMap<string, readonly UnionDef[]>

/** What two tables of unions say differently, by the name of the type. What no marker can say, or no table needs, is passed over. */
export function unionDifferences(read: Unions, table: Unions): Map<string, string> {
  const found = new Map<string, string>()
  for (const name of [...new Set([...read.keys(), ...table.keys()])].sort()) {
    const [a, b] = [read, table].map(unions => unions.get(name)?.map(comparable))
    if (JSON.stringify(a) !== JSON.stringify(b))
      found.set(name, `read ${JSON.stringify(a)}, table ${JSON.stringify(b)}`)
  }
  return found
}

function comparable({ discriminator, fields, emptyValues = [], cardinality }: UnionDef): UnionDef {
  return {
    ...(discriminator !== undefined && { discriminator }),
    fields: fields?.toSorted((a, b) => (a.fieldName < b.fieldName ? -1 : 1)) ?? [],
    emptyValues: emptyValues.toSorted(),
    ...(cardinality !== undefined && { cardinality }),
  }
}
