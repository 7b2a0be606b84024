import { describe, expect, it } from "vitest"
import type { ConversionOptions } from "../../src/openapi/conversion/options.js"
import { schemaFromCRD } from "../../src/openapi/crd.js"
import { schemaFromOpenAPIv2 } from "../../src/openapi/v2.js"
import { schemaFromOpenAPIv3 } from "../../src/openapi/v3.js"
import { compileSchema } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { validateUnions } from "../../src/union/validate.js"
import type { MapValue, Value } from "../../src/value/value.js"
import { definitionOf } from "../support/definition.js"
import { typeOf, v2, v3 } from "./support.js"

const text = { type: "string" }
const key = "x-kubernetes-unions"

interface Parts {
  readonly list?: unknown
  readonly type?: Record<string, unknown>
  readonly name?: string
  readonly others?: Record<string, unknown>
}

function struct({ list, type = text, others = {} }: Parts) {
  const properties = { type, a: text, b: text, c: text, ...others }
  return { type: "object", properties, ...(list === undefined ? {} : { [key]: list }) }
}

/** Returns the unions that each format yields, and the diagnostics of v3. */
function convert(parts: Parts, options: ConversionOptions = {}) {
  const { name = "t" } = parts
  const three = schemaFromOpenAPIv3(v3({ [name]: struct(parts), values: { ...text, enum: ["A", "B"] } }), options)
  const two = schemaFromOpenAPIv2(v2({ [name]: struct(parts), values: { ...text, enum: ["A", "B"] } }), options)
  return {
    v3: typeOf(three, name).map?.unions,
    v2: typeOf(two, name).map?.unions,
    messages: three.diagnostics.map(({ message }) => message),
  }
}

const listed = [{ discriminator: "type", "fields-to-discriminateBy": { b: "B", a: "A" } }]
const found = [
  {
    discriminator: "type",
    fields: [
      { fieldName: "a", discriminatorValue: "A" },
      { fieldName: "b", discriminatorValue: "B" },
    ],
  },
]

describe("unions as a list on the object", () => {
  it("are read only on request", () => {
    expect(convert({ list: listed })).toEqual({ v2: undefined, v3: undefined, messages: [] })
  })

  it("come from v2 and not from v3, as in upstream", () => {
    expect(convert({ list: listed }, { unionMode: "upstream" })).toEqual({ v2: found, v3: undefined, messages: [] })
  })

  it.each(["drop", "repair"] as const)("come from both with %s", unionMode => {
    expect(convert({ list: listed }, { unionMode })).toEqual({ v2: found, v3: found, messages: [] })
  })

  it("are not read at all if they are off", () => {
    for (const options of [{}, { unionMode: "off" }] as const) {
      expect(convert({ list: [{ discriminator: 3 }] }, options)).toMatchObject({ v2: undefined, v3: undefined })
    }
  })

  it("are read in the older spellings on request", () => {
    for (const spelling of ["fields-discriminated", "fields-to-discriminator-value"]) {
      const list = [{ discriminator: "type", [spelling]: { a: "A", b: "B" } }]
      expect(convert({ list }, { unionMode: "drop" }).v3).toEqual(found)
      expect(convert({ list }, { unionMode: "upstream" }).v2).toEqual([{ discriminator: "type" }])
    }
  })

  it("may lack the discriminator, but not the members unless they are read as upstream does", () => {
    const list = [{ "fields-to-discriminateBy": { a: "A" } }, { discriminator: "type" }]
    const withMembers = { fields: [{ fieldName: "a", discriminatorValue: "A" }] }
    expect(convert({ list }, { unionMode: "drop" })).toEqual({
      v2: [withMembers],
      v3: [withMembers],
      messages: ["x-kubernetes-unions[1]: no members; left out"],
    })
    expect(convert({ list }, { unionMode: "upstream" }).v2).toEqual([withMembers, { discriminator: "type" }])
  })

  const errors: readonly [unknown, string][] = [
    [{}, '"x-kubernetes-unions" should be a list, got []interface {}(nil)'],
    [["x"], '"x-kubernetes-unions" items should be a map of string to unions, got "x"'],
    [[{ discriminator: 1 }], '"discriminator" must be a string, got: 1'],
    [
      [{ "fields-to-discriminateBy": ["a"] }],
      '"fields-to-discriminateBy" must be a map[string]string, got: []interface {}{"a"}',
    ],
    [
      [{ "fields-to-discriminateBy": { a: { k: null } } }],
      '"fields-to-discriminateBy"/a: value must be a string, got: map[interface {}]interface {}{"k":interface {}(nil)}',
    ],
    [[{ "fields-to-discriminateBy": { a: "X", b: "X" } }], "Multiple fields have the same discriminated name: X"],
    [[{ discriminator: "a", "fields-to-discriminateBy": { a: "X" } }], "a field appears multiple times in unions"],
    [
      [
        { discriminator: "type", "fields-to-discriminateBy": { a: "A" } },
        { "fields-to-discriminateBy": { type: "X" } },
      ],
      "type field appears multiple times in unions",
    ],
  ]

  it.each(errors)("are refused with upstream's messages: %j", (list, message) => {
    expect(() => convert({ list }, { unionMode: "drop" })).toThrow(`t: ${message}`)
    expect(() => schemaFromOpenAPIv2(v2({ t: struct({ list }) }), { unionMode: "upstream" })).toThrow(`t: ${message}`)
  })

  it("don't stop v3 if they are malformed, as in upstream", () => {
    const converted = schemaFromOpenAPIv3(v3({ t: struct({ list: "broken" }) }), { unionMode: "upstream" })
    expect(typeOf(converted, "t").map?.unions).toBeUndefined()
  })
})

