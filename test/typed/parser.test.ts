import { describe, expect, it } from "vitest"
import { SchemaError, StructuredMergeError, ValidationError } from "../../src/errors.js"
import { parseYaml } from "../../src/io/index.js"
import { parseSchema, parseTypeRef, parseTypes } from "../../src/typed/parser.js"
import type { Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { thrownBy } from "../support/thrown-by.js"
import { cyclicMap, inheritedKeys, json, nestedMap } from "../value/samples.js"
import { things, typed } from "./notation.js"

const document: Value = deepFreeze({
  types: [
    { name: "pod", map: { fields: [{ name: "spec", type: { namedType: "spec" } }] } },
    {
      name: "spec",
      map: {
        fields: [{ name: "host", type: { scalar: "string" }, default: "here" }],
        elementType: { scalar: "numeric" },
      },
    },
  ],
})

describe("parseSchema", () => {
  it("returns the document itself", () => {
    expect(parseSchema(document)).toBe(document)
  })

  it.each([
    ["two unions", [{ fields: [{ fieldName: "a" }] }, { fields: [{ fieldName: "b" }, { fieldName: "a" }] }], "a"],
    ["a union and a discriminator", [{ fields: [{ fieldName: "a" }] }, { discriminator: "a", fields: [] }], "a"],
    ["a union that it selects", [{ discriminator: "b", fields: [{ fieldName: "b" }] }], "b"],
  ])("refuses a field in %s, wherever the struct is", (_, unions, field) => {
    const struct = { map: { fields: ["a", "b"].map(name => ({ name, type: { scalar: "string" } })), unions } }
    const message = `.map.unions: field ${field} appears multiple times in unions`
    const places: [Value, string][] = [
      [struct, ""],
      [{ map: { fields: [{ name: "f", type: struct }] } }, '.map.fields[name="f"].type'],
      [{ map: { elementType: struct } }, ".map.elementType"],
      [{ list: { elementType: struct, elementRelationship: "atomic" } }, ".list.elementType"],
    ]
    for (const [atom, place] of places) {
      const types = [{ name: "t", ...(atom as object) }] as unknown as Value
      expect(() => parseSchema({ types })).toThrow(
        new SchemaError(`invalid schema: .types[name="t"]${place}${message}`),
      )
    }
  })

  it("returns a schema without types for an empty document", () => {
    for (const empty of [null, {}, { types: null }]) expect(parseSchema(deepFreeze(empty))).toEqual({ types: [] })
  })

  it("treats null as absent, as an empty name, as an empty list key or as an empty union", () => {
    const document = {
      types: [
        { name: null, scalar: "string", list: null },
        {
          name: "a",
          list: { elementType: { map: { fields: null, elementType: { scalar: "string" } } }, keys: [null, "k"] },
        },
        { name: "b", map: { fields: [{ name: "f", type: null, default: { x: null } }], unions: [null] } },
      ],
    }
    expect(parseSchema(deepFreeze(document))).toStrictEqual({
      types: [
        { name: "", scalar: "string" },
        { name: "a", list: { elementType: { map: { elementType: { scalar: "string" } } }, keys: ["", "k"] } },
        { name: "b", map: { fields: [{ name: "f", default: { x: null } }], unions: [{}] } },
      ],
    })
  })

  it("accepts the result of a YAML reader", () => {
    const schema = parseSchema(deepFreeze(parseYaml("types:\n- name: a\n  scalar: string\n")))
    expect(schema).toEqual({ types: [{ name: "a", scalar: "string" }] })
  })

  it("accepts every part of a schema", () => {
    const everything: Value = {
      types: [
        {
          name: "all",
          scalar: "untyped",
          list: {
            elementType: { namedType: "all", elementRelationship: "atomic", nullable: true },
            elementRelationship: "associative",
            keys: ["a", "b"],
          },
          map: {
            fields: [
              {
                name: "a",
                type: { list: { elementType: { scalar: "string" } } },
                default: { any: ["thing", 1, null] },
              },
            ],
            unions: [
              {
                discriminator: "d",
                deduceInvalidDiscriminator: true,
                fields: [{ fieldName: "a", discriminatorValue: "A" }],
              },
            ],
            elementType: { map: {} },
            elementRelationship: "separable",
          },
        },
      ],
    }
    expect(parseSchema(deepFreeze(everything))).toBe(everything)
  })

  const invalid: [title: string, document: Value, issues: string[]][] = [
    ["a list", [], ["expected map, got &{[]}"]],
    ["a scalar", "types", ["expected map, got &{types}"]],
    ["an unknown key", { typos: [] }, [".typos: field not declared in schema"]],
    [
      "an unknown key of a type",
      { types: [{ name: "a", struct: {} }] },
      ['.types[name="a"].struct: field not declared in schema'],
    ],
    [
      "a type without a name",
      { types: [{ scalar: "string" }] },
      [".types: element 0: associative list with keys has an element that omits all key fields"],
    ],
    ["a type named twice", { types: [{ name: "a" }, { name: "a" }] }, ['.types: duplicate entries for key [name="a"]']],
    [
      "a field named twice",
      { types: [{ name: "a", map: { fields: [{ name: "f" }, { name: "f" }] } }] },
      ['.types[name="a"].map.fields: duplicate entries for key [name="f"]'],
    ],
    ["a name that is a number", { types: [{ name: 1 }] }, [".types[name=1].name: expected string"]],
    ["a scalar that is a number", { types: [{ name: "a", scalar: 1 }] }, ['.types[name="a"].scalar: expected string']],
    [
      "keys that are not a list",
      { types: [{ name: "a", list: { keys: "k" } }] },
      ['.types[name="a"].list.keys: expected list'],
    ],
    [
      "several problems",
      { types: [{ name: "a", q: 1 }], r: 2 },
      ['.types[name="a"].q: field not declared in schema', ".r: field not declared in schema"],
    ],
  ]
  it.each(invalid)("refuses %s with its path", (_, value, issues) => {
    const run = () => parseSchema(deepFreeze(value))
    expect(run).toThrow(SchemaError)
    expect(run).toThrow(/^unable to validate schema: /)
    for (const issue of issues) expect(run).toThrow(issue)
    const { cause } = thrownBy(run) as Error
    expect(cause).toBeInstanceOf(ValidationError)
    expect((cause as ValidationError).issues).toHaveLength(issues.length)
  })

  it.each(inheritedKeys)("refuses the key %s", key => {
    expect(() => parseSchema(json(`{"${key}": 1}`))).toThrow(`.${key}: field not declared in schema`)
  })

  it.each([
    ["nests far too deep", () => nestedMap(100_000)],
    ["contains itself", cyclicMap],
  ])("refuses a default that %s", (_, make) => {
    const field = { name: "f", type: { scalar: "string" }, default: make() }
    expect(() => parseSchema({ types: [{ name: "a", map: { fields: [field] } }] })).toThrow(StructuredMergeError)
  })

  it("refuses a type that nests far too deep", () => {
    let type: Value = { scalar: "string" }
    for (let i = 0; i < 100_000; i++) type = { map: { elementType: type } }
    expect(() => parseSchema({ types: [{ name: "a", map: { elementType: type } }] })).toThrow(StructuredMergeError)
  })
})

describe("parseTypes", () => {
  it("returns the compiled types of the document", () => {
    const types = parseTypes(document)
    expect(types.typeNames).toEqual(["pod", "spec"])
    expect(typed({ spec: { host: "a", n: 1 } }, types.type("pod")).value).toEqual({ spec: { host: "a", n: 1 } })
    expect([types.has("pod"), types.has("toString"), types.has("__proto__")]).toEqual([true, false, false])
  })
})

describe("parseTypeRef", () => {
  it("returns the named type", () => {
    expect(parseTypeRef(things, { namedType: "item" })).toBe(things.type("item"))
  })

  it("returns an inlined type", () => {
    expect(
      typed({ a: "x" }, parseTypeRef(things, deepFreeze({ map: { elementType: { scalar: "string" } } }))).value,
    ).toEqual({
      a: "x",
    })
  })

  it.each<[title: string, document: Value, message: string]>([
    ["an unknown key", { name: "a" }, "unable to validate type reference: .name: field not declared in schema"],
    ["a list", [], "unable to validate type reference: expected map, got &{[]}"],
  ])("refuses %s", (_, value, message) => {
    expect(() => parseTypeRef(things, deepFreeze(value))).toThrow(new SchemaError(message))
  })

  it("returns a type that allows nothing for null", () => {
    expect(parseTypeRef(things, null).problem).toBe("schema error: invalid atom: inlined")
  })
})
