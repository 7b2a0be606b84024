/** `smd validate` with rules: of Go types, and of files. */
import { describe, expect, it } from "vitest"
import { validate } from "../../../src/cli/commands/validate.js"
import { definitionOf } from "../../support/definition.js"
import { codeBlocks, read } from "../../support/documents.js"
import { deployment, smdUncounted as smd, smd as smdWithCounts, text } from "../cli.js"

const types = text`
  package v1

  type Backup struct {
  	// +optional
  	Labels map[string]Label \`json:"labels,omitempty"\`

  	// +k8s:required
  	// +k8s:maxLength=5
  	Name string \`json:"name"\`

  	// +k8s:listType=map
  	// +k8s:listMapKey=name
  	// +optional
  	Targets []Target \`json:"targets,omitempty"\`

  	// +k8s:ifEnabled("Encryption")=+k8s:required
  	// +optional
  	Key *string \`json:"key,omitempty"\`
  }

  type Target struct {
  	// +k8s:required
  	Name string \`json:"name"\`
  	// +k8s:minimum=1
  	Port int32 \`json:"port"\`
  	// +k8s:alpha=+k8s:maximum=9
  	// +optional
  	Weight int32 \`json:"weight,omitempty"\`
  	// +k8s:optional
  	Mode Mode \`json:"mode,omitempty"\`
  }
`
const modes = text`
  package v1

  // +k8s:enum
  type Mode string

  const (
  	ModeFast Mode = "Fast"
  	ModeSafe Mode = "Safe"
  )

  // +k8s:maxLength=3
  type Label string
`
const go = { "api/types.go": types, "api/modes.go": modes, "api/types_test.go": "package v1", "api/README.md": "no Go" }
const args = ["validate", "--go", "api", "--type", "Backup", "--option", "Encryption=false"]