describe("unions on the discriminator", () => {
  const members = { A: { name: "a" }, B: { name: "b", optional: true }, None: null, "": {} }
  const type = { ...text, [key]: { fieldMembers: members } }

  const declared = [
    {
      discriminator: "type",
      fields: [
        { fieldName: "a", discriminatorValue: "A" },
        { fieldName: "b", discriminatorValue: "B", optional: true },
      ],
      emptyValues: ["None"],
      noneValue: "",
      values: ["A", "B", "None", ""],
    },
  ]

  it("are read on request, with all their keys", () => {
    expect(convert({ type }, { unionMode: "drop" })).toEqual({ v2: declared, v3: declared, messages: [] })
    expect(convert({ type })).toMatchObject({ v2: undefined, v3: undefined })
  })

  it("may repeat the list, but must not contradict it", () => {
    expect(convert({ type, list: listed }, { unionMode: "drop" }).v3).toEqual(declared)
    const other = [{ discriminator: "type", "fields-to-discriminateBy": { a: "A" } }]
    expect(() => convert({ type, list: other }, { unionMode: "drop" })).toThrow(
      't: "x-kubernetes-unions" of the object and of its property type disagree; keep one of them',
    )
  })

  it.each([
    [{}, '"fieldMembers" must be a map from values to {name, optional} or null'],
    [{ fieldMembers: { A: "a" } }, "value A needs the name of its field"],
    [{ fieldMembers: { A: { optional: true } } }, "value A needs the name of its field"],
    [{ fieldMembers: { A: { name: "a", optional: "yes" } } }, "optional of value A must be true or false"],
  ])("need %j put right", (declaration, problem) => {
    expect(() => convert({ type: { ...text, [key]: declaration } }, { unionMode: "repair" })).toThrow(
      `t: "x-kubernetes-unions" of property type: ${problem}`,
    )
  })
})

