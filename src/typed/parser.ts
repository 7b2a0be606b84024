import { SchemaError, ValidationError } from "../errors.js"
import type { Schema, TypeRef } from "../schema/schema.js"
import { schemaSchema } from "../schema/schema-schema.js"
import type { Value } from "../value/value.js"
import { type CompiledSchema, compileSchema, type Type } from "./type.js"
import { TypedValue } from "./typed-value.js"

/**
 * The schema that a document (what a YAML or JSON reader gives) spells. The document is checked against the schema of
 * schemas: unknown keys, wrong kinds, types, fields and members named twice. It is used as it is, so it must not change.
 * Throws a SchemaError that names every place. References to types that are missing are found when they are used.
 */
export function parseSchema(document: Value): Schema {
  try {
    TypedValue.of(document, compileSchema(schemaSchema).type("schema"))
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    throw new SchemaError(`unable to validate schema: ${error.message}`, { cause: error })
  }
  const schema = document as { readonly types?: Schema["types"] | null } | null
  return schema?.types ? (schema as Schema) : { types: [] }
}

/** The compiled types of a schema document. */
export function parseTypes(document: Value): CompiledSchema {
  return compileSchema(parseSchema(document))
}

/** The type of a reference written as a document, in the types of a schema. */
export function parseTypeRef(types: CompiledSchema, document: Value): Type {
  try {
    TypedValue.of(document, compileSchema(schemaSchema).type("typeRef"))
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    throw new SchemaError(`unable to validate type reference: ${error.message}`, { cause: error })
  }
  return types.typeOf((document ?? {}) as TypeRef)
}
