import { evaluate } from "@marcbachmann/cel-js"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { schemaFromCRD } from "../../src/openapi/crd.js"
import { unionsFromValidation } from "../../src/openapi/unions/from-validation/recognize.js"
import type { FieldFacts } from "../../src/openapi/unions/from-validation/states.js"
import { schemaFromOpenAPIv3 } from "../../src/openapi/v3.js"
import type { Schema, TypeRef } from "../../src/schema/schema.js"
import type { UnionDef } from "../../src/schema/union.js"
import { compileSchema } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { validateUnions } from "../../src/union/validate.js"
import type { MapValue, Value } from "../../src/value/value.js"
import { budget, runs } from "../support/budget.js"
import { definitionOf } from "../support/definition.js"
import { v3 } from "./support.js"

const object = { type: "object", properties: { x: { type: "string" } } }
const text = { type: "string" }
const fields = { a: object, b: object, c: object, d: object, type: text }

/** A struct with the objects a, b, c and d, and the text `type`. */
function struct(keywords: Record<string, unknown>, others: Record<string, unknown> = {}) {
  return { type: "object", ...keywords, properties: { ...fields, ...others } }
}

function crd(spec: Record<string, unknown>) {
  return definitionOf("Widget", { schema: { properties: { spec: spec as MapValue } } })
}

const specAt = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/"

function read(spec: Record<string, unknown>) {
  const { schema, diagnostics } = schemaFromCRD(crd(spec), { unionMode: "from-validation" })
  const root = schema.types.find(({ name }) => name === "com.example.v1.Widget")
  const type = root?.map?.fields?.find(({ name }) => name === "spec")?.type
  const short = (path: string) => path.replace(specAt, "").replace("x-kubernetes-validations/", "rule ")
  return {
    type,
    unions: type?.map?.unions ?? [],
    recognized: diagnostics.flatMap(({ code, path, message }) =>
      code === "union-recognized" ? [`${short(path)}: ${message}`] : [],
    ),
    others: diagnostics.flatMap(({ code, path, message }) =>
      code === "no-union" ? [`${short(path)}: ${message.replace("not taken for a union: ", "")}`] : [],
    ),
    rest: diagnostics.filter(({ code }) => code !== "no-union" && code !== "union-recognized"),
  }
}

function rules(...texts: readonly string[]) {
  return { "x-kubernetes-validations": texts.map(rule => ({ rule, message: "exactly one of the fields" })) }
}

/** `a b!` is exactly one of a and b; `type: a=A b=B? -None (required)` has a discriminator. */
function spelled({ discriminator, fields = [], emptyValues = [], noneValue, ...rest }: UnionDef): string {
  const members = fields.map(({ fieldName, discriminatorValue, optional, zeroIsUnset, emptyIsSet }) =>
    [
      fieldName,
      discriminatorValue === undefined ? "" : `=${discriminatorValue}`,
      optional ? "?" : "",
      zeroIsUnset ? "~" : "",
      emptyIsSet ? "+" : "",
    ].join(""),
  )
  const empty = [...emptyValues, ...(noneValue === undefined ? [] : [JSON.stringify(noneValue)])]
  const words = [...members, ...empty.map(value => `-${value}`)]
  const required = rest.discriminatorRequired ? [" (required)"] : []
  const front = discriminator === undefined ? "" : `${discriminator}: `
  return [front, words.join(" "), rest.cardinality === "exactlyOne" ? "!" : "", ...required].join("")
}

const required = (...names: string[]) => ({ required: names })