describe("what a declaration of unions can't express", () => {
  const read = (parts: Parts, options: ConversionOptions = { unionMode: "repair" }) => {
    const { diagnostics, schema } = schemaFromOpenAPIv3(v3({ t: struct(parts) }), options)
    const at = "/components/schemas/t"
    const problems = diagnostics.map(({ code, path, message }) => `${code} ${path.replace(at, "")} ${message}`)
    return { problems, unions: schema.types[0]?.map?.unions }
  }

  it("is reported with its place, and has no effect", () => {
    const fields = [{ fieldName: "a", discriminatorValue: "A" }]
    expect(read({ list: [listed[0], { discriminator: "c", fields }] })).toEqual({
      problems: [
        expect.stringMatching(
          /^unknown-union-key \/x-kubernetes-unions\/1\/fields x-kubernetes-unions\[1\]: unknown key fields; .* fields-to-discriminateBy/,
        ),
        "wrong-union  x-kubernetes-unions[1]: no members; left out",
      ],
      unions: found,
    })
    const list = [{ ...listed[0], cardinality: "exactlyOne", name: "choice" }]
    expect(read({ list })).toEqual({
      problems: [
        expect.stringContaining("unknown key cardinality; ") as string,
        expect.stringContaining("unknown key name; ") as string,
      ],
      unions: found,
    })
    expect(read({ list }, { unionMode: "upstream" }).problems).toEqual([])
    expect(read({ list: [{ discriminator: "type", union: { fields } }] })).toEqual({
      problems: [],
      unions: [{ discriminator: "type", fields }],
    })
  })

  it("is reported at a discriminator", () => {
    const at = (declaration: unknown) => read({ type: { ...text, [key]: declaration } })
    const { problems, unions } = at({
      fieldMembers: { A: { name: "a", optionl: true }, N: null },
      deduceInvalidDiscriminator: true,
    })
    expect(problems).toEqual([
      expect.stringMatching(
        / \/properties\/type\/x-kubernetes-unions\/deduceInvalidDiscriminator .* of property type: /,
      ),
      expect.stringMatching(
        /\/fieldMembers\/A\/optionl .* value A: unknown key optionl; a member has name and optional$/,
      ),
    ])
    expect(unions).toMatchObject([{ discriminator: "type", emptyValues: ["N"] }])
    expect(at({ fieldMembers: {} })).toEqual({
      problems: ["wrong-union  x-kubernetes-unions of property type: no members; left out"],
    })
    expect(at(listed).problems).toEqual([
      "wrong-union /properties/type/x-kubernetes-unions x-kubernetes-unions of property type: a list belongs on the object that has the members; left out",
    ])
  })
})

