/** Compiles malformed documents, and tests cases that the recorded answers do not cover. */
import { describe, expect, it } from "vitest"
import { SchemaError } from "../../src/errors.js"
import { compileRules } from "../../src/validation/compile.js"
import type { FieldError } from "../../src/validation/rules/report.js"
import type { Rule, RuleDocument, RuleField } from "../../src/validation/rules/rules.js"
import type { Value } from "../../src/value/value.js"

const inner = { fields: [{ name: "A", json: "a", type: "string" }] }

function document(type: string, rules: readonly Rule[], others: readonly RuleField[] = []): RuleDocument {
  return { types: { T: { fields: [{ name: "F", json: "f", type, rules }, ...others] }, Inner: inner } }
}

function validate(type: string, rule: Rule, next: Value, old?: Value): FieldError[] {
  return compileRules(document(type, [rule]), "T").validate({ f: next }, old === undefined ? undefined : { f: old })
}

describe("compileRules", () => {
  const wrong: readonly (readonly [string, Rule, string])[] = [
    [
      "string",
      { tag: "maxLenght", value: 1 },
      "type T.f: +k8s:maxLenght: there is no such rule; did you mean maxLength?",
    ],
    ["int", { tag: "maxLength", value: 1 }, "type T.f: +k8s:maxLength: can only be used on string, not on int"],
    ["string", { tag: "maxLength", value: -1 }, "type T.f: +k8s:maxLength: must be greater than or equal to zero"],
    ["string", { tag: "maxLength" }, "type T.f: +k8s:maxLength: needs an integer"],
    ["uint8", { tag: "minimum", value: 256 }, "type T.f: +k8s:minimum: 256 does not fit into uint8"],
    [
      "Inner",
      { tag: "required" },
      "type T.f: +k8s:required: can only be used on fields that may be unset, not on Inner",
    ],
    ["string", { tag: "format", value: "k8s-none" }, 'type T.f: +k8s:format: unknown format "k8s-none"'],
    ["[]Inner", { tag: "listType", value: "map" }, "type T.f: +k8s:listType: a list of type map needs a listMapKey"],
    ["[]Inner", { tag: "listMapKey", value: "b" }, 'type T.f: +k8s:listMapKey: no field with the JSON name "b"'],
    ["[]Inner", { tag: "eachVal" }, "type T.f: +k8s:eachVal: needs a rule after ="],
    ["string", { tag: "neq", value: 1 }, "type T.f: +k8s:neq: needs a string"],
    ["string", { tag: "ifEnabled", payload: { tag: "required" } }, "type T.f: +k8s:ifEnabled: needs a string"],
    ["**string", { tag: "required" }, "field T.F: pointers to pointers are not supported: **string"],
    ["*[]string", { tag: "required" }, "field T.F: pointers to lists and maps are not supported: *[]string"],
    [
      "map[int]string",
      { tag: "required" },
      "field T.F: maps with keys other than strings are not supported: map[int]string",
    ],
    ["Missing", { tag: "required" }, "field T.F: unknown type Missing"],
    [
      "Inner",
      { tag: "subfield", arg: "a", payload: { tag: "subfield", arg: "b", payload: { tag: "required" } } },
      "type T.f: +k8s:subfield: can't be used inside another one",
    ],
    [
      "[]string",
      { tag: "eachVal", payload: { tag: "update", value: "NoSet" } },
      "type T.f: +k8s:update: NoSet does not apply to list values",
    ],
    [
      "map[string]string",
      { tag: "eachVal", payload: { tag: "update", value: "NoUnset" } },
      "type T.f: +k8s:update: NoUnset does not apply to map values",
    ],
    [
      "int",
      { tag: "modeDiscriminator" },
      "type T.f: +k8s:modeDiscriminator: can only be used on string, bool, not on int",
    ],
    [
      "[]string",
      { tag: "eachVal", payload: { tag: "dependentRequired", arg: "a" } },
      "type T.f: +k8s:dependentRequired: can only be used on struct fields",
    ],
    ["string", { tag: "enum" }, "type T.f: +k8s:enum: can only be used on type definitions"],
    [
      "map[string]string",
      { tag: "eachKey", payload: { tag: "immutable" } },
      "type T.f: +k8s:immutable: can't be used on map keys",
    ],
  ]
  it.each(wrong)("refuses on %s the rule %j", (type, rule, message) => {
    expect(() => compileRules(document(type, [rule]), "T")).toThrow(new SchemaError(message))
  })

  it.each([
    ["*[]Inner", { f: [{ a: "long" }] }, { f: null }, "f[0].a"],
    ["*map[string]Inner", { f: { x: { a: "long" } } }, { f: {} }, "f[x].a"],
    ["**Inner", { f: { a: "long" } }, { f: null }, "f.a"],
    ["Pointer", { f: { a: "long" } }, {}, "f.a"],
    ["map[int]Inner", { f: { 1: { a: "long" } } }, { f: { 1: {} } }, "f[1].a"],
  ] as const)("checks the values in a %s, which can't have rules itself", (type, wrong, right, field) => {
    const { validate } = compileRules(
      {
        types: {
          T: { fields: [{ name: "F", json: "f", type }] },
          Inner: { fields: [{ name: "A", json: "a", type: "string", rules: [{ tag: "maxLength", value: 2 }] }] },
          Pointer: { type: "*Inner" },
        },
      },
      "T",
    )
    expect(validate(right)).toEqual([])
    expect(validate(wrong).map(error => error.field)).toEqual([field])
  })

  it("refuses a type that the document does not declare", () => {
    expect(() => compileRules({ types: {} }, "T")).toThrow(new SchemaError("the type to validate: unknown type T"))
    expect(() => compileRules({ types: {} }, "string")).toThrow(
      new SchemaError("the document does not declare the type string"),
    )
  })

  it("accepts the old names of rules", () => {
    const rule = { tag: "ifOptionEnabled", arg: "Gate", payload: { tag: "required" } }
    const { validate } = compileRules(document("string", [rule]), "T")
    expect(validate({}, null, { options: { Gate: true } }).map(({ type }) => type)).toEqual(["FieldValueRequired"])
    expect(validate({}, null, { options: { Gate: false } })).toEqual([])
  })

  it("ignores custom validation, which is handwritten Go", () => {
    expect(validate("string", { tag: "customValidation" }, "x")).toEqual([])
  })
})