describe("unions stated in JSON Schema", () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ["one of several required fields", { oneOf: [required("a"), required("b")] }, ["a b!"]],
    [
      "none of them, or one",
      { oneOf: [{ not: { anyOf: [required("a"), required("b")] } }, required("a"), required("b")] },
      ["a b"],
    ],
    ["not both", { not: required("a", "b") }, ["a b"]],
    ["not both, as allOf", { not: { allOf: [required("a"), required("b")] } }, ["a b"]],
    ["one of them is absent", { anyOf: [{ not: required("a") }, { not: required("b") }] }, ["a b"]],
    ["no two of three", { not: { anyOf: [required("a", "b"), required("a", "c"), required("b", "c")] } }, ["a b c"]],
    [
      "in words that repeat each other",
      {
        oneOf: [
          { required: ["a"], not: required("b") },
          { required: ["b"], not: required("a") },
        ],
      },
      ["a b!"],
    ],
    [
      "two unions in allOf",
      { allOf: [{ oneOf: [required("a"), required("b")] }, { not: required("c", "d") }] },
      ["a b!", "c d"],
    ],
    [
      "properties that restrict nothing",
      {
        oneOf: [
          { required: ["a"], properties: { a: {} } },
          { required: ["b"], properties: { b: {} } },
        ],
      },
      ["a b!"],
    ],
    ["one of any, and no two", { anyOf: [required("a"), required("b")], not: required("a", "b") }, ["a b!"]],
    [
      "a discriminator beside its member",
      {
        required: ["type"],
        oneOf: [
          { properties: { type: { enum: ["A"] } }, required: ["a"], not: required("b") },
          { properties: { type: { enum: ["B"] } }, required: ["b"], not: required("a") },
        ],
      },
      ["type: a=A b=B!"],
    ],
  ])("%s", (_, keywords, unions) => {
    const found = read(struct(keywords))
    expect({ unions: found.unions.map(spelled), others: found.others, rest: found.rest }).toEqual({
      unions,
      others: [],
      rest: [],
    })
  })

  it.each<[string, Record<string, unknown>, string[]]>([
    [
      "several may be set",
      { anyOf: [required("a"), required("b")] },
      ["anyOf: it requires at least one of a, b, and several may be set"],
    ],
    ["groups of fields", { oneOf: [required("a", "b"), required("c")] }, ["oneOf: it allows a and b together"]],
    [
      "a clause with more",
      { oneOf: [{ required: ["a"], minProperties: 2 }, required("b")] },
      ["oneOf: a clause has `minProperties`"],
    ],
    [
      "what a member holds",
      { oneOf: [{ required: ["a"], properties: { a: { maxProperties: 2 } } }, required("b")] },
      ["oneOf: a clause restricts a by `maxProperties`"],
    ],
    [
      "what is inside of a member",
      { oneOf: [{ required: ["a"], properties: { a: required("x") } }, required("b")] },
      ["oneOf: a clause looks inside a"],
    ],
    [
      "a discriminator that may be absent beside a member",
      {
        oneOf: [
          { properties: { type: { enum: ["A"] } }, required: ["a"], not: required("b") },
          { properties: { type: { enum: ["B"] } }, required: ["b"], not: required("a") },
        ],
      },
      ["oneOf: a may be set where type is A, absent"],
    ],
    [
      "values without members",
      {
        required: ["type"],
        oneOf: [
          { properties: { type: { enum: ["A"] } }, required: ["a"] },
          { properties: { type: { enum: ["B"] } }, required: ["b"] },
        ],
      },
      ["oneOf: a may be set where type is A, B"],
    ],
    ["the same field twice", { oneOf: [required("a"), required("a"), required("b")] }, ["oneOf: it refuses a alone"]],
    ["a field alone", { oneOf: [required("a"), { not: required("a") }] }, ["oneOf: a alone excludes nothing"]],
    ["a field that does not exist", { not: required("a", "z") }, ["not: there is no field z"]],
  ])("%s: no union", (_, keywords, others) => {
    const found = read(struct(keywords))
    expect({ unions: found.unions.map(spelled), others: found.others }).toEqual({ unions: [], others })
  })

  it("is a union of all properties if only one may be present", () => {
    const properties = { a: object, b: object }
    expect(read({ type: "object", properties, maxProperties: 1 }).unions.map(spelled)).toEqual(["a b"])
    expect(read({ type: "object", properties, maxProperties: 1, minProperties: 1 }).unions.map(spelled)).toEqual([
      "a b!",
    ])
    const open = { type: "object", properties, maxProperties: 1, "x-kubernetes-preserve-unknown-fields": true }
    expect(read(open).unions).toEqual([])
  })

  it("is refused with a member that may be null, which `required` counts as set", () => {
    const nullable = { a: { ...object, nullable: true } }
    const found = read(struct({ oneOf: [required("a"), required("b")] }, nullable))
    expect(found.unions).toEqual([])
    expect(found.others).toEqual(["oneOf: a may be null, which counts as set here and not in a union"])
    expect(read(struct(rules("has(self.a) != has(self.b)"), nullable)).unions.map(spelled)).toEqual(["a b!"])
  })

  it("ignores keywords that do not test which fields are set", () => {
    const found = read(
      struct({}, { a: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true } }),
    )
    expect([...found.unions, ...found.others, ...found.rest]).toEqual([])
  })
})

