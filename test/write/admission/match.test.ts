/** Finds the policies for a request: by rules, selectors and equivalent versions. */
import { describe, expect, it } from "vitest"
import { definitionOf } from "../../support/definition.js"
import { binding, configMap, configMaps, forConfigMaps, policy, serverWith } from "./policies.js"

const never = { validations: [{ expression: "false" }] }

/** Whether a policy with these constraints applies to a new ConfigMap with these labels. */
async function isFor(matchConstraints: object, labels = {}, matchResources?: object): Promise<boolean> {
  const objects = [policy({ ...never, matchConstraints }), binding(matchResources && { matchResources })]
  const { status } = await serverWith(objects).call("POST", configMaps, configMap({}, { labels }))
  return status === 422
}

const rule = (changes: object) => ({ resourceRules: [{ ...forConfigMaps.resourceRules[0], ...changes }] })

describe("rules", () => {
  it("name groups, versions, resources, operations, scopes and names", async () => {
    expect(await isFor(rule({}))).toBe(true)
    expect(await isFor(rule({ apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }))).toBe(true)
    expect(await isFor(rule({ resources: ["*/*"], scope: "Namespaced" }))).toBe(true)
    expect(await isFor(rule({ scope: "Cluster" }))).toBe(false)
    expect(await isFor(rule({ apiGroups: ["apps"] }))).toBe(false)
    expect(await isFor(rule({ operations: ["UPDATE", "DELETE"] }))).toBe(false)
    expect(await isFor(rule({ resources: ["configmaps/status"] }))).toBe(false)
    expect(await isFor(rule({ resourceNames: ["c"] }))).toBe(true)
    expect(await isFor(rule({ resourceNames: ["d"] }))).toBe(false)
  })

  it("can exclude resources, and a binding can narrow them", async () => {
    expect(await isFor({ ...forConfigMaps, excludeResourceRules: rule({}).resourceRules })).toBe(false)
    expect(await isFor(forConfigMaps, {}, rule({}))).toBe(true)
    expect(await isFor(forConfigMaps, {}, rule({ operations: ["UPDATE"] }))).toBe(false)
  })

  it("are for equivalent versions, at which the policy sees the object", async () => {
    const schema = { openAPIV3Schema: { type: "object" } }
    const versions = ["v1", "v2"].map(name => ({ name, served: true, storage: name === "v1", schema }))
    const crds = [definitionOf("Widget", { spec: { versions } })]
    const matchConstraints = rule({ apiGroups: ["example.com"], apiVersions: ["v1"], resources: ["widgets"] })
    const validations = [
      { expression: "object.apiVersion == 'example.com/v1' && request.requestResource.version == 'v2'" },
      { expression: "request.resource.version == 'v2'", message: "asked" },
    ]
    const send = async (matchPolicy: string) => {
      const constraints = { ...matchConstraints, matchPolicy }
      const { call } = serverWith([policy({ validations, matchConstraints: constraints }), binding()], { crds })
      const widget = { apiVersion: "example.com/v2", kind: "Widget", metadata: { name: "w" } }
      return call("POST", "/apis/example.com/v2/namespaces/default/widgets", widget)
    }
    expect((await send("Equivalent")).body.message).toContain("denied request: asked")
    expect((await send("Exact")).status).toBe(201)
  })
})

describe("selectors", () => {
  it("select objects by their labels, old or new", async () => {
    const objectSelector = { matchExpressions: [{ key: "tier", operator: "In", values: ["gold"] }] }
    expect(await isFor({ ...forConfigMaps, objectSelector }, { tier: "gold" })).toBe(true)
    expect(await isFor({ ...forConfigMaps, objectSelector }, { tier: "iron" })).toBe(false)
    expect(await isFor({ ...forConfigMaps, objectSelector })).toBe(false)
  })

  it("select namespaces by their labels", async () => {
    const selecting = (name: string) => ({ matchLabels: { "kubernetes.io/metadata.name": name } })
    expect(await isFor({ ...forConfigMaps, namespaceSelector: selecting("default") })).toBe(true)
    expect(await isFor({ ...forConfigMaps, namespaceSelector: selecting("other") })).toBe(false)
    expect(await isFor(forConfigMaps, {}, { namespaceSelector: selecting("other") })).toBe(false)
  })

  it("see the labels that a request gives a Namespace", async () => {
    const matchConstraints = { ...rule({ resources: ["namespaces"] }), namespaceSelector: { matchLabels: { a: "b" } } }
    const { call } = serverWith([policy({ ...never, matchConstraints }), binding()])
    const namespace = (labels: object) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name: "n", labels } })
    expect((await call("POST", "/api/v1/namespaces", namespace({ a: "b" }))).status).toBe(422)
    expect((await call("POST", "/api/v1/namespaces", namespace({}))).status).toBe(201)
  })
})