describe("smd validate --go", () => {
  it("prints problems by the markers, with file, line, column and path", async () => {
    const backup = text`
      labels: {app.kubernetes.io/name: shop, "a]b": x}
      name: nightly
      targets:
      - {name: a, port: 0, mode: Slow}
      - port: 3
        mode: Fast
    `
    const { status, out, err } = await smd([...args, "backup.yaml"], { files: { ...go, "backup.yaml": backup } })
    expect([status, out]).toEqual([2, ""])
    expect(err).toBe(text`
      backup.yaml:1:10: .labels[app.kubernetes.io/name]: Too long: may not be more than 3 characters
      backup.yaml:2:1: .name: Too long: may not be more than 5 characters
      backup.yaml:4:13: .targets[0].port: Invalid value: 0: must be greater than or equal to 1
      backup.yaml:4:22: .targets[0].mode: Unsupported value: "Slow": supported values: "Fast", "Safe"
      backup.yaml:5:3: .targets[1].name: Required value
    `)
  })

  it("prints only type errors of objects that don't fit their types", async () => {
    const { status, err } = await smd([...args, "-"], { files: { ...go, "-": "{nam: x, name: too long}" } })
    expect(status).toBe(2)
    expect(err).toBe("standard input:1:2: .nam: field not declared in schema, in v1.Backup; did you mean name?\n")
  })

  it("uses the kind as the type, and several files as a package", async () => {
    const files = { ...go, "a.yaml": "{kind: Target, name: a, port: 1}", "b.yaml": "{kind: Targer}" }
    const sources = ["--go", "api/types.go", "--go", "api/modes.go"]
    // A struct without TypeMeta has no kind.
    expect((await smd(["validate", ...sources, "a.yaml"], { files })).err).toContain(".kind: field not declared")
    const { status, err } = await smd(["validate", ...sources, "b.yaml"], { files })
    expect(status).toBe(2)
    expect(err).toBe("api/types.go, api/modes.go: no type Targer; did you mean Target?\n")
    const { err: unnamed } = await smd(["validate", ...sources, "-"], { files: { ...go, "-": "{}" } })
    expect(unnamed).toBe("standard input:1:1: kind is missing: give --type NAME, a type of --go\n")
  })

  it("distinguishes types with one name in several packages", async () => {
    const local = text`
      package v1

      import "example.com/api/shared"

      type Set struct {
      	Items []shared.Item \`json:"items"\`
      	Item *Item \`json:"item,omitempty"\`
      }

      type Item struct {
      	// +k8s:required
      	Name string \`json:"name"\`
      }
    `
    const shared = text`
      package shared

      type Item struct {
      	// +k8s:required
      	Key string \`json:"key"\`
      }
    `
    const files = { "v1/types.go": local, "shared/types.go": shared, "-": '{name: "", key: ""}' }
    const errors = async (type: string) =>
      (await smd(["validate", "--go", "v1", "--go", "example.com/api/shared=shared", "--type", type, "-"], { files }))
        .err
    expect(await errors("Item")).toBe("standard input:1:12: .key: field not declared in schema, in v1.Item\n")
    expect(await errors("shared.Item")).toBe(
      "standard input:1:2: .name: field not declared in schema, in com.example.api.shared.Item\n",
    )
  })

  it("ignores values that are unchanged since --old", async () => {
    const files = { ...go, "old.yaml": "{name: nightly, targets: [{name: a, port: 0}]}" }
    const found = async (next: string) =>
      (await smd([...args, "--old", "old.yaml", "-"], { files: { ...files, "-": next } })).err
    expect(await found("{name: nightly, targets: [{name: b, port: 1}, {name: a, port: 0}]}")).toBe("")
    expect(await found("{name: weekly-, targets: [{name: a, port: -1}]}")).toBe(text`
      standard input:1:2: .name: Too long: may not be more than 5 characters
      standard input:1:37: .targets[0].port: Invalid value: -1: must be greater than or equal to 1
    `)
  })

  it("knows options", async () => {
    const files = { ...go, "-": "{name: a}" }
    const withOptions = (...options: string[]) => smd([...args.slice(0, 5), ...options, "-"], { files })
    const required = "standard input:1:1: .key: Required value\n"
    expect(await withOptions("--option", "Encryption")).toMatchObject({ status: 2, err: required })
    expect(await withOptions("--option", "Encryption=true", "--option", "Other")).toMatchObject({ err: required })
    expect(await withOptions("--option=Encryption=false")).toEqual({ status: 0, out: "", err: "" })
    expect((await withOptions()).err).toBe(
      'standard input:1:1: .key: Internal error: undefined validation option "Encryption"\n',
    )
    expect((await withOptions("--option", "Encryption=yes")).err).toContain(
      "smd validate: --option Encryption must be true or false, not yes\n",
    )
  })

  it("knows subresources", async () => {
    const source = text`
      package v1
      // +k8s:supportsSubresource="/status"
      type Backup struct {
      	// +k8s:required
      	Name string \`json:"name"\`
      }
    `
    const files = { "t.go": source, "-": "{}" }
    const errors = async (name: string) =>
      (await smd(["validate", "--go", "t.go", "--type", "Backup", "--subresource", name, "-"], { files })).err
    expect(await errors("status")).toBe("standard input:1:1: .name: Required value\n")
    expect(await errors("scale")).toBe(
      "standard input:1:1: Internal error: no validation found for *v1.Backup, subresource: /scale\n",
    )
  })

  it("shows rules of level alpha, which do not count", async () => {
    const files = { ...go, "-": "{name: a, targets: [{name: a, port: 1, weight: 10}]}" }
    const line = "1:40: .targets[0].weight: Invalid value: 10: must be less than or equal to 9"
    expect(await smd([...args, "-"], { files })).toEqual({
      status: 0,
      out: "",
      err: `standard input:${line} (alpha: not enforced)\n`,
    })
    const { status, out } = await smd([...args, "-o", "github", "-"], { files })
    expect(status).toBe(0)
    expect(out).toMatch(/^::warning file=standard input,line=1,col=40,title=Invalid value::/)
  })

  it("says where the source is wrong", async () => {
    const wrong = 'package v1\ntype T struct {\n\tA Missing `json:"a"`\n}\n'
    const { status, err } = await smd(["validate", "--go", "t.go", "--type", "T", "-"], {
      files: { "t.go": wrong, "-": "{}" },
    })
    expect(status).toBe(2)
    expect(err).toMatch(/^t\.go:3: T\.A: /)
    const misfit = 'package v1\ntype T struct {\n\t// +k8s:maxLength=3\n\tA int32 `json:"a"`\n}\n'
    const { err: other } = await smd(["validate", "--go", "t.go", "--type", "T", "-"], {
      files: { "t.go": misfit, "-": "{}" },
    })
    expect(other).toMatch(/^t\.go: .*maxLength/)
  })

  it("prints remarks for the author, and continues", async () => {
    const source = 'package v1\ntype T struct {\n\t// +optional\n\n\tA string `json:"a"`\n}\n'
    const files = { "t.go": source, "-": "{}" }
    expect(await smd(["validate", "--go", "t.go", "--type", "T", "-"], { files })).toEqual({
      status: 0,
      out: "",
      err: "warning: t.go:3: T.A: a blank line separates +optional from its declaration, so it is not read\n",
    })
  })

  it("checks unions by the rules, and unions of older markers by a policy", async () => {
    const declared = (marker: string) => text`
      package v1
      // ${marker === "+union" ? marker : ""}
      type Backup struct {
      	// ${marker === "+union" ? "" : marker}
      	// +optional
      	Bucket *string \`json:"bucket,omitempty"\`
      	// ${marker === "+union" ? "" : marker}
      	// +optional
      	Volume *string \`json:"volume,omitempty"\`
      }
    `
    const both = "{bucket: a, volume: b}"
    const errors = async (marker: string, ...options: string[]) => {
      const files = { "t.go": declared(marker), "old.yaml": both, "-": both }
      return (await smd(["validate", "--go", "t.go", "--type", "Backup", ...options, "-"], { files })).err
    }
    expect(await errors("+k8s:unionMember")).toBe(
      'standard input:1:1: Invalid value: "{bucket, volume}": must specify exactly one of: `bucket`, `volume`\n',
    )
    expect(await errors("+k8s:unionMember", "--old", "old.yaml")).toBe("")
    const policy = "standard input:1:1: more than one field of union applied: bucket, volume\n"
    expect(await errors("+union")).toBe(policy)
    expect(await errors("+union", "--unions", "off")).toBe("")
  })

  describe("checks unions without --unions", () => {
    const struct = (fields: string, more = "") =>
      `package v1\n${more}\ntype Backup struct {\n${fields}\n}\ntype Part struct {\n\tX int32 \`json:"x,omitempty"\`\n}\n`
    const members = (marker: string) =>
      ["A", "B"]
        .map(name => `// ${marker}\n// +optional\n${name} *Part \`json:"${name.toLowerCase()},omitempty"\``)
        .join("\n")
    const kinds = '// +enum\ntype Kind string\nconst (\nKindA Kind = "A"\nKindB Kind = "B"\nKindRest Kind = "Rest"\n)\n'
    const discriminator = '// +unionDiscriminator\n// +required\nMode Kind `json:"mode"`\n'
    const of2022 = struct(discriminator + members("+unionMember"), kinds)
    const of2019 = struct(members("+unionDeprecated"))
    const errorsOf = async (source: string, object: string, ...options: string[]) => {
      const files = { "t.go": source, "old.yaml": "{mode: A, a: {}, b: {}}", "-": object }
      const { err } = await smd(["validate", "--go", "t.go", "--type", "Backup", ...options, "-"], { files })
      return err.replaceAll(/standard input:\d+:\d+: |\n$/g, "")
    }

    it.each([
      ["{mode: A, a: {}}", of2022, ""],
      ["{mode: Rest}", of2022, ""],
      ["{mode: B}", of2022, '.b: Invalid value: "": must be specified when `mode` is "B"'],
      ["{mode: Res}", of2022, '.mode: Unsupported value: "Res": supported values: "A", "B", "Rest"'],
      ["{mode: B, a: {x: 1}}", of2022, "applied discriminator (B) doesn't match applied field (a)"],
      ["{mode: A, a: {}, b: {}}", of2022, "more than one field of union applied: a, b"],
      ["{}", of2019, ""],
      ["{b: {}}", of2019, ""],
      ["{a: {}, b: {}}", of2019, "more than one field of union applied: a, b"],
    ])("%s", async (object, source, error) => {
      expect(await errorsOf(source, object)).toBe(error)
    })

    it("as an update of the object before", async () => {
      const old = ["--old", "old.yaml"]
      expect(await errorsOf(of2022, "{mode: A, a: {x: 1}, b: {}}", ...old)).toBe("")
      expect(await errorsOf(of2022, "{mode: B, a: {}, b: {x: 1}}", ...old)).toBe("")
      expect(await errorsOf(of2022, "{mode: C, a: {}, b: {}}", ...old)).toBe(
        '.mode: Unsupported value: "C": supported values: "A", "B", "Rest"',
      )
      const files = { "t.go": of2022, "old.yaml": "{mode: 1, a: {}, b: {}}", "-": "{mode: B}" }
      const { err } = await smd(["validate", "--go", "t.go", "--type", "Backup", ...old, "-"], { files })
      expect(err).toContain(".b: ")
    })

    it("but not those that rules state, also in embedded structs", async () => {
      const alpha = members('+k8s:alpha(since: "1.37")=+k8s:unionMember')
      const embedded = struct('Inner `json:",inline"`', `type Inner struct {\n${alpha}\n}\n`)
      for (const [source, path] of [
        [struct(alpha), ""],
        [embedded, ".Inner: "],
      ] as const) {
        const files = { "t.go": source, "-": "{a: {}, b: {}}" }
        const { status, err } = await smd(["validate", "--go", "t.go", "--type", "Backup", "-"], { files })
        expect([status, err]).toEqual([
          0,
          `standard input:1:1: ${path}Invalid value: "{a, b}": must specify exactly one of: \`a\`, \`b\` (alpha: not enforced)\n`,
        ])
      }
    })

    it("in streams", async () => {
      const files = { "t.go": of2022, "-": '{"mode":"B"}\n{"mode":"A","a":{}}\n' }
      const { status, out } = await smd(["validate", "--go", "t.go", "--type", "Backup", "--stream", "-"], { files })
      expect(status).toBe(2)
      expect(out.split("\n").filter(line => line.includes("must be specified when"))).toHaveLength(1)
    })

    it("unless a policy is named that accepts more", async () => {
      expect(await errorsOf(of2022, "{mode: B}", "--unions", "v4")).toBe("")
      expect(await errorsOf(of2022, "{mode: B, a: {}}", "--unions", "off")).toBe("")
      expect(await errorsOf(of2022, "{mode: B}", "--unions", "kep-2022")).toContain("must be specified when")
    })
  })

  it("has types of Kubernetes from the built-in ones", async () => {
    const source = text`
      package v1
      import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
      type Backup struct {
      	metav1.TypeMeta \`json:""\`
      	metav1.ObjectMeta \`json:"metadata,omitempty"\`
      	// +k8s:required
      	Size *int32 \`json:"size,omitempty"\`
      }
    `
    const stream = text`
      {kind: Backup, apiVersion: a/v1, metadata: {name: x, labels: {a: 1}}, size: 1}
      ---
      {kind: Backup, apiVersion: a/v1, metadata: {name: z}}
    `
    const { err } = await smd(["validate", "--go", "t.go", "-"], { files: { "t.go": source, "-": stream } })
    expect(err.split("\n")).toEqual([
      expect.stringMatching(/^standard input:1:63: \.metadata\.labels\.a: must be text, not the number 1; quote it/),
      "standard input:3:1: .size: Required value",
      "",
    ])
  })
})

