import { describe, expect, it } from "vitest"
import { parseYaml } from "../../../src/io/yaml.js"
import { parseJson } from "../../../src/json/json.js"
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

  it("names managers where that is asked for", async () => {
    const { out } = await smd([...ignore, "argocd", "--by", "managers"], { files: replicas })
    expect(parseYaml(out)).toMatchObject([{ managedFieldsManagers: ["autoscaler"] }])
  })

  it("warns of rules that go by index", async () => {
    const { status, out, err } = await smd([...ignore, "pulumi"], { files: variables })
    expect([status, parseYaml(out)]).toEqual([0, ["spec.template.spec.containers[0].env[1].value"]])
    expect(err).toBe(
      "web.yaml:1:1: warning: the format knows list items by index alone; when the list changes, these rules fail: " +
        '.spec.template.spec.containers[name="web"].env[name="LEVEL"].value\n',
    )
  })

  it("gathers the rules of a whole application, and gives programs what the library finds", async () => {
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

  it("says when there is nothing to ignore, and needs a format that it knows", async () => {
    const { status, out } = await smd(["ignore", "--manager", "m", "web.yaml", "--format", "flux"], { files: replicas })
    expect([status, out]).toEqual([0, "# No conflicts, no rules\n"])
    for (const [args, message] of [
      [["ignore", "--manager", "m", "web.yaml"], "--format is required"],
      [[...ignore, "helm"], "--format is argocd, flux, ocm or pulumi, not helm"],
    ] as const) {
      const { status, err } = await smd(args, { files: replicas })
      expect([status, err.split("\n")[0]]).toEqual([2, `smd ignore: ${message}`])
    }
  })
})
