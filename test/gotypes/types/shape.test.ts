/** Resolves the names of types: generic types, embedded structs, and long chains of names. */
import { describe, expect, it } from "vitest"
import { formatGoTypesIssue, readGoTypes } from "../../../src/gotypes/index.js"
import { compileRules } from "../../../src/validation/index.js"
import { definitionOf, fieldOf, problemsOf, readTypes, typeNamed } from "../support.js"

const generics = `
type List[T any] []T
type Map[V any] map[string]V
type Pointer[T any] = *T
type Pair[A, B any] struct {
	First  A \`json:"first"\`
	Second *B \`json:"second,omitempty"\`
}
type Strings = List[string]
type Node[T any] struct {
	Value T          \`json:"value"\`
	Next  *Node[T]   \`json:"next,omitempty"\`
	Items List[Node[T]] \`json:"items,omitempty"\`
}
// +listType=set
type Set[T comparable] []T

`

describe("generic types", () => {
  it.each([
    ["a list", "List[int]", { list: { elementType: { scalar: "numeric" }, elementRelationship: "atomic" } }],
    [
      "an alias with arguments",
      "Strings",
      { list: { elementType: { scalar: "string" }, elementRelationship: "atomic" } },
    ],
    ["an alias with parameters", "Pointer[bool]", { scalar: "boolean" }],
    ["one in another", "Map[Pointer[Strings]]", { map: { elementType: { list: expect.anything() } } }],
    ["a pointer to a list", "*List[Pair[int, string]]", { list: { elementType: { namedType: "v1.Pair-int-string" } } }],
    ["markers of the type", "Set[string]", { list: { elementRelationship: "associative" } }],
    ["bytes", "List[byte]", { scalar: "string" }],
    ["a struct", "Pair[Map[string], metav1.Time]", { namedType: "v1.Pair-v1.Map-string-Time" }],
  ])("are read with their arguments: %s", async (_, type, expected) => {
    expect(fieldOf(await readTypes(`type T struct { A ${type} }\n${generics}`), "A")).toMatchObject(expected)
  })

  it("have a definition for each set of arguments, which may lead back to it", async () => {
    const read = await readTypes(`type T struct { A Node[string]; B *Node[bool] }\n${generics}`)
    expect(read.schema.types.map(({ name }) => name).filter(name => name.includes("Node"))).toEqual([
      "v1.Node-bool",
      "v1.Node-string",
    ])
    expect(definitionOf(read, "v1.Node-bool").properties).toMatchObject({
      value: { type: "boolean" },
      next: { $ref: "#/components/schemas/v1.Node-bool" },
      items: { items: { $ref: "#/components/schemas/v1.Node-bool" } },
    })
  })

  it("take their arguments from where they are written", async () => {
    const resolve = () => ({ "l.go": "package lib\ntype Box[T any] struct { V T; S Own }\ntype Own int" })
    const text = 'import "example.com/lib"\n\ntype T struct { A lib.Box[Own] }\ntype Own string'
    const read = await readTypes(text, { resolve })
    expect(typeNamed(read, "com.example.lib.Box-v1.Own").map?.fields).toMatchObject([
      { name: "S", type: { scalar: "numeric" } },
      { name: "V", type: { scalar: "string" } },
    ])
  })

  it("have rules, which hold for each set of arguments", async () => {
    const text = "type T struct { A Box[string]; B Box[int] }\ntype Box[V any] struct {\n// +k8s:required\nV *V }"
    const { rules } = await readTypes(text)
    const errors = compileRules(rules, "T").validate({ A: { V: "x" }, B: {} })
    expect(errors.map(({ field, type }) => [field, type])).toEqual([["B.V", "FieldValueRequired"]])
  })

  it.each([
    ["without arguments", "A List", "2 T.A: List is generic and needs T"],
    ["with too many", "A Pair[int]", "2 T.A: Pair is generic and needs A, B"],
    ["that is not generic", "A Plain[int]", "2 T.A: Plain is not generic"],
    ["that grows without end", "A Grow[int]", /Grow contains itself with ever new arguments/],
  ])("are an error %s", async (_, field, expected) => {
    const [problem = ""] = await problemsOf(
      `type T struct {\n${field}\n}\ntype Plain int\ntype Grow[T any] struct { A *Grow[List[T]]; B *Grow[*T] }\n${generics}`,
    )
    if (typeof expected === "string") expect(problem).toBe(expected)
    else expect(problem).toMatch(expected)
  })
})

