/** Converts Go types to rule documents. */
import { describe, expect, it } from "vitest"
import { readGoTypes } from "../../src/gotypes/index.js"
import { compileRules } from "../../src/validation/index.js"

it("writes types as Go declares them, with the rules of their markers", async () => {
  const source = [
    "package v1",
    'import (\nmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"\n"acme.com/shared"\n)',
    '// +k8s:supportsSubresource="/status"\n',
    "// T is a kind.",
    "type T struct {",
    'metav1.TypeMeta `json:",inline"`',
    "// +k8s:deepcopy-gen=false",
    "// +k8s:maxLength=3",
    '// +k8s:format="k8s-long-name" # a remark',
    'Name *string `json:"name,omitempty"`',
    "// +k8s:listType=map",
    "// +k8s:listMapKey=k",
    '// +k8s:item(k: "a", n: 1, ok: true)=+k8s:subfield(k)=+k8s:neq("b")',
    'Parts []Part `json:"parts"`',
    '// +k8s:beta(since: "1.37")=+k8s:ifEnabled("Gate")=+k8s:required',
    '// +default={"x": 1}',
    'Box map[Mode]shared.Box `json:"box"`',
    "At metav1.Time",
    "Inline struct {\n// +k8s:minimum=-1\nN int\n}",
    "hidden string",
    "}",
    'type Part struct { K string `json:"k"` }',
    "// +k8s:enum",
    "type Mode string",
    'const (\nFast Mode = "Fast"\n// +k8s:ifDisabled(Slow)=+k8s:enumExclude\nSlow Mode = "Slow"\n)',
  ]
  const shared = "package shared\ntype Box struct { Lid *Lid }\ntype Lid []byte"
  const { rules } = await readGoTypes(
    { "types.go": source.join("\n") },
    { resolve: path => (path === "acme.com/shared" ? { "a.go": shared } : undefined) },
  )
  const { "metav1.TypeMeta": typeMeta, ...types } = rules.types
  expect(rules.package).toBe("v1")
  expect(typeMeta?.fields?.map(({ json }) => json)).toEqual(["kind", "apiVersion"])
  expect(types).toEqual({
    "metav1.Time": { zero: null },
    T: {
      fields: [
        { name: "TypeMeta", embedded: true, type: "metav1.TypeMeta" },
        {
          name: "Name",
          json: "name",
          omitempty: true,
          type: "*string",
          rules: [
            { tag: "maxLength", value: 3 },
            { tag: "format", value: "k8s-long-name" },
          ],
        },
        {
          name: "Parts",
          json: "parts",
          type: "[]Part",
          rules: [
            { tag: "listType", value: "map" },
            { tag: "listMapKey", value: "k" },
            {
              tag: "item",
              args: { k: "a", n: 1, ok: true },
              payload: { tag: "subfield", arg: "k", payload: { tag: "neq", arg: "b" } },
            },
          ],
        },
        {
          name: "Box",
          json: "box",
          type: "map[Mode]shared.Box",
          default: { x: 1 },
          rules: [
            {
              tag: "beta",
              args: { since: "1.37" },
              payload: { tag: "ifEnabled", arg: "Gate", payload: { tag: "required" } },
            },
          ],
        },
        { name: "At", type: "metav1.Time" },
        { name: "Inline", type: "T_Inline" },
      ],
      rules: [{ tag: "supportsSubresource", value: "/status" }],
    },
    T_Inline: { fields: [{ name: "N", type: "int", rules: [{ tag: "minimum", value: -1 }] }] },
    Part: { fields: [{ name: "K", json: "k", type: "string" }] },
    Mode: {
      type: "string",
      rules: [{ tag: "enum" }],
      constants: [
        { name: "Fast", value: "Fast" },
        { name: "Slow", value: "Slow", rules: [{ tag: "ifDisabled", arg: "Slow", payload: { tag: "enumExclude" } }] },
      ],
    },
    "shared.Box": { fields: [{ name: "Lid", type: "*shared.Lid" }] },
    "shared.Lid": { type: "[]byte" },
  })
})