describe("validate", () => {
  const oneOf = (path: string, supported: string) => ({ field: path, detail: `supported values: ${supported}` })

  it("looks up the options of an enum's constants in the order of their names", () => {
    const excludedIf = (arg: string): Rule[] => [{ tag: "ifEnabled", arg, payload: { tag: "enumExclude" } }]
    const Mode = {
      type: "string",
      rules: [{ tag: "enum" }],
      constants: [
        { name: "ModeSlow", value: "Slow", rules: excludedIf("NoSlow") },
        { name: "ModeFast", value: "Fast", rules: excludedIf("NoFast") },
      ],
    }
    const fields = [{ name: "F", json: "f", type: "Mode" }]
    const { validate } = compileRules({ types: { T: { fields }, Mode } }, "T")
    const details = (options?: Record<string, boolean>) =>
      validate({ f: "Slow" }, null, options && { options }).map(({ field, detail }) => ({ field, detail }))
    expect(details().map(({ detail }) => detail)).toEqual(['undefined validation option "NoFast"'])
    expect(details({ NoFast: false }).map(({ detail }) => detail)).toEqual(['undefined validation option "NoSlow"'])
    expect(details({ NoFast: false, NoSlow: true })).toEqual([oneOf("f", '"Fast"')])
    expect(details({ NoFast: true, NoSlow: false })).toEqual([])
  })

  it("finds errors in a struct that has only embedded fields", () => {
    const fields = [{ name: "A", json: "a", type: "string", rules: [{ tag: "maxLength", value: 1 }] }]
    const types = { T: { fields: [{ name: "Inner", embedded: true, type: "Inner" }] }, Inner: { fields } }
    const { validate } = compileRules({ types }, "T")
    expect(validate({ a: "xx" }).map(({ type }) => type)).toEqual(["FieldValueTooLong"])
    expect(validate({ a: "xx" }, { a: "xx" })).toEqual([])
    const list = { types: { ...types, L: { fields: [{ name: "Ts", json: "ts", type: "[]T" }] } } }
    const grown = compileRules(list, "L").validate({ ts: [{ a: "xx" }] }, { ts: [{ a: "yy" }] })
    expect(grown.map(({ type }) => type)).toEqual(["FieldValueTooLong"])
  })

  it("finds an absent field by a rule for a subfield", () => {
    const rule: Rule = { tag: "subfield", arg: "a", payload: { tag: "dependentRequired", arg: "b" } }
    const fields = ["A", "B"].map(name => ({ name, json: name.toLowerCase(), type: "*string" }))
    const T = { fields: [{ name: "F", json: "f", type: "Both", rules: [rule] }] }
    const { validate } = compileRules({ types: { T, Both: { fields } } }, "T")
    expect(validate({ f: { a: "x" } }).map(({ field, detail }) => `${field}: ${detail}`)).toEqual([
      "f.b: must be set when a is set",
    ])
    expect(validate({ f: { a: "x", b: "y" } })).toEqual([])
    expect(validate({ f: { b: "y" } })).toEqual([])
  })

  describe("a rule for a subfield that is a mode discriminator", () => {
    const twice = "+k8s:modeDiscriminator: there is one already"
    const about: Rule = { tag: "subfield", arg: "b", payload: { tag: "maxLength", value: 1 } }
    const inOption = (payload: Rule): Rule => ({ tag: "ifEnabled", arg: "X", payload })
    const compile =
      (ofType: Rule[], ofField: Rule[], mode: Rule, ...others: RuleField[]) =>
      () => {
        const T = { fields: [{ name: "P", json: "p", type: "P", rules: ofField }] }
        const P = { fields: [{ name: "B", json: "b", type: "string", rules: [mode] }, ...others], rules: ofType }
        return compileRules({ types: { T, P } }, "T")
      }
    const mode: Rule = { tag: "modeDiscriminator" }
    it.each([
      [[about], [], mode],
      [[inOption(about)], [], mode],
      [[about], [], inOption(mode)],
    ])("is refused on the type of the field: %j", (ofType, ofField, mode) => {
      expect(compile(ofType, ofField, mode)).toThrow(twice)
    })

    it.each([
      [[], [about], mode],
      [[{ tag: "opaqueType" }, about], [], mode],
      [[about], [], { tag: "unionDiscriminator" }],
    ])("is accepted elsewhere: %j", (ofType, ofField, mode) => {
      expect(compile(ofType, ofField, mode)).not.toThrow()
    })

    it("is accepted if a field depends on the mode", () => {
      const rule: Rule = { tag: "ifMode", arg: "A", payload: { tag: "maxLength", value: 1 } }
      const member = { name: "C", json: "c", type: "*string", rules: [rule] }
      expect(compile([about], [], mode, member)).not.toThrow()
    })
  })

  it("checks modalities in the order of their names", () => {
    const modal = (modality: string): RuleField[] => [
      { name: "By", json: `by-${modality}`, type: "string", rules: [{ tag: "modeDiscriminator", args: { modality } }] },
      {
        name: "In",
        json: `in-${modality}`,
        type: "*string",
        rules: [{ tag: "ifMode", args: { modality, mode: "On" }, payload: { tag: "required" } }],
      },
    ]
    const { validate } = compileRules({ types: { T: { fields: [...modal("z"), ...modal("a")] } } }, "T")
    const on = { "by-a": "On", "by-z": "On" }
    expect(validate(on).map(({ field }) => field)).toEqual(["in-a", "in-z"])
    expect(validate({ ...on, "in-a": "x", "in-z": "x" })).toEqual([])
  })

  it("names the items of an invalid union as upstream does: names in the order of the source, looked up in the order of their names", () => {
    const only = (a: string): Rule => ({ tag: "item", args: { a }, payload: { tag: "zeroOrOneOfMember" } })
    const rules = [
      { tag: "listType", value: "map" },
      { tag: "listMapKey", value: "a" },
      only("z"),
      only("m"),
      only("b"),
    ]
    const { validate } = compileRules(document("[]Inner", rules), "T")
    const [error] = validate({ f: [{ a: "z" }, { a: "m" }] })
    expect(error?.badValue).toBe('{f[{"a": "m"}], f[{"a": "b"}]}')
    expect(validate({ f: [{ a: "z" }] })).toEqual([])
  })

  it("accepts a subresource with a leading slash", () => {
    const T = {
      fields: [{ name: "F", json: "f", type: "string", rules: [{ tag: "required" }] }],
      rules: [{ tag: "supportsSubresource", value: "/status" }],
    }
    const { validate } = compileRules({ types: { T } }, "T")
    const typesOf = (subresource: string) => validate({}, null, { subresource }).map(({ type }) => type)
    for (const served of ["", "/", "status", "/status"]) expect(typesOf(served)).toEqual(["FieldValueRequired"])
    expect(typesOf("scale")).toEqual(["InternalError"])
  })

  it("treats inherited names as ordinary keys", () => {
    const fields = [{ name: "P", json: "__proto__", type: "string", rules: [{ tag: "required" }] }]
    const { validate } = compileRules({ types: { T: { fields } } }, "T")
    expect(validate({}).map(({ field }) => field)).toEqual(["__proto__"])
    expect(validate(JSON.parse('{"__proto__": "x"}') as Value)).toEqual([])
    const map = validateMap(JSON.parse('{"__proto__": 0, "constructor": 1}') as Value, {})
    expect(map.map(({ field }) => field)).toEqual(["f[__proto__]"])
  })

  function validateMap(next: Value, old: Value): FieldError[] {
    return validate("map[string]int", { tag: "eachVal", payload: { tag: "minimum", value: 1 } }, next, old)
  }

  it("finds errors in the order of the fields, whatever the order of the keys", () => {
    const most: Rule = { tag: "maxLength", value: 1 }
    const fields: RuleField[] = [
      { name: "A", json: "a", type: "*string", rules: [most] },
      { name: "Inner", embedded: true, type: "Inner", rules: [{ tag: "subfield", arg: "e", payload: most }] },
      { name: "B", json: "b", type: "string", rules: [{ tag: "required" }, most] },
      { name: "C", json: "c", type: "*string", rules: [{ tag: "optional" }, most] },
      { name: "D", json: "d", type: "*string", rules: [{ tag: "required" }] },
    ]
    const embedded = { fields: [{ name: "E", json: "e", type: "string" }] }
    const { validate } = compileRules({ types: { T: { fields }, Inner: embedded } }, "T")
    const wrongIn = (object: Value) => validate(object).map(({ type, field }) => `${type} ${field}`)
    const tooLong = ["FieldValueTooLong a", "FieldValueTooLong Inner.e", "FieldValueTooLong b", "FieldValueTooLong c"]
    expect(wrongIn({ e: "xx", d: "", c: "xx", b: "xx", a: "xx" })).toEqual(tooLong)
    expect(wrongIn({ a: "xx", b: "xx", c: "xx", d: "", e: "xx" })).toEqual(tooLong)
    expect(wrongIn({ "": "x", c: "xx" })).toEqual([
      "FieldValueRequired b",
      "FieldValueTooLong c",
      "FieldValueRequired d",
    ])
    expect(wrongIn({ "": "x", d: "", b: "x", a: null, c: null })).toEqual([])
    expect(wrongIn({ e: "xx", d: "", b: "x", a: "xx" })).toEqual(tooLong.slice(0, 2))
  })

  it("treats values of another type as absent", () => {
    expect(validate("string", { tag: "required" }, 1).map(({ type }) => type)).toEqual(["FieldValueRequired"])
    expect(validate("[]string", { tag: "maxItems", value: 0 }, "x")).toEqual([])
  })

  it("matches many items by their keys, in lists of any order", () => {
    const rules = [
      { tag: "listType", value: "map" },
      { tag: "listMapKey", value: "a" },
      { tag: "eachVal", payload: { tag: "subfield", arg: "a", payload: { tag: "maxLength", value: 1 } } },
    ]
    const { validate } = compileRules(document("[]Inner", rules), "T")
    const items = Array.from({ length: 40 }, (_, i) => ({ a: `item-${i}` }))
    expect(validate({ f: items }, { f: [...items].reverse() })).toEqual([])
    expect(validate({ f: [...items, { a: "new" }] }, { f: [...items].reverse() }).map(({ field }) => field)).toEqual([
      "f[40].a",
    ])
  })

  it("compares integers of any size", () => {
    const rule = { tag: "minimum", value: 9007199254740993n }
    expect(validate("int64", rule, 9007199254740993n)).toEqual([])
    expect(validate("int64", rule, 9007199254740992n)).toHaveLength(1)
    expect(validate("int64", rule, 9007199254740992n, 9007199254740992n)).toEqual([])
  })
})

