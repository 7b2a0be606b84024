import { describe, expect, it } from "vitest"
import { readGoTypes } from "../../../src/gotypes/index.js"
import type { UnionDef } from "../../../src/schema/union.js"
import { lintDefinition, lintUnions } from "../../../src/tools/lint/index.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { deepFreeze } from "../../support/deep-freeze.js"

const object = { type: "object", properties: { x: { type: "string" } } }
const text = { type: "string" }

function crd(spec: Record<string, unknown>): Value {
  const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", ...spec } } }
  return deepFreeze({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    spec: { group: "g", names: { kind: "W" }, versions: [{ name: "v1", schema: { openAPIV3Schema } }] },
  }) as Value
}

const specAt = "/spec/versions/0/schema/openAPIV3Schema/properties/spec"

function codes(spec: Record<string, unknown>): string[] {
  return lintDefinition(crd(spec)).map(({ code, path }) => `${code} ${path.replace(specAt, "")}`)
}

const properties = { a: object, b: object, type: { ...text, enum: ["A", "B"] } }
const oneOf = [{ required: ["a"] }, { required: ["b"] }]
const ties = ["A", "B"].map(value => ({
  rule: `has(self.${value.toLowerCase()}) == (self.type == '${value}')`,
}))

describe("the unions of a definition", () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ["a sound one", { properties, required: ["type"], "x-kubernetes-validations": ties }, []],
    ["without a discriminator", { properties, oneOf }, ["union-undiscriminated "]],
    [
      "a required member",
      { properties, oneOf, required: ["a"] },
      ["union-member-required /properties/a", "union-undiscriminated "],
    ],
    [
      "a member with a default",
      { properties: { ...properties, b: { ...object, default: {} } }, oneOf },
      ["union-member-required /properties/b", "union-undiscriminated "],
    ],
    [
      "two required members",
      { properties, oneOf, required: ["a", "b"] },
      ["union-unsatisfiable ", "union-undiscriminated "],
    ],
    [
      "a discriminator that may be absent",
      { properties, "x-kubernetes-validations": ties },
      ["union-discriminator-optional /properties/type"],
    ],
    [
      "a value that is no member's",
      {
        properties: {
          ...properties,
          type: {
            ...text,
            enum: ["A", "B", "None", "C"],
            "x-kubernetes-unions": { fieldMembers: { A: { name: "a" }, B: { name: "b" }, None: null } },
          },
        },
      },
      ["union-value-unknown /properties/type"],
    ],
    [
      "a member whose value the discriminator can't have",
      {
        properties: {
          ...properties,
          type: { ...properties.type, "x-kubernetes-unions": { fieldMembers: { C: { name: "a" } } } },
        },
      },
      ["union-invalid "],
    ],
    [
      "the keys of an overlay",
      {
        properties,
        required: ["type"],
        "x-kubernetes-unions": [{ discriminator: "type", fields: [{ fieldName: "a", discriminatorValue: "A" }] }],
      },
      ["union-invalid /x-kubernetes-unions/0/fields", "union-invalid "],
    ],
    ["what looks like a union", { properties, anyOf: oneOf }, ["union-lookalike /anyOf"]],
  ])("%s", (_, spec, expected) => {
    expect(codes(spec)).toEqual(expected)
  })

  it("are looked for once where copies of a type have the same rule", () => {
    const likeUnion = { type: "object", properties, anyOf: oneOf }
    const [first, ...others] = lintDefinition(crd({ properties: { x: likeUnion, y: likeUnion, z: likeUnion } }))
    expect(others).toEqual([])
    expect(first).toMatchObject({
      code: "union-lookalike",
      message: expect.stringMatching(/; 2 copies elsewhere$/),
    })
  })

  it("have remarks only in versions that are served", () => {
    const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties, oneOf } } } }
    const version = (name: string, served: boolean, more: object = {}) =>
      ({ name, served, storage: served, schema, ...more }) as MapValue
    const { spec, ...rest } = crd({}) as { readonly spec: MapValue } & MapValue
    const wrong = {
      openAPIV3Schema: { type: "object", properties: { l: { type: "array", "x-kubernetes-list-type": "bag" } } },
    }
    const versions = [version("v1beta1", false), version("v1", true), version("v1alpha1", false, { schema: wrong })]
    expect(lintDefinition({ ...rest, spec: { ...spec, versions } }).map(({ code, path }) => `${code} ${path}`)).toEqual(
      [
        "union-undiscriminated /spec/versions/1/schema/openAPIV3Schema/properties/spec",
        "merge-type-invalid /spec/versions/2/schema/openAPIV3Schema/properties/l",
      ],
    )
  })

  it("are found in lists, maps and other versions, and in OpenAPI documents by reference", () => {
    const inner = { type: "object", properties, oneOf }
    expect(
      codes({
        properties: {
          list: { type: "array", items: inner },
          map: {
            type: "object",
            additionalProperties: { ...inner, oneOf: [{ required: ["b"] }, { required: ["a"] }] },
          },
        },
      }),
    ).toEqual([
      "union-undiscriminated /properties/list/items",
      "union-undiscriminated /properties/map/additionalProperties",
      "list-type-missing /properties/list",
    ])
    const schemas = { "a/b": inner, t: { type: "object", properties: { p: { $ref: "#/components/schemas/a~1b" } } } }
    expect(
      lintDefinition({ openapi: "3.0.0", components: { schemas } } as unknown as Value).map(({ path }) => path),
    ).toEqual(["/components/schemas/a~1b"])
  })

  it("are refused if the document is not a definition", () => {
    expect(() => lintDefinition({ kind: "Pod" })).toThrow(TypeError)
    expect(() => lintDefinition(null)).toThrow(TypeError)
  })
})

