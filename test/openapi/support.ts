import { OpenAPIError } from "../../src/openapi/conversion/errors.js"
import type { ConvertedSchema } from "../../src/openapi/conversion/options.js"
import type { Atom } from "../../src/schema/schema.js"
import { thrownBy } from "../support/thrown-by.js"

/** Returns the type of each property of a document with one type: the notation of most tables here. */
export function fieldTypes(converted: ConvertedSchema, typeName: string): Record<string, unknown> {
  const fields = typeOf(converted, typeName).map?.fields ?? []
  return Object.fromEntries(fields.map(({ name, type }) => [name, type]))
}

export function typeOf(converted: ConvertedSchema, typeName: string): Atom {
  const found = converted.schema.types.find(({ name }) => name === typeName)
  if (found === undefined) throw new Error(`no type ${typeName}`)
  const { name: _, ...atom } = found
  return atom
}

export function v3(schemas: Record<string, unknown>) {
  return { openapi: "3.0.0", components: { schemas } }
}

export function v2(definitions: Record<string, unknown>) {
  return { swagger: "2.0", definitions }
}

export const anything = {
  scalar: "untyped",
  list: { elementType: { namedType: "__untyped_atomic_" }, elementRelationship: "atomic" },
  map: { elementType: { namedType: "__untyped_deduced_" } },
}

export const deduced = { namedType: "__untyped_deduced_" }

/** Returns the text of the OpenAPIError that `run` throws. */
export function messageOf(run: () => unknown): string {
  const error = thrownBy(run)
  if (error instanceof OpenAPIError) return error.message
  throw error
}