describe("unions stated in CEL", () => {
  it.each<[string, string[], string[]]>([
    ["ExactlyOneOf of controller-tools to 0.20", ["[has(self.a),has(self.b)].filter(x,x==true).size() == 1"], ["a b!"]],
    ["AtMostOneOf of controller-tools to 0.20", ["[has(self.a),has(self.b)].filter(x,x==true).size() <= 1"], ["a b"]],
    ["ExactlyOneOf of controller-tools", ["(has(self.a)?1:0)+(has(self.b)?1:0) == 1"], ["a b!"]],
    ["AtMostOneOf of controller-tools", ["(has(self.a)?1:0)+(has(self.b)?1:0)+(has(self.c)?1:0) <= 1"], ["a b c"]],
    [
      "several of them",
      ["(has(self.a)?1:0)+(has(self.b)?1:0) <= 1", "(has(self.c)?1:0)+(has(self.d)?1:0) == 1"],
      ["a b", "c d!"],
    ],
    [
      "AtMostOneOf and AtLeastOneOf of the same fields",
      ["(has(self.a)?1:0)+(has(self.b)?1:0) <= 1", "has(self.a)||has(self.b)"],
      ["a b!"],
    ],
    ["written by hand", ["!(has(self.a) && has(self.b))"], ["a b"]],
    ["as a difference", ["has(self.a) != has(self.b)"], ["a b!"]],
    ["with exists_one", ["[has(self.a), has(self.b)].exists_one(x, x)"], ["a b!"]],
    ["with size as a function", ["size([has(self.a), has(self.b)].filter(f, f)) < 2"], ["a b"]],
    [
      "pair by pair",
      ["!(has(self.a) && has(self.b))", "!has(self.a) || !has(self.c)", "!(has(self.c) && has(self.b))"],
      ["a b c"],
    ],
    [
      "members and values",
      ["has(self.a) ? self.type == 'A' : true", "self.type == 'A' ? has(self.a) : true"],
      ["type: a=A (required)"],
    ],
    [
      "both at once",
      ["self.type == 'A' ? has(self.a) : !has(self.a)", "(self.type == 'B') == has(self.b)"],
      ["type: a=A b=B (required)"],
    ],
    ["an optional member", ["!(has(self.a) && self.type != 'A')"], ["type: a=A?"]],
    ["a discriminator that may be absent", ["!has(self.a) || (has(self.type) && self.type == 'A')"], ["type: a=A?"]],
    ["listed values", ["self.type in ['A', 'None']", 'has(self.a) == (self.type == "A")'], ["type: a=A -None!"]],
    [
      "a member that is a text, and unset where it is empty",
      ["!(self.type == 'T' && (!has(self.t) || self.t == ''))", "!(self.type != 'T' && has(self.t) && self.t != '')"],
      ["type: t=T~ (required)"],
    ],
    ["members of lists and maps", ["!(has(self.l) && has(self.m))"], ["l+ m+"]],
    ["a name that CEL reserves", ["!(has(self.__namespace__) && has(self.x__dash__y))"], ["namespace x-y"]],
    ["a name with a slash", ["!(has(self.x__slash__y) && has(self.x__dash__y))"], ["x/y x-y"]],
    ["not both, and not neither", ["!(has(self.a) && has(self.b))", "!(!has(self.a) && !has(self.b))"], ["a b!"]],
  ])("%s", (_, texts, unions) => {
    const others = {
      t: text,
      l: { type: "array", items: text },
      m: { type: "object", additionalProperties: text },
      namespace: text,
      "x-y": object,
      "x/y": object,
    }
    const found = read(struct(rules(...texts), others))
    expect({ unions: found.unions.map(spelled), others: found.others }).toEqual({ unions, others: [] })
  })

  it.each<[string, string[], string[]]>([
    [
      "AtLeastOneOf",
      ["has(self.a)||has(self.b)"],
      ["rule 0: it requires at least one of a, b, and several may be set"],
    ],
    [
      "AtLeastOneOf to 0.20",
      ["[has(self.a),has(self.b)].filter(x,x==true).size() >= 1"],
      ["rule 0: it requires at least one of a, b, and several may be set"],
    ],
    ["a field that needs another", ["!has(self.a) || has(self.b)"], []],
    ["fields that need each other", ["has(self.a) == has(self.b)"], []],
    ["fields that need each other under one value", ["self.type != 'A' || has(self.a) == has(self.b)"], []],
    ["a field that values of two others need", ["(size(self.t) == 0 && self.type == 'A') ? has(self.a) : true"], []],
    [
      "an empty list beside a text",
      ["!(has(self.a) && size(self.a) > 0 && has(self.t) && self.t != '')"],
      ["rule 0: it asks for a size"],
    ],
    ["a function of another field", ["!(has(self.a) || has(self.b)) || !self.t.matches('^[0-9]')"], []],
    [
      "two of three",
      ["[has(self.a),has(self.b),has(self.c)].filter(x,x).size() <= 2"],
      ["rule 0: it allows a and b together"],
    ],
    [
      "what a field holds",
      ["!(has(self.a) && has(self.b) && self.n > 3)"],
      ["rule 0: it uses a field for something other than comparing its text"],
    ],
    ["a value that a test guards", ["!has(self.a) || !has(self.n) || self.n > 3 || self.a.x == 'x'"], []],
    ["an empty list", ["!has(self.a) || !has(self.b) || size(self.b) == 0"], ["rule 0: it asks for a size"]],
    ["what is inside", ["!(has(self.a.x) && has(self.b))"], ["rule 0: it looks inside a"]],
    ["functions", ["!(has(self.a) && has(self.b) && size(self.type) > 2)"], ["rule 0: it asks for a size"]],
    [
      "the old object",
      ["has(self.a) == has(oldSelf.b) && has(self.b)"],
      ["rule 0: it tests something other than fields of self"],
    ],
    ["two values", ["!has(self.a) || self.type in ['A', 'B']"], ["rule 0: a may be set where type is A, B"]],
    [
      "two fields of a value",
      ["has(self.a) == (self.type == 'A')", "has(self.b) == (self.type == 'A')"],
      ['rule 0: a and b are both selected by "A"', 'rule 1: b and a are both selected by "A"'],
    ],
    [
      "a value that forbids",
      ["!(self.type == 'A' && has(self.a))"],
      ["rule 0: a may be set only where type is anything else"],
    ],
    [
      "rules that overlap",
      ["!(has(self.a) && has(self.b))", "!(has(self.b) && has(self.c))"],
      [
        "rule 0: rules share a field, which can be in one union only, and allow a and c together",
        "rule 1: rules share a field, which can be in one union only, and allow a and c together",
      ],
    ],
    [
      "one of a part",
      ["(has(self.a)?1:0)+(has(self.b)?1:0)+(has(self.c)?1:0) <= 1", "has(self.a) != has(self.b)"],
      [
        "rule 0: rules share a field, and only one of them requires one of a, b",
        "rule 1: rules share a field, and only one of them requires one of a, b",
      ],
    ],
    [
      "empty texts told from none",
      ["!(has(self.t) && self.t == '' && has(self.a))"],
      ["rule 0: it distinguishes an empty t from an absent one"],
    ],
    ["a list as a condition", ["!(has(self.a) && [has(self.b)].filter(x, x))"], ["rule 0: it has a list"]],
    ["a raw text", ["!(has(self.a) && has(self.b) && self.type == r'A')"], ["rule 0: it has a raw string"]],
    ["what is no CEL", ["!(has(self.a) && has(self.b) && #)"], ["rule 0: it has `#`"]],
  ])("%s: no union", (_, texts, others) => {
    const found = read(struct(rules(...texts), { n: { type: "integer" }, t: text }))
    expect({ unions: found.unions.map(spelled), others: found.others }).toEqual({ unions: [], others })
  })

  it("ignores rules that test something else", () => {
    const single = "[has(self.a)].filter(x, x).size() <= 1"
    const found = read(
      struct(rules("self.type != 'A'", "has(self.a)", "size(self.type) < 3", "self == oldSelf", single)),
    )
    expect([...found.unions, ...found.others]).toEqual([])
  })

  it("uses the values of the discriminator's enum, and its default", () => {
    const type = { ...text, enum: ["A", "B", "None"] }
    const texts = rules(
      "has(self.a) == (has(self.type) && self.type == 'A')",
      "!has(self.b) || (has(self.type) && self.type == 'B')",
    )
    expect(read(struct(texts, { type })).unions).toEqual([
      {
        discriminator: "type",
        fields: [
          { fieldName: "a", discriminatorValue: "A" },
          { fieldName: "b", discriminatorValue: "B", optional: true },
        ],
        emptyValues: ["None"],
        values: ["A", "B", "None"],
      },
    ])
    expect(read(struct(texts, { type: { ...type, default: "A" } })).unions.map(spelled)).toEqual([
      "type: a=A b=B? -None!",
    ])
    expect(read(struct({ ...texts, required: ["type"] }, { type })).unions.map(spelled)).toEqual([
      "type: a=A b=B? -None!",
    ])
  })

  it("keeps the members if a rule about other fields is not part of the union", () => {
    const found = read(struct(rules("has(self.a) == (self.type == 'A')", "!has(self.b) || self.type != 'A'")))
    expect(found.unions.map(spelled)).toEqual(["type: a=A (required)"])
    expect(found.others).toEqual(["rule 1: b may be set only where type is anything else"])
  })

  it("keeps a member whose value also allows another field", () => {
    const found = read(struct(rules("!has(self.a) || self.type == 'A'", "!has(self.b) || self.type in ['A', 'B']")))
    expect(found.unions.map(spelled)).toEqual(["type: a=A?"])
    expect(found.others).toEqual(["rule 1: b may be set where type is A, B"])
  })

  it("uses the larger of two unions that share a field", () => {
    const oneOf = [required("a"), required("b"), required("c")]
    const found = read(struct({ oneOf, ...rules("!has(self.a) || self.type == 'A'") }))
    expect(found.unions.map(spelled)).toEqual(["a b c!"])
    expect(found.others).toEqual(["rule 0: a is already in the union of oneOf"])
  })

  it("keeps the unions that x-kubernetes-unions declares", () => {
    const declared = [{ "fields-to-discriminateBy": { a: "A", b: "B" } }]
    const found = read(struct({ ...rules("!(has(self.b) && has(self.c))"), "x-kubernetes-unions": declared }))
    expect(found.unions).toHaveLength(1)
    expect(found.others).toEqual(["rule 0: x-kubernetes-unions already declares b"])
  })

  it("counts many fields without trying all their sets", () => {
    const names = Array.from({ length: 40 }, (_, i) => `f${i}`)
    const many = Object.fromEntries(names.map(name => [name, object]))
    const found = read(struct(rules(`${names.map(name => `(has(self.${name})?1:0)`).join("+")} == 1`), many))
    expect(found.unions[0]?.fields).toHaveLength(40)
    const other = read(struct(rules(`!(${names.map(name => `has(self.${name})`).join(" && ")})`), many))
    expect(other.others).toEqual(["rule 0: it tests more than 14 fields"])
  })

  it("gives up on a rule that nests too deep", () => {
    const rule = `has(self.a) && has(self.b) && ${"(".repeat(5000)}true${")".repeat(5000)}`
    expect(read(struct(rules(rule))).others).toEqual(["rule 0: it nests too deep"])
    expect(read(struct(rules(`has(self.a) && has(self.b) && ${"!".repeat(5000)}true`))).others).toEqual([
      "rule 0: it nests too deep",
    ])
  })
})

