/** Converts types and markers to schemas and OpenAPI. */
import { describe, expect, it } from "vitest"
import { formatPath } from "../../src/fieldpath/path.js"
import { readGoTypes } from "../../src/gotypes/index.js"
import { kubernetesSchema } from "../../src/kubernetes/index.js"
import { objectMetaTypes } from "../../src/openapi/index.js"
import type { Schema } from "../../src/schema/schema.js"
import { deducedAtom, deducedName } from "../../src/schema/untyped.js"
import { compileSchema } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { compileRules } from "../../src/validation/index.js"
import { own } from "../../src/value/object.js"
import type { MapValue } from "../../src/value/value.js"
import { definitionOf, fieldOf, problemsOf, readTypes, typeNamed } from "./support.js"

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1"
const types = [
  "type T struct {\nF $\n}",
  'type U struct {\nK string `json:"k"`\nL *int `json:"l"`\nM []string\n}',
  "// +enum\ntype Mode string",
  'const (\nFast Mode = "Fast"\nSafe = Mode("Sa" + "fe")\nOther Mode = Fast\nNumber = 1\n)',
  "// +listType=map\n// +listMapKey=k\ntype Us []U",
  "type Names []string",
  "type Same U",
  "type Alias = U",
].join("\n")
const readField = (type: string) => readTypes(types.replace("$", type))

describe("a type", () => {
  it.each([
    ["string", { scalar: "string" }],
    ["*bool", { scalar: "boolean" }],
    ["int64", { scalar: "numeric" }],
    ["float32", { scalar: "numeric" }],
    ["Mode", { scalar: "string" }],
    ["[]byte", { scalar: "string" }],
    ["U", { namedType: "v1.U" }],
    ["*U", { namedType: "v1.U" }],
    ["Same", { namedType: "v1.Same" }],
    ["Alias", { namedType: "v1.U" }],
    ["[]U", { list: { elementType: { namedType: "v1.U" }, elementRelationship: "atomic" } }],
    ["[3]string", { list: { elementType: { scalar: "string" }, elementRelationship: "atomic" } }],
    ["Us", { list: { elementType: { namedType: "v1.U" }, elementRelationship: "associative", keys: ["k"] } }],
    ["map[string]*U", { map: { elementType: { namedType: "v1.U" } } }],
    [
      "map[Mode]Names",
      { map: { elementType: { list: { elementType: { scalar: "string" }, elementRelationship: "atomic" } } } },
    ],
    ["any", { map: { elementType: { namedType: "__untyped_deduced_" } } }],
    ["interface{}", { map: { elementType: { namedType: "__untyped_deduced_" } } }],
    ["struct { A string }", { map: { fields: [{ name: "A", type: { scalar: "string" }, default: "" }] } }],
    ["metav1.Time", { namedType: `${meta}.Time` }],
    ["*metav1.Duration", { namedType: `${meta}.Duration` }],
    ["metav1.LabelSelector", { namedType: `${meta}.LabelSelector` }],
  ])("%s", async (type, expected) => {
    expect(fieldOf(await readField(type), "F")).toEqual(expected)
  })

  it("that uses itself ends", async () => {
    const read = await readTypes("type T struct { Next *T; All []T }")
    expect(fieldOf(read, "Next")).toEqual({ namedType: "v1.T" })
  })

  it("with methods that tell its form has that form", async () => {
    const text =
      'type T struct { A Port }\ntype Port struct { n int }\nfunc (Port) OpenAPISchemaType() []string { return []string{"string"} }'
    const read = await readTypes(text)
    expect(fieldOf(read, "A")).toEqual({ namedType: "v1.Port" })
    expect(typeNamed(read, "v1.Port")).toEqual({ name: "v1.Port", scalar: "string" })
  })

  it("that reads JSON in its own way is told of", async () => {
    const read = await readTypes("type T struct { A int }\nfunc (t *T) UnmarshalJSON(b []byte) error { return nil }")
    expect(read.warnings.map(({ message }) => message)).toEqual([
      "the type reads JSON with a method of its own, so its fields do not show its format",
    ])
  })
})

