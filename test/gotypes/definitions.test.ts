/** Converts each part of a declaration to its part of the OpenAPI document. */
import { describe, expect, it } from "vitest"
import { readGoTypes } from "../../src/gotypes/index.js"
import { own } from "../../src/value/object.js"
import type { MapValue } from "../../src/value/value.js"
import { definitionOf, problemsOf, readTypes } from "./support.js"

const propertiesOf = async (text: string, name = "v1.T") => definitionOf(await readTypes(text), name).properties

describe("a property of type", () => {
  const declared = [
    "type S struct {\nA int\n}",
    "type Number int16",
    "type Text string",
    "type Texts []Text",
    "type Alias = S",
    "type Own struct {\nn int\n}",
    'func (Own) OpenAPISchemaType() []string { return []string{"string"} }',
    'func (Own) OpenAPISchemaFormat() string { return "own" }',
    "type Formless struct {\nn int\n}",
    'func (Formless) OpenAPISchemaType() []string { return []string{"integer"} }',
    'func (Formless) OpenAPISchemaFormat() string { return "" }',
    "type Typeless struct {\nn int\n}",
    "func (Typeless) OpenAPISchemaType() []string { return nil }",
    "type Byte byte",
  ].join("\n")
  const ref = (name: string) => ({ $ref: `#/components/schemas/v1.${name}` })
  const list = (items: MapValue) => ({ type: "array", items })
  const map = (additionalProperties: MapValue) => ({ type: "object", additionalProperties })
  const string = { type: "string" }
  const int32 = { type: "integer", format: "int32" }

  it.each<[string, MapValue]>([
    ["string", string],
    ["bool", { type: "boolean" }],
    ["int", int32],
    ["int16", int32],
    ["int32", int32],
    ["rune", int32],
    ["uint", int32],
    ["uint16", int32],
    ["int64", { type: "integer", format: "int64" }],
    ["uint32", { type: "integer", format: "int64" }],
    ["uint64", { type: "integer", format: "int64" }],
    ["uintptr", { type: "integer", format: "int64" }],
    ["int8", { type: "integer", format: "byte" }],
    ["uint8", { type: "integer", format: "byte" }],
    ["byte", { type: "integer", format: "byte" }],
    ["float64", { type: "number", format: "double" }],
    ["float32", { type: "number", format: "float" }],
    ["any", { type: "object" }],
    ["interface{}", { type: "object" }],
    ["interface{ M() }", { type: "object" }],
    ["*string", string],
    ["**string", string],
    ["(string)", string],
    ["Number", int32],
    ["*Text", string],
    ["[]byte", { type: "string", format: "byte" }],
    ["[]uint8", { type: "string", format: "byte" }],
    ["[4]byte", { type: "string", format: "byte" }],
    ["*[]byte", { type: "string", format: "byte" }],
    ["[]int8", list({ type: "integer", format: "byte" })],
    ["[]*byte", list({ type: "integer", format: "byte" })],
    ["[]string", list(string)],
    ["[2]*S", list(ref("S"))],
    ["[][]S", list(list(ref("S")))],
    ["Texts", list(string)],
    ["map[string]S", map(ref("S"))],
    ["map[Text]Texts", map(list(string))],
    ["map[int]bool", map({ type: "boolean" })],
    ["map[uint64]map[Number]string", map(map(string))],
    ["S", ref("S")],
    ["*S", ref("S")],
    ["Alias", ref("S")],
    ["Own", ref("Own")],
    ["metav1.Time", { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Time" }],
    [
      'struct {\nA int `json:"a,omitempty"`\nB string `json:"b,omitempty"`\n}',
      { type: "object", properties: { a: int32, b: string } },
    ],
    ["struct{}", { type: "object" }],
  ])("%s", async (type, expected) => {
    const properties = await propertiesOf(`type T struct {\nF ${type} \`json:"f,omitempty"\`\n}\n${declared}`)
    const { default: _, ...found } = own(properties as MapValue, "f") as Record<string, unknown>
    expect(found.allOf === undefined ? found : (found.allOf as unknown[])[0]).toEqual(expected)
  })

  it.each([
    ["Own", { type: "string", format: "own" }],
    ["Formless", { type: "integer" }],
    ["Typeless", {}],
  ])("%s, as its methods say", async (type, expected) => {
    const read = await readTypes(`type T struct {\nF ${type}\n}\n${declared}`)
    expect(definitionOf(read, `v1.${type}`)).toEqual(expected)
  })

  it.each([
    ["error", "JSON can't hold the type error"],
    ["complex64", "JSON can't hold the type complex64"],
    ["chan S", "JSON can't hold the type chan S"],
    ["[]func()", "JSON can't hold the type func()"],
    ["Strange", "there is no type Strange"],
    ["map[string]x.Strange", "there is no type x.Strange"],
    ["map[bool]string", "the keys of a map have to be strings or integers"],
    ["map[float64]string", "the keys of a map have to be strings or integers"],
    ["map[S]string", "the keys of a map have to be strings or integers"],
    ["map[any]string", "the keys of a map have to be strings or integers"],
    ["map[Strange]string", "there is no type Strange"],
  ])("%s is an error", async (type, message) => {
    const problems = await problemsOf(`type T struct {\nF ${type}\n}\n${declared}`)
    expect(problems).toEqual([expect.stringMatching(/^[12] T\.F?: /)])
    expect(problems[0]).toContain(message)
  })
})

describe("a default", () => {
  const types = [
    "type S struct {\nA int\n}",
    '// +default="named"\ntype Named string',
    '// +default="outer"\ntype Outer Named',
    "// +default=7\ntype Seven int",
    'const Word = "word"',
  ].join("\n")

  it.each([
    ["string", "", ""],
    ["bool", "", false],
    ["int", "", 0],
    ["float64", "", 0],
    ["S", "", {}],
    ["S", ",omitempty", {}],
    ["struct{}", "", {}],
    ["Named", "", "named"],
    ["*Named", ",omitempty", "named"],
    ["Outer", "", "outer"],
    ["*Seven", "", 7],
  ])("of a %s with %j", async (type, options, expected) => {
    const properties = await propertiesOf(`type T struct {\nF ${type} \`json:"f${options}"\`\n}\n${types}`)
    expect(own(own(properties as MapValue, "f") as MapValue, "default")).toEqual(expected)
  })

  it.each([
    ["string", ",omitempty"],
    ["int", ",omitzero"],
    ["*int", ""],
    ["*S", ""],
    ["[]byte", ""],
    ["[]S", ""],
    ["map[string]S", ""],
    ["any", ""],
    ["metav1.Time", ""],
    ["metav1.Duration", ""],
    ["int", ",string"],
  ])("is missing for a %s with %j", async (type, options) => {
    const properties = await propertiesOf(`type T struct {\nF ${type} \`json:"f${options}"\`\n}\n${types}`)
    expect(own(properties as MapValue, "f")).not.toHaveProperty("default")
  })

  it.each([
    ['"a"', "a"],
    ["1.5", 1.5],
    ["null", null],
    ["[1, {}]", [1, {}]],
    ["ref(Word)", "word"],
    ["ref(example.com/other.Far)", "far"],
  ])("%s of the field goes before that of its type", async (said, expected) => {
    const source = `package v1\nimport "example.com/other"\ntype T struct {\n// +default=${said}\nF *Named \`json:"f"\`\nG other.X\n}\n${types}`
    const resolve = () => ({ "o.go": 'package other\ntype X string\nconst Far = "far"' })
    const read = await readGoTypes({ "t.go": source }, { resolve })
    expect(own(own(definitionOf(read).properties as MapValue, "f") as MapValue, "default")).toEqual(expected)
  })

  it("can't be empty", async () => {
    expect(await problemsOf(`type T struct {\n// +default\nF *string\n}`)).toEqual([
      "3 T.F: +default is neither JSON nor the name of a constant: ",
    ])
  })

  it.each(["a", "ref(Word) x", "x ref(Word)", "ref(Nothing)", "ref(example.com/nowhere.X)", "ref()", "{", ""])(
    "can't be %s",
    async said => {
      expect(await problemsOf(`type T struct {\n// +default=${said}\nF *string\n}\n${types}`)).toEqual([
        `3 T.F: +default is neither JSON nor the name of a constant: ${said}`,
      ])
    },
  )
})

it.each([
  ["string", "int", { type: "string" }],
  ["integer", "string", { type: "integer" }],
  ["number", "string", { type: "number" }],
  ["boolean", "string", { type: "boolean" }],
  ["object", "string", { type: "object" }],
  ["array", "string", { type: "string", default: "" }],
])("has the type %s that a marker of controller-gen gives a %s", async (type, go, expected) => {
  const properties = await propertiesOf(`type T struct {\n// +kubebuilder:validation:Type=${type}\nF ${go}\n}`)
  expect(own(properties as MapValue, "F")).toMatchObject(expected)
})

describe("a definition", () => {
  it("has its description, properties in order, and what is required", async () => {
    const text = [
      "// T is one.",
      "// +structType=atomic",
      "type T struct {",
      "\t// B is first.",
      '\tB string `json:"b,omitempty"`',
      "\t// A is a struct.",
      '\tA S `json:"a"`',
      '\tC *S `json:"c"`',
      "\t// +nullable",
      '\tD *S `json:"d,omitempty"`',
      "\t// E is text.",
      '\tE int `json:"e,string"`',
      "}",
      "type S struct {}",
    ].join("\n")
    const ref = { $ref: "#/components/schemas/v1.S" }
    const read = await readTypes(text)
    expect(definitionOf(read)).toEqual({
      description: "T is one.",
      type: "object",
      properties: {
        b: { description: "B is first.", type: "string" },
        a: { description: "A is a struct.", default: {}, allOf: [ref] },
        c: ref,
        d: { nullable: true, allOf: [ref] },
        e: { description: "E is text.", type: "string" },
      },
      required: ["a", "c", "e"],
      "x-kubernetes-map-type": "atomic",
    })
    expect(Object.keys(definitionOf(read).properties as MapValue)).toEqual(["b", "a", "c", "d", "e"])
    expect(definitionOf(read, "v1.S")).toEqual({ type: "object" })
  })

  it("is nullable where the named type says so", async () => {
    const properties = await propertiesOf('type T struct {\nF N `json:"f"`\n}\n// +nullable\ntype N []string')
    expect(properties).toEqual({ f: { nullable: true, type: "array", items: { type: "string" } } })
  })

  it("has the enum of a string type, sorted, each value once", async () => {
    const consts = 'const (\nB E = "b"\nA E = "a"\nAgain E = "a"\nOther = "c"\nNone E = ""\n)'
    const text = `type T struct {\nF *E\nG []E\nH map[E]E\nI Plain\n}\n// +enum\ntype E string\n${consts}\ntype Plain string\nconst P Plain = "p"`
    const e = { type: "string", enum: ["", "a", "b"] }
    expect(await propertiesOf(text)).toEqual({
      F: e,
      G: { type: "array", items: e },
      H: { type: "object", additionalProperties: e },
      I: { type: "string", default: "" },
    })
  })

  it.each([
    ["+enum", "string", "const A E = `a`", true],
    ["+k8s:enum", "string", "const A E = `a`", true],
    ["+enum", "Base", "const A E = `a`\ntype Base string", true],
    ["+enum", "string", "", false],
    ["+enum", "int", "const A E = 1", false],
    ["+enum", "string", "const A = `a`", false],
    ["+enumerable", "string", "const A E = `a`", false],
  ])("%s at a %s with %s", async (marker, type, consts, has) => {
    const properties = await propertiesOf(`type T struct {\nF *E\n}\n// ${marker}\ntype E ${type}\n${consts}`)
    expect(Object.hasOwn(own(properties as MapValue, "F") as object, "enum")).toBe(has)
  })

  it.each([
    ["// A.\n//\n// B\n// C.", "A.\n\nB C."],
    ["// A:\n//  - b", "A:\n - b"],
    ["// +marker\n// A.\n//   +indented", "A."],
    ["// TODO: x\n// A. TODO later\n//TODO y", "A. TODO later"],
    ["// A.\n// ---\n// B.", "A."],
    ["// A.\n// ----\n// B.", "A. ---- B."],
    ["/*\nA\n\n\nB\n*/", "A\n\n\nB"],
    ["// \n//", undefined],
    ["", undefined],
  ])("%j is described as %j", async (comment, expected) => {
    expect(definitionOf(await readTypes(`type U int\n\n${comment}\ntype T struct {\n\nA int\n}`)).description).toBe(
      expected,
    )
  })

  it("is made of exported structs and of all that they use", async () => {
    const text = [
      "type T struct {\nA *hidden\nB []Kept\n}",
      "type hidden struct {\nC int\n}",
      "type unused struct {\nD int\n}",
      "// +k8s:openapi-gen=false\ntype Left struct {\nE int\n}",
      "// +k8s:openapi-gen=true\ntype Kept struct {\n// +k8s:openapi-gen=false\nF int\n// +k8s:openapi-gen=true\nG int\n}",
      "type Alias = Kept",
      "type Name string",
      "type Same Kept",
    ].join("\n")
    const read = await readTypes(text)
    const schemas = own(own(read.openapi, "components") as MapValue, "schemas") as MapValue
    expect(Object.keys(schemas)).toEqual(["v1.Kept", "v1.Same", "v1.T", "v1.hidden"])
    expect(Object.keys(definitionOf(read, "v1.Kept").properties as MapValue)).toEqual(["G"])
    expect(read.openapi).toMatchObject({ openapi: "3.0.0", info: { title: "v1", version: "v1" }, paths: {} })
    expect(read.schema.types.map(({ name }) => name)).toEqual([
      "v1.Kept",
      "v1.Same",
      "v1.T",
      "v1.hidden",
      "__untyped_atomic_",
      "__untyped_deduced_",
    ])
  })

  it("has the path of its package as title", async () => {
    const read = await readTypes("type T struct {\nA int\n}", { path: "example.com/v1" })
    expect(read.openapi.info).toEqual({ title: "example.com/v1", version: "v1" })
  })
})

it("knows the places of types and fields, also of those in place and in other packages", async () => {
  const source = [
    "package v1",
    'import "example.com/x"',
    "type T struct {",
    "A []struct { B map[string]struct {",
    "C int",
    "} }",
    "D x.X",
    "Inner",
    "E struct{}",
    "}",
    "type Inner struct {",
    "F int",
    "}",
  ].join("\n")
  const read = await readGoTypes(
    { "t.go": source },
    { resolve: () => ({ "x.go": "package x\ntype X struct {\nY int\n}" }) },
  )
  const placeOf = (type: string, ...at: string[]) => {
    const place = read.placeOf(type, at)
    return place && `${place.file}:${place.line} ${place.type}.${place.field}`
  }
  expect(placeOf("v1.T")).toBe("t.go:3 T.")
  expect(placeOf("v1.T", "A")).toBe("t.go:4 T.A")
  expect(placeOf("v1.T", "A", "*", "B")).toBe("t.go:4 T.B")
  expect(placeOf("v1.T", "A", "*", "B", "*", "C")).toBe("t.go:5 T.C")
  expect(placeOf("v1.T", "F")).toBe("t.go:12 Inner.F")
  expect(placeOf("v1.T", "G")).toBeUndefined()
  expect(placeOf("com.example.x.X", "Y")).toBe("example.com/x/x.go:3 X.Y")
  expect(placeOf("v1.Missing")).toBeUndefined()
})

it.each([
  ["at a type", "// +k8s:x(\ntype T struct {\nA int\n}", "1 T.: malformed marker +k8s:x("],
  ["at a field", "type T struct {\n// +k8s:x(a\nA int\n}", "2 T.A: malformed marker +k8s:x(a"],
  ["at a field in place", "type T struct {\nA struct {\n// +k8s:x(a\nB int\n}\n}", "3 T.B: malformed marker +k8s:x(a"],
])("reports malformed markers %s", async (_, text, problem) => {
  expect(await problemsOf(text)).toEqual([problem])
})