describe("embedded structs", () => {
  it("give the field that is least deep, and none of two on a level", async () => {
    const text = [
      "type T struct { A; B; C }",
      'type A struct { Deep }\ntype Deep struct { X int `json:"x"`; Y int `json:"y"`; Z int `json:"z"` }',
      'type B struct { X string `json:"x"`; U string; V string `json:"V"` }',
      'type C struct { U string; V bool; W string `json:"z"` }',
    ]
    const read = await readTypes(text.join("\n"))
    const types = Object.fromEntries(typeNamed(read, "v1.T").map?.fields?.map(({ name, type }) => [name, type]) ?? [])
    expect(types).toEqual({
      V: { scalar: "string" },
      x: { scalar: "string" },
      y: { scalar: "numeric" },
      z: { scalar: "string" },
    })
    expect(read.warnings.map(formatGoTypesIssue)).toEqual([
      "types.go:9: C.U: JSON has no field U, since B.U and C.U have that name on one level of embedding",
    ])
  })

  it("may be embedded twice", async () => {
    const read = await readTypes(
      "type T struct { A; B }\ntype A struct { D }\ntype B struct { D }\ntype D struct { X int }",
    )
    expect(fieldOf(read, "X")).toEqual({ scalar: "numeric" })
  })
})

/** Returns types from T0 on, where each one refers to the next. */
const chains: readonly (readonly [string, (next: string) => string, number])[] = [
  ["structs", next => `struct { A *${next} }`, 2000],
  ["lists of structs", next => `struct {\n// +listType=atomic\nA []${next} }`, 2000],
  ["maps of structs", next => `struct { A map[string]${next} }`, 2000],
  ["structs in structs", next => `struct { A ${next} }`, 2000],
  ["names of structs", next => next, 800],
  ["aliases", next => `= ${next}`, 2000],
  ["pointers", next => `*${next}`, 800],
  ["embedded structs", next => `struct { ${next} }`, 400],
]

describe("chains of types", () => {
  it.each(chains)("may be long: %s", async (_, make, length) => {
    const types = Array.from({ length }, (_, i) => `type T${i} ${make(`T${i + 1}`)}`)
    const last = `type T${length} struct {\n// +k8s:maxLength=2\nB string }`
    const read = await readGoTypes({ "types.go": `package v1\ntype T struct { A T0 }\n${types.join("\n")}\n${last}` })
    expect(typeNamed(read, `v1.T${length}`).map?.fields?.[0]?.name).toBe("B")
    expect(compileRules(read.rules, "T").validate({})).toEqual([])
  })

  it("may be long in constants", async () => {
    const constants = Array.from({ length: 3000 }, (_, i) => `C${i} E = C${i + 1}`).join("\n")
    const text = `type T struct { A E }\n// +enum\ntype E string\nconst (\n${constants}\nC3000 = "x"\nD E = F\nF = D\n)`
    expect(definitionOf(await readTypes(text)).properties).toMatchObject({ A: { enum: ["x"] } })
  })

  it.each([
    ["names of lists", (next: string) => `[]${next}`],
    ["names of maps", (next: string) => `map[string]${next}`],
  ])("are an error where they nest too deep: %s", async (_, make) => {
    const types = Array.from({ length: 800 }, (_, i) => `type T${i} ${make(`T${i + 1}`)}`).join("\n")
    const [problem] = await problemsOf(`type T struct { A T0 }\n${types}\ntype T800 int`)
    expect(problem).toBe("1 T.A: lists and maps nest deeper than 100 levels")
  })

  it("are an error where markers nest too deep", async () => {
    const marker = `+k8s:alpha(since: "1.1")=`.repeat(5000)
    expect(await problemsOf(`type T struct {\n// ${marker}+k8s:optional\nA *int }`)).toMatchObject([
      expect.stringMatching(/^2 T\.A: malformed marker/),
    ])
  })
})