it("has the source of imports from --go PATH=DIR", async () => {
  const source = text`
    package v1
    import "example.com/api/shared"
    type Backup struct {
    	Target shared.Target \`json:"target"\`
    }
  `
  const shared = text`
    package shared
    type Target struct {
    	// +k8s:required
    	Name string \`json:"name"\`
    }
  `
  const files = { "v1/t.go": source, "shared/t.go": shared, "-": "{target: {}}" }
  const options = ["--go", "v1", "--type", "Backup"]
  const missing = await smd(["validate", ...options, "-"], { files })
  expect(missing.err).toMatch(/^v1\/t\.go:4: Backup\.Target: the source of example\.com\/api\/shared/)
  const imported = ["--go", "example.com/api/shared=shared"]
  const { err } = await smd(["validate", ...options, ...imported, "-"], { files })
  expect(err).toBe("standard input:1:2: .target.name: Required value\n")
  const { err: alone } = await smd(["validate", ...imported, "-"], { files })
  expect(alone).toContain("smd validate: --go names only imports\n")
})

describe("smd validate --output", () => {
  const files = {
    ...go,
    "a,b:c.yaml": text`
      name: "x%\\n::error::y"
      targets:
      - {name: a, port: 1, mode: "50%\\n"}
    `,
  }

  it("github writes annotations, with special characters escaped", async () => {
    const { status, out, err } = await smd([...args, "--output", "github", "a,b:c.yaml"], { files })
    expect([status, err]).toEqual([2, ""])
    expect(out).toBe(text`
      ::error file=a%2Cb%3Ac.yaml,line=1,col=1,title=Too long::.name: Too long: may not be more than 5 characters
      ::error file=a%2Cb%3Ac.yaml,line=3,col=22,title=Unsupported value::.targets[0].mode: Unsupported value: "50%25\\n": supported values: "Fast", "Safe"
    `)
  })

  it("json writes the library's result with places", async () => {
    const { status, out } = await smd([...args, "--output", "json", "a,b:c.yaml"], { files })
    expect(status).toBe(2)
    expect(JSON.parse(out)).toEqual([
      {
        file: "a,b:c.yaml",
        line: 1,
        column: 1,
        path: ".name",
        message: "Too long: may not be more than 5 characters",
        type: "FieldValueTooLong",
        field: "name",
        detail: "may not be more than 5 characters",
        origin: "maxLength",
        badValue: "<value omitted>",
      },
      expect.objectContaining({ line: 3, field: "targets[0].mode", origin: "", badValue: "50%\n" }),
    ])
    expect(await smd([...args, "--output", "json", "-"], { files: { ...go, "-": "{name: a}" } })).toEqual({
      status: 0,
      out: "[]\n",
      err: "",
    })
  })

  it("includes type errors without rules, and reports unchecked objects on standard error", async () => {
    const stream = "{apiVersion: v1, kind: Pod, spec: 1}\n---\n{apiVersion: v1, kind: Nothing}\n"
    const { status, out, err } = await smd(["validate", "-o", "github", "-"], { files: { "-": stream } })
    expect(status).toBe(2)
    expect(out).toBe(
      "::error file=standard input,line=1,col=29,title=Wrong type::.spec: must be a map, not the number 1\n",
    )
    expect(err).toMatch(/^standard input:3:18: no built-in type for v1 Nothing/)
  })
})

