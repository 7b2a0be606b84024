/** Reads markers as controller-gen (kubebuilder) reads them. */
import { describe, expect, it } from "vitest"
import { formatGoTypesIssue, readGoTypes } from "../../../src/gotypes/index.js"
import { compileRules } from "../../../src/validation/index.js"
import { definitionOf, fieldOf, problemsOf, readTypes, typeNamed } from "../support.js"

const types = `
type U struct {
	A string \`json:"a"\`
	// +listType=map
	// +listMapKey=a
	B []V \`json:"b"\`
}
type V struct { A string \`json:"a"\`; D *V \`json:"d,omitempty"\` }
// +kubebuilder:pruning:PreserveUnknownFields
type Open struct { V V \`json:"v"\` }
// +kubebuilder:validation:Type=string
type Token struct { ID string \`json:"-"\` }
func (Token) MarshalJSON() ([]byte, error) { return nil, nil }
type Texts []Text
type Text struct { A int }
func (t *Text) MarshalText() ([]byte, error) { return nil, nil }
type Level int
func (Level) MarshalText() ([]byte, error) { return nil, nil }
type Both struct { A int }
func (Both) MarshalText() ([]byte, error) { return nil, nil }
func (Both) MarshalJSON() ([]byte, error) { return nil, nil }
type Plain struct { A int; b string }
type BothName Plain
func (*BothName) MarshalJSON() ([]byte, error) { return nil, nil }
type Tagged struct { A int \`json:"a"\` }
func (Tagged) MarshalJSON() ([]byte, error) { return nil, nil }
`

const anything = { namedType: "__untyped_deduced_" }
const any = {
  scalar: "untyped",
  list: { elementType: { namedType: "__untyped_atomic_" } },
  map: { elementType: anything },
}

describe("markers with :=", () => {
  it.each([
    ["// +listType:=set\nA []string", { list: { elementRelationship: "associative" } }],
    ['// +listType:="set"\nA []string', { list: { elementRelationship: "associative" } }],
    ["// +listType:=map\n// +listMapKey:=a\nA []V", { list: { keys: ["a"] } }],
    ['// +listType="map"\n// +listMapKey=`a`\nA []V', { list: { keys: ["a"] } }],
    ["// +mapType:=atomic\nA map[string]string", { map: { elementRelationship: "atomic" } }],
    ["// +structType:=atomic\nA U", { namedType: "v1.U", elementRelationship: "atomic" }],
    ["// +structType := atomic\nA U", { namedType: "v1.U", elementRelationship: "atomic" }],
  ])("say the same as with =: %s", async (field, expected) => {
    expect(fieldOf(await readTypes(`type T struct {\n${field}\n}\n${types}`), "A")).toMatchObject(expected)
  })

  it("hold for types, unions, defaults and enums", async () => {
    const read = await readTypes(
      [
        "// +structType:=atomic\ntype T struct {",
        '// +unionDiscriminator\n// +default:="A"\nK E',
        '// +unionMember:=A\nA *U `json:"a,omitempty"`',
        "}\n// +enum\ntype E string\nconst A E = `A`",
      ].join("\n") + types,
    )
    expect(typeNamed(read, "v1.T").map?.elementRelationship).toBe("atomic")
    expect(read.unions.types[0]?.unions[0]?.fields).toMatchObject([{ fieldName: "a", discriminatorValue: "A" }])
  })

  it("are wrong where only declarative validation reads them", async () => {
    const read = await readTypes("type T struct {\n// +k8s:maxLength:=3\nA string\n}")
    expect(read.warnings.map(formatGoTypesIssue)).toEqual([
      "types.go:6: T.A: no generator reads +k8s:maxLength:; did you mean maxLength=?",
    ])
  })

  it("have the values that they may have", async () => {
    expect(await problemsOf("type T struct {\n// +listType:=bag\nA []string\n}")).toEqual([
      '3 T.A: +listType is one of atomic, set, map, not "bag"',
    ])
  })
})

const preserve = "// +kubebuilder:pruning:PreserveUnknownFields\n"
const schemaless = "// +kubebuilder:validation:Schemaless\n"