describe("the unions of Go types", () => {
  const source = `
package v1

type Spec struct {
	// +k8s:unionDiscriminator
	// +optional
	Type string \`json:"type,omitempty"\`
	// +k8s:unionMember
	// +optional
	A *string \`json:"a,omitempty"\`
	// +k8s:unionMember
	B *string \`json:"b"\`
}
`

  it("are checked with the facts that the source has about their fields, and reported with their positions", async () => {
    const { unions, openapi, placeOf } = await readGoTypes({ "types.go": source })
    const found = lintUnions(unions, openapi).map(({ code, path }) => `${code} ${path}`)
    expect(found).toEqual(["union-member-required /components/schemas/v1.Spec/properties/b"])
    expect(placeOf("v1.Spec", ["b"])).toMatchObject({ file: "types.go", line: 12, type: "Spec", field: "B" })
    expect(placeOf("v1.Spec")).toMatchObject({ line: 4 })
    expect(placeOf("v1.Other")).toBeUndefined()
  })

  describe("with members", () => {
    const findings = (union: UnionDef, schema: MapValue) => {
      const document = { openapi: "3.0.0", components: { schemas: { t: schema } } }
      const found = lintUnions({ types: [{ name: "t", unions: [union] }] }, document)
      return found.map(({ path, message }) => `${path}: ${message}`)
    }
    const fields = [{ fieldName: "a" }, { fieldName: "b" }]
    const node = { type: "object", required: ["a"], properties: { a: object, b: object } }
    const noDiscriminator =
      "no field says which of a, b is set, so a client that does not know the member drops it silently"

    it("name the other members, at their places", () => {
      const place = "/components/schemas/t"
      expect(findings({ fields }, node)).toEqual([
        `${place}/properties/a: a is always set, so no other member of its union can be: b`,
        `${place}: ${noDiscriminator}`,
      ])
    })

    it("need no discriminator if they are items", () => {
      const items = ["A", "B"].map(type => ({ fieldName: "conditions", item: { type } }))
      const conditions = { type: "array", items: { type: "object", properties: { type: text } } }
      expect(findings({ fields: items }, { type: "object", properties: { conditions } })).toEqual([])
    })

    it("may have no value of the discriminator", () => {
      const type = { ...text, enum: ["A"] }
      const some = { discriminator: "type", fields: [{ fieldName: "a", discriminatorValue: "A" }, { fieldName: "b" }] }
      const schema = { type: "object", required: ["type"], properties: { a: object, b: object, type } }
      expect(findings(some as UnionDef, schema)).toEqual([])
    })
  })

  it("may have no members, and only values that select none", () => {
    const node = { type: "object", required: ["type"], properties: { type: { ...text, enum: ["", "None", "A"] } } }
    const openapi = { openapi: "3.0.0", components: { schemas: { t: node } } }
    const messages = (union: UnionDef) =>
      lintUnions({ types: [{ name: "t", unions: [union] }] }, openapi).map(({ message }) => message)
    const strange = (value: string) => `type can be ${value}, which neither selects a member nor stands for none`
    expect(messages({ discriminator: "type", emptyValues: ["None"] })).toEqual([strange('""'), strange('"A"')])
    expect(messages({ discriminator: "type", noneValue: "None" })).toEqual([strange('""'), strange('"A"')])
    expect(messages({ discriminator: "type", emptyValues: ["", "None", "A"] })).toEqual([])
    expect(messages({ discriminator: "type" })).toEqual([])
  })

  it("may come from anywhere", () => {
    const node = { type: "object", properties: { a: object, b: object, type: { ...text, enum: ["A"] } } }
    const openapi = {
      openapi: "3.0.0",
      components: { schemas: { t: { type: "object", properties: { l: { type: "array", items: node } } } } },
    }
    const union: UnionDef = {
      discriminator: "type",
      fields: [
        { fieldName: "a", discriminatorValue: "A" },
        { fieldName: "b", discriminatorValue: "B" },
      ],
      cardinality: "exactlyOne",
    }
    const none = { ...union, fields: [{ fieldName: "b", discriminatorValue: "B" }] }
    const selecting = lintUnions({ types: [{ name: "t", at: ["l", "*"], unions: [none] }] }, openapi)
    expect(selecting.map(({ code, message }) => `${code}: ${message}`)).toContain(
      "union-unsatisfiable: one member has to be set, and no value that type can have selects one, so nothing can be valid",
    )
    const types = [
      { name: "t", at: ["l", "*"], unions: [union] },
      { name: "gone", unions: [union] },
    ]
    expect(lintUnions({ types }, openapi).map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'union-value-unknown: b is selected by "B", which type can\'t be',
      "union-discriminator-optional: one member has to be set, but type, which selects it, may be absent",
    ])
  })
})
