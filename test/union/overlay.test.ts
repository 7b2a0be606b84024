import { describe, expect, it } from "vitest"
import { SchemaError } from "../../src/errors.js"
import { parseSchema } from "../../src/typed/parser.js"
import { compileSchema } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { normalizeUnions } from "../../src/union/normalize.js"
import { applyUnionOverlay, parseUnionOverlay } from "../../src/union/overlay.js"
import { yaml } from "./story.js"

const schema = parseSchema(
  yaml(`
types:
- name: Deployment
  map:
    fields:
    - {name: strategy, type: {namedType: Strategy}}
    - {name: inline, type: {map: {fields: [
        {name: kind, type: {namedType: Kind}}, {name: a, type: {scalar: string}}, {name: b, type: {scalar: string}},
        {name: items, type: {list: {elementType: {map: {fields: [
          {name: x, type: {scalar: string}}, {name: z, type: {scalar: string}}]}}, elementRelationship: atomic}}}]}}}
- name: Kind
  scalar: string
- name: Strategy
  map:
    fields:
    - {name: type, type: {scalar: string}}
    - {name: rollingUpdate, type: {namedType: Kind}}
    - {name: count, type: {scalar: numeric}}
    unions:
    - {discriminator: type, fields: [{fieldName: rollingUpdate, discriminatorValue: Wrong}]}
- name: Open
  map: {fields: [{name: a, type: {scalar: string}}], elementType: {scalar: string}}
- name: Names
  list: {elementType: {scalar: string}, elementRelationship: atomic}
`),
)

const strategy = `
types:
- name: Strategy
  unions:
  - discriminator: type
    emptyValues: [Recreate]
    fields: [{fieldName: rollingUpdate, discriminatorValue: RollingUpdate, optional: true}]
`

describe("an overlay", () => {
  it("replaces the unions of a type, and changes neither the schema nor other types", () => {
    const result = applyUnionOverlay(schema, yaml(strategy))
    const unionsOf = (from: typeof schema) => from.types.find(({ name }) => name === "Strategy")?.map?.unions
    expect(unionsOf(result)).toMatchObject([{ emptyValues: ["Recreate"], fields: [{ optional: true }] }])
    expect(unionsOf(schema)).toMatchObject([{ fields: [{ discriminatorValue: "Wrong" }] }])
    expect(result.types[0]).toBe(schema.types[0])
  })

  it("works in the engine", () => {
    const type = compileSchema(applyUnionOverlay(schema, yaml(strategy))).type("Strategy")
    const old = TypedValue.of(yaml("{type: RollingUpdate, rollingUpdate: x}"), type)
    const next = TypedValue.of(yaml("{type: Recreate, rollingUpdate: x}"), type)
    expect(normalizeUnions(old, next).object.value).toEqual({ type: "Recreate" })
  })

  it("reaches structs that are written in place", () => {
    const result = applyUnionOverlay(schema, {
      types: [
        { name: "Deployment", at: ["inline"], unions: [{ fields: [{ fieldName: "a" }, { fieldName: "b" }] }] },
        {
          name: "Deployment",
          at: ["inline", "items", "*"],
          unions: [{ fields: [{ fieldName: "x" }, { fieldName: "z" }] }],
        },
      ],
    })
    const inline = result.types[0]?.map?.fields?.[1]?.type.map
    expect(inline?.unions).toEqual([{ fields: [{ fieldName: "a" }, { fieldName: "b" }] }])
    expect(inline?.fields?.[3]?.type.list?.elementType?.map?.unions).toHaveLength(1)
  })

  it("removes unions with an empty list, and may name undeclared keys of an open struct", () => {
    const result = applyUnionOverlay(schema, {
      types: [
        { name: "Strategy", unions: [] },
        { name: "Open", unions: [{ discriminator: "d", fields: [{ fieldName: "z", discriminatorValue: "Z" }] }] },
      ],
    })
    expect(result.types.map(({ map }) => map?.unions?.length)).toEqual([undefined, undefined, 0, 1, undefined])
  })

  it("accepts a discriminator whose type has a name", () => {
    const unions = [{ discriminator: "kind", fields: [{ fieldName: "a", discriminatorValue: "A" }] }]
    const result = applyUnionOverlay(schema, { types: [{ name: "Deployment", at: ["inline"], unions }] })
    expect(result.types[0]?.map?.fields?.[1]?.type.map?.unions).toEqual(unions)
  })

  it("passes over types that the schema lacks, if asked to", () => {
    const overlay = { types: [{ name: "Missing", unions: [] }] }
    expect(applyUnionOverlay(schema, overlay, { missingTypes: "ignore" })).toBe(schema)
    expect(() => applyUnionOverlay(schema, overlay)).toThrow(
      new SchemaError("union overlay does not fit the schema: Missing: the schema has no such type"),
    )
  })
})

