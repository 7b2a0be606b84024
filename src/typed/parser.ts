import { SchemaError, ValidationError } from "../errors.js"
import type { Atom, Schema, TypeRef } from "../schema/schema.js"
import { schemaSchema } from "../schema/schema-schema.js"
import { formatValue } from "../value/format.js"
import { copyMap, own } from "../value/object.js"
import { isList, isMap, type ListValue, type Value } from "../value/value.js"
import { type CompiledSchema, compileSchema, type Type } from "./type.js"
import { TypedValue } from "./typed-value.js"

/**
 * The schema that a document (what a YAML or JSON reader gives) spells. The document is checked against the schema of
 * schemas: unknown keys, wrong kinds, types, fields and members named twice. It is used as it is, so it must not change; only
 * where it has nulls, which stand for nothing as they do upstream, is there a copy without them. A field that two unions of a
 * struct have, or one has twice, is refused: neither could be settled without the other.
 * Throws a SchemaError that names every place. References to types that are missing are found when they are used.
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

/** Where a field is in two unions of a struct, here or in a type written in place below, and which; null where none is. */
function overlapIn(atom: Atom | undefined): string | null {
  const { map, list } = atom ?? {}
  const seen = new Set<string>()
  for (const { discriminator, fields } of map?.unions ?? []) {
    const names = (fields ?? []).map(({ fieldName }) => fieldName)
    for (const name of typeof discriminator === "string" ? [discriminator, ...names] : names) {
      if (seen.has(name)) return `.map.unions: field ${name} appears multiple times in unions`
      seen.add(name)
    }
  }
  for (const { name, type } of map?.fields ?? []) {
    const below = overlapIn(type)
    if (below !== null) return `.map.fields[name=${formatValue(name)}].type${below}`
  }
  const inMap = overlapBelow(map)
  if (inMap !== null) return `.map.elementType${inMap}`
  const inList = overlapBelow(list)
  return inList === null ? null : `.list.elementType${inList}`
}

function overlapBelow(atom: { readonly elementType?: TypeRef } | undefined): string | null {
  return atom?.elementType === undefined ? null : overlapIn(atom.elementType)
}

/** The compiled types of a schema document. */
export function parseTypes(document: Value): CompiledSchema {
  return compileSchema(parseSchema(document))
}

/** The type of a reference written as a document, in the types of a schema. */
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

/** What a null stands for where something has to be. */
const empty: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["name", ""],
  ["fieldName", ""],
])

/** The document as Go reads it: a null is an empty name, an empty key of a list, an empty union, and else nothing. */
function withoutNulls(node: Value): Value {
  if (isList(node)) return withoutNullItems(node, {})
  if (!isMap(node)) return node
  let copy: Record<string, Value> | null = null
  for (const key in node) {
    const value = own(node, key) as Value // a key of it
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