it("says what the schema calls the types of its rules", async () => {
  const sources = {
    "types.go": 'package v1\nimport "a.com/s"\ntype T struct{ B s.B; M M }\ntype B struct{}\ntype M string\n',
  }
  const resolve = () => ({ "s.go": "package s\ntype B struct{}\n" })
  const { definitionOf, rules, schema } = await readGoTypes(sources, { path: "a.com/v1", resolve })
  const names = Object.keys(rules.types).map(name => [name, definitionOf(name)])
  expect(names).toEqual([
    ["T", "com.a.v1.T"],
    ["s.B", "com.a.s.B"],
    ["M", undefined],
    ["B", "com.a.v1.B"],
  ])
  expect(schema.types.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["com.a.v1.B", "com.a.s.B", "com.a.v1.T"]),
  )
})

describe("markers about subresources at a package", () => {
  const types = [
    'type Scale struct {\n// +k8s:required\nN *int `json:"n"`\n}',
    '// +k8s:isSubresource="/status"\ntype Status struct {\n// +k8s:required\nN *int `json:"n"`\n}',
    '// +k8s:supportsSubresource="/x"\n\n// Other is one more.\ntype Other struct {\n// +k8s:required\nN *int `json:"n"`\n}',
  ].join("\n")
  const readPackage = (marker: string) =>
    readGoTypes({ "doc.go": `// ${marker}\n\n// Package v1 is one.\npackage v1`, "types.go": `package v1\n${types}` })

  it.each([
    ['+k8s:isSubresource="/scale"', "Scale", { "/": false, "/scale": true, "/status": false }],
    ["+k8s:isSubresource=/scale", "Scale", { "/": false, "/scale": true, "/status": false }],
    ['+k8s:isSubresource="/scale"', "Status", { "/": false, "/scale": false, "/status": true }],
    ['+k8s:isSubresource="/scale"', "Other", { "/": false, "/scale": true, "/x": true }],
    ['+k8s:supportsSubresource="/scale"', "Scale", { "/": true, "/scale": true, "/status": false }],
    ['+k8s:supportsSubresource="/scale"', "Status", { "/": false, "/scale": true, "/status": true }],
    [
      '+k8s:supportsSubresource="/a"\n// +k8s:supportsSubresource="/b"',
      "Other",
      { "/": true, "/a": true, "/b": true, "/x": true },
    ],
    ["+k8s:deepcopy-gen=package", "Scale", { "/": true, "/scale": false }],
    ["+k8s:isSubresources=/scale", "Scale", { "/": true, "/scale": false }],
    ["+xk8s:isSubresource=/scale", "Scale", { "/": true, "/scale": false }],
  ])("%s say where the rules of %s are found", async (marker, type, expected) => {
    const validator = compileRules((await readPackage(marker)).rules, type)
    for (const [subresource, served] of Object.entries(expected)) {
      const found = validator.validate({}, undefined, { subresource: subresource.slice(1) })
      const missing = `no validation found for *v1.${type}, subresource: ${subresource}`
      expect(found.map(({ type: kind, detail }) => [kind, detail])).toEqual([
        served ? ["FieldValueRequired", ""] : ["InternalError", missing],
      ])
    }
  })

  it("are the only ones that hold for a type from a comment before its own", async () => {
    const detached = '// +k8s:validateFalse="no"\n// +k8s:supportsSubresource="/x"\n\n'
    const { rules } = await readGoTypes({
      "types.go": `package v1\n${detached}// T is one.\ntype T struct {\n// +k8s:required\nN *int \`json:"n"\`\n}`,
    })
    expect(rules.types.T?.rules).toEqual([{ tag: "supportsSubresource", value: "/x" }])
  })

  it("hold for the types of that package alone", async () => {
    const shared =
      '// +k8s:isSubresource="/scale"\npackage shared\ntype Scale struct {\n// +k8s:required\nN *int `json:"n"`\n}'
    const source = 'package v1\nimport "acme.com/shared"\ntype T struct { Scale shared.Scale `json:"scale"` }'
    const { rules } = await readGoTypes({ "t.go": source }, { resolve: () => ({ "s.go": shared }) })
    expect(
      compileRules(rules, "T")
        .validate({})
        .map(({ field }) => field),
    ).toEqual(["scale.n"])
    const validator = compileRules(rules, "shared.Scale")
    expect(validator.validate({}, undefined, { subresource: "scale" }).map(({ field }) => field)).toEqual(["n"])
    expect(validator.validate({}).map(({ type }) => type)).toEqual(["InternalError"])
  })
})