describe("validation", () => {
  it("is read only on request", () => {
    const definition = crd(struct({ oneOf: [required("a"), required("b")] }))
    for (const unions of ["off", "upstream", "drop", "repair"] as const) {
      expect(schemaFromCRD(definition, { unionMode: unions })).toEqual(
        schemaFromCRD(crd(struct({})), { unionMode: unions }),
      )
    }
  })

  it("is read in the items of lists, in maps, and below", () => {
    const inner = struct({ oneOf: [required("a"), required("b")] })
    const others = { list: { type: "array", items: inner }, map: { type: "object", additionalProperties: inner } }
    expect(read(struct({}, others)).recognized).toEqual([
      "properties/list/items/oneOf: union of exactly one of a, b; stated by oneOf",
      "properties/map/additionalProperties/oneOf: union of exactly one of a, b; stated by oneOf",
    ])
  })

  it("is also read in OpenAPI documents, through references", () => {
    const schemas = {
      t: struct(rules("has(self.a) == (self.type == 'A')"), {
        type: { allOf: [{ $ref: "#/components/schemas/values" }] },
      }),
      values: { ...text, enum: ["A", "B"] },
    }
    const { schema } = schemaFromOpenAPIv3(v3(schemas), { unionMode: "from-validation", deduce: "always" })
    expect(schema.types.find(({ name }) => name === "t")?.map?.unions).toEqual([
      {
        discriminator: "type",
        deduceInvalidDiscriminator: true,
        fields: [{ fieldName: "a", discriminatorValue: "A" }],
        emptyValues: ["B"],
        values: ["A", "B"],
        cardinality: "exactlyOne",
      },
    ])
  })
})

