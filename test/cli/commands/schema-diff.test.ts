import { describe, expect, it } from "vitest"
import { schemaDiff } from "../../../src/cli/commands/schema-diff.js"
import { formatYaml } from "../../../src/io/yaml-format.js"
import { formatJson, parseJson } from "../../../src/json/json.js"
import type { SchemaDiff } from "../../../src/tools/ownership/schema-diff.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { definitionOf } from "../../support/definition.js"
import { codeBlocks, read } from "../../support/documents.js"
import { schemaErrors } from "../../tools/ownership/schema.js"
import { smd, text } from "../cli.js"

/** The definition of widgets, as YAML. */
function crd(hosts: string, keys: readonly string[], properties: MapValue, versions = ["v1"]): string {
  const port = { name: string, port: { type: "integer" }, protocol: { ...string, default: "TCP" } }
  const ports = {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": keys,
    items: { type: "object", required: ["name"], properties: port },
  }
  const spec = { hosts: { type: "array", items: string, "x-kubernetes-list-type": hosts }, ports, ...properties }
  const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", properties: spec } } }
  return formatYaml(
    definitionOf("Widget", { spec: { versions: versions.map(name => ({ name, schema: { openAPIV3Schema } })) } }),
  )
}

const string = { type: "string" }
const old = crd("set", ["name"], { note: string })
const now = crd("atomic", ["name", "protocol"], { schedule: string })

function widget(name: string, owners: Readonly<Record<string, MapValue>>, spec: MapValue): Value {
  const managedFields = Object.entries(owners).map(([manager, fields]) => ({
    manager,
    operation: "Apply",
    apiVersion: "example.com/v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": fields },
  }))
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name, namespace: "default", managedFields }, spec }
}

const live = {
  "live/a.json": formatJson(
    widget(
      "a",
      { ann: { "f:hosts": { 'v:"x"': {} } }, bob: { "f:hosts": { 'v:"y"': {} }, "f:note": {} } },
      { hosts: ["x", "y"], note: "n" },
    ),
  ),
  "live/more/b.json": formatJson(widget("b", { bob: { "f:note": {} } }, { note: "n" })),
  "live/c.json": formatJson(widget("c", {}, {})),
}
const go = (marker: string) =>
  [
    "package v1",
    "type Spec struct {",
    `  // +listType=${marker}`,
    '  Hosts []string `json:"hosts,omitempty"`',
    "}",
  ].join("\n")
const files = {
  "old/widgets-crd.yaml": old,
  "widgets-crd.yaml": now,
  "-": old,
  "old/api/v1/types.go": go("set"),
  "api/v1/types.go": go("atomic"),
  ...live,
}
const diffed = ["schema", "diff", "old/widgets-crd.yaml", "widgets-crd.yaml"]