it("takes integers as the generator does: all there are, in the plain spelling", async () => {
  const values = ["0", "-3", "9223372036854775807", "007", "0x10", "1_000", "-0", '"5"']
  const fields = values.map((value, i) => `  // +k8s:maximum=${value}\n  F${i} int64`)
  const { rules } = await readGoTypes({ "t.go": `package v1\ntype T struct {\n${fields.join("\n")}\n}\n` })
  const read = rules.types.T?.fields?.map(field => field.rules?.[0]?.value)
  expect(read).toEqual([0, -3, 9223372036854775807n, "007", "0x10", "1_000", "-0", "5"])
  const small = {
    T: { fields: [{ name: "N", json: "n", type: "int64", rules: rules.types.T?.fields?.[2]?.rules ?? [] }] },
  }
  expect(compileRules({ types: small }, "T").validate({ n: 1 })).toEqual([])
})

it("warns of markers that nearly have the name of a rule, also within others", async () => {
  const source = [
    "package v1",
    "// +k8s:requird",
    "// +k8s:deepcopy-gen=true",
    "// +k8s:maxLenght=3",
    "type M string",
    "type T struct {",
    "  // +k8s:eachVal=+k8s:minimun=1",
    "  // +k8s:deprecated=x",
    "  // +xk8s:requird",
    "  // +k8s:requird-x",
    "  L []int",
    "}",
  ].join("\n")
  const { warnings } = await readGoTypes({ "t.go": source })
  expect(warnings.map(({ line, type, field, message }) => `${line} ${type}.${field}: ${message}`)).toEqual([
    "2 M.: no generator reads +k8s:requird; did you mean required?",
    "4 M.: no generator reads +k8s:maxLenght; did you mean maxLength?",
    "7 T.L: no generator reads +k8s:minimun; did you mean minimum?",
  ])
})

