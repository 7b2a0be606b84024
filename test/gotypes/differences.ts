/** What differs between types and unions read from Go and those of the bundle. */
import type { TypeDef } from "../../src/schema/schema.js"
import type { UnionDef } from "../../src/schema/union.js"

/** The differences of two types, field by field. */
export function differences(expected: TypeDef, actual: TypeDef): string[] {
  const found: string[] = []
  walk(expected.name, expected, actual, found)
  return found
}

function walk(path: string, expected: unknown, actual: unknown, found: string[]): void {
  if (JSON.stringify(expected) === JSON.stringify(actual)) return
  if (!isRecord(expected) || !isRecord(actual)) {
    found.push(`${path}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(actual)}`)
    return
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const [a, b] = [expected[key], actual[key]]
    if (key === "fields" && Array.isArray(a) && Array.isArray(b)) {
      walk(path, byName(a), byName(b), found)
    } else walk(`${path}.${key}`, a, b, found)
  }
}

function byName(fields: readonly { readonly name: string }[]): Record<string, unknown> {
  return Object.fromEntries(fields.map(field => [field.name, field]))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** What a union says that markers can say too. */
function comparable(unions: readonly UnionDef[]): string {
  return JSON.stringify(unions)
}

export function unionDifferences(
  read: ReadonlyMap<string, readonly UnionDef[]>,
  table: ReadonlyMap<string, readonly UnionDef[]>,
): string[] {
  const found: string[] = []
  for (const name of [...new Set([...read.keys(), ...table.keys()])].sort()) {
    const [a, b] = [read.get(name), table.get(name)]
    if (a === undefined || b === undefined || comparable(a) !== comparable(b)) {
      found.push(`${name}: read ${JSON.stringify(a)}, table ${JSON.stringify(b)}`)
    }
  }
  return found
}