describe("a union on the discriminator in a CRD", () => {
  const fieldMembers = { FieldA: { name: "fieldA" }, FieldB: { name: "fieldB", optional: true }, FieldC: null }
  const versionOf = (union1: MapValue, required: readonly string[] = [], more: MapValue = {}) => {
    const properties = { union1: { ...text, ...union1 }, fieldA: text, fieldB: text }
    const spec = { type: "object", properties, required, ...more }
    return definitionOf("Widget", { schema: { properties: { spec } } })
  }
  const problems = (crd: unknown, spec: Value): string[] => {
    const type = compileSchema(schemaFromCRD(crd).schema).type("com.example.v1.Widget")
    const object = TypedValue.of({ apiVersion: "example.com/v1", kind: "Widget", spec }, type)
    return validateUnions(undefined, object, { policy: "kep-2022" }).map(({ message }) => message)
  }
  const optional = versionOf({
    enum: ["", "FieldA", "FieldB", "FieldC"],
    [key]: { fieldMembers: { ...fieldMembers, "": null } },
  })
  const required = versionOf({ enum: ["FieldA", "FieldB", "FieldC"], [key]: { fieldMembers } }, ["union1"])
  const unlisted = versionOf({ [key]: { fieldMembers } })
  const emptyOrRequired = versionOf({ [key]: { fieldMembers: { ...fieldMembers, "": null } } }, ["union1"])

  it.each([
    [optional, [{}, { union1: "" }, { union1: "FieldA", fieldA: "x" }, { union1: "FieldB" }, { union1: "FieldC" }]],
    [required, [{ union1: "FieldB" }, { union1: "FieldB", fieldB: "x" }, { union1: "FieldC" }]],
    [unlisted, [{}, { union1: "FieldB" }, { union1: "FieldC" }]],
    [emptyOrRequired, [{ union1: "" }, { union1: "FieldC" }]],
  ])("accepts what is legal", (crd, specs) => {
    expect(specs.flatMap(spec => problems(crd, spec))).toEqual([])
  })

  it.each<[string, unknown, Value, string]>([
    [
      "another value",
      optional,
      { union1: "Nope" },
      'Unsupported value: "Nope": supported values: "", "FieldA", "FieldB", "FieldC"',
    ],
    [
      "another value without enum",
      unlisted,
      { union1: "Nope" },
      'Unsupported value: "Nope": supported values: "FieldA", "FieldB", "FieldC"',
    ],
    [
      "an empty value",
      required,
      { union1: "" },
      'Unsupported value: "": supported values: "FieldA", "FieldB", "FieldC"',
    ],
    ["none where it is required", required, {}, "Required value"],
    ["none where it is required, and may be empty", emptyOrRequired, {}, "Required value"],
  ])("refuses %s", (_, crd, spec, message) => {
    expect(problems(crd, spec)).toEqual([`spec.union1: ${message}`])
  })

  it("refuses a member that is absent or not selected", () => {
    expect(problems(required, { union1: "FieldA" })).toEqual([
      'spec.fieldA: Invalid value: "": must be specified when `union1` is "FieldA"',
    ])
    expect(problems(optional, { union1: "FieldC", fieldB: "x" })).toEqual([
      'spec.fieldB: Invalid value: "": may only be specified when `union1` is "FieldB"',
    ])
  })

  it("is left out with a diagnostic where it is wrong or broken, unless it is asked for", () => {
    const wrong = versionOf({ enum: ["FieldA", "FieldB"], [key]: { fieldMembers } })
    const broken = versionOf({ [key]: { fieldMembers: { FieldA: "fieldA" } } })
    for (const [crd, message] of [
      [
        wrong,
        /^union of com.example.v1.Widget: FieldC selects nothing, and union1 can't be it \(FieldA, FieldB\); left out$/,
      ],
      [broken, /"x-kubernetes-unions" of property union1: value FieldA needs the name of its field; left out$/],
    ] as const) {
      expect(problems(crd, { union1: "Nope" })).toEqual([])
      expect(schemaFromCRD(crd).diagnostics).toMatchObject([
        { code: "wrong-union", message: expect.stringMatching(message) as string },
      ])
    }
    const form = { discriminator: "union1", "fields-to-discriminateBy": { fieldA: "FieldA" } }
    const unions = [
      { ...form, union: { cardinality: "two" } },
      { ...form, union: [] },
    ]
    const listed = versionOf({}, [], { [key]: unions })
    const { schema, diagnostics } = schemaFromCRD(listed)
    const spec = compileSchema(schema).type("com.example.v1.Widget").map?.fields.get("spec")?.type
    expect(spec?.map?.unions).toEqual([])
    expect(diagnostics).toMatchObject([
      { code: "wrong-union", message: expect.stringContaining("has a cardinality that") },
    ])
    expect(() => schemaFromCRD(broken, { unionMode: "repair" })).toThrow("value FieldA needs the name of its field")
  })

  it("may be deduced with all that it says", () => {
    const { schema } = schemaFromCRD(required, { deduce: "always" })
    const spec = compileSchema(schema).type("com.example.v1.Widget").map?.fields.get("spec")?.type
    expect(spec?.map?.unions).toMatchObject([
      { discriminator: "union1", deduceInvalidDiscriminator: true, emptyValues: ["FieldC"], cardinality: "exactlyOne" },
    ])
  })
})