describe("a type of the document", () => {
  const read = async (text: string, imports = "", packages: Record<string, string> = {}, path = "a.com/v1") => {
    const source = `package v1\n${imports}\n${text}`
    const resolve = (wanted: string) => (wanted in packages ? { "p.go": String(packages[wanted]) } : undefined)
    return (await readGoTypes({ "t.go": source }, { path, resolve })).rules.types
  }
  const fieldTypes = (types: Awaited<ReturnType<typeof read>>, name = "T") =>
    types[name]?.fields?.map(({ name: field, type }) => `${field} ${type}`)

  it("spells types as Go does, and arrays as lists", async () => {
    const text = [
      "type T struct {",
      "A string\nB *int32\nC []byte\nD [4]*U\nE map[string][]U\nF any\nG interface{ M() }\nH interface{}",
      "I Alias\nJ []Alias\nK Name\nL (U)\n*U",
      "}",
      "type U struct {\nX int\n}",
      "type Alias = map[Name]*U",
      "type Name string",
      "type Names []Name",
    ]
    const types = await read(text.join("\n"))
    expect(fieldTypes(types)).toEqual([
      "A string",
      "B *int32",
      "C []byte",
      "D []*U",
      "E map[string][]U",
      "F any",
      "G any",
      "H any",
      "I map[Name]*U",
      "J []map[Name]*U",
      "K Name",
      "L U",
      "U *U",
    ])
    expect(Object.keys(types)).toEqual(["T", "U", "Name", "Names"])
    expect(types.Names).toEqual({ type: "[]Name" })
  })

  it("is not generic, but may be made of a generic one", async () => {
    const types = await read(
      "type T struct {\nA G[int]\nB *G[[]T]\n}\ntype G[V any] struct {\nF V\n}\ntype U[V any] struct {\nF V\n}",
    )
    expect(fieldTypes(types)).toEqual(["A G-int", "B *G---com.a.v1.T"])
    expect(Object.keys(types)).toEqual(["T", "G-int", "G---com.a.v1.T"])
    expect([fieldTypes(types, "G-int"), fieldTypes(types, "G---com.a.v1.T")]).toEqual([["F int"], ["F []T"]])
  })

  it("names structs in place by the way to them", async () => {
    const types = await read("type T struct {\nA []struct {\nB struct {\nC int\n}\n}\n}\ntype L []struct {\nD int\n}")
    expect(fieldTypes(types)).toEqual(["A []T_A"])
    expect(fieldTypes(types, "T_A")).toEqual(["B T_A_B"])
    expect(fieldTypes(types, "T_A_B")).toEqual(["C int"])
    expect(types.L).toEqual({ type: "[]L" })
  })

  it("has the fields that are in JSON, by their tags", async () => {
    const fields = [
      'A int `json:"a,omitempty"`',
      'B int `json:"b,omitzero"`',
      'C int `json:",omitempty"`',
      'D int `json:"d,string"`',
      'E int `json:"-"`',
      "f int",
      "Base",
      '*Inline `json:",inline"`',
      'Named `json:"named"`',
    ]
    const types = await read(
      `type T struct {\n${fields.join("\n")}\n}\ntype Base struct{}\ntype Inline struct{}\ntype Named struct{}`,
    )
    expect(types.T?.fields).toEqual([
      { name: "A", json: "a", omitempty: true, type: "int" },
      { name: "B", json: "b", omitempty: true, type: "int" },
      { name: "C", omitempty: true, type: "int" },
      { name: "D", json: "d", type: "int" },
      { name: "Base", embedded: true, type: "Base" },
      { name: "Inline", embedded: true, type: "*Inline" },
      { name: "Named", json: "named", type: "Named" },
    ])
  })

  it("has defaults as JSON, and none that is no JSON", async () => {
    const text = (said: string) =>
      `type T struct {\n// +default=${said}\n// +optional\nA *string\n}\nconst Word = "word"`
    expect((await read(text('"x"'))).T?.fields?.[0]?.default).toBe("x")
    expect((await read(text("ref(Word)"))).T?.fields?.[0]?.default).toBe("word")
    expect((await read(text("null"))).T?.fields?.[0]).toHaveProperty("default", null)
  })

  it("has a qualifier if it is of another package: that of the import, or a longer one where that is taken", async () => {
    const packages = {
      "a.com/x": 'package x\nimport "b.com/core/y"\ntype A struct {\nB y.B\nC y.Same\n}\ntype Same = A',
      "b.com/core/y": "package y\ntype B struct {\nD int\n}\ntype Same string",
      "c.com/y": "package y\ntype B int",
      "d.com/y/v2": "package y\ntype B bool",
      "e.com/y/v2": "package y\ntype B string",
    }
    const imports = 'import (\n"a.com/x"\nz "c.com/y"\n)\nimport y "d.com/y/v2"\nimport w "e.com/y/v2"'
    const types = await read("type T struct {\nA x.A\nB z.B\nC y.B\nD w.B\nE x.Same\n}", imports, packages)
    expect(fieldTypes(types)).toEqual(["A x.A", "B z.B", "C y.B", "D w.B", "E x.A"])
    // The root imports every package but b.com/core/y, so it takes the name `y` there.
    expect(fieldTypes(types, "x.A")).toEqual(["B corey.B", "C corey.Same"])
    expect(Object.keys(types)).toEqual(["T", "x.A", "corey.B", "corey.Same", "z.B", "y.B", "w.B"])
  })

  it("has another qualifier than those that are taken", async () => {
    const paths = ["a.com/core/y", "b.com/core/y", "c.com/core/y"]
    const packages = Object.fromEntries(paths.map(path => [path, "package y\ntype X string"]))
    const imports = paths.map((path, i) => `import y${i} "${path}"`)
    const uses = paths.map((_, i) => `type U${i} y${i}.X`)
    const types = await read(
      'import "x.com/x"\nimport y "d.com/y"\ntype T struct {\nA x.U0\nB x.U1\nC x.U2\nD y.X\n}',
      "",
      { ...packages, "x.com/x": ["package x", ...imports, ...uses].join("\n"), "d.com/y": "package y\ntype X bool" },
    )
    expect(["x.U0", "x.U1", "x.U2"].map(name => types[name]?.type)).toEqual(["corey.X", "corey_.X", "corey__.X"])
  })

  it("is known by its zero value or by another type", async () => {
    const imports =
      'import (\n"time"\n"encoding/json"\nmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"\n"k8s.io/apimachinery/pkg/api/resource"\n)'
    const types = await read(
      "type T struct {\nA time.Time\nB time.Duration\nC json.RawMessage\nD metav1.Duration\nE *resource.Quantity\n}",
      imports,
    )
    expect(fieldTypes(types)).toEqual(["A time.Time", "B int64", "C any", "D metav1.Duration", "E *resource.Quantity"])
    const { T: _, ...others } = types
    expect(others).toEqual({
      "time.Time": { zero: "0001-01-01T00:00:00Z" },
      "metav1.Duration": { zero: "0s" },
      "resource.Quantity": { zero: "0" },
    })
  })

  it("has the qualifier of its package where that package declares a known type itself", async () => {
    const types = await read("type T struct {\nA Time\n}", "", {}, "k8s.io/apimachinery/pkg/apis/meta/v1")
    expect(fieldTypes(types)).toEqual(["A v1.Time"])
    expect(types["v1.Time"]).toEqual({ zero: null })
  })

  it("has its constants, with the rules that exclude them", async () => {
    const consts = 'const (\nA E = "a"\n// +k8s:enumExclude\nB E = "b"\n// +other\nC E = "c"\nD = "d"\n)'
    expect((await read(`type E string\n${consts}`)).E).toEqual({
      type: "string",
      constants: [
        { name: "A", value: "a" },
        { name: "B", value: "b", rules: [{ tag: "enumExclude" }] },
        { name: "C", value: "c" },
      ],
    })
  })
})

