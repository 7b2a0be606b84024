/** Types from OpenAPI documents and CustomResourceDefinitions: `smd schema convert`, `--openapi` and `--crd`. */
import { describe, expect, it } from "vitest"
import { parseYaml } from "../../../src/io/yaml.js"
import { parseJson } from "../../../src/json/json.js"
import type { Schema } from "../../../src/schema/schema.js"
import { parseSchema } from "../../../src/typed/parser.js"
import type { Value } from "../../../src/value/value.js"
import { deployment, smd, smdUncounted, text } from "../cli.js"

const crd = text`
  apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: widgets.example.com}
  spec:
    group: example.com
    scope: Namespaced
    names: {kind: Widget, plural: widgets}
    versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size: {type: integer}
                parts:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [name]
                  items:
                    type: object
                    required: [name]
                    properties:
                      name: {type: string}
                      count: {type: integer}
`
const widget = (size: number, part: string): string => text`
  apiVersion: example.com/v1
  kind: Widget
  metadata: {name: w}
  spec:
    size: ${size}
    parts: [{name: ${part}, count: 1}]
`

/** Two documents of a cluster: the second refers to a type of the first. */
const shared = {
  openapi: "3.0.0",
  components: { schemas: { "com.example.Part": { type: "object", properties: { name: { type: "string" } } } } },
}
const gadgets = {
  openapi: "3.0.0",
  components: {
    schemas: {
      "com.example.v1.Gadget": {
        type: "object",
        properties: {
          apiVersion: { type: "string" },
          kind: { type: "string" },
          part: { allOf: [{ $ref: "#/components/schemas/com.example.Part" }] },
          options: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        },
        "x-kubernetes-group-version-kind": [{ group: "example.com", version: "v1", kind: "Gadget" }],
      },
    },
  },
}
const swagger = {
  swagger: "2.0",
  definitions: {
    "com.example.v2.Gadget": {
      type: "object",
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: { type: "object" },
        mode: { type: "string" },
        fast: { type: "object" },
        slow: { type: "object" },
      },
      "x-kubernetes-unions": [{ discriminator: "mode", "fields-to-discriminateBy": { fast: "Fast", slow: "Slow" } }],
      "x-kubernetes-group-version-kind": [{ group: "example.com", version: "v2", kind: "Gadget" }],
    },
  },
}
const files = {
  "crd.yaml": crd,
  "shared.json": JSON.stringify(shared),
  "gadgets.json": JSON.stringify(gadgets),
  "swagger.json": JSON.stringify(swagger),
  "widget.yaml": widget(1, "a"),
}

function typeNames(yaml: string): string[] {
  return parseSchema(parseYaml(yaml)).types.map(({ name }) => name)
}

function member(fieldName: string, discriminatorValue: string) {
  return { fieldName, discriminatorValue }
}