describe("what the discriminator of a list form says about itself", () => {
  const spec = (type: object, required: readonly string[] = []) => ({
    ...struct({ list: listed, type: { ...text, ...type } }),
    required,
  })
  const read = (type: object, required?: readonly string[]) => {
    const three = schemaFromOpenAPIv3(v3({ t: spec(type, required) }), { unionMode: "repair" })
    const two = schemaFromOpenAPIv2(v2({ t: spec(type, required) }), { unionMode: "repair" })
    const [union] = typeOf(three, "t").map?.unions ?? []
    expect(typeOf(two, "t").map?.unions).toEqual([union])
    const { discriminator: _, fields, ...rest } = union ?? {}
    expect(fields).toEqual(found[0]?.fields)
    return rest
  }

  it.each<[string, object, readonly string[], object]>([
    ["nothing", {}, [], {}],
    ["its values", { enum: ["A", "B"] }, [], { values: ["A", "B"] }],
    ["that it is required", {}, ["type"], { cardinality: "exactlyOne" }],
    ["both", { enum: ["A", "B"] }, ["a", "type"], { values: ["A", "B"], cardinality: "exactlyOne" }],
    [
      "values without a member",
      { enum: ["Z", "A", "N", "B"] },
      ["type"],
      { values: ["Z", "A", "N", "B"], emptyValues: ["N", "Z"], cardinality: "exactlyOne" },
    ],
    ["that it may be empty", { enum: ["", "A", "B"] }, [], { values: ["", "A", "B"], noneValue: "" }],
    [
      "that it is required, and may be empty",
      { enum: ["", "A", "B"] },
      ["type"],
      { values: ["", "A", "B"], noneValue: "", discriminatorRequired: true },
    ],
    ["that another field is required", { enum: ["A", "B"] }, ["a"], { values: ["A", "B"] }],
  ])("is read: %s", (_, type, required, expected) => {
    expect(read(type, required)).toEqual(expected)
  })

  it("is read behind a reference", () => {
    for (const reference of [
      { $ref: "#/components/schemas/values" },
      { allOf: [{ $ref: "#/components/schemas/values" }] },
    ]) {
      const document = v3({ t: struct({ list: listed, type: reference }), values: { ...text, enum: ["A", "B"] } })
      expect(typeOf(schemaFromOpenAPIv3(document, { unionMode: "repair" }), "t").map?.unions).toMatchObject([
        { values: ["A", "B"] },
      ])
    }
  })

  it("gives way to the words beside the form", () => {
    const union = { values: ["A", "B", "C"], cardinality: null }
    const list = [{ ...listed[0], union }]
    const document = v3({ t: { ...struct({ list, type: { ...text, enum: ["A", "B"] } }), required: ["type"] } })
    expect(typeOf(schemaFromOpenAPIv3(document, { unionMode: "repair" }), "t").map?.unions).toEqual([
      { ...found[0], values: ["A", "B", "C"] },
    ])
  })

  it("is not read as upstream reads the form", () => {
    const document = v2({ t: spec({ enum: ["A", "B"] }, ["type"]) })
    expect(typeOf(schemaFromOpenAPIv2(document, { unionMode: "upstream" }), "t").map?.unions).toEqual(found)
  })

  it("counts the right value of a member that is published with a wrong one", () => {
    const name = "io.k8s.api.core.v1.SeccompProfile"
    const list = [{ discriminator: "type", "fields-to-discriminateBy": { localhostProfile: "LocalhostProfile" } }]
    const type = { ...text, enum: ["Localhost", "RuntimeDefault", "Unconfined"] }
    const document = v3({
      [name]: { ...struct({ list, type, others: { localhostProfile: text } }), required: ["type"] },
    })
    expect(typeOf(schemaFromOpenAPIv3(document, { unionMode: "repair" }), name).map?.unions).toEqual([
      {
        discriminator: "type",
        fields: [{ fieldName: "localhostProfile", discriminatorValue: "Localhost" }],
        emptyValues: ["RuntimeDefault", "Unconfined"],
        values: type.enum,
        cardinality: "exactlyOne",
      },
    ])
  })

  it("makes a CRD refuse what its discriminator can't be", () => {
    const properties = { spec: spec({ enum: ["A", "B", "None"] }, ["type"]) as MapValue }
    const definition = definitionOf("Widget", { schema: { properties } })
    const type = compileSchema(schemaFromCRD(definition).schema).type("com.example.v1.Widget")
    const problems = (given: Value) =>
      validateUnions(undefined, TypedValue.of({ spec: given }, type), { policy: "extended" }).map(
        ({ message }) => message,
      )
    expect(problems({ type: "None" })).toEqual([])
    expect(problems({ type: "A", a: "x" })).toEqual([])
    expect(problems({})).toEqual(["spec.type: Required value"])
    expect(problems({ type: "C" })).toEqual(['spec.type: Unsupported value: "C": supported values: "A", "B", "None"'])
    expect(problems({ type: "None", a: "x" })).toEqual([
      'spec.a: Invalid value: "": may only be specified when `type` is "A"',
    ])
  })
})