describe("a definition of a generic type", () => {
  const types = [
    "type T struct {\nA $\n}",
    "type G[V any] struct {\nF V\n}",
    "type H[A, B any] struct {\nF A\nG B\n}",
    "type S struct {\nX int\n}",
    "type Alias = S",
    "type Text string",
  ].join("\n")

  it.each([
    ["G[int]", "v1.G-int"],
    ["G[S]", "v1.G-v1.S"],
    ["G[Alias]", "v1.G-v1.Alias"],
    ["G[*S]", "v1.G--v1.S"],
    ["G[[]S]", "v1.G---v1.S"],
    ["G[[2]Text]", "v1.G---v1.Text"],
    ["G[map[string]S]", "v1.G-map-string-v1.S"],
    ["G[metav1.Time]", "v1.G-Time"],
    ["G[any]", "v1.G-any"],
    ["G[interface{}]", "v1.G-any"],
    ["G[struct{ A int; B *S }]", "v1.G-struct-A-int-B--v1.S-"],
    ["G[G[int]]", "v1.G-v1.G-int"],
    ["H[int, S]", "v1.H-int-v1.S"],
    ["H[G[S], H[int, Text]]", "v1.H-v1.G-v1.S-v1.H-int-v1.Text"],
  ])("with arguments as in %s has a name of its own", async (type, name) => {
    const read = await readTypes(types.replace("$", `*${type}`))
    expect(fieldOf(read, "A")).toEqual({ namedType: name })
    const fields = typeNamed(read, name).map?.fields ?? []
    expect(fields.map(field => field.name)).toEqual(type.startsWith("H") ? ["F", "G"] : ["F"])
  })

  it("has the fields of its own arguments, whatever other arguments there are", async () => {
    const text = "type T struct {\nA G[*S]\nB G[*Text]\nC G[[]S]\nD G[map[string]Text]\nE G[map[Text]S]\n}"
    const read = await readTypes(types.replace(/type T struct {[^}]*}/, text))
    const typeIn = (field: string) => {
      const name = fieldOf(read, field)?.namedType ?? ""
      return typeNamed(read, name).map?.fields?.[0]?.type
    }
    expect(["A", "B", "C", "D", "E"].map(typeIn)).toEqual([
      { namedType: "v1.S" },
      { scalar: "string" },
      { list: { elementType: { namedType: "v1.S" }, elementRelationship: "atomic" } },
      { map: { elementType: { scalar: "string" } } },
      { map: { elementType: { namedType: "v1.S" } } },
    ])
  })

  it("has arguments of other packages by their own names", async () => {
    const resolve = (path: string) => (path === "a.com/x" ? { "x.go": "package x\ntype S int" } : undefined)
    const text =
      'import (\n"a.com/x"\n"a.com/y"\n)\ntype T struct {\nA *G[x.S]\nB *G[y.S]\nC *G[S]\n}\ntype S bool\ntype G[V any] struct {\nF V\n}'
    const read = await readTypes(text, { resolve, types: { types: [{ name: "com.a.y.S", map: {} }] } })
    expect(["A", "B", "C"].map(name => fieldOf(read, name)?.namedType)).toEqual([
      "v1.G-com.a.x.S",
      "v1.G-com.a.y.S",
      "v1.G-v1.S",
    ])
  })

  it("is one of at most two hundred", async () => {
    const text = (count: number) => {
      const fields = Array.from({ length: count }, (_, i) => `F${i} G[[${i}]N${i}]`)
      const names = Array.from({ length: count }, (_, i) => `type N${i} int`)
      return `type T struct {\n${fields.join("\n")}\n}\ntype G[V any] struct {\nF V\n}\n${names.join("\n")}`
    }
    expect(await problemsOf(text(200))).toEqual([])
    expect(await problemsOf(text(201))).toEqual(["202 T.F200: G contains itself with ever new arguments"])
  })

  it("has arguments of at most a thousand characters", async () => {
    const text = (length: number) =>
      `type T struct {\nA G[${"x".repeat(length)}]\n}\ntype G[V any] struct {\nF V\n}\ntype ${"x".repeat(length)} int`
    const room = 1000 - "[v1.]".length
    expect(await problemsOf(text(room))).toEqual([])
    expect(await problemsOf(text(room + 1))).toEqual(["2 T.A: G contains itself with ever new arguments"])
  })
})

describe("a form that methods give", () => {
  const methods = 'func (Own) OpenAPISchemaType() []string { return []string{"string"} }'
  it.each([
    ["of a struct", "type Own struct {\nX int\n}", { scalar: "string" }],
    ["of a name for a struct", "type Own Base\ntype Base struct {\nX int\n}", { scalar: "string" }],
    ["of a name for a scalar", "type Own int", { scalar: "string" }],
    ["of a list", "type Own []Base\ntype Base struct {\nX int\n}", { scalar: "string" }],
  ])("goes before that %s", async (_, declared, expected) => {
    const read = await readTypes(`type T struct {\nA Own\nB *Same\n}\ntype Same Own\n${methods}\n${declared}`)
    expect(fieldOf(read, "A")).toEqual({ namedType: "v1.Own" })
    expect(typeNamed(read, "v1.Own")).toEqual({ name: "v1.Own", ...expected })
    expect(fieldOf(read, "B")).toEqual({ namedType: "v1.Own" })
  })
})
