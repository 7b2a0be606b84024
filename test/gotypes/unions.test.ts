/** Reads unions in all dialects, and reports markers that a dialect forbids. */
import { describe, expect, it } from "vitest"
import { type GoTypesOptions, readGoTypes } from "../../src/gotypes/index.js"
import { schemaFromOpenAPIv3 } from "../../src/openapi/v3.js"
import type { UnionDef } from "../../src/schema/union.js"
import { compileSchema } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { applyUnionOverlay } from "../../src/union/overlay.js"
import { validateUnions } from "../../src/union/validate.js"
import { compileRules } from "../../src/validation/compile.js"
import { own } from "../../src/value/object.js"
import type { MapValue } from "../../src/value/value.js"
import { definitionOf, problemsOf, readTypes, unionsOf } from "./support.js"

const enums = [
  "// +enum",
  "type Kind string",
  'const (\nKindNone Kind = ""\nKindA Kind = "A"\nKindB Kind = "B"\n)',
  "// +enum",
  "type Full string",
  'const (\nFullA Full = "A"\nFullB Full = "B"\nFullOff Full = "Off"\n)',
  "type Other string",
  'const OtherX Other = "X"',
  "type M struct { X int }",
].join("\n")

/** A struct `T` of these fields, with the types above. A marker line begins with a plus sign. */
function struct(fields: string, marker = ""): string {
  const lines = fields.split("\n").map(line => (line.trim().startsWith("+") ? `// ${line.trim()}` : line))
  return `${marker === "" ? "//" : `// ${marker}`}\ntype T struct {\n${lines.join("\n")}\n}\n${enums}`
}

const a = 'A *M `json:"a,omitempty"`'
const b = 'B *M `json:"b,omitempty"`'
const members = `${a}\n${b}`
const dv = (kind: string, args = "") => `+k8s:${kind}${args}\n${a}\n+k8s:${kind}${args}\n${b}`

describe("unions of 2019", () => {
  it.each([
    [
      "all fields of a +union struct",
      struct(members, "+union"),
      [{ fields: [{ fieldName: "a" }, { fieldName: "b" }], cardinality: "atMostOne" }],
    ],
    [
      "all fields but the discriminator, by their Go names",
      struct(`+unionDiscriminator\nKind Full \`json:"kind"\`\n${members}`, "+union"),
      [
        {
          discriminator: "kind",
          fields: [
            { fieldName: "a", discriminatorValue: "A" },
            { fieldName: "b", discriminatorValue: "B" },
          ],
          emptyValues: ["Off"],
          values: ["A", "B", "Off"],
          cardinality: "exactlyOne",
        },
      ],
    ],
    [
      "+unionDeprecated fields among others, with a discriminator that may be absent",
      struct(
        `+unionDiscriminator\n+optional\nKind string \`json:"kind"\`\n+unionDeprecated\n${a}\n+unionDeprecated\nB int \`json:"b,omitempty"\`\nC int`,
      ),
      [
        {
          discriminator: "kind",
          fields: [
            { fieldName: "a", discriminatorValue: "A" },
            { fieldName: "b", discriminatorValue: "B", zeroIsUnset: true },
          ],
          cardinality: "atMostOne",
        },
      ],
    ],
  ])("are %s", async (_, text, expected) => {
    expect(unionsOf(await readTypes(text))).toEqual(expected)
  })

  it("of embedded structs are those of the struct around them", async () => {
    const read = await readTypes(
      `type T struct {\nU \`json:",inline"\`\nC int\n}\n// +union\ntype U struct {\n${members}\n}\ntype M struct { X int }`,
    )
    expect(unionsOf(read)).toEqual([{ fields: [{ fieldName: "a" }, { fieldName: "b" }], cardinality: "atMostOne" }])
  })

  it("are left out where the discriminator can't have their values", async () => {
    const read = await readTypes(struct(`+unionDiscriminator\nKind Other \`json:"kind"\`\n${members}`, "+union"))
    expect(unionsOf(read)).toBeUndefined()
    expect(read.warnings.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'Kind: the union is left out: a is selected by "A", and kind can only be "X"',
    ])
  })

  it.each([
    ["a member that is required", struct('A *M `json:"a"`', "+union"), "3 T.A: a member of a union has to be optional"],
    [
      "two discriminators",
      struct(`+unionDiscriminator\nK string\n+unionDiscriminator\nL string\n${a}`, "+union"),
      "6 T.L: K is the discriminator already",
    ],
    [
      "a discriminator that is no string",
      struct(`+unionDiscriminator\nK int\n${a}`, "+union"),
      "4 T.K: a discriminator has to be a string",
    ],
    [
      "embedded structs",
      `${struct(`Base\n${a}`, "+union")}\ntype Base struct { X int }`,
      "2 T.: a +union struct can't embed others",
    ],
    [
      "+unionDeprecated in a +union",
      struct(`+unionDeprecated\n${a}`, "+union"),
      "4 T.A: +unionDeprecated means nothing in a +union struct",
    ],
    [
      "a discriminator that is a member",
      struct(`+unionDeprecated\n+unionDiscriminator\nK string \`json:"k,omitempty"\``),
      "2 T.: field k is in two unions, or twice in one",
    ],
    [
      "markers of 2022",
      struct(`+unionMember\n${a}`, "+union"),
      "2 T.: +union and +unionDeprecated are of 2019; +unionMember is of 2022",
    ],
  ])("must not have %s", async (_, text, problem) => {
    expect(await problemsOf(text)).toContain(problem)
  })
})