describe("an overlay is refused", () => {
  const overStrategy = (union: string) => `types: [{name: Strategy, unions: [${union}]}]`
  const rolling = "{fieldName: rollingUpdate, discriminatorValue: R}"

  it.each([
    ["for a field the type lacks", "{fields: [{fieldName: nope}]}", "union #1: the type has no field nope"],
    [
      "for a discriminator the type lacks",
      `{discriminator: nope, fields: [${rolling}]}`,
      "union nope: the type has no field nope",
    ],
    [
      "for a discriminator that is no string",
      `{discriminator: count, fields: [${rolling}]}`,
      "union count: discriminator count is not a string",
    ],
    [
      "for a member that is the discriminator",
      "{discriminator: type, fields: [{fieldName: type, discriminatorValue: T}]}",
      "union type: field type is already in it",
    ],
    [
      "for unions that overlap",
      `{name: u, fields: [{fieldName: count}]}, {name: v, discriminator: type, fields: [{fieldName: count, discriminatorValue: C}]}`,
      "union v: field count is already in union u",
    ],
    [
      "for a value of two members",
      `{discriminator: type, fields: [${rolling}, {fieldName: count, discriminatorValue: R}]}`,
      'union type: value "R" is given to rollingUpdate and to count',
    ],
    [
      "for an empty value that a member has",
      `{discriminator: type, emptyValues: [R], fields: [${rolling}]}`,
      'union type: value "R" is given to rollingUpdate and to emptyValues',
    ],
    [
      "for a none value that is one of the empty values",
      `{discriminator: type, emptyValues: [None], noneValue: None}`,
      'union type: value "None" is given to emptyValues and to noneValue',
    ],
    [
      "for a member without a value",
      "{discriminator: type, fields: [{fieldName: count}]}",
      "union type: member count has no discriminatorValue",
    ],
    [
      "for a member with the value of none",
      "{discriminator: type, fields: [{fieldName: count, discriminatorValue: ''}]}",
      `union type: member count can't have the value ""`,
    ],
    [
      "for a member's value that is not listed",
      `{discriminator: type, values: [S], fields: [${rolling}]}`,
      'union type: value "R" of rollingUpdate is not among the values',
    ],
    ["for no members", "{cardinality: atMostOne}", "union #1: there are no members"],
    [
      "for another cardinality",
      "{cardinality: two, fields: [{fieldName: count}]}",
      'union #1: cardinality is exactlyOne or atMostOne, not "two"',
    ],
    [
      "for an optional member that nothing selects",
      "{fields: [{fieldName: count, optional: true}]}",
      "union #1: member count: optional has no effect without a discriminator",
    ],
    [
      "for values that nothing holds",
      "{values: [A], fields: [{fieldName: count}]}",
      "union #1: values has no effect without a discriminator",
    ],
    [
      "for deducing what there is not",
      "{deduceInvalidDiscriminator: true, fields: [{fieldName: count}]}",
      "union #1: deduceInvalidDiscriminator has no effect without a discriminator",
    ],
  ])("%s", (_, union, message) => {
    expect(() => applyUnionOverlay(schema, yaml(overStrategy(union)))).toThrow(
      new SchemaError(`union overlay does not fit the schema: Strategy: ${message}`),
    )
  })

  it.each([
    ["where there is nothing", "[inline, nope]", "Deployment.inline.nope: there is nothing at nope"],
    ["below a scalar", "[inline, a, '*']", "Deployment.inline.a.*: there is nothing at *"],
    ["in another type", "[strategy]", "Deployment.strategy: strategy has a type of its own, Strategy: name that one"],
    ["in a scalar", "[inline, a]", "Deployment.inline.a: only a struct has unions"],
  ])("%s", (_, at, message) => {
    expect(() => applyUnionOverlay(schema, yaml(`types: [{name: Deployment, at: ${at}, unions: []}]`))).toThrow(message)
  })

  it("for several reasons at once", () => {
    const overlay = yaml(overStrategy("{fields: [{fieldName: neither}, {fieldName: nor}]}"))
    expect(() => applyUnionOverlay(schema, overlay)).toThrow(
      "errors:\n  Strategy: union #1: the type has no field neither\n  Strategy: union #1: the type has no field nor",
    )
  })

  it("for keys it does not know and values of the wrong kind", () => {
    expect(() => parseUnionOverlay(yaml("types: [{name: T, union: []}]"))).toThrow(
      /^unable to validate union overlay: .*union: field not declared/,
    )
    expect(() => parseUnionOverlay(yaml("types: [{name: T, unions: [{discriminator: 1}]}]"))).toThrow(SchemaError)
    expect(parseUnionOverlay(null)).toEqual({ types: [] })
  })

  it.each([
    ["types: null", ".types: must not be null"],
    ["types: [{name: T, at: [null]}]", ".types[0].at[0]: must not be null"],
    ["types: [{unions: []}]", ".types[0]: name is missing"],
    [
      "types: [{name: T, unions: [{fields: [{optional: true}]}]}]",
      ".types[0].unions[0].fields[0]: fieldName is missing",
    ],
  ])("for null or missing parts: %s", (text, message) => {
    expect(() => parseUnionOverlay(yaml(text))).toThrow(new SchemaError(`unable to validate union overlay: ${message}`))
  })
})
