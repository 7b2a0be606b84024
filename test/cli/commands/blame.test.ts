import { describe, expect, it } from "vitest"
import { parseYamlDocuments } from "../../../src/io/yaml.js"
import { parseJson } from "../../../src/json/json.js"
import { smd } from "../cli.js"
import { replicas, variables } from "../stories.js"

describe("smd blame", () => {
  it("prints the library's result for programs", async () => {
    const { out } = await smd(["blame", "live.json", "-o", "json"], { files: replicas })
    const [result, ...others] = parseJson(out) as [{ fields: { path: string }[] }]
    expect(others).toEqual([])
    expect(result).toMatchObject({
      type: "blame",
      target: { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "shop" },
      ownersAtOtherVersions: [],
      findings: [],
    })
    expect(result.fields.find(({ path }) => path === ".spec.replicas")).toMatchObject({
      owners: [{ manager: "autoscaler", operation: "Update", subresource: "scale" }],
    })
  })

  it("shows several objects, and is also called owners", async () => {
    const files = { "a/1.json": replicas["live.json"], "a/2.json": variables["live.json"].replace("shop", "till") }
    const { out } = await smd(["owners", "-f", "a"], { files })
    expect(out.match(/^Deployment .*(?= {2}apps)/gm)?.map(title => title.trim())).toEqual([
      "Deployment default/shop",
      "Deployment default/till",
    ])
    expect(parseJson((await smd(["blame", "a", "-o", "json"], { files })).out)).toHaveLength(2)
    expect(parseYamlDocuments((await smd(["blame", "a", "-o", "yaml"], { files })).out)).toHaveLength(2)
  })

  it("reports missing managedFields", async () => {
    const object = JSON.parse(replicas["live.json"])
    object.metadata.managedFields = undefined
    const { status, err } = await smd(["blame", "-"], { files: { "-": JSON.stringify(object) } })
    expect(status).toBe(0)
    expect(err).toMatch(/^standard input:1:1: warning: .*--show-managed-fields/)
  })

  it("needs no type", async () => {
    const widget = replicas["live.json"].replaceAll("apps/v1", "example.com/v1").replace("Deployment", "Widget")
    const { status, out, err } = await smd(["blame", "-"], { files: { "-": widget } })
    expect([status, err]).toEqual([0, ""])
    expect(out).toMatch(/^ +\.replicas +7 +autoscaler$/m)
  })

  it("distinguishes managers with one name, and marks fields that are gone, changed by hand or at other versions", async () => {
    const other = { manager: "ci", operation: "Update", apiVersion: "apps/v1beta1", fieldsType: "FieldsV1" }
    const object = JSON.parse(replicas["live.json"])
    object.metadata.managedFields.push({ ...other, fieldsV1: { "f:spec": { "f:paused": {}, "f:replicas": {} } } })
    const byHand = { ...other, manager: "kubectl-edit", apiVersion: "apps/v1" }
    object.metadata.managedFields.push({ ...byHand, fieldsV1: { "f:spec": { "f:minReadySeconds": {} } } })
    const { out } = await smd(["blame", "-"], { files: { "-": JSON.stringify(object) }, columns: 120 })
    expect(out).toMatch(/^ +\.paused +\(gone\) +ci \(Update\)$/m)
    expect(out).toMatch(/^ +\.replicas +7 +autoscaler, ci \(Update\)$/m)
    expect(out).toMatch(/^ +\.minReadySeconds +\(gone\) +kubectl-edit, by hand$/m)
    expect(out).toMatch(/^ci +Update +apps\/v1beta1 \(other version\) +2$/m)
  })

  it("puts long names on lines of their own, and wraps owners", async () => {
    const key = `example.com/${"a".repeat(70)}`
    const managedFields = Array.from({ length: 6 }, (_, i) => ({
      manager: `some-controller-${i}`,
      operation: "Update",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { [`f:${key}`]: {} } },
    }))
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", managedFields }, data: { [key]: "v" } }
    const { out } = await smd(["blame", "-"], { files: { "-": JSON.stringify(object) } })
    const lines = out.split("\n")
    const at = lines.findIndex(line => /^\.data\.example\.com\/a+…a+$/.test(line))
    expect(lines.slice(at + 1, at + 4).map(line => line.trim())).toEqual([
      expect.stringMatching(/^v +some-controller-0,$/),
      "some-controller-1,",
      "some-controller-2,",
    ])
  })
})
