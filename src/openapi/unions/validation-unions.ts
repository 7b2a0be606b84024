// Adds unions from validation to a conversion: reads the facts about a struct's fields, and reports the unions to users.
import type { UnionDef } from "../../schema/union.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"
import type { Conversion } from "../conversion/conversion.js"
import { enumOf, isRequired, typeBehind } from "../conversion/property.js"
import { Unreadable } from "./from-validation/condition.js"
import { unionsFromValidation } from "./from-validation/recognize.js"
import type { FieldFacts } from "./from-validation/states.js"

/** Returns the unions that the struct states as validation. Adds a diagnostic for each union, and for each rule that only resembles one. */
export function recognizedUnions(conversion: Conversion, schema: MapValue, declared: readonly UnionDef[]): UnionDef[] {
  const facts = (name: string) => factsOf(schema, name, conversion.definitions)
  const { unions, others } = unionsFromValidation(schema, facts, declared)
  const at = conversion.pointer()
  for (const { union, at: places } of unions) {
    const [first = ""] = places
    const from = places.length === 1 ? first : `${places.length} rules`
    conversion.warn("union-recognized", `${describeUnion(union)}; stated by ${from}`, `${at}/${first}`)
  }
  for (const other of others) conversion.warn("no-union", `not taken for a union: ${other.reason}`, `${at}/${other.at}`)
  return unions.map(({ union }) => union)
}

/** Describes the union in a few words: `exactly one of a, b`. */
function describeUnion({ discriminator, fields = [], cardinality }: UnionDef): string {
  if (discriminator === undefined) {
    const names = fields.map(({ fieldName }) => fieldName).join(", ")
    return `union of ${cardinality === "exactlyOne" ? "exactly" : "at most"} one of ${names}`
  }
  const members = fields.map(({ fieldName, discriminatorValue }) => `${fieldName} by ${discriminatorValue}`)
  return `union in which ${discriminator} selects ${members.join(", ")}`
}

/** Returns the facts that the struct states about a field. Throws Unreadable if it has no field of that name. */
function factsOf(schema: MapValue, name: string, definitions: MapValue): FieldFacts {
  const properties = own(schema, "properties")
  const property = isMap(properties) ? own(properties, name) : undefined
  if (!isMap(property)) throw new Unreadable(`there is no field ${name}`)
  const type = typeBehind(property, definitions)
  const values = enumOf(property, definitions)?.filter(value => typeof value === "string")
  const minLength = own(type, "minLength")
  const isText = own(type, "type") === "string"
  const isScalar = ["string", "integer", "number", "boolean"].includes(String(own(type, "type")))
  const fallback = own(property, "default") ?? null
  return {
    values,
    isText,
    nullable: own(property, "nullable") === true || own(type, "nullable") === true,
    alwaysThere: isRequired(schema, name) || fallback !== null,
    mayBeEmpty: isText && (values?.includes("") ?? !(typeof minLength === "number" && minLength > 0)),
    emptyIsSet: !isScalar && !isMap(own(type, "properties")),
  }
}
