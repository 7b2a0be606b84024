/** Whole applications: several objects, Lists, folders, definitions among the objects, live objects found by name. */
import { describe, expect, it } from "vitest"
import { parseYamlDocuments } from "../../../src/io/yaml.js"
import { formatYaml } from "../../../src/io/yaml-format.js"
import { parseJson } from "../../../src/json/json.js"
import type { MapValue } from "../../../src/value/value.js"
import { definitionOf } from "../../support/definition.js"
import { deployment, smd, text } from "../cli.js"

const configMap = (name: string, value: string, namespace?: string): string => text`
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: ${name}${namespace === undefined ? "" : `, namespace: "${namespace}"`}}
  data: {key: "${value}"}
`
const listOf = (...objects: string[]): string =>
  JSON.stringify({ apiVersion: "v1", kind: "List", items: objects.flatMap(object => parseYamlDocuments(object)) })

const definition = formatYaml(
  definitionOf("Widget", {
    schema: { properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } },
    spec: { scope: "Cluster" },
  }),
)
const widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 1}\n"

const apply = ["apply", "--manager", "m"]
const names = [...apply, "-o", "name"]

/** `data.key` and the namespace of each object that was printed. */
function dataOf(yaml: string): unknown[] {
  return parseYamlDocuments(yaml).map(object => {
    const { metadata, data } = object as { metadata: MapValue; data: MapValue }
    return metadata.namespace === undefined ? data.key : `${metadata.namespace} ${data.key}`
  })
}

describe("objects", () => {
  it("are read from operands, --filename, streams and Lists, in their order", async () => {
    const files = {
      "a.yaml": `${configMap("a", "1")}---\n---\nnull\n---\n${configMap("b", "2")}`,
      "list.json": listOf(configMap("c", "3"), deployment(1)),
      "-": configMap("d", "4"),
    }
    const { status, out, err } = await smd([...names, "a.yaml", "-f", "list.json", "--filename=-"], { files })
    expect([status, err]).toEqual([0, ""])
    expect(out).toBe("configmap/a\nconfigmap/b\nconfigmap/c\ndeployment.apps/shop\nconfigmap/d\n")
  })

  it("are read from folders as kubectl does: .json, .yaml and .yml by name, inner folders with -R", async () => {
    const files = {
      "app/b.yml": configMap("b", "1"),
      "app/a.json": listOf(configMap("a", "1")),
      "app/B.yaml": configMap("upper", "1"),
      "app/empty.yaml": "# nothing\n",
      "app/notes.txt": "- no object",
      "app/aa/z.yaml": configMap("z", "1"),
    }
    expect((await smd([...names, "app"], { files })).out).toBe("configmap/upper\nconfigmap/a\nconfigmap/b\n")
    expect((await smd([...names, "-R", "-f", "app"], { files })).out).toBe(
      "configmap/upper\nconfigmap/a\nconfigmap/z\nconfigmap/b\n",
    )
  })

  it("are refused if a folder has none, or if one occurs twice", async () => {
    const files = { "app/in/a.yaml": configMap("a", "1"), "b.yaml": configMap("b", "1"), "c.yaml": configMap("b", "2") }
    const empty = "app: contains no .json, .yaml or .yml file; -R reads inner folders too\n"
    expect(await smd([...apply, "app"], { files })).toEqual({ status: 2, out: "", err: empty })
    const twice = "c.yaml:1:1: ConfigMap b occurs twice, first at b.yaml:1:1\n"
    expect(await smd([...apply, "b.yaml", "c.yaml"], { files })).toEqual({ status: 2, out: "", err: twice })
  })

  it("get types from definitions among them", async () => {
    const files = { "app.yaml": `${widget}---\n${definition}`, "bad.yaml": widget.replace("size", "sise") }
    expect((await smd([...names, "app.yaml"], { files })).out).toBe(
      "widget.example.com/w\ncustomresourcedefinition.apiextensions.k8s.io/widgets.example.com\n",
    )
    const { status, err } = await smd(["validate", "-f", "bad.yaml", "-f", "app.yaml"], { files })
    expect([status, err]).toEqual([
      2,
      "bad.yaml:4:8: .spec.sise: field not declared in schema; did you mean size?\nchecked 3 objects in 2 files: 1 problem\n",
    ])
    const live = await smd([...names, "bad.yaml", "--live", "app.yaml"], { files })
    expect(live.status).toBe(2)
  })

  it("have places in a List, too", async () => {
    const wrong = '{"apiVersion":"v1","kind":"ConfigMapList","items":[\n{"metadata":{"name":"a"},\n"date":{}}]}'
    const { err } = await smd(["validate", "-"], { files: { "-": wrong } })
    expect(err).toMatch(/^standard input:3:1: \.date: field not declared in schema/)
  })

  it("are printed as YAML documents, or as a List in JSON", async () => {
    const files = { "app.yaml": `${configMap("a", "1")}---\n${configMap("b", "2")}`, "one.yaml": configMap("a", "1") }
    expect(dataOf((await smd([...apply, "app.yaml"], { files })).out)).toEqual(["1", "2"])
    const list = parseJson((await smd([...apply, "-ojson", "app.yaml"], { files })).out)
    expect(list).toMatchObject({
      apiVersion: "v1",
      kind: "List",
      items: [{ kind: "ConfigMap" }, { kind: "ConfigMap" }],
    })
    expect(parseJson((await smd([...apply, "-o=json", "one.yaml"], { files })).out)).toMatchObject({
      kind: "ConfigMap",
    })
  })

  it("are printed without managedFields on request", async () => {
    const files = { "a.yaml": configMap("a", "1") }
    expect((await smd([...apply, "a.yaml"], { files })).out).toContain("managedFields")
    expect((await smd([...apply, "a.yaml", "--show-managed-fields"], { files })).out).toContain("managedFields")
    expect((await smd([...apply, "a.yaml", "--show-managed-fields=false"], { files })).out).not.toContain("managed")
  })
})