describe("unions of the draft of 2022", () => {
  const options: GoTypesOptions = { dialect: "2022-draft" }

  it("belong to the discriminators that their members name", async () => {
    const text = struct(
      `+unionDiscriminator\nK string \`json:"k"\`\n+unionDiscriminator\n+optional\nL string \`json:"l"\`\n+unionMember=K\n${a}\n+unionMember=l\n${b}`,
    )
    expect(unionsOf(await readTypes(text, options))).toEqual([
      { discriminator: "k", fields: [{ fieldName: "a", discriminatorValue: "A" }], cardinality: "exactlyOne" },
      { discriminator: "l", fields: [{ fieldName: "b", discriminatorValue: "B" }], cardinality: "atMostOne" },
    ])
  })

  it("may have no discriminator", async () => {
    expect(unionsOf(await readTypes(struct(`+unionMember\n${a}\n+unionMember\n${b}`), options))).toEqual([
      { fields: [{ fieldName: "a" }, { fieldName: "b" }], cardinality: "atMostOne" },
    ])
  })

  it.each([
    [
      "a member of none of several",
      `+unionDiscriminator\nK string\n+unionDiscriminator\nL string\n+unionMember\n${a}`,
      "8 T.A: +unionMember has to name one of the discriminators: K, L",
    ],
    [
      "a member of one that is not there",
      `+unionDiscriminator\nK string\n+unionMember=X\n${a}`,
      "6 T.A: +unionMember has to name one of the discriminators: K",
    ],
  ])("must not have %s", async (_, fields, problem) => {
    expect(await problemsOf(struct(fields), options)).toContain(problem)
  })
})

