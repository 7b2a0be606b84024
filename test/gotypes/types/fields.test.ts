/** Reads the fields of structs as JSON has them, and warns about markers in wrong places. */
import { describe, expect, it } from "vitest"
import { own } from "../../../src/value/object.js"
import type { MapValue } from "../../../src/value/value.js"
import { definitionOf, problemsOf, readTypes } from "../support.js"

const others = "type Base struct {\nX int\nY int\n}\ntype Named string\ntype deep struct {\nBase\nZ int\n}"

async function namesOf(fields: string): Promise<string[]> {
  const read = await readTypes(`type T struct {\n${fields}\n}\n${others}`)
  return Object.keys((definitionOf(read).properties ?? {}) as MapValue)
}

describe("a struct has", () => {
  it.each([
    ["its fields in the order of the source", 'B int\nA int `json:"a"`\nC, D int', ["B", "a", "C", "D"]],
    ["its own fields before embedded ones", "Base\nA int", ["A", "X", "Y"]],
    ["those of unexported embedded structs", "deep\nA int", ["A", "Z", "X", "Y"]],
    ["those of embedded pointers", "*Base", ["X", "Y"]],
    ["those of inlined structs", 'Base `json:",inline"`', ["X", "Y"]],
    ["an embedded struct with a name as a field", 'Base `json:"base,omitempty"`', ["base"]],
    ["an embedded type that is no struct as a field", "Named", ["Named"]],
    ["the first of two embedded fields of one name", "Base\ndeep", ["X", "Y", "Z"]],
    ["a field that hides an embedded one", 'A int `json:"X"`\nBase', ["X", "Y"]],
    ["no field without a name in JSON", 'A int `json:"-"`\nb int\n_ int\nC int', ["C"]],
    ["a field whose name in JSON is a dash", 'A int `json:"-,"`', ["-"]],
    ["a field whose tag is for something else", 'A int `yaml:"a"`', ["A"]],
    ["no embedded struct that its tag takes out", 'Base `json:"-"`\nA int', ["A"]],
    ["names of other alphabets", "Ä int\nä int\nΩ int", ["Ä", "Ω"]],
    [
      "no field that its marker takes out",
      "// +k8s:openapi-gen=false\nA int\n// +k8s:openapi-gen=true\nB int\n// +k8s:openapi-gen=x\nC int",
      ["B", "C"],
    ],
  ])("%s", async (_, fields, expected) => {
    expect(await namesOf(fields)).toEqual(expected)
  })

  it.each([
    [
      "the one that its tag names",
      'type A struct {\nName int `json:"Name"`\n}\ntype B struct {\nName string\n}',
      "integer",
    ],
    [
      "the other one that its tag names",
      'type A struct {\nName int\n}\ntype B struct {\nName string `json:"Name,omitempty"`\n}',
      "string",
    ],
    ["neither if no tag names one", "type A struct {\nName int\n}\ntype B struct {\nName string\n}", undefined],
    [
      "neither if tags name both",
      'type A struct {\nX int `json:"Name"`\n}\ntype B struct {\nName string `json:"Name"`\n}',
      undefined,
    ],
  ])("of two fields on a level %s", async (_, text, expected) => {
    const read = await readTypes(`type T struct {\nA\nB\nOther int\n}\n${text}`)
    const field = own(definitionOf(read).properties as MapValue, "Name") as MapValue | undefined
    expect(field?.type).toBe(expected)
  })

  it("the type of the outermost field of a name", async () => {
    const read = await readTypes(`type T struct {\nBase\nX string\n}\n${others}`)
    expect(own(definitionOf(read).properties as MapValue, "X")).toEqual({ type: "string", default: "" })
  })
})

describe("a field is required", () => {
  it.each([
    ['A int `json:"a"`', true],
    ["A int", true],
    ['A int `json:"a,omitempty"`', false],
    ['A int `json:"a,omitzero"`', false],
    ['A int `json:"a,string"`', true],
    ['A *int `json:"a"`', true],
    ['// +optional\nA int `json:"a"`', false],
    ['// +k8s:optional\nA int `json:"a"`', false],
    ['// +required\nA int `json:"a,omitempty"`', true],
    ['// +k8s:required\nA int `json:"a,omitempty"`', true],
    ['// +optional\n// +k8s:required\nA int `json:"a"`', false],
    ['// +required\n// +k8s:optional\nA int `json:"a"`', true],
    ['// +k8s:alpha=+k8s:required\nA *int `json:"a,omitempty"`', true],
    ['// +k8s:ifEnabled(X)=+k8s:required\nA *int `json:"a,omitempty"`', false],
  ])("%j: %s", async (field, expected) => {
    const { required } = definitionOf(await readTypes(`type T struct {\n${field}\n}`))
    expect(required !== undefined).toBe(expected)
  })

  it.each(["", "k8s:"])("or optional, but not both (%s)", async prefix => {
    const text = `type T struct {\n// +${prefix}required\n// +${prefix}optional\nA int\n}`
    expect(await problemsOf(text)).toEqual(["4 T.A: can't be both optional and required"])
  })
})

