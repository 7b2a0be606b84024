// Schemas and typed values as tests write them: functions that return type references, and the type `thing`, which has every kind of part.
import { ValidationError } from "../../src/errors.js"
import type { Atom, ElementRelationship, Schema, StructField, TypeRef } from "../../src/schema/schema.js"
import { deducedSchema } from "../../src/typed/deduced.js"
import { compileSchema, type Type } from "../../src/typed/type.js"
import { TypedValue, type ValidationOptions } from "../../src/typed/typed-value.js"
import type { Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"

export const text: TypeRef = { scalar: "string" }
export const number: TypeRef = { scalar: "numeric" }
export const flag: TypeRef = { scalar: "boolean" }
export const scalar: TypeRef = { scalar: "untyped" }

export function named(namedType: string, elementRelationship?: ElementRelationship): TypeRef {
  return elementRelationship === undefined ? { namedType } : { namedType, elementRelationship }
}

export function setOf(elementType: TypeRef): TypeRef {
  return { list: { elementType, elementRelationship: "associative" } }
}

export function listBy(keys: readonly string[], elementType: TypeRef): TypeRef {
  return { list: { elementType, elementRelationship: "associative", keys } }
}

export function atomicList(elementType: TypeRef): TypeRef {
  return { list: { elementType, elementRelationship: "atomic" } }
}

export function mapOf(elementType: TypeRef): TypeRef {
  return { map: { elementType } }
}

/** A struct; the relationship makes it atomic, `defaults` are those of its fields. */
export function struct(
  types: Readonly<Record<string, TypeRef>>,
  elementRelationship?: ElementRelationship,
  defaults: Readonly<Record<string, Value>> = {},
): TypeRef {
  const fields = Object.entries(types).map(([name, type]): StructField => {
    return Object.hasOwn(defaults, name) ? { name, type, default: defaults[name] as Value } : { name, type }
  })
  return { map: elementRelationship === undefined ? { fields } : { fields, elementRelationship } }
}

/** A schema of these named types and those of values without a schema. */
export function schemaOf(types: Readonly<Record<string, Atom>>): Schema {
  const definitions = Object.entries(types).map(([name, atom]) => ({ name, ...atom }))
  return deepFreeze({ types: [...definitions, ...deducedSchema.types] })
}

/** The type of a reference in a schema of its own. */
export function typeOf(ref: TypeRef, types: Readonly<Record<string, Atom>> = {}): Type {
  return compileSchema(schemaOf(types)).typeOf(deepFreeze(ref))
}

export const things = compileSchema(
  schemaOf({
    thing: struct({
      s: text,
      n: number,
      b: flag,
      u: scalar,
      tags: setOf(text),
      nums: setOf(scalar),
      list: named("items"),
      ports: listBy(["port", "protocol"], named("port")),
      args: atomicList(text),
      frozen: struct({ x: text, y: text }, "atomic"),
      map: mapOf(text),
      maps: mapOf(struct({ x: text, y: text })),
      whole: named("items", "atomic"),
      in: named("thing"),
      free: named("__untyped_deduced_"),
      raw: named("__untyped_atomic_"),
      either: { ...scalar, ...setOf(text), ...mapOf(number) },
    }),
    items: listBy(["k"], named("item")),
    item: struct({ k: text, v: number, tags: setOf(text), list: named("items") }),
    port: struct({ port: number, protocol: text, name: text }, undefined, { protocol: "TCP" }),
  }),
)

export const thing = things.type("thing")

/** Returns the frozen value as a valid instance. */
export function typed(value: Value, type: Type = thing, options: ValidationOptions = {}): TypedValue {
  return TypedValue.of(deepFreeze(value), type, options)
}

/** Returns the frozen value as an instance whose items may share their keys. */
export function withDuplicates(value: Value, type: Type = thing): TypedValue {
  return typed(value, type, { allowDuplicates: true })
}

/** Returns the frozen value without checks. */
export function unchecked(value: Value, type: Type = thing): TypedValue {
  return TypedValue.unvalidated(deepFreeze(value), type)
}

/** Returns the issues that `run` throws, each as `path: message`; none if it throws nothing. */
export function issuesOf(run: () => unknown): string[] {
  try {
    run()
    return []
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    return error.issues.map(({ path, message }) => `${path}: ${message}`)
  }
}