describe("a marker", () => {
  it.each([
    ["+listType=atomic", "[]string", { list: { elementType: { scalar: "string" }, elementRelationship: "atomic" } }],
    ["+listType=set", "[]string", { list: { elementType: { scalar: "string" }, elementRelationship: "associative" } }],
    [
      "+k8s:listType=map\n// +k8s:listMapKey=k\n// +k8s:listMapKey=l",
      "[]U",
      { list: { elementType: { namedType: "v1.U" }, elementRelationship: "associative", keys: ["k", "l"] } },
    ],
    [
      "+patchStrategy=merge\n// +patchMergeKey=k",
      "[]U",
      { list: { elementType: { namedType: "v1.U" }, elementRelationship: "associative", keys: ["k"] } },
    ],
    [
      "+mapType=atomic",
      "map[string]string",
      { map: { elementType: { scalar: "string" }, elementRelationship: "atomic" } },
    ],
    ["+structType=atomic", "U", { namedType: "v1.U", elementRelationship: "atomic" }],
    ["+nullable", "*string", { scalar: "string", nullable: true }],
    [
      "+listType=atomic",
      "Us",
      { list: { elementType: { namedType: "v1.U" }, elementRelationship: "atomic", keys: [] } },
    ],
  ])("%s at %s", async (marker, type, expected) => {
    const { list, ...rest } = fieldOf(await readTypes(types.replace("F $", `// ${marker}\nF ${type}`)), "F") ?? {}
    expect(list === undefined ? rest : { ...rest, list: { keys: [], ...list } }).toEqual(
      "list" in expected ? { list: { keys: [], ...expected.list } } : expected,
    )
  })

  it.each([
    ["+listType=bag", "[]string", '+listType is one of atomic, set, map, not "bag"'],
    ["+listType=map", "[]U", "+listType=map needs a +listMapKey"],
    ["+listType=map\n// +listMapKey=x", "[]U", "+listMapKey x is not a field of the items"],
    ["+listType=map\n// +listMapKey=M", "[]U", "+listMapKey M is not a scalar"],
    ["+listType=map\n// +listMapKey=k", "[]string", "the items of a +listType=map have to be structs"],
    ["+listMapKey=k", "[]U", "+listMapKey means nothing without +listType=map"],
    ["+listType=set\n// +k8s:listType=atomic", "[]string", "+listType says set and atomic"],
    ["+mapType=loose", "map[string]string", '+mapType is one of atomic, granular, not "loose"'],
  ])("%s at %s is an error", async (marker, type, message) => {
    const problems = await problemsOf(types.replace("F $", `// ${marker}\nF ${type}`))
    expect(problems).toEqual([`${2 + marker.split("\n").length} T.F: ${message}`])
  })

  it("for a list has no effect elsewhere, and is told of", async () => {
    const read = await readTypes("type T struct {\n// +listType=set\nA string\n}")
    expect(fieldOf(read, "A")).toEqual({ scalar: "string" })
    expect(read.warnings.map(({ message }) => message)).toEqual(["+listType is for a list; it has no effect here"])
  })
})

describe("a default", () => {
  it.each([
    ["of the marker", '// +default="x"\nA *string `json:"a"`', "x"],
    ["of any JSON", '// +default={"b":[1]}\nA *B `json:"a"`', { b: [1] }],
    ["of a constant", '// +default=ref(Word)\nA *string `json:"a"`', "word"],
    ["of a named type", 'A *Level `json:"a"`', 3],
    ["that Go writes", 'A int `json:"a"`', 0],
    ["of a struct", 'A B `json:"a,omitempty"`', {}],
  ])("%s", async (_, field, expected) => {
    const text = `type T struct {\n${field}\n}\ntype B struct { C int }\n// +default=3\ntype Level int\nconst Word = "word"`
    expect(typeNamed(await readTypes(text), "v1.T").map?.fields?.[0]?.default).toEqual(expected)
  })

  it.each([
    'A *string `json:"a"`',
    'A string `json:"a,omitempty"`',
    'A []string `json:"a"`',
    'A metav1.Time `json:"a"`',
  ])("is not there for %s", async field => {
    expect(typeNamed(await readTypes(`type T struct { ${field} }`), "v1.T").map?.fields?.[0]).not.toHaveProperty(
      "default",
    )
  })
})

