import { describe, expect, it } from "vitest"
import { lint } from "../../../src/cli/commands/lint.js"
import { parseJson } from "../../../src/json/json.js"
import { read } from "../../support/examples.js"
import { smd, text } from "../cli.js"

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
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [http]
              oneOf: [{required: [http]}, {required: [grpc]}]
              properties:
                http: {type: object, properties: {port: {type: integer}}}
                grpc: {type: object, properties: {port: {type: integer}}}
`
const widget = text`
  apiVersion: example.com/v1
  kind: Widget
  metadata: {name: w}
  spec:
    http: {port: 80}
    grpc: {port: 81}
`
const strategy = text`
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec:
    strategy:
      type: Recreate
      rollingUpdate: {maxSurge: 1}
`
const types = (b: string) =>
  [
    "package v1",
    "type Spec struct {",
    "  // +k8s:unionMember",
    "  // +optional",
    '  A *string `json:"a,omitempty"`',
    "  // +k8s:unionMember",
    `  B *string \`json:"${b}"\``,
    "}",
  ].join("\n")
const files = {
  "widgets-crd.yaml": crd,
  "widget.yaml": widget,
  "manifests/web.yaml": strategy,
  "manifests/more/widgets-crd.yaml": crd,
  "api/v1/types.go": types("b"),
}

describe("smd lint", () => {
  it("tells what is wrong with definitions and configurations, at its place", async () => {
    const { status, out, err } = await smd(["lint", "widgets-crd.yaml", "widget.yaml", "manifests/web.yaml"], { files })
    const spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec"
    expect(out.split("\n")).toEqual([
      `widgets-crd.yaml:19:15: error: ${spec}/properties/http: http is always set, so no other member of its union can be: grpc; ` +
        "make it optional (+optional), and give it no default (union-member-required)",
      `widgets-crd.yaml:14:11: info: ${spec}: nothing says which of http, grpc is meant, so a client that does not know one of them ` +
        "drops it unseen; add a discriminator, if the API is new (union-undiscriminated)",
      "widget.yaml:4:1: error: .spec: http and grpc are set, and only one of http, grpc may be; leave all but one of them out " +
        "(config-several-members)",
      'manifests/web.yaml:5:3: error: .spec.strategy: type is "Recreate", which selects nothing, and rollingUpdate is set; leave ' +
        'rollingUpdate out, or let type be "RollingUpdate" (config-other-member)',
      "",
    ])
    expect([status, err.includes("union of exactly one of http, grpc")]).toEqual([1, true])
  })

  it("has the same for programs, and annotations for a workflow", async () => {
    const json = await smd(["lint", "manifests/web.yaml", "-o", "json"], { files })
    expect([json.status, parseJson(json.out)]).toEqual([
      1,
      [
        {
          code: "config-other-member",
          severity: "error",
          path: ".spec.strategy",
          message: 'type is "Recreate", which selects nothing, and rollingUpdate is set',
          remedy: 'leave rollingUpdate out, or let type be "RollingUpdate"',
          file: "manifests/web.yaml",
          line: 5,
          column: 3,
        },
      ],
    ])
    const { out } = await smd(["lint", "widgets-crd.yaml", "--output", "github"], { files })
    expect(out).toMatch(
      /^::error file=widgets-crd\.yaml,line=19,col=15,title=union-member-required::\/spec\/versions\/0\/\S+\/http: http is always set/,
    )
    expect(out).toMatch(/^::notice file=widgets-crd\.yaml,line=14,col=11,title=union-undiscriminated::/m)
  })

  it("checks Go types, with the lines of the source", async () => {
    const { status, out } = await smd(["lint", "--go", "api/v1"], { files })
    expect([status, out.split("\n")]).toEqual([
      1,
      [
        "api/v1/types.go:7:1: error: v1.Spec.b: b is always set, so no other member of its union can be: a; " +
          "make it optional (+optional), and give it no default (union-member-required)",
        "api/v1/types.go:2:1: info: v1.Spec: nothing says which of a, b is meant, so a client that does not know one of them drops it " +
          "unseen; add a discriminator, if the API is new (union-undiscriminated)",
        "",
      ],
    ])
    const wrong = { "types.go": types("b").replace("// +k8s:unionMember\n", "// +listType=bag\n") }
    const found = await smd(["lint", "--go", "types.go"], { files: wrong })
    expect([found.status, found.out]).toEqual([
      1,
      expect.stringMatching(/^types\.go:\d+:1: error: Spec\.A: .*\(go-types-invalid\)\n$/),
    ])
  })

  it.each<[string[], number]>([
    [["widget.yaml"], 2],
    [["widget.yaml", "--crd", "widgets-crd.yaml"], 1],
    [["widget.yaml", "--crd", "widgets-crd.yaml", "--fail-on", "never"], 0],
    [["--go", "fine.go"], 0],
    [["--go", "odd.go"], 0],
    [["--go", "odd.go", "--fail-on", "warning"], 1],
    [["missing.yaml"], 2],
    [["list.yaml"], 2],
    [[], 2],
    [["widget.yaml", "--fail-on", "info"], 2],
  ])("%j exits with %i", async (args, expected) => {
    const more = {
      ...files,
      "fine.go": types("b,omitempty"),
      "odd.go": types("b,omitempty").replace(
        "  // +k8s:unionMember\n  // +optional",
        "  // +optional\n\n  // +k8s:unionMember\n  // +optional",
      ),
      "list.yaml": crd.replace("group: example.com", "group: ''"),
    }
    expect((await smd(["lint", ...args], { files: more })).status).toBe(expected)
  })

  it.each(lint.examples)("runs its example: %s", async example => {
    const { status, err } = await smd(example.split(" ").slice(1), { files })
    expect([status, err.includes("smd lint")]).toEqual([1, false])
  })

  it("is what docs/cli.md shows", async () => {
    const [, command = "", shown = ""] = /^\$ smd (lint .*)\n(.*\n)/m.exec(read("docs/cli.md")) ?? []
    expect((await smd(command.split(" "), { files })).out).toBe(shown)
  })

  it("is what docs/lint.md shows", async () => {
    const [shown = ""] = Array.from(
      read("docs/lint.md").matchAll(/(?<=\$ smd lint .*\n)( {4}.+\n)+/g),
      ([block]) => block,
    )
    const line = shown.replaceAll(/\s+/g, " ").trim()
    const { out } = await smd(["lint", "widgets-crd.yaml", "widget.yaml"], { files })
    expect(out).toContain(line)
  })
})
