// Reads keywords of a structural schema, which is the openAPIV3Schema of a CustomResourceDefinition.
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"

/** The fields of every object, which a schema need not declare. */
export const objectFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"])

/** Whether the keyword is true. */
export function isTrue(schema: MapValue, keyword: string): boolean {
  return own(schema, keyword) === true
}

/** Returns the schema at the keyword, or undefined. */
export function schemaAt(schema: MapValue, keyword: string): MapValue | undefined {
  const value = own(schema, keyword)
  return isMap(value) ? value : undefined
}

/** Returns the schema of a declared field; undefined if the field is not declared. */
export function propertyOf(schema: MapValue, name: string): MapValue | undefined {
  const properties = schemaAt(schema, "properties")
  return properties === undefined ? undefined : schemaAt(properties, name)
}

/** Returns the schema of undeclared fields (`additionalProperties`), or undefined. */
export function restOf(schema: MapValue): MapValue | undefined {
  return schemaAt(schema, "additionalProperties")
}

/** Whether the schema exists and does not allow null. */
export function refusesNull(schema: MapValue | undefined): boolean {
  return schema !== undefined && !isTrue(schema, "nullable")
}

/** Returns the default; undefined if it is absent or null. */
export function defaultOf(schema: MapValue): Value | undefined {
  return own(schema, "default") ?? undefined
}