describe("smd schema convert", () => {
  it("prints a schema that --schema accepts", async () => {
    const { status, out, err } = await smd(["schema", "convert", "crd.yaml"], { files })
    expect([status, err]).toEqual([0, ""])
    expect(typeNames(out)).toContain("com.example.v1.Widget")
    const types = ["--schema", "s.yaml", "--type", "com.example.v1.Widget"]
    const merged = await smd(["merge", ...types, "widget.yaml", "b.yaml", "--output", "json"], {
      files: { ...files, "s.yaml": out, "b.yaml": widget(2, "b") },
    })
    expect(parseJson(merged.out)).toMatchObject({ spec: { size: 2, parts: [{ name: "a" }, { name: "b" }] } })
  })

  it("converts documents that refer to each other together", async () => {
    const { status, out, err } = await smd(["schema", "convert", "gadgets.json", "shared.json", "--output", "json"], {
      files,
    })
    expect([status, err]).toEqual([0, ""])
    const { types } = parseSchema(parseJson(out))
    expect(types.map(({ name }) => name)).toEqual([
      "com.example.Part",
      "com.example.v1.Gadget",
      "__untyped_atomic_",
      "__untyped_deduced_",
    ])
  })

  it("takes several formats at once, each type in its place", async () => {
    const { out } = await smd(["schema", "convert", "swagger.json", "shared.json", "crd.yaml"], { files })
    const names = typeNames(out)
    expect(names.slice(0, 3)).toEqual(["com.example.Part", "com.example.v1.Widget", "com.example.v2.Gadget"])
    expect(names.slice(-2)).toEqual(["__untyped_atomic_", "__untyped_deduced_"])
    expect(new Set(names).size).toBe(names.length)
  })

  it("prints remarks on standard error", async () => {
    const { status, err } = await smd(["schema", "convert", "gadgets.json"], { files })
    expect(status).toBe(0)
    expect(err).toBe(
      "gadgets.json: /components/schemas/com.example.v1.Gadget/properties/part: no definition of com.example.Part; add the document that has it\n",
    )
  })

  it("says where two documents differ, and uses the later one", async () => {
    const other = JSON.stringify(shared).replace('"name":{"type":"string"}', '"name":{"type":"integer"}')
    const other2 = JSON.stringify({ swagger: "2.0", definitions: JSON.parse(other).components.schemas })
    const both = { ...files, "other.json": other2 }
    const { out, err } = await smd(["schema", "convert", "shared.json", "other.json"], { files: both })
    expect(err).toBe(
      "other.json: com.example.Part differs from the definition in an earlier document; this one is used\n",
    )
    expect(out).toContain("scalar: numeric")
  })

  it.each([
    ["upstream", [{ discriminator: "mode", fields: [member("fast", "Fast"), member("slow", "Slow")] }]],
    ["off", undefined],
    [undefined, undefined],
  ])("treats unions as --union-mode says: %s", async (mode, expected) => {
    const args = ["schema", "convert", "swagger.json", ...(mode === undefined ? [] : ["--union-mode", mode])]
    const { types } = parseSchema(parseYaml((await smd(args, { files })).out))
    expect(types.find(({ name }) => name === "com.example.v2.Gadget")?.map?.unions).toEqual(expected)
  })

  it("omits properties of unions that a schema can't express", async () => {
    const union = { fieldMembers: { Small: { name: "small", optional: true }, None: null } }
    const properties = { mode: { type: "string", "x-kubernetes-unions": union }, small: { type: "string" } }
    const { spec, ...rest } = parseYaml(crd) as { spec: { versions: { schema: unknown }[] } }
    const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } }
    const versions = spec.versions.map(version => ({ ...version, schema }))
    const given = { "crd.json": JSON.stringify({ ...rest, spec: { ...spec, versions } }) }
    const { types } = parseSchema(parseYaml((await smd(["schema", "convert", "crd.json"], { files: given })).out))
    const found = types.find(({ name }) => name === "com.example.v1.Widget")?.map?.fields
    expect(found?.find(({ name }) => name === "spec")?.type.map?.unions).toEqual([
      { discriminator: "mode", fields: [member("small", "Small")] },
    ])
  })

  it("finds definitions in a List, and ignores other objects", async () => {
    const list = { apiVersion: "v1", kind: "List", items: [{ kind: "Namespace" }, parseYaml(crd)] }
    const stream = `${deployment(1)}---\n${crd}`
    const { out } = await smd(["schema", "convert", "list.json"], { files: { "list.json": JSON.stringify(list) } })
    expect(typeNames(out)).toContain("com.example.v1.Widget")
    expect((await smd(["schema", "convert", "-"], { files: { "-": stream } })).out).toBe(out)
  })

  it("reads the files of a folder, and its inner folders", async () => {
    const folder = { "crds/a.yaml": deployment(1), "crds/inner/widgets.yaml": crd, "none/a.yaml": deployment(1) }
    const { out } = await smd(["schema", "convert", "crds"], { files: folder })
    expect(out).toBe((await smd(["schema", "convert", "w.yaml"], { files: { "w.yaml": crd } })).out)
    expect((await smd(["types", "--crd", "crds"], { files: folder })).status).toBe(0)
    expect((await smd(["list-types", "--crd", "crds"], { files: folder })).out).toContain("Widget")
    expect((await smd(["types", "--crd", "none"], { files: folder })).err).toBe(
      "none: expected an OpenAPI document or a CustomResourceDefinition in some file, found none\n",
    )
  })

  const broken = crd.replace("size: {type: integer}", "size: {}")
  it.each<[what: string, content: string, message: RegExp]>([
    [
      "another object",
      deployment(1),
      /^in: expected an OpenAPI document or a CustomResourceDefinition, found an object of kind Deployment\n$/,
    ],
    ["nothing", "", /^in: expected .*, found no document\n$/],
    ["a list of documents", '{"paths":{"api/v1":{"serverRelativeURL":"/x"}}}', /kubectl get --raw/],
    ["invalid text", "{", /^in:1:\d+: /],
    [
      "an older definition",
      crd.replace("io/v1", "io/v1beta1"),
      /^in:1:1: \/apiVersion: must be apiextensions.k8s.io\/v1, found/,
    ],
    [
      "a definition without versions",
      `${crd.split("  versions:")[0]}`,
      /^in:4:1: \/spec\/versions: must be a list of versions/,
    ],
    [
      "JSON that can't be converted",
      '{"openapi":"3.0.0","components":{"schemas":{"a":{"type":"array"}}}}',
      /^in: \/components\/schemas\/a: a: `items` must be specified on arrays\n$/,
    ],
  ])("refuses %s", async (_, content, message) => {
    const { status, out, err } = await smd(["schema", "convert", "in"], { files: { in: content } })
    expect([status, out]).toEqual([2, ""])
    expect(err).toMatch(message)
  })

  it("converts Go types with their unions, and reports suspicious markers", async () => {
    const source = [
      "package v1",
      "type Backup struct {",
      "  // +k8s:unionMember",
      "  // +optional",
      '  Bucket *string `json:"bucket,omitempty"`',
      "  // +k8s:unionMember",
      "  // +optional",
      '  Volume *string `json:"volume,omitempty"`',
      "  // +listType=set",
      "",
      '  Tags []string `json:"tags,omitempty"`',
      "}",
    ]
    const convert = (...lines: string[]) =>
      smd(["schema", "convert", "--go", "api"], { files: { "api/types.go": lines.join("\n") } })
    const { status, out, err } = await convert(...source)
    expect([status, err]).toEqual([
      0,
      "api/types.go:9: Backup.Tags: a blank line separates +listType=set from its declaration, so it is not read\n",
    ])
    expect((parseYaml(out) as unknown as Schema).types.find(({ name }) => name === "v1.Backup")?.map?.unions).toEqual([
      { fields: [{ fieldName: "bucket" }, { fieldName: "volume" }] },
    ])
    expect(await convert(...source, "type Wrong struct {")).toMatchObject({ status: 2, out: "" })
  })

  it("continues if a schema is not structural, and says so", async () => {
    const { status, err } = await smd(["schema", "convert", "in.yaml"], { files: { "in.yaml": broken } })
    expect(status).toBe(0)
    expect(err).toMatch(/^in\.yaml:\d+:\d+: \/spec\/versions\/0\/schema\/openAPIV3Schema/)
  })

  it.each([
    [["schema", "convert"], "FILE is missing"],
    [["schema", "convert", "a.yaml", "--go", "types.go"], "--go replaces the operand FILE"],
    [
      ["schema", "convert", "--union-mode", "drop", "--go", "types.go"],
      "--union-mode is about documents, not Go types",
    ],
    [
      ["schema", "convert", "a.yaml", "--union-mode", "v4"],
      "--union-mode must be off, upstream, drop, repair or from-validation, not v4",
    ],
  ])("refuses the command line %j", async (args, message) => {
    const { status, err } = await smd(args, { files })
    expect([status, err]).toEqual([
      2,
      `smd schema convert: ${message}\nsmd schema convert --help shows how to use it.\n`,
    ])
  })
})