describe("unions of 2022", () => {
  it("name the values of their members, which may be optional, and take the others from the enum", async () => {
    const text = struct(
      `+unionDiscriminator\n+required\nKind Full \`json:"kind"\`\n+unionMember=A\n${a}\n+unionMember,optional\n${b}`,
    )
    expect(unionsOf(await readTypes(text))).toEqual([
      {
        discriminator: "kind",
        fields: [
          { fieldName: "a", discriminatorValue: "A" },
          { fieldName: "b", discriminatorValue: "B", optional: true },
        ],
        emptyValues: ["Off"],
        values: ["A", "B", "Off"],
        cardinality: "exactlyOne",
      },
    ])
  })

  it("may have a value for no member, and a default", async () => {
    const text = struct(
      `+unionDiscriminator\n+optional\n+default=""\nKind *Kind \`json:"kind"\`\n+unionMember\n${a}\n+unionMember\n${b}`,
    )
    expect(unionsOf(await readTypes(text))).toMatchObject([
      { noneValue: "", values: ["", "A", "B"], discriminatorRequired: true, cardinality: "atMostOne" },
    ])
  })

  it.each([
    ["optional", '+optional\nKind Kind `json:"kind"`'],
    ["left out while it is empty", 'Kind Kind `json:"kind,omitempty"`'],
    ["a pointer", '+optional\nKind *Kind `json:"kind,omitempty"`'],
  ])("may have a discriminator that is %s, if the enum has a value for no member", async (_, discriminator) => {
    const text = struct(`+unionDiscriminator\n${discriminator}\n+unionMember\n${a}\n+unionMember\n${b}`)
    const [union] = unionsOf(await readTypes(text)) ?? []
    expect(union).toEqual({
      discriminator: "kind",
      fields: [
        { fieldName: "a", discriminatorValue: "A" },
        { fieldName: "b", discriminatorValue: "B" },
      ],
      noneValue: "",
      values: ["", "A", "B"],
      cardinality: "atMostOne",
    })
  })

  it("are told apart by +unionDiscriminatedBy", async () => {
    const text = struct(
      `+unionDiscriminator\nKind Kind \`json:"kind"\`\n+unionDiscriminator\nFull Full \`json:"full"\`\n+unionMember\n+unionDiscriminatedBy=Kind\n${a}\n+unionMember\n+unionDiscriminatedBy=Full\n${b}`,
    )
    expect(
      unionsOf(await readTypes(text))?.map(({ discriminator, fields }) => [discriminator, fields?.[0]?.fieldName]),
    ).toEqual([
      ["kind", "a"],
      ["full", "b"],
    ])
  })

  it("say where a value is not the name of its field", async () => {
    const text = struct(
      '+unionDiscriminator\nKind Full `json:"kind"`\n+unionMember=A\nFirst *M `json:"first,omitempty"`',
    )
    expect((await readTypes(text)).warnings.map(({ message }) => message)).toEqual([
      "the value A should be the name of the field, except for its case: first",
    ])
  })

  const kind = '+unionDiscriminator\nKind Full `json:"kind"`'
  it.each([
    ["no discriminator", `+unionMember\n${a}`, "2 T.: a union of 2022 has a +unionDiscriminator"],
    [
      "a discriminator that is no enum",
      `+unionDiscriminator\nK Other\n+unionMember=X\n${a}`,
      "4 T.K: the discriminator has to be a string type with +enum",
    ],
    [
      "a discriminator that may be absent",
      `+unionDiscriminator\n+optional\nK Full\n+unionMember\n${a}`,
      '5 T.K: the discriminator has to be required, or to have a +default or "" in its enum',
    ],
    [
      "a value that is not in the enum",
      `${kind}\n+unionMember=X\n${a}`,
      '4 T.Kind: a is selected by "X", and kind can only be "A", "B", "Off"',
    ],
    [
      "a discriminator for a field that isn't a member",
      `${kind}\n+unionMember\n${a}\n+unionDiscriminatedBy=Kind\n${b}`,
      "8 T.B: +unionDiscriminatedBy is for a +unionMember",
    ],
    ["a value twice", `${kind}\n+unionMember=A\n${a}\n+unionMember=A\n${b}`, '2 T.: value "A" is given to a and to b'],
    [
      "a member that is required",
      `${kind}\n+unionMember\nA *M \`json:"a"\``,
      "6 T.A: a member of a union has to be optional",
    ],
    [
      "another option",
      `${kind}\n+unionMember=A,required\n${a}`,
      "6 T.A: +unionMember has no option required; it may be optional",
    ],
    [
      "members of none of several",
      `${kind}\n+unionDiscriminator\nK Kind\n+unionMember\n${a}`,
      "8 T.A: +unionDiscriminatedBy has to name one of the discriminators: Kind, K",
    ],
  ])("must not have %s", async (_, fields, problem) => {
    expect(await problemsOf(struct(fields))).toContain(problem)
  })

  it("say once that a value is not in the enum", async () => {
    const problem = '4 T.Kind: a is selected by "X", and kind can only be "A", "B", "Off"'
    expect(await problemsOf(struct(`${kind}\n+unionMember=X\n${a}`))).toEqual([problem])
  })

  it.each([
    ["2019", struct(`+unionMember\n${a}`), "2 T.: +unionMember is of 2022; markers here are of 2019"],
    ["2022", struct(a, "+union"), "2 T.: +union and +unionDeprecated are of 2019; markers here are of 2022"],
  ] as const)("are an error where %s is asked for and another one found", async (dialect, text, problem) => {
    expect(await problemsOf(text, { dialect })).toEqual([problem])
  })

  it("may consist of a discriminator alone", async () => {
    const text = struct(`${kind}`)
    expect(unionsOf(await readTypes(text, { dialect: "2022" }))).toMatchObject([
      { discriminator: "kind", fields: [], emptyValues: ["A", "B", "Off"] },
    ])
    const read = await readTypes(text)
    expect([unionsOf(read), read.warnings[0]?.message]).toEqual([
      undefined,
      "+unionDiscriminator without members declares no union",
    ])
  })
})

