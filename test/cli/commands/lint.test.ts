import { describe, expect, it } from "vitest"
import { lint } from "../../../src/cli/commands/lint.js"
import { parseJson } from "../../../src/json/json.js"
import { read } from "../../support/documents.js"
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
/** A Deployment that was created by `kubectl apply`, and is applied by flux now; and a Widget of a kind that nobody knows. */
const live = (kind: string) => text`
  apiVersion: apps/v1
  kind: ${kind}
  metadata:
    name: web
    managedFields:
    - manager: flux
      operation: Apply
      apiVersion: apps/v1
      time: "2026-01-02T00:00:00Z"
      fieldsType: FieldsV1
      fieldsV1: {f:spec: {f:replicas: {}}}
    - manager: kubectl-client-side-apply
      operation: Update
      apiVersion: apps/v1beta1
      time: "2026-01-01T00:00:00Z"
      fieldsType: FieldsV1
      fieldsV1: {f:spec: {f:paused: {}}}
    - manager: kubectl-client-side-apply
      operation: Update
      apiVersion: apps/v1
      time: "2026-01-01T00:00:00Z"
      fieldsType: FieldsV1
      fieldsV1: {f:spec: {f:replicas: {}}}
  spec: {replicas: 2, paused: true, strategy: {type: Recreate, rollingUpdate: {maxSurge: 1}}}
`
const files = {
  "-": live("Deployment"),
  "live/web.yaml": live("Deployment"),
  "live/other.yaml": live("Other"),
  "widgets-crd.yaml": crd,
  "widget.yaml": widget,
  "manifests/web.yaml": strategy,
  "manifests/more/widgets-crd.yaml": crd,
  "api/v1/types.go": types("b"),
}

/** Those of streams run in test/cli/stream. */
const runHere = (example: string) => !example.includes("--stream") && !example.startsWith("smd lint deployments")