describe("a rule", () => {
  const ruleOf = async (marker: string) => {
    const { rules } = await readGoTypes({ "t.go": `package v1\n// ${marker}\ntype T string` })
    return rules.types.T?.rules
  }

  it.each([
    ["+k8s:required", [{ tag: "required" }]],
    ["+k8s:maxLength=3", [{ tag: "maxLength", value: 3 }]],
    ['+k8s:neq=""', [{ tag: "neq", value: "" }]],
    ["+k8s:neq=false", [{ tag: "neq", value: false }]],
    ['+k8s:ifMode("a")=+k8s:forbidden', [{ tag: "ifMode", arg: "a", payload: { tag: "forbidden" } }]],
    ['+k8s:unionMember(union: "u")', [{ tag: "unionMember", args: { union: "u" } }]],
    [
      "+k8s:eachVal=+k8s:eachVal=+k8s:minimum=0",
      [{ tag: "eachVal", payload: { tag: "eachVal", payload: { tag: "minimum", value: 0 } } }],
    ],
    ["+k8s:alpha=+k8s:validateTrue", [{ tag: "alpha", payload: { tag: "validateTrue" } }]],
    ["+k8s:deepcopy-gen=true", undefined],
    ["+k8s:conversion-gen", undefined],
    ["+optional", undefined],
    ["+required=+k8s:required", undefined],
    ["+xk8s:required", undefined],
    ["+k8s:requiredX", undefined],
    ["+k8s:ifEnabled(X)=+required", undefined],
    ["+k8s:eachVal=+k8s:deepcopy-gen=true", undefined],
    ["+k8s:eachVal=+k8s:eachVal=+other", undefined],
  ])("%s", async (marker, expected) => {
    expect(await ruleOf(marker)).toEqual(expected)
  })

  it("is one of those that compileRules knows, or says what a type is for", async () => {
    const document = { types: { T: { type: "string", rules: [{ tag: "x" }] } } }
    const message = (tag: string) => {
      try {
        compileRules({ types: { T: { ...document.types.T, rules: [{ tag }] } } }, "T")
      } catch (error) {
        return String(error)
      }
      return ""
    }
    const candidates =
      "alpha beta customUnique customValidation dependentForbidden dependentRequired eachKey eachVal enum forbidden format ifDisabled ifEnabled ifMode ifOptionDisabled ifOptionEnabled immutable item listMapKey listType maxBytes maxItems maxLength maxProperties maximum minItems minLength minProperties minimum modeDiscriminator monotonic neq opaqueType optional required subfield unionDiscriminator unionMember unique update validateFalse validateTrue validateTrueAlpha validateTrueBeta zeroOrOneOfMember"
    for (const tag of candidates.split(" ")) {
      expect([tag, message(tag)]).not.toEqual([tag, expect.stringContaining("there is no such rule")])
      expect(await ruleOf(`+k8s:${tag}`)).toEqual([{ tag }])
    }
    for (const tag of ["enumExclude", "isSubresource", "supportsSubresource", "validateError"]) {
      expect(await ruleOf(`+k8s:${tag}`)).toEqual([{ tag }])
    }
  })
})