async function dataOf(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<SchemaDiff> {
  const { out, err } = await smd([...args, "-o", "json"], { files: { ...files, ...more } })
  expect(err).toBe("")
  const [diff] = parseJson(out) as unknown as [SchemaDiff]
  expect(schemaErrors(diff)).toBe("")
  return diff
}

const summaries = ({ changes }: SchemaDiff) =>
  changes.map(({ code, places }) => `${code} ${places.map(({ type, path }) => `${type}${path}`).join(" ")}`)

describe("smd schema diff", () => {
  it.each([80, 120])("shows changes, their effects on owners, and a summary, at %i columns", async columns => {
    const { status, out } = await smd([...diffed, "--objects", "live", "-R"], { files, columns })
    expect(status).toBe(1)
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(columns)
    await expect(out).toMatchFileSnapshot(`../golden/schema-diff/${columns}.txt`)
  })

  it("shows the same in a comment on a pull request", async () => {
    const { out } = await smd([...diffed, "--objects", "live", "-R", "-o", "markdown"], { files })
    await expect(out).toMatchFileSnapshot("../golden/schema-diff/comment.md")
  })

  it("is what docs/schema-diff.md shows", async () => {
    const [shown = ""] = codeBlocks(read("docs/schema-diff.md"), "text")
    const [command = "", ...lines] = shown.split("\n")
    const { out } = await smd(command.replace("$ smd ", "").split(" "), { files, columns: 80 })
    expect(out).toBe(lines.join("\n"))
  })

  it("prints the same for programs, each change with the affected managers", async () => {
    const diff = await dataOf([...diffed, "--objects", "live", "-R"])
    expect(summaries(diff)).toEqual([
      "list-atomic example.com/v1 Widget.spec.hosts",
      "field-removed example.com/v1 Widget.spec.note",
      "list-keys example.com/v1 Widget.spec.ports",
      "field-added example.com/v1 Widget.spec.schedule",
    ])
    expect(diff.changes.map(({ affected }) => affected)).toEqual([
      { objects: 1, owners: 2, managers: ["ann", "bob"] },
      { objects: 2, owners: 2, managers: ["bob"] },
      { objects: 0, owners: 0, managers: [] },
      { objects: 0, owners: 0, managers: [] },
    ])
    expect(diff.objects).toEqual({
      checked: 3,
      others: 0,
      unfit: 0,
      affected: { objects: 2, owners: 3, managers: ["ann", "bob"] },
    })
  })

  it("annotates the lines of NEW", async () => {
    const { status, out } = await smd([...diffed, "-o", "github"], { files })
    const lines = now.split("\n")
    const line = (start: RegExp) => lines.findIndex(found => start.test(found)) + 1
    expect(status).toBe(1)
    // A removed field is reported at the field that contained it.
    expect([...out.matchAll(/line=(\d+).*title=([^:]*)/g)].map(([, at, code]) => [Number(at), code])).toEqual([
      [line(/^ *hosts:/), "list-atomic"],
      [lines.findLastIndex(found => /^ *spec:$/.test(found)) + 1, "field-removed"],
      [line(/^ *ports:/), "list-keys"],
    ])
  })

  it.each([
    ["nothing changes", ["old/widgets-crd.yaml", "-"], 0],
    ["only fields are new", ["old/widgets-crd.yaml", "more.yaml"], 0],
    ["ownership changes", ["old/widgets-crd.yaml", "widgets-crd.yaml"], 1],
    ["a default changes", ["old/widgets-crd.yaml", "default.yaml"], 0],
    ["the default of a key changes", ["widgets-crd.yaml", "key.yaml"], 1],
    ["none of the objects is concerned", ["old/widgets-crd.yaml", "widgets-crd.yaml", "--objects", "live/c.json"], 0],
    ["an object is concerned", ["old/widgets-crd.yaml", "widgets-crd.yaml", "--objects", "live/a.json"], 1],
    ["a file is missing", ["old/widgets-crd.yaml", "none.yaml"], 2],
    ["NEW is missing", ["old/widgets-crd.yaml"], 2],
    ["there is a third", ["old/widgets-crd.yaml", "-", "widgets-crd.yaml"], 2],
    ["Go types stand beside operands", ["old/widgets-crd.yaml", "--go", "api/v1"], 2],
    ["a file holds something else", ["old/widgets-crd.yaml", "live/a.json"], 2],
  ])("has its exit status if %s", async (_, args, expected) => {
    const more = {
      "more.yaml": crd("set", ["name"], { note: string, more: string }),
      "default.yaml": old.replace("default: TCP", "default: UDP"),
      "key.yaml": now.replace("default: TCP", "default: UDP"),
    }
    expect((await smd(["schema", "diff", ...args], { files: { ...files, ...more } })).status).toBe(expected)
  })

  it("reports problems with their places", async () => {
    const errors = async (name: string, content: string, ...args: string[]) =>
      (await smd(["schema", "diff", "old/widgets-crd.yaml", ...args, name], { files: { ...files, [name]: content } }))
        .err
    expect(await errors("bad.yaml", now.replace("kind: Widget", "kind: ''"))).toMatch(
      /^bad\.yaml:\d+:\d+: .*kind is missing/,
    )
    expect(await errors("bad.yaml", "types:\n- name: a\n  map: {fields: 1}")).toMatch(/^bad\.yaml:3:\d+: /)
    expect(await errors("bad.yaml", "types: [")).toMatch(/^bad\.yaml:1:\d+: /)
    const broken =
      '{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"managedFields": [{"fieldsType": "FieldsV1", "fieldsV1": {"x": {}}}]}}'
    expect(await errors("bad.json", broken, "widgets-crd.yaml", "--objects")).toMatch(
      /^bad\.json:1:\d+: \.metadata\.managedFields\[0\]/,
    )
    expect(await errors("bad.go", "package v1\ntype T struct {")).toMatch(/^bad\.go:\d+/)
  })

  it("reports removed and new versions, and a change of all versions once", async () => {
    const two = {
      "two.yaml": crd("set", ["name"], {}, ["v1beta1", "v1"]),
      "three.yaml": crd("atomic", ["name"], {}, ["v1", "v2"]),
    }
    expect(summaries(await dataOf(["schema", "diff", "two.yaml", "three.yaml"], two))).toEqual([
      "list-atomic example.com/v1 Widget.spec.hosts",
      "version-removed example.com/v1beta1 Widget",
      "version-added example.com/v2 Widget",
    ])
    const both = { ...two, "both.yaml": crd("atomic", ["name"], {}, ["v1beta1", "v1"]) }
    expect(summaries(await dataOf(["schema", "diff", "two.yaml", "both.yaml"], both))).toEqual([
      "list-atomic example.com/v1beta1 Widget.spec.hosts example.com/v1 Widget.spec.hosts",
    ])
    const { out } = await smd(["schema", "diff", "two.yaml", "both.yaml"], { files: { ...files, ...both } })
    expect(out).toContain("example.com/v1beta1 and example.com/v1 Widget\n  ! .spec.hosts")
  })

  it("folds changes without affected managers, and reports shared types once", async () => {
    const fields = Object.fromEntries(["a", "b", "c", "d", "e", "f", "g"].map(name => [name, string]))
    const more = { "more.yaml": crd("set", ["name"], { note: string, ...fields }) }
    const { out } = await smd(["schema", "diff", "old/widgets-crd.yaml", "more.yaml"], { files: { ...files, ...more } })
    expect(out.split("\n")).toEqual([
      "example.com/v1 Widget",
      "  = 7 times  a field is new  field-added",
      "      .spec.a, .spec.b, .spec.c, .spec.d, .spec.e and 2 more",
      "",
      "Schema diff: 7 changes that concern no owner.",
      "",
    ])
    const gadgets = (type: string) =>
      [old, old.replaceAll("Widget", "Gadget")]
        .map(text => text.replace("x-kubernetes-list-type: set", `x-kubernetes-list-type: ${type}`))
        .join("---\n")
    const two = { "a.yaml": gadgets("set"), "b.yaml": gadgets("atomic") }
    expect((await smd(["schema", "diff", "a.yaml", "b.yaml"], { files: two })).out).toMatch(
      /^example\.com\/v1 Widget and Gadget\n {2}! \.spec\.hosts {2}set -> atomic list {2}list-atomic\n/,
    )
  })

  it("compares Go types, with what they import", async () => {
    const shared = {
      "old/shared/s.go": go("set").replace("v1", "shared"),
      "shared/s.go": go("atomic").replace("v1", "shared"),
    }
    expect(summaries(await dataOf(["schema", "diff", "old/api/v1", "api/v1/types.go"]))).toEqual([
      "list-atomic v1.Spec.hosts",
    ])
    const source = 'package v1\nimport "example.com/shared"\ntype T struct {\n  Spec shared.Spec `json:"spec"`\n}'
    const more = { ...shared, "t.go": source, "n.go": source.replace("}", '  Name string `json:"name"`\n}') }
    expect(
      summaries(await dataOf(["schema", "diff", "t.go", "n.go", "--go", "example.com/shared=shared"], more)),
    ).toEqual(["field-added v1.T.name"])
    const { out } = await smd(["schema", "diff", "--go", "old/api/v1", "--go", "api/v1", "-o", "github"], { files })
    expect(out).toContain("::error file=api/v1/types.go,line=4,col=1,title=list-atomic::")
  })

  it("compares schema documents and OpenAPI documents", async () => {
    const schema = (relationship: string) => text`
      types:
      - name: root
        map: {fields: [{name: spec, type: {namedType: spec}}]}
      - name: spec
        map: {fields: [{name: next, type: {namedType: spec}}, {name: hosts, type: {list: {elementType: {scalar: string}, elementRelationship: ${relationship}}}}]}
    `
    const more = { "a.yaml": schema("atomic"), "b.yaml": schema("associative") }
    const found = await dataOf(["schema", "diff", "a.yaml", "b.yaml"], more)
    expect(summaries(found)).toEqual(["list-granular root.spec.hosts"])
    expect(summaries(await dataOf(["schema", "diff", "a.yaml", "b.yaml", "--type", "spec"], more))).toEqual([
      "list-granular spec.hosts",
    ])
    const wrong = await smd(["schema", "diff", "a.yaml", "b.yaml", "--type", "spek"], { files: more })
    expect([wrong.status, wrong.err]).toEqual([2, "no type spek; did you mean spec?\n"])
    const openapi = (type: string, version: "2" | "3") => {
      const hosts = { type: "array", items: { type: "string" }, "x-kubernetes-list-type": type }
      const kind = [{ group: "example.com", version: "v1", kind: "Widget" }]
      const types = { Widget: { type: "object", properties: { hosts }, "x-kubernetes-group-version-kind": kind } }
      return formatJson(
        version === "2" ? { swagger: "2.0", definitions: types } : { openapi: "3.0.0", components: { schemas: types } },
      )
    }
    const documents = { "v2.json": openapi("set", "2"), "v3.json": openapi("atomic", "3") }
    expect(summaries(await dataOf(["schema", "diff", "v2.json", "v3.json"], documents))).toEqual([
      "list-atomic example.com/v1 Widget.hosts",
    ])
  })

  it.each(schemaDiff.examples)("runs its example: %s", async example => {
    const args = example
      .replace(/^.*\| /, "")
      .split(" ")
      .slice(1)
    const { status, err } = await smd(args, { files })
    expect([status, err]).toEqual([1, ""])
  })
})
