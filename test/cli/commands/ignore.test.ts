import { describe, expect, it } from "vitest"
import { parseYaml } from "../../../src/io/yaml.js"
import { parseJson } from "../../../src/json/json.js"
import { definitionOf } from "../../support/definition.js"
import { smd } from "../cli.js"
import { replicas, variables } from "../stories.js"

const ignore = ["ignore", "--manager", "web-team", "--live", "live.json", "web.yaml", "--format"]

describe("smd ignore", () => {
  it("prints rules that can be pasted, under where they belong", async () => {
    const { status, out, err } = await smd([...ignore, "argocd"], { files: replicas })
    expect([status, err]).toEqual([0, ""])
    expect(out).toMatch(/^# spec\.ignoreDifferences of an Application\n/)
    expect(parseYaml(out)).toEqual([
      { group: "apps", kind: "Deployment", name: "shop", namespace: "default", jsonPointers: ["/spec/replicas"] },
    ])
  })

  it("names managers on request", async () => {
    const { out } = await smd([...ignore, "argocd", "--by", "managers"], { files: replicas })
    expect(parseYaml(out)).toMatchObject([{ managedFieldsManagers: ["autoscaler"] }])
  })

  it("warns about rules that use an index", async () => {
    const { status, out, err } = await smd([...ignore, "pulumi"], { files: variables })
    expect([status, parseYaml(out)]).toEqual([0, ["spec.template.spec.containers[0].env[1].value"]])
    expect(err).toBe(
      "web.yaml:1:1: warning: the format knows list items only by index; these rules fail when the list changes: " +
        '.spec.template.spec.containers[name="web"].env[name="LEVEL"].value\n',
    )
  })

  it("collects the rules of a whole application, and prints the library's result for programs", async () => {
    const files = {
      "app/1.yaml": replicas["web.yaml"],
      "app/2.yaml": variables["web.yaml"].replace("name: shop", "name: till"),
      "live/1.json": replicas["live.json"],
      "live/2.json": variables["live.json"].replace('"name":"shop"', '"name":"till"'),
    }
    const args = ["ignore", "--manager", "web-team", "-f", "app", "--live", "live", "--format"]
    expect(parseYaml((await smd([...args, "argocd"], { files })).out)).toHaveLength(2)
    const json = parseJson((await smd([...args, "ocm", "--resource", "things", "-o", "json"], { files })).out)
    expect(json).toMatchObject([{ format: "ocm", rules: [{ resourceIdentifier: { resource: "things" } }] }, {}])
  })

  it("finds the resource for Open Cluster Management in the definition", async () => {
    const spec = { type: "object", "x-kubernetes-preserve-unknown-fields": true }
    const definition = JSON.stringify(definitionOf("Ox", { plural: "oxen", schema: { properties: { spec } } }))
    const ox = { apiVersion: "example.com/v1", kind: "Ox", metadata: { name: "a" }, spec: { legs: 3 } }
    const owned = { manager: "vet", operation: "Apply", apiVersion: "example.com/v1", fieldsType: "FieldsV1" }
    const managedFields = [{ ...owned, fieldsV1: { "f:spec": { "f:legs": {} } } }]
    const live = { ...ox, metadata: { name: "a", managedFields }, spec: { legs: 4 } }
    const files = { "ox.yaml": `${definition}\n---\n${JSON.stringify(ox)}\n`, "live.json": JSON.stringify(live) }
    const { out } = await smd(["ignore", "--manager", "m", "--live", "live.json", "ox.yaml", "--format", "ocm"], {
      files,
    })
    expect(parseYaml(out)).toMatchObject([{ resourceIdentifier: { group: "example.com", resource: "oxen" } }])
  })

  it("says if there is nothing to ignore, and refuses an unknown format", async () => {
    const { status, out } = await smd(["ignore", "--manager", "m", "web.yaml", "--format", "flux"], { files: replicas })
    expect([status, out]).toEqual([0, "# No conflicts, no rules\n"])
    for (const [args, message] of [
      [["ignore", "--manager", "m", "web.yaml"], "--format is required"],
      [[...ignore, "helm"], "--format must be argocd, flux, ocm or pulumi, not helm"],
    ] as const) {
      const { status, err } = await smd(args, { files: replicas })
      expect([status, err.split("\n")[0]]).toEqual([2, `smd ignore: ${message}`])
    }
  })
})