describe("a recognized union", () => {
  const has = fc.constantFrom("has(self.a)", "has(self.b)", "has(self.c)", "has(self.t)")
  const says = fc.constantFrom(
    "self.type == 'A'",
    "self.type != 'B'",
    "self.type == 'C'",
    "has(self.type)",
    "self.t == ''",
  )
  const { condition } = fc.letrec<{ condition: string }>(tie => ({
    condition: fc.oneof(
      { maxDepth: 3, depthIdentifier: "rule" },
      has,
      says,
      fc
        .tuple(tie("condition"), fc.constantFrom("&&", "||", "=="), tie("condition"))
        .map(([a, sign, b]) => `(${a} ${sign} ${b})`),
      tie("condition").map(inner => `!(${inner})`),
      fc.tuple(has, tie("condition"), tie("condition")).map(([test, yes, no]) => `(${test} ? ${yes} : ${no})`),
    ),
  }))
  const of = fc.constantFrom(...["a", "b", "c", "t"])
  const value = fc.constantFrom("A", "B", "C")
  /** Many of these forms are unions, so not all cases are rejected. */
  const form = fc.oneof(
    fc.tuple(of, value).map(([field, text]) => `self.type == '${text}' ? has(self.${field}) : !has(self.${field})`),
    fc.tuple(of, value).map(([field, text]) => `!(has(self.${field}) && self.type != '${text}')`),
    fc.tuple(of, value).map(([field, text]) => `!(!has(self.${field}) && self.type == '${text}')`),
    fc.tuple(of, of).map(([one, other]) => `!(has(self.${one}) && has(self.${other}))`),
    fc
      .tuple(fc.uniqueArray(of, { minLength: 2 }), fc.constantFrom("== 1", "<= 1", ">= 1"))
      .map(([names, end]) => `[${names.map(name => `has(self.${name})`).join(", ")}].filter(x, x).size() ${end}`),
    fc.constantFrom(
      "self.type in ['A', 'B']",
      "!has(self.t) || self.t == '' || self.type == 'C'",
      "self.type != 'C' || (has(self.t) && self.t != '')",
    ),
  )
  const texts = fc.array(fc.oneof({ weight: 4, arbitrary: form }, { weight: 1, arbitrary: condition }), {
    minLength: 1,
    maxLength: 5,
  })

  const states: MapValue[] = []
  for (let bits = 0; bits < 8; bits++) {
    for (const t of [undefined, "", "x"]) {
      for (const type of [undefined, "", "A", "B", "C", "D"]) {
        const members = ["a", "b", "c"].filter((_, i) => (bits & (1 << i)) !== 0)
        states.push({
          ...Object.fromEntries(members.map(name => [name, { x: "" }])),
          ...(t !== undefined && { t }),
          ...(type !== undefined && { type }),
        })
      }
    }
  }

  function allows(rule: string, state: MapValue): boolean {
    try {
      return evaluate(rule, { self: state }) === true
    } catch {
      return false
    }
  }

  function withUnion(union: UnionDef): Schema {
    const scalar: TypeRef = { scalar: "string" }
    const members = ["a", "b", "c"].map(name => ({ name, type: { map: { fields: [{ name: "x", type: scalar }] } } }))
    const fields = [...members, { name: "t", type: scalar }, { name: "type", type: scalar }]
    return { types: [{ name: "t", map: { fields, unions: [union] } }] }
  }

  it("allows the same objects as the rules in another implementation of CEL", () => {
    let found = 0
    fc.assert(
      fc.property(texts, all => {
        const schema = struct(rules(...all))
        const facts = (name: string): FieldFacts => ({
          values: undefined,
          isText: name === "t" || name === "type",
          nullable: false,
          alwaysThere: false,
          mayBeEmpty: true,
          emptyIsSet: false,
        })
        for (const { union, at } of unionsFromValidation(schema as Value as MapValue, facts, []).unions) {
          found++
          const stated = at.map(place => all[Number(place.split("/")[1])] as string)
          const type = compileSchema(withUnion(union)).type("t")
          for (const state of states) {
            const expected = stated.every(rule => allows(rule, state))
            const errors = validateUnions(undefined, TypedValue.of(state, type), { style: "kep-2022" })
            if ((errors.length === 0) === expected) continue
            const said = errors.map(({ message }) => message).join()
            throw new Error(
              `${JSON.stringify(state)}: ${stated.join(", ")}: ${expected}, but ${spelled(union)}: ${said}`,
            )
          }
        }
      }),
      runs(500),
    )
    expect(found).toBeGreaterThan(budget(150))
  })
})