describe("smd validate --rules", () => {
  const container = "io.k8s.api.core.v1.Container"
  const rules = text`
    types:
      ${container}:
        fields:
        - {json: name, rules: [{tag: maxLength, value: 3}]}
  `
  const pod = (name: string, namespace: string, container: string) =>
    `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: ${namespace}}, spec: {containers: [{image: web, name: ${container}}]}}`

  it("has rules for built-in types", async () => {
    const files = { "r.yaml": rules, "-": pod("a", "x", "long-name") }
    const { status, err } = await smd(["validate", "--rules", "r.yaml", "-"], { files })
    expect(status).toBe(2)
    expect(err).toBe("standard input:1:97: .spec.containers[0].name: Too long: may not be more than 3 characters\n")
    const options = ["--type", "io.k8s.api.core.v1.Pod"]
    expect((await smd(["validate", "--rules", "r.yaml", ...options, "-"], { files })).err).toBe(err)
  })

  it("refuses a different object as the old one", async () => {
    const files = { "r.yaml": rules, "old.yaml": pod("b", "x", "long-name"), "-": pod("a", "x", "long-name") }
    const { status, err } = await smd(["validate", "--rules", "r.yaml", "--old", "old.yaml", "-"], { files })
    expect(status).toBe(2)
    expect(err).toMatch(
      /^standard input:.*: \.metadata\.name: is a, but that of the object before is b \(old\.yaml:.*\)\n$/,
    )
  })

  it("matches --old by group, kind, namespace and name", async () => {
    const old = [pod("a", "x", "long-name"), pod("b", "x", "long-name"), pod("a", "z", "web")].join("\n---\n")
    const next = [pod("a", "z", "long-name"), pod("c", "x", "long-name"), pod("b", "x", "long-name")].join("\n---\n")
    const files = { "r.yaml": rules, "old.yaml": old, "-": next }
    const { err } = await smd(["validate", "--rules", "r.yaml", "--old", "old.yaml", "-"], { files })
    expect(err.match(/input:\d+(?=.*Too long)/g)).toEqual(["input:1", "input:3"])
    const twice = { ...files, "-": pod("a", "", "long-name") }
    expect((await smd(["validate", "--rules", "r.yaml", "--old", "old.yaml", "-"], { files: twice })).err).toMatch(
      /Pod a has no namespace, but live objects are in x and z; say which in metadata\n$/,
    )
  })

  it("has rules for custom resources among the objects", async () => {
    const definition = definitionOf("Widget", { schema: { properties: { size: { type: "integer" } } } })
    const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, size: 9 }
    const files = {
      "r.yaml": "types: {com.example.v1.Widget: {fields: [{json: size, rules: [{tag: maximum, value: 5}]}]}}",
      "-": `${JSON.stringify(definition)}\n${JSON.stringify(widget)}\n${pod("a", "x", "web")
        .replaceAll(/(\w+):/g, '"$1":')
        .replaceAll(/: ?([\w-]+)/g, ':"$1"')}`,
    }
    const { err } = await smd(["validate", "--rules", "r.yaml", "-"], { files })
    expect(err).toBe("standard input:2:1: .size: Invalid value: 9: must be less than or equal to 5\n")
  })

  it("has types of its own with --type", async () => {
    const own = text`
      package: v1
      types:
        Box:
          fields:
          - {name: Size, json: size, type: int32, rules: [{tag: minimum, value: 1}]}
    `
    const files = { "r.yaml": own, "-": "{size: 0}" }
    const { err } = await smd(["validate", "--rules", "r.yaml", "--type", "Box", "-"], { files })
    expect(err).toBe("standard input:1:2: .size: Invalid value: 0: must be greater than or equal to 1\n")
  })

  it.each([
    ["{}", "r.yaml:1:1: .types is missing"],
    ["types: []", "r.yaml:1:1: .types must be a map"],
    ["[]", "r.yaml:1:1: the document must be a map"],
    ["types: {T: {field: []}}", "r.yaml:1:13: .types.T.field: unknown key; did you mean fields?"],
    ["types: {T: {fields: {}}}", "r.yaml:1:13: .types.T.fields must be a list"],
    ["types: {T: {fields: [1]}}", "r.yaml:1:22: .types.T.fields[0] must be a map"],
    ["types: {T: {fields: [{name: 1, json: a}]}}", "r.yaml:1:23: .types.T.fields[0].name must be text"],
    ["types: {T: {fields: [{name: a}]}}", "r.yaml:1:22: .types.T.fields[0].json is missing"],
    ["types: {T: {rules: [{}]}}", "r.yaml:1:21: .types.T.rules[0].tag is missing"],
    [
      "types: {T: {rules: [{tag: alpha, payload: {tag: 1}}]}}",
      "r.yaml:1:44: .types.T.rules[0].payload.tag must be text",
    ],
    ["types: {T: {rules: [{tag: enum, args: {a: []}}]}}", "r.yaml:1:40: .types.T.rules[0].args.a must be a scalar"],
    ["types: {T: {rules: null}}", "r.yaml:1:13: .types.T.rules must be a list"],
    ["types: {io.k8s.api.core.v1.Pot: {}}", "r.yaml:1:9: there is no type io.k8s.api.core.v1.Pot; did you mean"],
    [
      `types: {${container}: {fields: [{json: nam}]}}`,
      "r.yaml:1:1: type io.k8s.api.core.v1.Container: unknown field nam",
    ],
    [`types: {${container}: {rules: [{tag: maxLenght}]}}`, "r.yaml:1:1: type io.k8s.api.core.v1.Container"],
  ])("reports problems of the file with their places: %s", async (text, problem) => {
    const { status, err } = await smd(["validate", "--rules", "r.yaml", "-"], {
      files: { "r.yaml": text, "-": pod("a", "x", "web") },
    })
    expect([status, err.slice(0, problem.length)]).toEqual([2, problem])
  })
})