describe("a marker is not read", () => {
  const warningsOf = async (text: string) =>
    (await readTypes(text)).warnings.map(({ line, type, field, message }) => `${line - 4} ${type}.${field}: ${message}`)
  const behind = (marker: string) => `${marker} follows the field on its line, where it is not read`
  const separated = (marker: string) => `a blank line separates ${marker} from its declaration, so it is not read`

  const markers = [
    "+optional",
    "+required",
    "+default=1",
    "+nullable",
    "+enum",
    "+union",
    "+unionMember=A,optional",
    "+unionDiscriminator",
    "+listType=set",
    "+listMapKey=k",
    "+mapType=atomic",
    "+structType=atomic",
    "+k8s:maxLength=3",
    "+k8s:unionMember",
    '+k8s:ifEnabled("X")=+k8s:required',
  ]
  it.each(markers)("behind a field: %s", async marker => {
    expect(await warningsOf(`type T struct {\nA int //   ${marker}\n}`)).toEqual([`2 T.A: ${behind(marker)}`])
  })

  it.each(markers)("above a blank line: %s", async marker => {
    expect(await warningsOf(`type T struct {\n//  ${marker} \n\n// A.\nA int\n}`)).toEqual([
      `2 T.A: ${separated(marker)}`,
    ])
  })

  it.each([
    "+k8s:supportsSubresource=/status",
    "+k8s:isSubresource=/scale",
    "+k8s:deepcopy-gen=true",
    "+k8s:a:b",
    "+optional-ish",
    "+defaults=1",
    "+listTypes",
    "+kubebuilder:validation:Optional",
    "not +optional",
    "optional",
    "k8s:optional",
  ])("if nobody expects it to be: %s", async text => {
    expect(await warningsOf(`type T struct {\n// ${text}\n\nA int // ${text}\n}`)).toEqual([])
    expect(await warningsOf(`// ${text}\n\ntype T struct {\nA int\n}`)).toEqual([])
  })

  it("above the blank line above a type", async () => {
    const text =
      "// +structType=atomic\n\n// T is one.\ntype T struct {\nA U\n}\n// +mapType=atomic\n\ntype U struct {\nB int\n}"
    expect(await warningsOf(text)).toEqual([
      `1 T.: ${separated("+structType=atomic")}`,
      `7 U.: ${separated("+mapType=atomic")}`,
    ])
  })

  it("and the first of several is named", async () => {
    const text = "type T struct {\n// Words.\n// +optional\n// +nullable\n\nA int /* +enum\n+listType=set */\n}"
    expect(await warningsOf(text)).toEqual([`6 T.A: ${behind("+enum")}`, `3 T.A: ${separated("+optional")}`])
  })
})

describe("errors", () => {
  it.each([
    ["one name twice", 'A int `json:"x"`\nB int `json:"x"`', "3 T.B: the name x is taken by A"],
    [
      "an embedded type with a form of its own",
      "metav1.Time",
      "2 T.Time: the embedded type has a JSON form of its own, which would become the form of the whole struct",
    ],
    [
      "an embedded type without source",
      "metav1.Table",
      "2 T.Table: the fields of io.k8s.apimachinery.pkg.apis.meta.v1.Table are embedded here; give its source to `resolve`, or mark it as +k8s:opaqueType",
    ],
    ["a struct in itself", "*T", "2 T.T: the struct is embedded in itself"],
    ["a struct in one that it embeds", "Loop", /^\d+ (T\.Loop|Loop\.T): the struct is embedded in itself$/],
  ])("%s", async (_, fields, expected) => {
    const problems = await problemsOf(`type T struct {\n${fields}\n}\ntype Loop struct {\n*T\n}\n${others}`)
    if (typeof expected === "string") expect(problems).toContain(expected)
    else expect(problems.join("\n")).toMatch(new RegExp(expected.source, "m"))
  })
})