describe("formats", () => {
  const format = (value: string, text: string) =>
    validate("string", { tag: "format", value }, text).map(({ detail }) => detail)

  it.each([
    "10.9.8.7",
    "010.009.8.7",
    "::",
    "::1",
    "2001:db8::ffff",
    "1:2:3:4:5:6:7:8",
    "::ffff:1.2.3.4",
    "1:2:3:4:5:6:7::",
  ])("k8s-ip accepts %s", text => expect(format("k8s-ip", text)).toEqual([]))

  it.each([
    "",
    "1.2.3",
    "1.2.3.256",
    "1.2.3.4.5",
    "1:2:3:4:5:6:7:8:9",
    "1::2::3",
    ":",
    "12345::",
    "fe80::1%eth0",
    ":1",
  ])("k8s-ip refuses %j", text =>
    expect(format("k8s-ip", text)).toEqual(["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]),
  )

  it("k8s-path-segment-name names the invalid parts", () => {
    expect(format("k8s-path-segment-name", "a b")).toEqual([])
    expect(format("k8s-path-segment-name", "..")).toEqual(["may not be '..'"])
    expect(format("k8s-path-segment-name", "a/b%")).toEqual(["may not contain '/'", "may not contain '%'"])
  })

  it("counts the bytes of texts that are not ASCII", () => {
    const rule = { tag: "maxBytes", value: 4 }
    expect(validate("string", rule, "éé")).toEqual([])
    expect(validate("string", rule, "😀")).toEqual([])
    expect(validate("string", rule, "😀a")).toHaveLength(1)
    expect(validate("string", rule, "\ud800é")).toHaveLength(1)
  })
})

it.each([
  ["a field", [{ name: "B", json: "b", type: "B" }], "A has B has A"],
  ["an embedded pointer", [{ name: "A", embedded: true, type: "*A" }], "A has A"],
])("refuses a struct that contains itself as %s, since its zero value in Go would be infinite", (_, fields, way) => {
  const types = {
    A: { fields },
    B: { fields: [{ name: "A", json: "a", type: "A" }, limited] },
  }
  expect(() => compileRules({ types }, "A")).toThrow(new SchemaError(`type A: a struct can't contain itself: ${way}`))
  const list = { types: { A: { fields: [{ name: "As", json: "as", type: "[]A" }, limited] } } }
  expect(compileRules(list, "A").validate({ n: 1, as: [{}] })).toMatchObject([{ field: "as[0].n" }])
})

const limited = { name: "N", json: "n", type: "int32", rules: [{ tag: "minimum", value: 1 }] }

it("quotes structs with their own JSON form as Go writes them", () => {
  const { validate } = compileRules(
    {
      types: {
        T: { fields: [{ name: "Items", json: "items", type: "[]Item", rules: unique }] },
        Item: {
          fields: [
            { name: "Name", json: "name", type: "string" },
            { name: "Size", json: "size", omitempty: true, type: "resource.Quantity" },
            { name: "At", json: "at", omitempty: true, type: "*metav1.Time" },
          ],
        },
        "resource.Quantity": { zero: "0" },
        "metav1.Time": { zero: null },
      },
    },
    "T",
  )
  expect(validate({ items: [{ name: "a" }, { name: "a" }] }).map(({ badValue }) => badValue)).toEqual([
    { name: "a", size: "0" },
  ])
})

const unique = [
  { tag: "listType", value: "map" },
  { tag: "listMapKey", value: "name" },
]