describe("unions of declarative validation", () => {
  it.each([
    [
      "exactly one",
      dv("unionMember"),
      [{ fields: [{ fieldName: "a" }, { fieldName: "b" }], cardinality: "exactlyOne" }],
    ],
    [
      "at most one",
      dv("zeroOrOneOfMember"),
      [{ fields: [{ fieldName: "a" }, { fieldName: "b" }], cardinality: "atMostOne" }],
    ],
    [
      "a name",
      dv("unionMember", '(union: "u")'),
      [{ name: "u", fields: [{ fieldName: "a" }, { fieldName: "b" }], cardinality: "exactlyOne" }],
    ],
    [
      "stability levels",
      dv("unionMember").replaceAll("+k8s", '+k8s:beta(since: "1.37")=+k8s'),
      [{ fields: [{ fieldName: "a" }, { fieldName: "b" }], cardinality: "exactlyOne" }],
    ],
    [
      "a discriminator and member names",
      `+k8s:unionDiscriminator(union: "u")\n+k8s:required\nK Full \`json:"k"\`\n+k8s:unionMember(union: "u", memberName: "B")\n${a}\n+k8s:unionMember(union: "u", memberName: "A")\nB string \`json:"b,omitempty"\``,
      [
        {
          name: "u",
          discriminator: "k",
          fields: [
            { fieldName: "a", discriminatorValue: "B" },
            { fieldName: "b", discriminatorValue: "A", zeroIsUnset: true },
          ],
          emptyValues: ["Off"],
          values: ["A", "B", "Off"],
          cardinality: "exactlyOne",
        },
      ],
    ],
    [
      "a discriminator that may be anything",
      `+k8s:unionDiscriminator\nK string \`json:"k"\`\n+k8s:unionMember\n${a}`,
      [{ discriminator: "k", fields: [{ fieldName: "a", discriminatorValue: "A" }], cardinality: "atMostOne" }],
    ],
    [
      "several groups",
      `+k8s:unionMember(union: "z")\n${a}\n+k8s:unionMember\n${b}\n+k8s:zeroOrOneOfMember\nC []int \`json:"c"\``,
      [
        { fields: [{ fieldName: "b" }], cardinality: "exactlyOne" },
        { name: "z", fields: [{ fieldName: "a" }], cardinality: "exactlyOne" },
        { fields: [{ fieldName: "c" }], cardinality: "atMostOne" },
      ],
    ],
  ])("with %s", async (_, fields, expected) => {
    const read = await readTypes(struct(fields))
    expect(unionsOf(read)).toEqual(expected)
    expect(applyUnionOverlay(read.schema, read.unions).types.length).toBe(read.schema.types.length)
  })

  it("count, and not the older ones beside them", async () => {
    expect(unionsOf(await readTypes(struct(dv("unionMember"), "+union")))).toEqual([
      { fields: [{ fieldName: "a" }, { fieldName: "b" }], cardinality: "exactlyOne" },
    ])
  })

  it.each([
    [
      "a struct that is no pointer",
      "+k8s:unionMember\nA M",
      "4 T.A: is never absent, but a member of a union must be optional; make it a pointer",
    ],
    [
      "two discriminators",
      "+k8s:unionDiscriminator\nK string\n+k8s:unionDiscriminator\nL string",
      "6 T.L: K is the discriminator already",
    ],
    [
      "a discriminator that is no string",
      "+k8s:unionDiscriminator\nK int",
      "4 T.K: a discriminator has to be a string",
    ],
    [
      "a field in two unions",
      '+k8s:unionMember(union: "x")\n+k8s:unionMember(union: "y")\nA *M',
      "2 T.: field A is in two unions, or twice in one",
    ],
  ])("must not have %s", async (_, fields, problem) => {
    expect(await problemsOf(struct(fields))).toContain(problem)
  })

  it("are not those of markers with similar names", async () => {
    const markers = [
      "+k8s:ifEnabled(G)=+xk8s:unionMember",
      "+k8s:eachVal=+k8s:required",
      "+k8s:ifEnabled(G)=+k8s:onion",
    ]
    const read = await readTypes(struct(`${markers.join("\n")}\nA []M`))
    expect([
      unionsOf(read),
      read.warnings.map(({ message }) => message).filter(text => text.includes("members")),
    ]).toEqual([undefined, []])
  })

  it("under conditions are for validation alone", async () => {
    const text = struct(
      `+listType=map\n+listMapKey=X\n+k8s:item(X: 1)=+k8s:ifEnabled(Gate)=+k8s:zeroOrOneOfMember\nC []M\n+k8s:ifEnabled(Gate)=+k8s:unionMember\n${a}`,
    )
    const read = await readTypes(text)
    expect(unionsOf(read)).toBeUndefined()
    expect(read.warnings.map(({ message }) => message)).toEqual([
      "members below +k8s:ifEnabled are not in the schema; only validation reads +k8s:zeroOrOneOfMember here",
      "members below +k8s:ifEnabled are not in the schema; only validation reads +k8s:unionMember here",
    ])
  })
})

