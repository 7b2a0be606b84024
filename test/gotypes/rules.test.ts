/** Go types to rule documents. */
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
