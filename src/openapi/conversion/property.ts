// Facts that a schema states about one of its properties, directly or through one reference.
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { referredName } from "./conversion.js"

/** Whether objects of the schema must have the field. */
export function isRequired(schema: MapValue, field: string): boolean {
  const required = own(schema, "required")
  return isList(required) && required.includes(field)
}

/** Returns the values that a property may have, directly or through one reference; undefined if the document doesn't list them. */
export function enumOf(property: Value | undefined, definitions: MapValue): readonly Value[] | undefined {
  if (!isMap(property)) return undefined
  const values = own(property, "enum")
  if (isList(values)) return values
  const referred = own(typeBehind(property, definitions), "enum")
  return isList(referred) ? referred : undefined
}

/** Returns the schema that a property refers to, or the property itself. */
export function typeBehind(property: MapValue, definitions: MapValue): MapValue {
  const target = own(definitions, referredName(referenceOf(own(property, "$ref"), own(property, "allOf"))))
  return isMap(target) ? target : property
}

/** Returns the reference that a schema with these keywords consists of, directly or as the only schema of its `allOf`; "" without one. */
export function referenceOf($ref: Value | undefined, allOf: Value | undefined): string {
  if (typeof $ref === "string" && $ref !== "") return $ref
  const only = isList(allOf) && allOf.length === 1 ? allOf[0] : undefined
  const wrapped = isMap(only) ? own(only, "$ref") : undefined
  return typeof wrapped === "string" ? wrapped : ""
}