describe("a member, in every text,", () => {
  const others = "type N M\ntype Pair [2]int\ntype L []M\ntype P *M"
  const texts: [string, GoTypesOptions, (field: string) => string][] = [
    ["+union", {}, field => struct(field, "+union")],
    ["+unionDeprecated", {}, field => struct(`+unionDeprecated\n${field}`)],
    ["+unionMember, draft", { dialect: "2022-draft" }, field => struct(`+unionMember\n${field}`)],
    [
      "+unionMember",
      {},
      field => struct(`+unionMember\n${field}`).replace("{\n", '{\n// +unionDiscriminator\nFull Full `json:"full"`\n'),
    ],
    ["+k8s:unionMember", {}, field => struct(`+k8s:unionMember\n${field}`)],
    ["+k8s:zeroOrOneOfMember", {}, field => struct(`+k8s:zeroOrOneOfMember\n${field}`)],
  ]
  const problem = "is never absent, but a member of a union must be optional; make it a pointer"

  describe.each(texts)("%s", (_, options, text) => {
    it.each(["M", "N", "Pair", "struct {\nX int\n}", "metav1.Time"])("can't be a %s", async type => {
      const problems = await problemsOf(`${text(`A ${type} \`json:"a,omitempty"\``)}\n${others}`, options)
      expect(problems.filter(found => found.endsWith(problem))).toHaveLength(1)
      expect(problems[0]).toContain(" T.A: ")
    })

    it.each(["*M", "[]M", "L", "P", "map[string]M", "string", "int", "Full", "*Pair", "*metav1.Time", "any", "[]byte"])(
      "can be a %s",
      async type => {
        const read = await readTypes(`${text(`A ${type} \`json:"a,omitempty"\``)}\n${others}`, options)
        expect(unionsOf(read)?.[0]?.fields?.map(({ fieldName }) => fieldName)).toEqual(["a"])
      },
    )
  })

  it.each(texts.slice(1))("needs a name in JSON (%s)", async (_, options, text) => {
    const [marker] = text("").match(/\+(k8s:)?(union(?!Disc)|zero)\w+/) ?? []
    const message = `${marker} is for a field with a name in JSON; this one has none`
    const fields = { M: "M", A: 'A *M `json:"-"`', a: "a *M" }
    for (const [name, field] of Object.entries(fields)) {
      const problems = await problemsOf(text(field), options)
      expect(problems.map(found => found.replace(/^\d+ /, ""))).toContain(`T.${name}: ${message}`)
    }
  })

  it.each(["unionDiscriminator", "k8s:unionDiscriminator"])("or a discriminator (+%s) needs it, too", async marker => {
    expect(await problemsOf(struct(`+${marker}\nM\n+${marker}\nx string`))).toEqual([
      `4 T.M: +${marker} is for a field with a name in JSON; this one has none`,
      `6 T.x: +${marker} is for a field with a name in JSON; this one has none`,
    ])
  })

  it.each(texts.slice(0, 4))("can be a struct that omitzero leaves out (%s)", async (_, options, text) => {
    const read = await readTypes(text('A M `json:"a,omitzero"`'), options)
    expect(unionsOf(read)?.[0]?.fields?.map(({ fieldName }) => fieldName)).toEqual(["a"])
  })

  it.each(texts.slice(4))(
    "can't be a struct even with omitzero, since Kubernetes' generator refuses it (%s)",
    async (_, __, text) => {
      expect(await problemsOf(text('A M `json:"a,omitzero"`'))).toEqual([`4 T.A: ${problem}`])
    },
  )

  it("can be of a type without source", async () => {
    const source = 'package v1\nimport "acme.com/x"\ntype T struct {\n// +k8s:unionMember\nA x.A `json:"a"`\n}'
    const types = { types: [{ name: "com.acme.x.A", map: {} }] }
    expect(unionsOf(await readGoTypes({ "t.go": source }, { types }))?.[0]?.fields).toEqual([{ fieldName: "a" }])
  })

  it("isn't marked by +union, which is for structs", async () => {
    expect(await problemsOf(struct(`+union\n${a}`))).toEqual([
      "4 T.A: +union is for a struct; +unionDeprecated makes a field a member",
    ])
  })
})

describe("unions of items of a list", () => {
  const list = "+listType=map\n+listMapKey=X"
  const item = (args: string, member = "zeroOrOneOfMember") => `+k8s:item(${args})=+k8s:${member}`
  const members = (...values: readonly number[]) => values.map(X => ({ fieldName: "C", item: { X } }))

  it.each<[string, string, UnionDef[]]>([
    [
      "by their keys",
      `${list}\n${item("X: 1")}\n${item("X: 2")}\nC []M`,
      [{ fields: members(1, 2), cardinality: "atMostOne" }],
    ],
    [
      "of which one is needed, by names, at any level of stability",
      `${list}\n+k8s:beta(since: "1.37")=${item("X: 1", 'unionMember(union: "z")')}\n+k8s:item(X: 2)=+k8s:alpha(since: "1.37")=+k8s:unionMember(union: "z")\n${item("X: 3", 'unionMember(union: "a")')}\n${item("X: 4")}\nC []M`,
      [
        { name: "a", fields: members(3), cardinality: "exactlyOne" },
        { name: "z", fields: members(1, 2), cardinality: "exactlyOne" },
        { fields: members(4), cardinality: "atMostOne" },
      ],
    ],
    [
      "beside those of fields, of any text",
      `+unionDeprecated\n+optional\n${a}\n${list}\n${item("X: 1")}\nC []M`,
      [
        { fields: [{ fieldName: "a" }], cardinality: "atMostOne" },
        { fields: members(1), cardinality: "atMostOne" },
      ],
    ],
  ])("are read %s", async (_, fields, expected) => {
    const read = await readTypes(struct(fields))
    expect(unionsOf(read)).toEqual(expected)
    expect(applyUnionOverlay(read.schema, read.unions).types.find(({ name }) => name === "v1.T")?.map?.unions).toEqual(
      expected,
    )
  })

  it("have keys of any scalar type, beside fields that are no keys", async () => {
    const text = (args: string) =>
      `type T struct {\n// +listType=map\n// +listMapKey=n\n// +listMapKey=b\n// +listMapKey=s\n// +k8s:item(${args})=+k8s:unionMember\nL []I\n}\n` +
      'type I struct {\nN int64 `json:"n"`\nB bool `json:"b"`\nS string `json:"s"`\nOther string `json:"other"`\nMore []string `json:"more"`\n}'
    const read = await readTypes(text('n: 9007199254740993, b: true, s: "x"'))
    expect(unionsOf(read)?.[0]?.fields).toEqual([{ fieldName: "L", item: { n: 9007199254740993n, b: true, s: "x" } }])
    expect(await problemsOf(text('n: true, b: "x", s: 9007199254740993'))).toEqual([
      "6 T.L: +k8s:item can't be n: true, since that is of type integer",
      '6 T.L: +k8s:item can\'t be b: "x", since that is of type boolean',
      "6 T.L: +k8s:item can't be s: 9007199254740993, since that is of type string",
    ])
    expect(await problemsOf(text("n: 1, x: 1, y: 2"))).toEqual([
      "6 T.L: +k8s:item has x, y, which is no key of the list: n, b, s",
      "6 T.L: +k8s:item lacks keys of the list: b, s",
    ])
  })

  it("are read at a named list type, wherever it is used", async () => {
    const markers = [...list.split("\n"), item("X: 1"), item("X: 2")].map(line => `// ${line}`).join("\n")
    const read = await readTypes(`${struct("C L")}\n${markers}\ntype L []M`)
    expect(unionsOf(read)).toEqual([{ fields: members(1, 2), cardinality: "atMostOne" }])
  })

  it("stand beside the list form in the OpenAPI document, and read back as they were", async () => {
    const read = await readTypes(
      struct(`${list}\n${item("X: 1", "unionMember")}\n${item("X: 2", "unionMember")}\nC []M`),
    )
    expect(read.warnings).toEqual([])
    const { schema } = schemaFromOpenAPIv3(read.openapi, { unionMode: "repair" })
    const back = schema.types.find(({ name }) => name === "v1.T")?.map?.unions
    expect(back).toEqual([{ fields: members(1, 2), cardinality: "exactlyOne" }])
  })

  it("are for validation alone where the list is not merged by keys", async () => {
    const read = await readTypes(struct(`+listType=atomic\n+k8s:unique=map\n+k8s:listMapKey=X\n${item("X: 1")}\nC []M`))
    expect(unionsOf(read)).toBeUndefined()
    expect(read.warnings.map(({ message }) => message)).toEqual([
      "+k8s:item is for a +listType=map; only validation reads it here",
    ])
  })

  it.each([
    ["keys the list does not have", item("X: 1, Z: 2"), "5 T.C: +k8s:item has Z, which is no key of the list: X"],
    ["fewer keys than the list", item(""), "5 T.C: +k8s:item lacks keys of the list: X"],
    ["a value of another type", item('X: "1"'), `5 T.C: +k8s:item can't be X: "1", since that is of type integer`],
    ["an item twice", `${item("X: 1")}\n${item("X: 1")}`, "2 T.: field C[X=1] is in two unions, or twice in one"],
  ])("must not have %s", async (_, markers, problem) => {
    expect(await problemsOf(struct(`${list}\n${markers}\nC []M`))).toContain(problem)
  })

  it("say in the engine what the rules of the same source say, word for word", async () => {
    const read = await readTypes(
      struct(`+k8s:listType=map\n+k8s:listMapKey=X\n${item("X: 1")}\n${item("X: 2")}\nC []M`),
    )
    const type = compileSchema(applyUnionOverlay(read.schema, read.unions)).type("v1.T")
    const both = { C: [{ X: 2 }, { X: 3 }, { X: 1 }] }
    const byUnions = validateUnions(undefined, TypedValue.of(both, type))
    const byRules = compileRules(read.rules, "T").validate(both)
    const told = (
      errors: readonly { type: string; field: string; detail: string; origin?: string; badValue: unknown }[],
    ) => errors.map(({ type, field, detail, origin, badValue }) => ({ type, field, detail, origin, badValue }))
    expect(told(byUnions)).toEqual(told(byRules))
    expect(byUnions).toHaveLength(1)
  })
})

describe("unions in OpenAPI", () => {
  const text = struct(
    `+unionDiscriminator\n+required\nKind Full \`json:"kind"\`\n+unionMember\n${a}\n+unionMember=B,optional\n${b}`,
  )

  it("are at the discriminator, and read back as they were", async () => {
    const read = await readTypes(text)
    expect(definitionOf(read).properties).toMatchObject({
      kind: {
        "x-kubernetes-unions": { fieldMembers: { A: { name: "a" }, B: { name: "b", optional: true }, Off: null } },
      },
    })
    const { schema, diagnostics } = schemaFromOpenAPIv3(read.openapi, { unionMode: "repair" })
    expect(diagnostics).toEqual([])
    const [union] = unionsOf(read) ?? []
    expect(schema.types.find(({ name }) => name === "v1.T")?.map?.unions).toEqual([union])
  })

  it("are a list, if that is asked for, as Kubernetes publishes them", async () => {
    const read = await readTypes(text, { unionExtension: "list" })
    expect(definitionOf(read)["x-kubernetes-unions"]).toEqual([
      { discriminator: "kind", "fields-to-discriminateBy": { a: "A", b: "B" } },
    ])
    expect(own(definitionOf(read).properties as MapValue, "kind")).not.toHaveProperty("x-kubernetes-unions")
    const { schema } = schemaFromOpenAPIv3(read.openapi, { unionMode: "repair" })
    expect(schema.types.find(({ name }) => name === "v1.T")?.map?.unions?.[0]?.discriminator).toBe("kind")
  })

  it("without a discriminator are a list", async () => {
    expect(definitionOf(await readTypes(struct(dv("unionMember"))))["x-kubernetes-unions"]).toEqual([
      { "fields-to-discriminateBy": { a: "A", b: "B" } },
    ])
  })
})

it("has the types with unions in the order of their names", async () => {
  const union = (name: string) => `type ${name} struct {\n${dv("unionMember").replaceAll("+", "// +")}\n}`
  const read = await readTypes(
    [...["C", "A", "b", "B"].map(union), "type T struct {\nX *b\n}", "type M struct{}"].join("\n"),
  )
  expect(read.unions.types.map(({ name }) => name)).toEqual(["v1.A", "v1.B", "v1.C", "v1.b"])
})

it.each([
  ["a struct", "// +union\ntype U struct {\nM\n}\ntype M struct{}", "2 U.: a +union struct can't embed others"],
  [
    "a name for a struct",
    "// +union\ntype N U\ntype U struct {\nM\n}\ntype M struct{}",
    "2 N.: a +union struct can't embed others",
  ],
  [
    "a struct in place",
    `type T struct {\n\nA struct {\n// +unionMember\n${a}\n}\n}\ntype M struct{}`,
    "1 T.: a union of 2022 has a +unionDiscriminator",
  ],
])("reports problems of unions at %s", async (_, text, problem) => {
  expect(await problemsOf(text)).toContain(problem)
})

it("has unions of structs that are written in place, by their path", async () => {
  const read = await readTypes(
    `type T struct {\nList []struct {\n${dv("unionMember").replaceAll("+", "// +")}\n}\n}\ntype M struct { X int }`,
  )
  expect(read.unions.types).toEqual([
    {
      name: "v1.T",
      at: ["List", "*"],
      unions: [{ fields: [{ fieldName: "a" }, { fieldName: "b" }], cardinality: "exactlyOne" }],
    },
  ])
  expect(applyUnionOverlay(read.schema, read.unions).types.length).toBe(read.schema.types.length)
})

it("deduces the discriminators that the caller says", async () => {
  const text = struct(`+k8s:unionDiscriminator\nK string \`json:"k"\`\n+k8s:unionMember\n${a}`)
  expect(unionsOf(await readTypes(text, { deduce: "always" }))?.[0]?.deduceInvalidDiscriminator).toBe(true)
  expect(
    unionsOf(await readTypes(text, { deduce: name => name === "v1.U" }))?.[0]?.deduceInvalidDiscriminator,
  ).toBeUndefined()
})