describe("smd validate refuses", () => {
  it.each([
    [["--option", "A"], "--option needs rules, from --go or --rules"],
    [["--subresource", "status"], "--subresource needs rules, from --go or --rules"],
    [["--go", "t.go", "--schema", "s"], "--schema can't be used with --go, which provides types and rules"],
    [["--go", "t.go", "--rules", "r"], "--rules can't be used with --go, which provides types and rules"],
    [["--output", "yaml"], "--output must be text, json, markdown, github, gitlab, junit or sarif, not yaml"],
  ])("%j", async (options, problem) => {
    const { status, err } = await smd(["validate", ...options, "a"], {
      files: { a: "{}", "t.go": types, s: "", r: "" },
    })
    expect(status).toBe(2)
    expect(err).toBe(`smd validate: ${problem}\nsmd validate --help shows how to use it.\n`)
  })

  it("files that are not Go, and folders without Go files", async () => {
    const files = { "a.txt": types, "d/x.yaml": "", "-": "{}" }
    expect((await smd(["validate", "--go", "a.txt", "-"], { files })).err).toBe(
      "a.txt: is not a Go file: its name does not end in .go\n",
    )
    expect((await smd(["validate", "--go", "d", "-"], { files })).err).toBe("d: contains no .go file\n")
    expect((await smd(["validate", "--go", "gone", "-"], { files })).err).toBe("gone: no such file\n")
    expect((await smd(["validate", "--go", "none.go", "-"], { files })).err).toBe("none.go: no such file\n")
  })
})

