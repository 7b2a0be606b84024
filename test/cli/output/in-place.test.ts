/** `--in-place`: the file that the result replaces. */
import { describe, expect, it } from "vitest"
import { definitionOf } from "../../support/definition.js"
import { smd } from "../cli.js"

const configMap = (name: string, value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  a: "${value}"\n`
const owned = (name: string) =>
  configMap(name, "1").replace(
    /^data:/m,
    '  managedFields:\n  - {manager: ci, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:a": {}}}}\ndata:',
  )
const files = {
  "a.yaml": configMap("a", "1"),
  "next.yaml": configMap("a", "2"),
  "both.yaml": `${configMap("a", "1")}---\n${configMap("b", "1")}`,
  "a.json": JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "1" } }),
  "live/a.yaml": configMap("a", "1"),
  "owned.yaml": owned("a"),
  "owned-in-part.yaml": `${owned("a")}---\n${configMap("b", "1")}`,
  "crd.json": JSON.stringify(definitionOf("Widget", { schema: { properties: { spec: { type: "object" } } } })),
}

describe("--in-place", () => {
  it.each([
    ["apply --manager ci --force --live a.yaml next.yaml", "a.yaml"],
    ["apply --manager ci --force --live a.json next.yaml", "a.json"],
    ["update --manager ci a.yaml next.yaml", "a.yaml"],
    ["update --manager ci --live a.yaml next.yaml", "a.yaml"],
    ["merge a.yaml next.yaml", "a.yaml"],
    ["managers transfer --from ci --to cd a.yaml", "a.yaml"],
    ["managers transfer --from ci --to cd a.json -o object", "a.json"],
    ["extract --manager ci owned.yaml", "owned.yaml"],
  ])("replaces the live file: %s", async (line, file) => {
    const { status, out, written } = await smd([...line.split(" "), "--in-place"], { files })
    expect([status, out, Object.keys(written ?? {})]).toEqual([0, "", [file]])
    const content = written?.[file] ?? ""
    expect(content).toContain(file.endsWith(".json") ? '{\n  "apiVersion": "v1"' : "apiVersion: v1\n")
    expect(content).toContain("ConfigMap")
  })

  it.each([
    ["apply --manager ci next.yaml", "--in-place needs exactly one file of live objects, not 0"],
    [
      "apply --manager ci --live a.yaml --live b.yaml next.yaml",
      "--in-place needs exactly one file of live objects, not 2",
    ],
    ["apply --manager ci --live - next.yaml", "--in-place replaces a file, not standard input"],
    ["apply --manager ci --live cluster next.yaml", "--in-place replaces a file, not objects of a cluster"],
    ["apply --manager ci --live live next.yaml", "--in-place replaces a file, not the folder live"],
    ["apply --manager ci --live a.yaml next.yaml --out b.yaml", "--in-place and --out exclude each other"],
    ["apply --manager ci --live a.yaml next.yaml -o name", "--in-place writes objects: --output can't be name"],
    ["extract --manager ci a.yaml next.yaml", "--in-place needs exactly one file of live objects, not 2"],
    ["managers upgrade a.yaml -o json", "--in-place writes objects: --output must be object"],
  ])("is refused: %s", async (line, problem) => {
    const [command = ""] = line.split(" ")
    const err = `smd ${command}: ${problem}\nsmd ${command} --help shows how to use it.\n`
    expect(await smd([...line.split(" "), "--in-place"], { files })).toEqual({ status: 2, out: "", err })
  })

  it("replaces the documents that schema convert has read", async () => {
    const { status, out, written } = await smd(["schema", "convert", "crd.json", "--in-place"], { files })
    expect([status, out]).toEqual([0, ""])
    expect(JSON.parse(written?.["crd.json"] ?? "")).toHaveProperty("types")
  })

  it("is refused if extract would remove an object", async () => {
    const args = ["extract", "--manager", "ci", "owned-in-part.yaml", "--in-place"]
    expect(await smd(args, { files })).toEqual({
      status: 2,
      out: "",
      err: "owned-in-part.yaml:10:1: --in-place would remove this object, of which ci has applied nothing; use --out\n",
    })
  })

  it("is refused if the file would lose objects", async () => {
    const args = ["apply", "--manager", "ci", "--live", "both.yaml", "next.yaml", "--in-place"]
    expect(await smd(args, { files })).toEqual({
      status: 2,
      out: "",
      err: "both.yaml:8:1: --in-place would remove ConfigMap b, which has no configuration; use --out\n",
    })
  })
})