describe("smd lint", () => {
  it("says how much it checked, and counts what validate reports", async () => {
    const good = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    const more = {
      "web/a.yaml": good,
      "web/b.yaml": good.replace("name: a", "name: b").concat("datta: {}\n"),
      "web/c.yaml": "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: c}\n",
    }
    const others = "other problems, such as unknown fields or a removed version: smd validate reports them\n"
    expect(await smd(["lint", "web/a.yaml"], { files: more })).toEqual({
      status: 0,
      out: "",
      err: "checked 1 object in 1 file: no findings\n",
    })
    expect((await smd(["lint", "web"], { files: more })).err).toBe(
      `checked 3 objects in 3 files: no findings\n2 objects have ${others}`,
    )
    expect((await smd(["lint", "web/b.yaml"], { files: more })).err).toMatch(/\n1 object has other problems, /)
    expect((await smd(["lint", "web", "-o", "json"], { files: more })).err).toBe("")
  })

  it("reports problems of definitions and configurations at their places", async () => {
    const { status, out, err } = await smd(["lint", "widgets-crd.yaml", "widget.yaml", "manifests/web.yaml"], { files })
    const spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec"
    expect(out.split("\n")).toEqual([
      `widgets-crd.yaml:19:15: error: ${spec}/properties/http: http is always set, so no other member of its union can be: grpc; ` +
        "make it optional (+optional), and give it no default (union-member-required)",
      `widgets-crd.yaml:14:11: info: ${spec}: no field says which of http, grpc is set, so a client that does not know the member ` +
        "drops it silently; add a discriminator, if the API is new (union-undiscriminated)",
      "widget.yaml:4:1: error: .spec: http and grpc are set, and only one of http, grpc may be; leave all but one of them out " +
        "(config-several-members)",
      'manifests/web.yaml:5:3: error: .spec.strategy: type is "Recreate", which selects nothing, and rollingUpdate is set; leave ' +
        'rollingUpdate out, or let type be "RollingUpdate" (config-other-member)',
      "",
    ])
    expect([status, err.includes("union of exactly one of http, grpc")]).toEqual([1, true])
  })

  it("reports values that a server stores in another form, with a patch for programs", async () => {
    const hook =
      "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, annotations: {}}\nspec: {http: {port: 1}}\n"
    const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  hostNetwork: false\n"
    const more = { ...files, "pod.yaml": pod, "hook.yaml": hook }
    const { status, out } = await smd(["lint", "pod.yaml"], { files: more })
    expect([status, out]).toEqual([
      0,
      "pod.yaml:5:3: info: .spec.hostNetwork: a server does not store false, so a second manager that applies the same is in conflict " +
        "about it; omit it (config-not-canonical)\n",
    ])
    const custom = await smd(["lint", "hook.yaml", "--crd", "widgets-crd.yaml", "-o", "json"], { files: more })
    expect(parseJson(custom.out)).toMatchObject([
      { code: "config-not-canonical", patch: [{ op: "remove", path: "/metadata/annotations" }], line: 3 },
    ])
  })

  it("reports keys that are there twice, in lists of objects too, where other commands refuse them", async () => {
    const list = text`
      apiVersion: v1
      kind: List
      items:
      - {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
      - apiVersion: v1
        kind: ConfigMap
        metadata: {name: b}
        data: {a: one}
        data: {a: two}
    `
    const env =
      "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    env:\n    - {name: A}\n    - {name: A}\n"
    const more = { "list.yaml": list, "pod.yaml": env }
    const { status, out, err } = await smd(["lint", "list.yaml", "pod.yaml"], { files: more })
    expect([status, out.split("\n"), err]).toEqual([
      1,
      [
        "list.yaml:9:3: error: .data: the key is there twice, in lines 8 and 9: the last value counts, unless a server or a tool refuses " +
          "both; keep one of them (config-duplicate-key)",
        'pod.yaml:8:7: error: .spec.containers[name="a"].env[1]: has the same key as item 0, [name="A"], so an apply is refused; keep one ' +
          "of them (config-duplicate-key)",
        "",
      ],
      "checked 3 objects in 2 files: 2 errors\n",
    ])
    expect((await smd(["validate", "list.yaml"], { files: more })).err).toContain(
      'list.yaml:9:3: key "data" already set',
    )
  })

  it("prints a repeated key that is no text as it was written, and as it was read for programs", async () => {
    const numbers = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  1000: a\n  1e3: b\n"
    const files = { "numbers.yaml": numbers, "switches.yaml": numbers.replace("1000", "yes").replace("1e3", "on") }
    const lines = "in lines 5 and 6: the last value counts, unless a server or a tool refuses both"
    const end = "unless it is quoted; keep one of them (config-duplicate-key)"
    const { out } = await smd(["lint", "numbers.yaml", "switches.yaml"], { files })
    expect(out.split("\n").filter(line => line.includes("config-duplicate-key"))).toEqual([
      `numbers.yaml:6:3: error: .data.1e3: the key is there twice, ${lines}; the key \`1e3\` means 1000 in YAML 1.1, ${end}`,
      `switches.yaml:6:3: error: .data.on: the key is there twice, ${lines}; the key \`on\` means true in YAML 1.1, ${end}`,
    ])
    const github = await smd(["lint", "numbers.yaml", "-o", "github"], { files })
    expect(github.out).toContain("::.data.1e3: the key is there twice")
    const json = await smd(["lint", "numbers.yaml", "-o", "json"], { files })
    expect(parseJson(json.out)).toMatchObject([{ path: ".data.1000", message: `the key is there twice, ${lines}` }])
  })

  it("prints the same for programs, and annotations for a workflow", async () => {
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

  it("reports problems of live objects, whether their kind is known or not", async () => {
    const { status, out } = await smd(["lint", "live"], { files })
    const at = ".metadata.managedFields"
    expect(out.split("\n")).toEqual([
      `live/other.yaml:18:5: warning: ${at}[2]: kubectl-client-side-apply (Update) owns 1 field that flux applies: they stay when flux ` +
        "leaves them out; let flux be the only owner: smd managers upgrade (applied-and-updated)",
      `live/web.yaml:14:5: warning: ${at}[1].apiVersion: kubectl-client-side-apply (Update) owns fields at apps/v1beta1, and Deployment ` +
        "has no such version since Kubernetes 1.16: the next write drops the entry, and its fields have no owner; move its fields to a version that exists (smd managers " +
        "to-version apps/v1 --all-managers), or remove the entry (smd managers drop-version apps/v1beta1) (version-gone)",
      `live/web.yaml:18:5: warning: ${at}[2]: kubectl-client-side-apply (Update) owns 1 field that flux applies: they stay when flux ` +
        "leaves them out; let flux be the only owner: smd managers upgrade (applied-and-updated)",
      'live/web.yaml:24:35: error: .spec.strategy: type is "Recreate", which selects nothing, and rollingUpdate is set; leave ' +
        'rollingUpdate out, or let type be "RollingUpdate" (config-other-member)',
      "",
    ])
    expect(status).toBe(1)
    const json = parseJson((await smd(["lint", "live/other.yaml", "-o", "json"], { files })).out)
    expect(json).toMatchObject([{ code: "applied-and-updated", manager: "kubectl-client-side-apply", line: 18 }])
  })

  it("has options for the limits of sizes", async () => {
    const codes = async (...args: string[]) => {
      const { out } = await smd(["lint", "live/other.yaml", ...args], { files })
      return Array.from(out.matchAll(/\((managed-[a-z-]+)\)$/gm), ([, code]) => code)
    }
    expect(await codes("--max-entries", "2")).toEqual(["managed-fields-large"])
    expect(await codes("--max-bytes", "300")).toEqual(["managed-fields-large"])
    expect(await codes("--max-bytes", "3000", "--max-share", "0")).toEqual([])
    const { status, err } = await smd(["lint", "live", "--max-share", "half"], { files })
    expect([status, err]).toEqual([2, expect.stringContaining("--max-share must be a whole number, not half")])
  })

  it("reports managers that nobody expects, by the clock or by a date", async () => {
    const now = new Date("2026-01-02T12:00:00Z")
    const idle = async (...args: string[]) => {
      const { out } = await smd(["lint", "live/other.yaml", "-o", "json", ...args], { files, now })
      const found = parseJson(out) as { readonly code: string; readonly manager: string }[]
      return found.filter(({ code }) => code === "idle-manager").map(({ manager }) => manager)
    }
    const clientSide = "kubectl-client-side-apply"
    expect(await idle("--known-managers", "flux, kubectl")).toEqual([clientSide, clientSide])
    expect(await idle("--known-managers", "flux,kubectl*")).toEqual([])
    expect(await idle("--older-than", "12h")).toEqual([clientSide, clientSide])
    expect(await idle("--older-than", "2026-01-03")).toEqual(["flux", clientSide, clientSide])
    expect(await idle("--older-than", "36h")).toEqual([])
    for (const args of [
      ["--older-than", "soon"],
      ["--older-than", "2026-99-99"],
      ["--known-managers", "a,,b"],
    ]) {
      const { status, err } = await smd(["lint", "live", ...args], { files })
      expect([status, err]).toEqual([2, expect.stringContaining(`${args[0]} must be `)])
    }
  })

  it("checks Go types, with the lines of the source", async () => {
    const { status, out } = await smd(["lint", "--go", "api/v1"], { files })
    expect([status, out.split("\n")]).toEqual([
      1,
      [
        "api/v1/types.go:7:1: error: v1.Spec.b: b is always set, so no other member of its union can be: a; " +
          "make it optional (+optional), and give it no default (union-member-required)",
        "api/v1/types.go:2:1: info: v1.Spec: no field says which of a, b is set, so a client that does not know the member drops it " +
          "silently; add a discriminator, if the API is new (union-undiscriminated)",
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

  it.each(lint.examples.filter(runHere))("runs its example: %s", async example => {
    const [, args = ""] = /smd (lint .*)$/.exec(example) ?? []
    const { status, out, err } = await smd(args.split(" "), { files })
    expect([status, out === "", err]).toEqual([
      example.includes("never") ? 0 : 1,
      false,
      expect.not.stringContaining("smd lint"),
    ])
  })

  it("folds findings on a terminal, and prints each on one line for programs", async () => {
    const manifest =
      "apiVersion: apps/v1\nkind: Deployment\nspec:\n  strategy: {type: Recreate, rollingUpdate: {maxSurge: 1}}\n"
    const files = { "web.yaml": manifest }
    const { out } = await smd(["lint", "web.yaml"], { files })
    const { out: shown } = await smd(["lint", "web.yaml"], { files, isTTY: true, env: { NO_COLOR: "1" } })
    expect(out).toMatch(/^web\.yaml:4:3: error: .*\n$/)
    expect(shown.replaceAll("\n    ", " ")).toBe(out)
    expect(shown.split("\n").map(line => line.length > 80)).toEqual([false, false, false, false])
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

it("checks the other objects if the kind of one is unknown", async () => {
  const files = { "unknown.yaml": "{apiVersion: nope.io/v1, kind: Nope, metadata: {name: n}}", "web.yaml": strategy }
  const unknown =
    "unknown.yaml:1:26: no built-in type for nope.io/v1 Nope; custom resources need --crd FILE, --openapi FILE, or --schema FILE --type NAME\n"
  const found = await smd(["lint", "unknown.yaml", "web.yaml"], { files })
  expect(found.status).toBe(2)
  expect(found.out).toMatch(/^web\.yaml:.* \(config-other-member\)\n$/)
  expect(found.err).toBe(`checked 1 object in 1 file: 1 error\n${unknown}`)
  const report = await smd(["lint", "unknown.yaml", "web.yaml", "-o", "json", "--out", "report.json"], { files })
  expect([report.status, report.err]).toEqual([2, unknown])
  expect(parseJson(report.written?.["report.json"] ?? "")).toMatchObject([{ code: "config-other-member" }])
  expect(await smd(["lint", "unknown.yaml"], { files })).toMatchObject({ status: 2, out: "", err: unknown })
})
