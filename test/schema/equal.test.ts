import { describe, expect, it } from "vitest"
import { equalSchemas, equalTypeRefs } from "../../src/schema/equal.js"
import type { Schema, TypeRef } from "../../src/schema/schema.js"
import { schemaSchema } from "../../src/schema/schema-schema.js"
import { listBy, named, number, schemaOf, setOf, struct, text } from "../typed/notation.js"
import { inheritedKeys, json } from "../value/samples.js"

describe("equalTypeRefs", () => {
  const refs: readonly TypeRef[] = [
    {},
    text,
    named("a"),
    named("a", "atomic"),
    named("b"),
    { namedType: "a", nullable: true },
    setOf(text),
    setOf(named("a")),
    listBy(["k"], named("a")),
    listBy(["k", "l"], named("a")),
    listBy(["l", "k"], named("a")),
    struct({ a: text }),
    struct({ a: text }, "atomic"),
    struct({ a: text }, undefined, { a: "x" }),
    struct({ a: text }, undefined, { a: null }),
    struct({ b: text }),
    struct({ a: text, b: text }),
    struct({ b: text, a: text }),
    { map: { fields: [{ name: "a", type: text }], unions: [{ fields: [{ fieldName: "a" }] }] } },
    { ...text, ...setOf(text) },
  ]

  it("distinguishes references that are written in different ways", () => {
    refs.forEach((a, i) => {
      refs.forEach((b, j) => {
        expect(equalTypeRefs(a, structuredClone(b))).toBe(i === j)
      })
    })
  })
})

describe("defaults", () => {
  const withDefault = (value: string): TypeRef => struct({ a: text }, undefined, { a: json(value) })

  it.each(inheritedKeys)("may have the key %s", key => {
    expect(equalTypeRefs(withDefault(`{"${key}": {"x": 1}}`), withDefault(`{"${key}": {"x": 1}}`))).toBe(true)
    expect(equalTypeRefs(withDefault(`{"${key}": {"x": 1}}`), withDefault(`{"${key}": {"x": 2}}`))).toBe(false)
    expect(equalTypeRefs(withDefault(`{"${key}": 1}`), withDefault("{}"))).toBe(false)
    expect(equalTypeRefs(withDefault("{}"), withDefault(`{"${key}": 1}`))).toBe(false)
  })

  it("are equal by value", () => {
    expect(equalTypeRefs(struct({ a: number }, undefined, { a: 1 }), struct({ a: number }, undefined, { a: 1n }))).toBe(
      true,
    )
  })
})

describe("equalSchemas", () => {
  const schema = schemaOf({ a: struct({ x: text }), b: setOf(text) })
  const rows: [title: string, other: Schema, equal: boolean][] = [
    ["itself", schema, true],
    ["a copy", structuredClone(schema), true],
    ["one with its types in another order", schemaOf({ b: setOf(text), a: struct({ x: text }) }), false],
    ["one with fewer types", schemaOf({ a: struct({ x: text }) }), false],
    ["one with another name", schemaOf({ a: struct({ x: text }), c: setOf(text) }), false],
    ["one with another field", schemaOf({ a: struct({ y: text }), b: setOf(text) }), false],
    ["the schema of schemas", schemaSchema, false],
  ]
  it.each(rows)("of a schema and %s", (_, other, equal) => {
    expect([equalSchemas(schema, other), equalSchemas(other, schema)]).toEqual([equal, equal])
  })
})
