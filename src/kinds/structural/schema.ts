// The keywords of a structural schema, as openAPIV3Schema of a CustomResourceDefinition has them, read where they are needed.
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"

/** The fields of every object, which a schema need not declare. */
export const objectFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"])

/** Whether the keyword is true. */
export function isTrue(schema: MapValue, keyword: string): boolean {
  return own(schema, keyword) === true
}

/** The schema at the keyword; undefined if there is none. */
export function schemaAt(schema: MapValue, keyword: string): MapValue | undefined {
  const found = own(schema, keyword)
  return isMap(found) ? found : undefined
}

/** The schema of a declared field; undefined if it is not declared. */
export function propertyOf(schema: MapValue, name: string): MapValue | undefined {
  const properties = schemaAt(schema, "properties")
  return properties === undefined ? undefined : schemaAt(properties, name)
}

/** The schema of what a map may have beside its declared fields; undefined if the schema has none. */
export function restOf(schema: MapValue): MapValue | undefined {
  return schemaAt(schema, "additionalProperties")
}

/** Whether a value that is null counts as absent. */
export function refusesNull(schema: MapValue | undefined): boolean {
  return schema !== undefined && !isTrue(schema, "nullable")
}

/** The default; undefined if there is none. Null is none. */
export function defaultOf(schema: MapValue): Value | undefined {
  return own(schema, "default") ?? undefined
}
