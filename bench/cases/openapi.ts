import type { Schema } from "../../src/index.js"
import { schemaFromOpenAPIv2, schemaFromOpenAPIv3 } from "../../src/openapi/index.js"
import type { OpenAPICase, Plan } from "../fixtures/plan-types.js"
import { sortedJson } from "./objects.js"
import type { Runnable } from "./runnable.js"

/** Converts a parsed document with all types of a release to a schema, with the unions that upstream reads. */
export function openAPICase(plan: Plan, { version }: OpenAPICase): Runnable {
  const document: unknown = JSON.parse(plan.documents[version])
  const convert = version === "v3" ? schemaFromOpenAPIv3 : schemaFromOpenAPIv2
  const run = () => convert(document, { unionMode: "upstream" })
  return { run, answer: () => describe(run().schema) }
}

/** Sorts types and fields by name, because the reference has a random order. */
function describe({ types }: Schema): string {
  return sortedJson(withSortedFields(byName(types)))
}

function withSortedFields(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(withSortedFields)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => {
      const sorted = withSortedFields(item)
      return [key, key === "fields" && Array.isArray(sorted) ? byName(sorted as readonly Named[]) : sorted]
    }),
  )
}

interface Named {
  readonly name?: string
}

function byName(items: readonly Named[]): Named[] {
  return items.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0))
}

/** Returns the name of a type or field. Members of unions have no name, and keep their order. */
function nameOf({ name = "" }: Named): string {
  return name
}
