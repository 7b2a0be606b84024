// The schema of schemas: what a schema document may contain. It describes itself.
import type { Schema, StructField, TypeRef } from "./schema.js"
import { untypedAtom, untypedName } from "./untyped.js"

const string: TypeRef = { scalar: "string" }
const boolean: TypeRef = { scalar: "boolean" }

function named(namedType: string): TypeRef {
  return { namedType }
}

function keyedList(namedType: string, key: string): TypeRef {
  return { list: { elementType: named(namedType), elementRelationship: "associative", keys: [key] } }
}

function atomicList(elementType: TypeRef): TypeRef {
  return { list: { elementType, elementRelationship: "atomic" } }
}

function fields(types: Record<string, TypeRef>): { fields: StructField[] } {
  return { fields: Object.entries(types).map(([name, type]) => ({ name, type })) }
}

const atom = { scalar: string, map: named("map"), list: named("list"), untyped: named("untyped") }

/** The schema of schema documents, which describes itself. Its type `schema` describes a whole document. */
export const schemaSchema: Schema = {
  types: [
    { name: "schema", map: fields({ types: keyedList("typeDef", "name") }) },
    { name: "typeDef", map: fields({ name: string, ...atom }) },
    { name: "typeRef", map: fields({ namedType: string, ...atom, elementRelationship: string, nullable: boolean }) },
    { name: "scalar", scalar: "string" },
    {
      name: "map",
      map: fields({
        fields: keyedList("structField", "name"),
        unions: atomicList(named("union")),
        elementType: named("typeRef"),
        elementRelationship: string,
      }),
    },
    { name: "unionField", map: fields({ fieldName: string, discriminatorValue: string }) },
    {
      name: "union",
      map: fields({
        discriminator: string,
        deduceInvalidDiscriminator: boolean,
        fields: keyedList("unionField", "fieldName"),
      }),
    },
    { name: "structField", map: fields({ name: string, type: named("typeRef"), default: named(untypedName) }) },
    {
      name: "list",
      map: fields({ elementType: named("typeRef"), elementRelationship: string, keys: atomicList(string) }),
    },
    { name: "untyped", map: fields({ elementRelationship: string }) },
    { name: untypedName, ...untypedAtom },
  ],
}