describe("--crd and --openapi", () => {
  it("make lists of an applied custom resource merge by key", async () => {
    const apply = (manager: string, config: string, live: string) =>
      smd(["apply", "--crd", "crd.yaml", "--manager", manager, "--live", "live", config], {
        files: { ...files, live, "b.yaml": widget(1, "b") },
      })
    const { out: live } = await smd(["apply", "--crd", "crd.yaml", "--manager", "a", "widget.yaml"], { files })
    const { status, out } = await apply("b", "b.yaml", live)
    expect(status).toBe(0)
    const { spec, metadata } = parseYaml(out) as { spec: Value; metadata: { managedFields: { manager: string }[] } }
    expect(spec).toEqual({
      size: 1,
      parts: [
        { name: "a", count: 1 },
        { name: "b", count: 1 },
      ],
    })
    expect(metadata.managedFields.map(({ manager }) => manager)).toEqual(["a", "b"])
  })

  it("fall back to the built-in types", async () => {
    const { status, err } = await smdUncounted(["validate", "--crd", "crd.yaml", "widget.yaml", "web.yaml"], {
      files: { ...files, "web.yaml": deployment(1).replace("replicas: 1", "replicas: many") },
    })
    expect(status).toBe(2)
    expect(err).toBe('web.yaml:7:3: .spec.replicas: must be a number, not the text "many"\n')
  })

  it("may be repeated, and the last one comes first", async () => {
    const strict = crd.replace("size: {type: integer}", "size: {type: string}")
    const args = ["validate", "--openapi", "swagger.json", "--crd", "crd.yaml", "--crd", "strict.yaml", "widget.yaml"]
    const { err } = await smd(args, { files: { ...files, "strict.yaml": strict } })
    expect(err).toContain(".spec.size: must be text, not the number")
  })

  it("find problems of a custom resource by its type", async () => {
    const wrong = widget(1, "a").replace("size: 1", "sizes: 1")
    const { err } = await smdUncounted(["validate", "--crd", "crd.yaml", "-"], { files: { ...files, "-": wrong } })
    expect(err).toMatch(/^standard input:5:3: \.spec\.sizes: field not declared in schema.*did you mean size\?\n$/)
  })

  it("also work for compare, fieldset and list-types", async () => {
    const given = { ...files, "b.yaml": widget(1, "b") }
    const compared = await smd(["compare", "--crd", "crd.yaml", "widget.yaml", "b.yaml"], { files: given })
    expect(compared.out).toContain('.spec.parts[name="b"].count  1\n')
    expect((await smd(["fieldset", "--crd", "crd.yaml", "b.yaml"], { files: given })).out).toContain(
      'k:{\\"name\\":\\"b\\"}',
    )
    const listed = await smd(["list-types", "--crd", "crd.yaml", "--openapi", "shared.json"], { files })
    expect(listed.out).toMatch(/^com\.example\.Part\ncom\.example\.v1\.Widget\nio\.k8s/)
  })

  it("say where a kind was searched for", async () => {
    const gizmo = "apiVersion: example.com/v1\nkind: Gizmo\n"
    const { status, err } = await smdUncounted(["validate", "--crd", "crd.yaml", "-"], {
      files: { ...files, "-": gizmo },
    })
    expect(status).toBe(2)
    expect(err).toBe(text`
      standard input:2:1: no corresponding type for example.com/v1, Kind=Gizmo
        searched: crd.yaml
        kinds of example.com/v1: Widget
    `)
  })

  it("report a missing definition once", async () => {
    const args = ["validate", "--openapi", "gadgets.json", "--openapi", "shared.json", "a.yaml", "a.yaml"]
    const gadget = "apiVersion: example.com/v1\nkind: Gadget\noptions: [x]\n"
    const { status, err } = await smd(args, { files: { ...files, "a.yaml": gadget } })
    expect(status).toBe(0)
    expect(err).toBe(
      "gadgets.json: /components/schemas/com.example.v1.Gadget/properties/part: no definition of com.example.Part; add the document that has it\n" +
        "checked 2 objects in 1 file: no problems\n",
    )
  })

  it("report many remarks as a number", async () => {
    const properties = Object.fromEntries(
      ["a", "b", "c", "d"].map(name => [name, { $ref: `#/components/schemas/com.example.${name}` }]),
    )
    const type = {
      type: "object",
      properties,
      "x-kubernetes-group-version-kind": [{ group: "", version: "v9", kind: "K" }],
    }
    const given = {
      "k.json": JSON.stringify({ openapi: "3.0.0", components: { schemas: { K: type } } }),
      "-": "{apiVersion: v9, kind: K}",
    }
    const { err } = await smd(["fieldset", "--openapi", "k.json", "-"], { files: given })
    expect(err.split("\n")[0]).toBe("k.json: 4 remarks on its types; smd schema convert shows them")
  })

  it("settle the unions of documents by --unions", async () => {
    const gadget = (rest: string) => `apiVersion: example.com/v2\nkind: Gadget\nmetadata: {name: g}\n${rest}`
    const apply = ["apply", "--openapi", "swagger.json"]
    const given = {
      ...files,
      "fast.yaml": gadget("mode: Fast\nfast: {a: 1}\n"),
      "slow.yaml": gadget("mode: Slow\nslow: {b: 1}\n"),
    }
    const { out: live } = await smd([...apply, "--manager", "a", "fast.yaml"], { files: given })
    const args = [...apply, "--manager", "b", "--force", "--live", "live.yaml", "slow.yaml", "--output", "json"]
    const off = await smd(args, { files: { ...given, "live.yaml": live } })
    expect([off.err, parseJson(off.out)]).toEqual(["", expect.objectContaining({ mode: "Slow", fast: { a: 1 } })])
    const on = await smd([...args, "--unions", "extended"], { files: { ...given, "live.yaml": live } })
    expect([on.err, parseJson(on.out)]).toEqual([
      expect.stringContaining('removed fast (owned by "a")'),
      expect.not.objectContaining({ fast: expect.anything() }),
    ])
  })

  describe("and unions of a CRD", () => {
    const unionCrd = crd.replace(
      "size: {type: integer}",
      "size: {type: integer}\n              union1: {type: string, enum: [A, B], x-kubernetes-unions: {fieldMembers: {A: {name: a}, B: {name: b}}}}" +
        "\n              a: {type: string}\n              b: {type: string}",
    )
    const resource = (spec: string): string =>
      `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: ${spec}\n`
    const given = (spec: string) => ({ "crd.yaml": unionCrd, "widget.yaml": resource(spec) })

    it("refuse an invalid object before it is stored, in an API server's words", async () => {
      const args = ["apply", "--manager", "m", "--crd", "crd.yaml", "widget.yaml", "--unions"]
      const files = given("{a: x, b: z}")
      expect(await smd([...args, "kep-2022"], { files })).toEqual({
        status: 1,
        out: "",
        err:
          'widget.yaml:4:8: .spec.a: Invalid value: "": may only be specified when `union1` is "A"\n' +
          'widget.yaml:4:14: .spec.b: Invalid value: "": may only be specified when `union1` is "B"\n',
      })
      for (const policy of ["kep-2019", "extended"]) {
        expect(await smd([...args, policy], { files })).toMatchObject({ status: 1, out: "" })
      }
      for (const policy of ["off", "kep-2022-draft"]) {
        expect(await smd([...args, policy], { files })).toMatchObject({ status: 0 })
      }
      expect(await smd([...args, "kep-2022"], { files: given("{union1: A, a: x}") })).toMatchObject({
        status: 0,
        err: "",
      })
    })

    it("are settled by the default policy without an option", async () => {
      const args = ["apply", "--manager", "m", "--crd", "crd.yaml", "widget.yaml"]
      expect(await smd(args, { files: given("{a: x, b: z}") })).toEqual({
        status: 1,
        out: "",
        err: 'widget.yaml:4:1: .spec: Invalid value: "": more than one field of union applied: a, b\n',
      })
      const live = (await smd(args, { files: given("{a: x}") })).out
      const config = resource("{b: z}")
      const next = await smd(["apply", "--manager", "m", "--crd", "crd.yaml", "--live", "live", "next"], {
        files: { "crd.yaml": unionCrd, live, next: config },
      })
      expect((parseYaml(next.out) as { spec: Value }).spec).toEqual({ union1: "B", b: "z" })
    })

    it("are validated with --unions, each problem with its place", async () => {
      const args = ["validate", "--crd", "crd.yaml", "widget.yaml"]
      const files = given("\n  union1: Nope\n  a: x")
      const { status, err } = await smdUncounted([...args, "--unions", "off"], { files })
      const unsupported = 'widget.yaml:5:3: .spec.union1: Unsupported value: "Nope": supported values: "A", "B"\n'
      expect([status, err]).toEqual([2, unsupported])
      expect(await smdUncounted(args, { files })).toEqual(await smdUncounted([...args, "--unions", "v4"], { files }))
      expect(await smdUncounted([...args, "--unions", "kep-2022"], { files })).toEqual({
        status: 2,
        out: "",
        err:
          'widget.yaml:5:3: .spec.union1: Unsupported value: "Nope": supported values: "A", "B"\n' +
          'widget.yaml:6:3: .spec.a: Invalid value: "": may only be specified when `union1` is "A"\n',
      })
      const both = await smdUncounted([...args, "--unions", "v4"], { files: given("{a: x, b: z}") })
      expect([both.status, both.err]).toEqual([
        2,
        "widget.yaml:4:1: .spec: more than one field of union applied: a, b\n",
      ])
    })
  })

  it("can't be combined with --schema", async () => {
    const args = ["validate", "--crd", "crd.yaml", "--schema", "s.yaml", "widget.yaml"]
    const { status, err } = await smd(args, { files })
    expect(status).toBe(2)
    expect(err).toContain("smd validate: --schema can't be used with --openapi and --crd, whose types are found by")
  })
})