describe("the examples of smd validate --help", () => {
  const kind = 'package v1\ntype Backup struct {\n\tKind string `json:"kind"`\n\tName string `json:"name"`\n}\n'
  const pod = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: a}]}}"
  const files = {
    "api/v1/types.go": kind,
    "types.go": kind,
    "backup.yaml": "{kind: Backup, name: a}",
    "stored.yaml": "{kind: Backup, name: b}",
    "rules.yaml": "types: {io.k8s.api.apps.v1.Deployment: {rules: [{tag: validateTrue}]}}",
    "deployment.yaml": deployment(1),
    "service.yaml": "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}]}}",
    "pod.yaml": pod,
    "crds.yaml": JSON.stringify(definitionOf("Widget")),
    "live.yaml": "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a, uid: b}}",
    "widget.yaml": "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}}",
    "schema.yaml": "types: [{name: cluster, map: {elementType: {scalar: string}}}]",
    "cluster.yaml": "{a: b}",
  }

  // Those of streams run in test/cli/stream.
  it.each(validate.examples.filter(example => !example.includes("--stream")))("run: %s", async example => {
    const [before, command = before] = example.split(" | ")
    const input = /^cat (.*)$/.exec(before as string)?.[1] as keyof typeof files | undefined
    const given = input === undefined ? files : { ...files, "-": files[input] }
    expect(await smd((command as string).split(" ").slice(1), { files: given })).toEqual({
      status: 0,
      out: "",
      err: "",
    })
  })
})

