import { SchemaError, ValidationError } from "../errors.js"
import type { Schema, TypeRef } from "../schema/schema.js"
import { schemaSchema } from "../schema/schema-schema.js"
import { overlapIn } from "../schema/union-problems.js"
import { formatValue } from "../value/format.js"
import { copyMap, own } from "../value/object.js"
import { isList, isMap, type ListValue, type Value } from "../value/value.js"
import { type CompiledSchema, compileSchema, type Type } from "./type.js"
import { TypedValue } from "./typed-value.js"

/**
 * Returns the schema that a document describes, in the form that a YAML or JSON reader returns it. The document is checked against the
 * schema of schemas, which refuses unknown keys, values of the wrong kind, and types, fields and members that are named twice. Fields that
 * occur twice in the unions of a struct are refused too, since their unions could not be settled independently.
 *
 * The result is the document itself, which must not change afterwards. A document with nulls, which stand for absent keys as they do
 * upstream, is copied without them. Throws a SchemaError with every place that does not fit the schema of schemas, or with the first field
 * that occurs twice in unions. References to missing types are reported when they are used.
 */
export function parseSchema(document: Value): Schema {
  checkDocument(document, schemaSchema, "schema", "schema")
  const schema = withoutNulls(document) as { readonly types?: Schema["types"] } | null
  if (!schema?.types) return { types: [] }
  for (const type of schema.types) {
    const overlap = overlapIn(type)
    if (overlap !== null) throw new SchemaError(`invalid schema: .types[name=${formatValue(type.name)}]${overlap}`)
  }
  return schema as Schema
}

/** Returns the compiled types of a schema document: `compileSchema(parseSchema(document))`. Throws the same errors as `parseSchema`. */
export function parseTypes(document: Value): CompiledSchema {
  return compileSchema(parseSchema(document))
}

/**
 * Returns the type in `types` that a type reference, given as a document, refers to. Throws a SchemaError if the document is not a type
 * reference.
 */
export function parseTypeRef(types: CompiledSchema, document: Value): Type {
  checkDocument(document, schemaSchema, "typeRef", "type reference")
  return types.typeOf((withoutNulls(document) ?? {}) as TypeRef)
}

/** Throws a SchemaError that names every place where `document`, called `what`, does not fit the type of this name. */
export function checkDocument(document: Value, schema: Schema, typeName: string, what: string): void {
  try {
    TypedValue.of(document, compileSchema(schema).type(typeName))
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    throw new SchemaError(`unable to validate ${what}: ${error.message}`, { cause: error })
  }
}

/** The values that replace null under keys that must not be absent. */
const empty: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["name", ""],
  ["fieldName", ""],
])

/**
 * Returns the document as Go reads it: a null is an empty name, an empty list key or an empty item of a list; everywhere else it counts as
 * absent.
 */
function withoutNulls(node: Value): Value {
  if (isList(node)) return withoutNullItems(node, {})
  if (!isMap(node)) return node
  let copy: Record<string, Value> | null = null
  for (const key in node) {
    const value = own(node, key) as Value // `key` is a key of `node`
    const next = withoutNullsAt(key, value)
    if (next === value && value !== null) continue
    copy ??= copyMap(node)
    if (next === null) delete copy[key]
    else copy[key] = next
  }
  return copy ?? node
}

function withoutNullsAt(key: string, value: Value): Value {
  if (value === null) return empty.get(key) ?? null
  if (key === "default") return value
  return key === "keys" ? withoutNullItems(value as ListValue, "") : withoutNulls(value)
}

function withoutNullItems(list: ListValue, substitute: Value): Value {
  const items = list.map(item => (item === null ? substitute : withoutNulls(item)))
  return items.some((item, i) => item !== list[i]) ? items : list
}