describe("unions that are wrong", () => {
  const wrong = [{ discriminator: "type", "fields-to-discriminateBy": { a: "ATeam" } }]

  it("are found by the discriminator's enum, also behind a reference, and left out", () => {
    const enums = [{ ...text, enum: ["A", "B"] }, { $ref: "#/components/schemas/values" }]
    for (const type of [...enums, { allOf: [enums[1]] }]) {
      const document = v3({ t: struct({ list: wrong, type }), values: { ...text, enum: ["A", "B"] } })
      const converted = schemaFromOpenAPIv3(document, { unionMode: "repair" })
      expect(typeOf(converted, "t").map?.unions).toBeUndefined()
      expect(converted.diagnostics).toMatchObject([
        { code: "wrong-union", message: "union of t: a is selected by ATeam, which type can't be (A, B); left out" },
      ])
    }
  })

  it("are found by a field that isn't there", () => {
    const list = [{ "fields-to-discriminateBy": { gone: "Gone" } }]
    expect(convert({ list }, { unionMode: "drop" })).toMatchObject({
      v3: undefined,
      messages: ["union of t: there is no field gone; left out"],
    })
  })

  const published = [
    ["io.k8s.api.core.v1.SeccompProfile", "localhostProfile", "LocalhostProfile", "Localhost"],
    ["io.k8s.api.core.v1.AppArmorProfile", "localhostProfile", "LocalhostProfile", "Localhost"],
    ["io.k8s.api.flowcontrol.v1.LimitResponse", "queuing", "Queuing", "Queue"],
    ["io.k8s.api.flowcontrol.v1beta3.LimitResponse", "queuing", "Queuing", "Queue"],
  ] as const

  it.each(published)(
    "in %s: not read by default, kept in v2 as upstream has it, dropped or repaired on request",
    (name, field, value, right) => {
      const union = (discriminatorValue: string) => [
        { discriminator: "type", fields: [{ fieldName: field, discriminatorValue }] },
      ]
      const parts: Parts = {
        name,
        list: [{ discriminator: "type", "fields-to-discriminateBy": { [field]: value } }],
        others: { [field]: text },
      }
      expect(convert(parts)).toEqual({ v2: undefined, v3: undefined, messages: [] })
      expect(convert(parts, { unionMode: "upstream" })).toEqual({ v2: union(value), v3: undefined, messages: [] })
      expect(convert(parts, { unionMode: "drop" })).toMatchObject({ v2: undefined, v3: undefined })
      expect(convert(parts, { unionMode: "repair" })).toEqual({
        v2: union(right),
        v3: union(right),
        messages: [`union of ${name}: ${field} is selected by ${right}, not by ${value}; repaired`],
      })
    },
  )

  it("are named even where they are kept", () => {
    const list = [{ discriminator: "type", "fields-to-discriminateBy": { gone: "G" } }]
    expect(schemaFromOpenAPIv2(v2({ t: struct({ list }) }), { unionMode: "upstream" }).diagnostics).toMatchObject([
      { code: "wrong-union", path: "/definitions/t" },
    ])
  })
})

describe("deduce", () => {
  const list = [...listed, { "fields-to-discriminateBy": { c: "C" } }]
  const deduced = (options: ConversionOptions) =>
    convert({ list }, { unionMode: "drop", ...options }).v3?.map(union => union.deduceInvalidDiscriminator)

  it("marks unions that have a discriminator", () => {
    expect(deduced({})).toEqual([undefined, undefined])
    expect(deduced({ deduce: "always" })).toEqual([true, undefined])
  })

  it("can be decided for each", () => {
    const asked: unknown[] = []
    const deduce: ConversionOptions["deduce"] = (name, union) => {
      asked.push([name, union.discriminator])
      return union.fields?.length === 1
    }
    expect(deduced({ deduce })).toEqual([undefined, undefined])
    expect(asked).toEqual([
      ["t", "type"],
      ["t", "type"],
    ])
  })
})