it("matches docs/cli.md", async () => {
  const [, section = ""] = read("docs/cli.md").split("\n## Validation\n")
  const [block = ""] = codeBlocks(section, "console")
  const [command = "", ...shown] = block.split("\n")
  const source = text`
    package v1

    type Backup struct {
    	Kind string \`json:"kind"\`
    	// +optional
    	Spec BackupSpec \`json:"spec,omitempty"\`
    }

    type BackupSpec struct {
    	// +k8s:listType=map
    	// +k8s:listMapKey=name
    	// +optional
    	Targets []Target \`json:"targets,omitempty"\`
    }

    type Target struct {
    	// +k8s:required
    	Name string \`json:"name"\`
    	// +k8s:minimum=1
    	Port int32 \`json:"port"\`
    }
  `
  const files = {
    "api/v1/types.go": source,
    "stored.yaml": "{kind: Backup, spec: {targets: [{name: old, port: -1}]}}",
    "backup.yaml": "# Nightly.\nkind: Backup\nspec:\n  targets:\n  - {name: old, port: -1}\n  - {port: 0}\n",
  }
  const { status, out, err } = await smdWithCounts(command.replace("$ smd ", "").split(" "), { files })
  expect([status, out]).toEqual([2, ""])
  expect(err).toBe(shown.join("\n"))
})