describe("unions that a CRD states as validation", () => {
  const words = "oneOf: [{required: [size]}, {required: [parts]}]"
  const rule = "x-kubernetes-validations: [{rule: has(self.size) || has(self.parts)}]"
  const stating = crd.replace(/\n( +)properties:\n +size:/, (found, space: string) =>
    [`\n${space}${words}`, `\n${space}${rule}`, found].join(""),
  )
  const files = { "crd.yaml": stating, "live.yaml": widget(1, "a"), "two.yaml": widget(2, "b") }

  it("are unions on request, with a remark about each", async () => {
    const plain = await smdUncounted(["validate", "--crd", "crd.yaml", "two.yaml", "--unions", "extended"], { files })
    const bare = 'two.yaml:4:1: .spec: Invalid value: "": "spec" must validate one and only one schema (oneOf)'
    expect(plain).toEqual({ status: 2, out: "", err: `${bare}. Found 2 valid alternatives\n` })
    const args = ["validate", "--crd", "crd.yaml", "two.yaml", "--unions", "extended", "--unions-from-validation"]
    const { status, err } = await smdUncounted(args, { files })
    expect([status, err.split("\n").map(line => line.replace(/^.*openAPIV3Schema/, "..."))]).toEqual([
      2,
      [
        ".../properties/spec/oneOf: union of exactly one of size, parts; stated by 2 rules",
        "two.yaml:4:1: .spec: more than one field of union applied: size, parts",
        "",
      ],
    ])
  })

  it("are in the schema with schema convert", async () => {
    const { out, err } = await smd(["schema", "convert", "crd.yaml", "--union-mode", "from-validation"], { files })
    expect(out).toContain("unions:")
    expect(parseSchema(parseYaml(out)).types.length).toBeGreaterThan(1)
    expect(err).toContain("union of exactly one of size, parts")
  })

  it.each(["fieldMembers", "list"])(
    "are in an OpenAPI document, as %s, and are read from it again",
    async extension => {
      const args = ["schema", "convert", "crd.yaml", "--union-mode", "from-validation", "--to", "openapi-v3"]
      const { out } = await smd([...args, "--union-extension", extension, "-o", "json"], { files })
      const document = parseJson(out) as { components: { schemas: Record<string, Value> } }
      expect(Object.keys(document.components.schemas)).toContain("com.example.v1.Widget")
      const again = { files: { ...files, "openapi.json": out } }
      const { status, err } = await smdUncounted(
        ["validate", "--openapi", "openapi.json", "two.yaml", "--unions", "extended"],
        again,
      )
      expect([status, err]).toEqual([2, "two.yaml:4:1: .spec: more than one field of union applied: size, parts\n"])
    },
  )

  it("need an OpenAPI document for an extension", async () => {
    const { status, err } = await smd(["schema", "convert", "crd.yaml", "--union-extension", "list"], { files })
    expect([status, err.split("\n")[0]]).toEqual([2, "smd schema convert: --union-extension needs --to openapi-v3"])
  })

  it("omits unions of list items, which a schema can't express, and says so", async () => {
    const item = { type: "object", properties: { type: { type: "string" } }, required: ["type"] }
    const list = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] }
    const fields = ["A", "B"].map(type => ({ fieldName: "conditions", item: { type } }))
    const status = {
      type: "object",
      properties: { conditions: { type: "array", items: item, ...list } },
      "x-kubernetes-unions": [{ union: { fields } }],
    }
    const document = { openapi: "3.0.0", components: { schemas: { "com.example.Status": status } } }
    const files = { "api.json": JSON.stringify(document) }
    const args = ["schema", "convert", "api.json", "--union-mode", "repair", "-o", "json"]
    const { out, err } = await smd(args, { files })
    expect(JSON.parse(out).types[0].map.unions).toEqual([])
    expect(err).toBe(
      'a schema can\'t express that conditions[type="A"], conditions[type="B"] exclude each other; --to openapi-v3 can\n',
    )
    const written = await smd([...args, "--to", "openapi-v3"], { files })
    expect(written.err).toBe("")
    expect(JSON.parse(written.out).components.schemas["com.example.Status"]["x-kubernetes-unions"]).toMatchObject([
      { union: { fields } },
    ])
  })
})