describe("a default of an enum", () => {
  const enums = '// +enum\ntype Mode string\nconst (\nFast Mode = "Fast"\nSafe Mode = "Safe"\nGone = "Gone"\n)\n'
  const text = (marker: string, type: string) =>
    `type T struct {\n// +default=${marker}\n// +optional\nF ${type} \`json:"f,omitempty"\`\n}\ntype U struct { Mode Mode; Other string }\n${enums}`

  it.each([
    ['"Slow"', "Mode", '"Slow"'],
    ['"Slow"', "*Mode", '"Slow"'],
    ['""', "Mode", '""'],
    ["1", "Mode", "1"],
    ["ref(Gone)", "Mode", '"Gone"'],
    ['["Fast", "Slow"]', "[]Mode", '"Slow"'],
    ['{"a": "Slow"}', "map[string]Mode", '"Slow"'],
    ['{"Mode": "Slow", "Other": "Slow"}', "U", '"Slow"'],
    ['[{"Mode": "Slow"}]', "[]*U", '"Slow"'],
  ])("can't be %s for %s", async (marker, type, value) => {
    expect(await problemsOf(text(marker, type))).toEqual([
      `4 T.F: +default ${value} is not in the enum: "Fast", "Safe"`,
    ])
  })

  it.each([
    ['"Safe"', "Mode"],
    ["ref(Fast)", "*Mode"],
    ["null", "*Mode"],
    ['["Fast"]', "[]Mode"],
    ['{"Slow": "Fast"}', "map[Mode]Mode"],
    ['{"Other": "Slow"}', "U"],
    ['"Slow"', "string"],
    ['"Slow"', "any"],
  ])("can be %s for %s", async (marker, type) => {
    expect(await problemsOf(text(marker, type))).toEqual([])
  })

  it.each([
    ["2019", "+unionDeprecated"],
    ["2022", "+unionMember"],
    ["validation", "+k8s:unionMember"],
  ])("is checked at discriminators of %s, too", async (_, member) => {
    const discriminator = `${member.replace(/Member|Deprecated/, "Discriminator")}\n// +optional\n// +default="Slow"\nMode Mode \`json:"mode"\``
    const fields = `// ${discriminator}\n// ${member}\n// +optional\nFast *U \`json:"fast,omitempty"\``
    expect(await problemsOf(`type T struct {\n${fields}\n}\ntype U struct { A int }\n${enums}`)).toEqual([
      '5 T.Mode: +default "Slow" is not in the enum: "Fast", "Safe"',
    ])
  })
})

describe("the OpenAPI document", () => {
  it("has types, formats, enums, defaults and extensions", async () => {
    const text = [
      "// T is a thing.",
      "type T struct {",
      "// Mode says how.",
      '// +default="Fast"',
      'Mode Mode `json:"mode,omitempty"`',
      "// +listType=map",
      "// +listMapKey=k",
      'Us []U `json:"us,omitempty"`',
      "// +optional",
      'One U `json:"one"`',
      'Bytes int32 `json:"bytes"`',
      "}",
      types.replace(/type T[^}]*}/, ""),
    ]
    expect(definitionOf(await readTypes(text.join("\n")))).toEqual({
      description: "T is a thing.",
      type: "object",
      properties: {
        mode: { description: "Mode says how.", default: "Fast", type: "string", enum: ["Fast", "Safe"] },
        us: {
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          type: "array",
          items: { $ref: "#/components/schemas/v1.U" },
        },
        one: { default: {}, allOf: [{ $ref: "#/components/schemas/v1.U" }] },
        bytes: { default: 0, type: "integer", format: "int32" },
      },
      required: ["bytes"],
    })
  })
})