describe("live objects", () => {
  it("are found by group, kind, namespace and name; others are new", async () => {
    const config = [configMap("a", "1", "x"), configMap("a", "2", "y"), configMap("b", "3", "x")].join("---\n")
    const { out } = await smd([...apply, "-"], { files: { "-": config } })
    const live = listOf(...out.split("---\n").reverse(), configMap("other", "1"))
    const files = {
      "app.yaml": config.replaceAll('key: "', 'key: "1').concat("---\n", configMap("new", "9")),
      "l.json": live,
    }
    const again = await smd([...apply, "-f", "app.yaml", "--live", "l.json"], { files })
    expect([again.status, again.err]).toEqual([0, ""])
    expect(dataOf(again.out)).toEqual(["x 11", "y 12", "x 13", "9"])
    const stranger = await smd(["apply", "--field-manager", "n", "-f", "app.yaml", "--live", "l.json"], { files })
    expect([stranger.status, stranger.out]).toEqual([1, ""])
    expect(stranger.err.match(/^configmap\/.*$/gm)).toEqual(["configmap/a", "configmap/a", "configmap/b"])
    expect(stranger.err.match(/Please review/g)).toHaveLength(1)
    const json = await smd(["apply", "--manager", "n", "-f", "app.yaml", "--live", "l.json", "-ojson"], { files })
    expect(parseJson(json.out)).toMatchObject({
      conflicts: [{ object: "configmap/a", field: ".data.key", live: "1" }, {}, {}],
    })
  })

  it("are found without a namespace if the name is unique, and chosen by --namespace if not", async () => {
    const live = `${configMap("a", "1", "x")}---\n${configMap("b", "2", "x")}---\n${configMap("a", "3", "y")}`
    const files = { "b.yaml": configMap("b", "2"), "a.yaml": configMap("a", "3"), "live.yaml": live }
    const run = (...args: string[]) => smd([...apply, "--live", "live.yaml", ...args], { files })
    expect(dataOf((await run("b.yaml")).out)).toEqual(["x 2"])
    expect((await run("a.yaml")).err).toBe(
      "a.yaml:3:1: ConfigMap a has no namespace, but live objects are in x and y; choose with --namespace\n",
    )
    expect(dataOf((await run("a.yaml", "-n", "y")).out)).toEqual(["y 3"])
    expect(dataOf((await run("a.yaml", "-n", "z")).out)).toEqual(["z 3"])
  })

  it("have no namespace if their kind has none", async () => {
    const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"
    const files = { "app.yaml": [namespace, widget, definition, deployment(1)].join("---\n") }
    const { out } = await smd([...apply, "-n", "shop", "app.yaml"], { files })
    expect(out.match(/namespace: shop/g)).toHaveLength(1)
    const other = await smd([...apply, "-n", "shop", "-"], { files: { "-": configMap("a", "1", "x") } })
    expect(other.err).toBe("standard input:3:21: .metadata.namespace: is x, but --namespace is shop\n")
  })

  it("are found for an update, too", async () => {
    const files = {
      "live.yaml": `${configMap("a", "1")}---\n${configMap("b", "1")}`,
      "next/a.yaml": configMap("a", "2"),
    }
    const { out, err } = await smd(["update", "--manager", "m", "--live", "live.yaml", "next"], { files })
    expect(dataOf(out)).toEqual(["2"])
    // The live object has no owners, so a server does not track its updates.
    expect(err).toBe("")
    const none = await smd(["update", "--manager", "m", "--live", "live.yaml", "-"], {
      files: { ...files, "-": configMap("c", "1") },
    })
    expect([none.status, none.err]).toEqual([2, "standard input:1:1: there is no live object of this kind and name\n"])
  })
})

describe("commands that read live objects", () => {
  it("extract from every object that the manager has applied", async () => {
    const { out: mine } = await smd([...apply, "-"], { files: { "-": configMap("a", "1") } })
    const files = { "live.json": listOf(configMap("b", "2"), mine) }
    expect(dataOf((await smd(["extract", "--manager", "m", "-f", "live.json"], { files })).out)).toEqual(["1"])
    const { status, err } = await smd(["extract", "--manager", "n", "live.json"], { files })
    expect([status, err]).toEqual([2, "live.json: n has applied nothing; m did\n"])
  })
})

describe("kubectl's flags", () => {
  it("are accepted without effect", async () => {
    const files = { "a.yaml": configMap("a", "1") }
    const plain = await smd([...apply, "a.yaml"], { files })
    for (const flags of [
      ["--server-side"],
      ["--dry-run=server"],
      ["--dry-run"],
      ["--server-side=true", "--force-conflicts=false"],
    ]) {
      expect(await smd([...apply, ...flags, "a.yaml"], { files })).toEqual(plain)
    }
    const { status, err } = await smd([...apply, "--dry-run=maybe", "a.yaml"], { files })
    expect([status, err.split("\n")[0]]).toEqual([2, "smd apply: --dry-run must be server, client or none, not maybe"])
  })

  it("are one option with two names", async () => {
    const { err } = await smd(["apply", "--manager", "a", "--field-manager", "b", "x"])
    expect(err.split("\n")[0]).toBe("smd apply: --field-manager is given twice")
  })
})