describe("markers about the form of a value", () => {
  it.each([
    [`${preserve}A any`, any],
    [`${preserve}${schemaless}A U`, any],
    [`${schemaless}A []string`, any],
    [
      `// +kubebuilder:validation:XPreserveUnknownFields\nA map[string]string`,
      { map: { elementType: { scalar: "string" } } },
    ],
    ["// +kubebuilder:validation:XIntOrString\nA string", any],
    ["// +kubebuilder:validation:Type=string\nA U", { scalar: "string" }],
    ["// +kubebuilder:validation:Type:=integer\nA *string", { scalar: "numeric" }],
    ["// +kubebuilder:validation:Type=object\nA any", { map: { elementType: anything } }],
    ["// +kubebuilder:validation:Type=object\nA U", { namedType: "v1.U" }],
    ["// +kubebuilder:validation:Type=array\nA []string", { list: { elementType: { scalar: "string" } } }],
    [
      "// +kubebuilder:validation:Type=string\n// +kubebuilder:validation:Format=date-time\nA metav1.Time",
      { namedType: /Time$/ },
    ],
    ["// +kubebuilder:validation:Format=duration\nA metav1.Duration", { scalar: "untyped" }],
    ["// +kubebuilder:validation:Format=email\nA string", { scalar: "untyped" }],
    ["A Token", { scalar: "string" }],
    ["A map[string]Token", { map: { elementType: { scalar: "string" } } }],
    ["A Texts", { list: { elementType: { scalar: "string" } } }],
    ["A *Text", { scalar: "string" }],
    ["A Level", { scalar: "string" }],
    ["A Both", any],
    ["A BothName", any],
    ["A Tagged", { namedType: "v1.Tagged" }],
    ["Both\nA int", { scalar: "numeric" }],
  ] as const)("hold instead of the Go type: %s", async (field, expected) => {
    const found = fieldOf(await readTypes(`type T struct {\n${field}\n}\n${types}`), "A")
    const { namedType } = expected as { readonly namedType?: unknown }
    if (namedType instanceof RegExp) expect(found?.namedType).toMatch(namedType)
    else expect(found).toMatchObject(expected)
  })

  it("keep unknown fields all the way down, as a server does with what stands in place", async () => {
    const read = await readTypes(`type T struct {\n${preserve}A U\nB U\nC Open\n}\n${types}`)
    const v = {
      map: { fields: [{ name: "a" }, { name: "d", type: { namedType: "v1.V" } }], elementType: anything },
    }
    const u = {
      map: {
        fields: [{ name: "a" }, { name: "b", type: { list: { keys: ["a"], elementType: v } } }],
        elementType: anything,
      },
    }
    expect(fieldOf(read, "A")).toMatchObject(u)
    expect(fieldOf(read, "B")).toEqual({ namedType: "v1.U" })
    expect(typeNamed(read, "v1.U").map?.elementType).toBeUndefined()
    expect(typeNamed(read, "v1.Open")).toMatchObject({
      map: { fields: [{ name: "v", type: v }], elementType: anything },
    })
  })

  it("of strings count where they write their text themselves", async () => {
    const method = "func (E) MarshalText() ([]byte, error) { return nil, nil }"
    const read = await readTypes(`type T struct { A E }\n// +enum\ntype E string\nconst A E = "a"\n${method}`)
    expect(definitionOf(read).properties).toMatchObject({ A: { type: "string", enum: ["a"] } })
  })

  it("give objects within objects their metadata", async () => {
    const source = `package v1
type T struct {
	// +kubebuilder:validation:EmbeddedResource
	// +kubebuilder:pruning:PreserveUnknownFields
	A any
	// +kubebuilder:validation:EmbeddedResource
	B U
}
${types}`
    const read = await readGoTypes({ "t.go": source })
    const meta = { namedType: "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }
    const fields = [{ name: "apiVersion" }, { name: "kind" }, { name: "metadata", type: meta }]
    expect(fieldOf(read, "A")).toMatchObject({ map: { fields, elementType: anything } })
    expect(fieldOf(read, "B")?.map?.fields?.map(({ name }) => name)).toEqual([
      "a",
      "apiVersion",
      "b",
      "kind",
      "metadata",
    ])
    expect(typeNamed(read, meta.namedType).map?.fields?.map(({ name }) => name)).toContain("ownerReferences")
  })

  it.each([
    ["// +kubebuilder:default=Always\nA string", "Always"],
    ['// +kubebuilder:default:="Always"\nA *string', "Always"],
    ["// +kubebuilder:default=3\nA int", 3],
    ["// +kubebuilder:default={a: 1}\nA *U", undefined],
    ['// +kubebuilder:default={"a": "b"}\nA *U', { a: "b" }],
    ["// +kubebuilder:default=2\n// +default=3\nA int", 3],
  ])("give defaults: %s", async (field, expected) => {
    const { A } = definitionOf(await readTypes(`type T struct {\n${field}\n}\n${types}`)).properties as {
      readonly A: { readonly default?: unknown }
    }
    expect(A.default).toEqual(expected)
  })

  it("say whether a field may be left out", async () => {
    const fields = [
      '// +kubebuilder:validation:Optional\nA string `json:"a"`',
      '// +kubebuilder:validation:Required\nB string `json:"b,omitempty"`',
    ]
    expect(definitionOf(await readTypes(`type T struct {\n${fields.join("\n")}\n}`)).required).toEqual(["b"])
  })

  it("make types opaque to rules", async () => {
    const text = `type T struct { A Text; B Token }\n${types.replace("A int", "\n// +k8s:required\nA *int")}`
    expect(compileRules((await readTypes(text)).rules, "T").validate({ A: "x", B: "y" })).toEqual([])
  })
})

describe("markers of unions", () => {
  it("name the fields that exclude each other", async () => {
    const read = await readTypes(
      [
        "// +kubebuilder:validation:ExactlyOneOf=a;b",
        "// +kubebuilder:validation:AtMostOneOf:=c; d",
        'type T struct {\nA *string `json:"a,omitempty"`\nB []string `json:"b,omitempty"`',
        'C *U `json:"c,omitempty"`\nBase\n}\ntype Base struct { D map[string]string `json:"d,omitempty"` }',
      ].join("\n") + types,
    )
    expect(read.unions.types[0]?.unions).toEqual([
      { fields: [{ fieldName: "a" }, { fieldName: "b", emptyIsSet: true }], cardinality: "exactlyOne" },
      { fields: [{ fieldName: "c" }, { fieldName: "d", emptyIsSet: true }], cardinality: "atMostOne" },
    ])
  })

  it("are wrong about fields that are not there", async () => {
    expect(await problemsOf("// +kubebuilder:validation:AtMostOneOf=A;b\ntype T struct { A *int; B *int }")).toEqual([
      "2 T.: a one-of marker names b, which is not a field of the struct",
    ])
  })
})

it("says nothing of exported types that JSON can't hold, where none of the types of the API uses them", async () => {
  const others = [
    "Option func(*T) error",
    "Signal chan int",
    "Index map[bool]string",
    "Number complex128",
    "Loop *Loop",
  ]
  const read = await readTypes(`type T struct { A int }\n${others.map(type => `type ${type}`).join("\n")}`)
  expect(read.schema.types.filter(({ name }) => !name.startsWith("__")).map(({ name }) => name)).toEqual(["v1.T"])
})