describe("packages", () => {
  const kind = 'type T struct {\nmetav1.TypeMeta `json:",inline"`\nmetav1.ObjectMeta `json:"metadata,omitempty"`\n}'

  it("name their types by their paths, or as their comments say", async () => {
    const named = await readTypes("type T struct { A int }", { path: "example.com/api/v1" })
    expect(typeNamed(named, "com.example.api.v1.T").map).toBeDefined()
    const text =
      "// +k8s:openapi-model-package=com.acme.v1\n\n// Package v1 is one.\npackage v1\ntype T struct { A int }"
    expect(
      typeNamed(await readGoTypes({ "doc.go": text }, { path: "example.com/api/v1" }), "com.acme.v1.T").map,
    ).toBeDefined()
  })

  it("have kinds, if their group is known", async () => {
    expect((await readTypes(kind)).kinds).toEqual([])
    expect((await readTypes(kind, { group: "acme.com" })).kinds).toEqual([
      { group: "acme.com", version: "v1", kind: "T", typeName: "v1.T" },
    ])
    const doc = "// +groupName=acme.org\npackage v1"
    const source = `package v1\nimport metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"\n${kind}`
    expect((await readGoTypes({ "doc.go": doc, "types.go": source })).kinds.map(({ group }) => group)).toEqual([
      "acme.org",
    ])
  })

  it.each([
    ["TypeMeta alone", "metav1.TypeMeta"],
    ["a field metadata alone", 'metav1.ObjectMeta `json:"metadata"`'],
    ["TypeMeta with a name", 'metav1.TypeMeta `json:"typeMeta"`\nmetav1.ObjectMeta `json:"metadata"`'],
    ["metadata by another name", 'metav1.TypeMeta\nmetav1.ObjectMeta `json:"meta"`'],
    ["another embedded struct", 'Meta\nmetav1.ObjectMeta `json:"metadata"`'],
  ])("have no kind with %s", async (_, fields) => {
    const text = `type T struct {\n${fields}\n}\ntype Meta struct {\nKind string\n}`
    expect((await readTypes(text, { group: "acme.com" })).kinds).toEqual([])
  })

  it("know ObjectMeta and all that it uses as every API server does", async () => {
    const { schema } = await readTypes(kind)
    for (const type of objectMetaTypes) expect(schema.types).toContainEqual(type)
  })

  it("ask for those that they import, once, and only if they are used", async () => {
    const asked: string[] = []
    const others: Record<string, string> = {
      "acme.com/shared/v2":
        'package shared\nimport "acme.com/deep"\ntype Box struct { Deep deep.Deep }\ntype Name string\nconst First Name = "first"',
      "acme.com/deep": "package deep\ntype Deep struct { A int }",
    }
    const source =
      'package v1\nimport (\n"acme.com/shared/v2"\n"acme.com/unused"\n)\ntype T struct { A, B shared.Box; C shared.Name }'
    const read = await readGoTypes(
      { "types.go": source },
      {
        resolve: async path => {
          asked.push(path)
          return { "types.go": others[path] ?? "" }
        },
      },
    )
    expect(asked).toEqual(["acme.com/shared/v2", "acme.com/deep"])
    expect(fieldOf(read, "C")).toEqual({ scalar: "string" })
    expect(typeNamed(read, "com.acme.deep.Deep").map?.fields?.map(({ name }) => name)).toEqual(["A"])
  })

  it("take types from a schema where there is no source", async () => {
    const source = 'package v1\nimport corev1 "k8s.io/api/core/v1"\ntype T struct { A corev1.EnvVar }'
    const read = await readGoTypes({ "types.go": source }, { types: kubernetesSchema() })
    expect(fieldOf(read, "A")).toEqual({ namedType: "io.k8s.api.core.v1.EnvVar" })
    expect(typeNamed(read, "io.k8s.api.core.v1.SecretKeySelector").map?.elementRelationship).toBe("atomic")
    await expect(readGoTypes({ "types.go": source })).rejects.toThrow(
      "types.go:3: T.A: the source of k8s.io/api/core/v1 is missing: pass it with `resolve` (smd: --go k8s.io/api/core/v1=DIR), or a schema that has io.k8s.api.core.v1.EnvVar as `types`",
    )
  })

  describe("without source", () => {
    const header = 'package v1\nimport "acme.com/x"\n'
    const rest = [
      "// +k8s:opaqueType\ntype Named x.Y",
      "// +k8s:eachVal=+k8s:opaqueType\ntype List []x.Y",
      "// +k8s:eachKey=+k8s:opaqueType\n// +k8s:eachVal=+k8s:opaqueType\ntype Map map[x.K]x.Y",
      "type Unmarked x.Y",
    ].join("\n")
    const sourceOf = (markers: string, type: string) => {
      const lines = markers === "" ? [] : markers.split("\n").map(marker => `// ${marker}`)
      const field = [...lines, "// +optional", `F ${type} \`json:"f"\``].join("\n")
      return { "types.go": `${header}type T struct {\n${field}\n}\n${rest}` }
    }
    const unknown = { ...deducedAtom, map: { elementType: { namedType: deducedName } } }
    const atomicList = { list: { elementType: unknown, elementRelationship: "atomic" } }

    it.each([
      ["+k8s:opaqueType", "x.Y", unknown],
      ["+k8s:opaqueType", "*x.Y", unknown],
      ['+k8s:alpha(since: "1.37")=+k8s:opaqueType', "x.Y", unknown],
      ["", "Named", unknown],
      ["", "*Named", unknown],
      ["+k8s:opaqueType", "Unmarked", unknown],
      ["+k8s:eachVal=+k8s:opaqueType", "[]x.Y", atomicList],
      ["+k8s:eachVal=+k8s:opaqueType", "[]*x.Y", atomicList],
      ['+k8s:eachVal=+k8s:beta(since: "1.37")=+k8s:opaqueType', "[]x.Y", atomicList],
      ["", "[]Named", atomicList],
      ["", "List", atomicList],
      ["+k8s:eachVal=+k8s:opaqueType", "map[string]x.Y", { map: { elementType: unknown } }],
      ["+k8s:eachVal=+k8s:eachVal=+k8s:opaqueType", "map[string][]x.Y", { map: { elementType: atomicList } }],
      ["+k8s:eachVal=+k8s:opaqueType\n+k8s:eachKey=+k8s:opaqueType", "map[x.K]x.Y", { map: { elementType: unknown } }],
      ["+k8s:eachKey=+k8s:opaqueType", "map[x.K]string", { map: { elementType: { scalar: "string" } } }],
      ["", "Map", { map: { elementType: unknown } }],
    ])("any JSON is taken where %s marks a %s", async (markers, type, expected) => {
      const read = await readGoTypes(sourceOf(markers, type))
      const [field] = typeNamed(read, "v1.T").map?.fields ?? []
      expect(field).toEqual({ name: "f", type: expected })
      const value = own(own(definitionOf(read), "properties") as MapValue, "f") as MapValue
      expect(value).not.toHaveProperty("default")
      expect(() => compileRules(read.rules, "T")).not.toThrow()
    })

    it.each([
      ["", "x.Y", "Y", ""],
      ["+k8s:opaqueType", "[]x.Y", "Y", "+k8s:eachVal="],
      ["+k8s:eachVal=+k8s:opaqueType", "x.Y", "Y", ""],
      ["+k8s:eachVal=+k8s:opaqueType", "map[x.K]x.Y", "K", "+k8s:eachKey="],
      ["+k8s:eachKey=+k8s:opaqueType", "map[x.K]x.Y", "Y", "+k8s:eachVal="],
      ["+k8s:eachVal=+k8s:opaqueType", "map[string][]x.Y", "Y", "+k8s:eachVal=+k8s:eachVal="],
      ['+k8s:ifEnabled("Gate")=+k8s:opaqueType', "x.Y", "Y", ""],
      ["", "Unmarked", "Y", ""],
    ])("a type is missing where %j stands at a %s", async (markers, type, name, prefix) => {
      const line = 4 + markers.split("\n").filter(marker => marker !== "").length + 1
      await expect(readGoTypes(sourceOf(markers, type))).rejects.toThrow(
        `types.go:${line}: T.F: the source of acme.com/x is missing: pass it with \`resolve\` (smd: --go acme.com/x=DIR), or a schema that has com.acme.x.${name} as \`types\`, or mark the field as ${prefix}+k8s:opaqueType`,
      )
    })

    it("an opaque type is the given one, if there is one", async () => {
      const given = { types: [{ name: "com.acme.x.Y", map: { fields: [{ name: "a", type: { scalar: "string" } }] } }] }
      const read = await readGoTypes(sourceOf("+k8s:opaqueType", "x.Y"), { types: given as Schema })
      expect(fieldOf(read, "f")).toEqual({ namedType: "com.acme.x.Y" })
      expect(typeNamed(read, "com.acme.x.Y")).toEqual(given.types[0])
    })

    it("an opaque value is merged as one if its field says so", async () => {
      const read = await readGoTypes(sourceOf("+k8s:opaqueType\n+structType=atomic", "x.Y"))
      const type = compileSchema(read.schema).type("v1.T")
      const set = TypedValue.of({ f: { a: { b: 1 } } }, type).toFieldSet()
      expect([...set].map(formatPath)).toEqual([".f"])
    })

    it("an embedded opaque type leaves room for fields that nobody knows", async () => {
      const source = `${header}type T struct {\n// +k8s:opaqueType\nx.Y \`json:",inline"\`\nA int\n}\ntype U struct { T }\n`
      const read = await readGoTypes({ "types.go": source })
      for (const name of ["v1.T", "v1.U"]) {
        expect(typeNamed(read, name).map).toMatchObject({
          fields: [{ name: "A" }],
          elementType: { namedType: "__untyped_deduced_" },
        })
      }
      expect(compileRules(read.rules, "T").validate({ A: 1, other: {} })).toEqual([])
    })

    it.each([
      ["a named type that is marked", "Named", "// +k8s:opaqueType\n"],
      ["a named type that its field marks", "// +k8s:opaqueType\nNamed", ""],
    ])("so does %s", async (_, field, marker) => {
      const source = `${header}type T struct {\n${field}\nA int\n}\n${marker}type Named x.Y`
      const read = await readGoTypes({ "types.go": source })
      expect(typeNamed(read, "v1.T").map?.elementType).toEqual({ namedType: deducedName })
    })

    it("an embedded type is missing if it is not opaque", async () => {
      const source = `${header}type T struct {\nx.Y\n}`
      await expect(readGoTypes({ "types.go": source })).rejects.toThrow(
        /^Go types can't be read: types.go:4: T.Y: the fields of com.acme.x.Y are embedded here; give its source to `resolve`, or mark it as \+k8s:opaqueType$/,
      )
    })

    it("rules of an opaque field itself are checked", async () => {
      const { rules } = await readGoTypes(sourceOf("+k8s:opaqueType\n+k8s:required", "*x.Y"))
      const validator = compileRules(rules, "T")
      expect(validator.validate({}).map(({ type, field }) => `${type} ${field}`)).toEqual(["FieldValueRequired f"])
      expect(validator.validate({ f: {} })).toEqual([])
    })
  })

  it.each([
    ["k8s.io/apimachinery/pkg/util/intstr", "IntOrString", { scalar: "untyped" }],
    ["k8s.io/apimachinery/pkg/api/resource", "Quantity", { scalar: "untyped" }],
  ])("know %s without its source", async (path, name, expected) => {
    const source = `package v1\nimport x "${path}"\ntype T struct { A x.${name} }`
    const read = await readGoTypes({ "types.go": source })
    expect(typeNamed(read, fieldOf(read, "A")?.namedType ?? "")).toMatchObject(expected)
  })
})
