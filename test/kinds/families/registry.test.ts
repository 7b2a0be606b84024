import { describe, expect, it } from "vitest"
import { createApiServer } from "../../../src/apiserver/server.js"
import { builtInKind, builtInKindOf, builtInKinds, families } from "../../../src/kinds/families/registry.js"
import { builtInResources } from "../../../src/kinds/resource/built-in.js"
import { kubernetesKeepsCreatedStatus } from "../../../src/kubernetes/reset-fields.js"
import { kubernetesSchema, kubernetesTypes } from "../../../src/kubernetes/types.js"
import { definitionOf } from "../../support/definition.js"

const resources = builtInResources(kubernetesTypes)
const names = Object.values(families).flatMap(family => Object.keys(family))

const repeated = (texts: readonly string[]) => texts.filter((text, index) => texts.indexOf(text) !== index)

describe("families", () => {
  it("have kinds that are served, each in one family", () => {
    const served = new Set(resources.map(({ group, kind }) => `${group}/${kind}`))
    expect(names.filter(name => !served.has(name))).toEqual([])
    expect(repeated(names)).toEqual([])
  })

  it("have the defaults of a type once, and only of types that there are", () => {
    const known = new Set(kubernetesSchema().types.map(({ name }) => name))
    const types = builtInKinds().flatMap(({ defaults = {} }) => Object.keys(defaults))
    expect(types.filter(type => !known.has(type))).toEqual([])
    expect(repeated(types)).toEqual([])
  })

  it("keep the status of new objects where Kubernetes' strategies do", () => {
    const kept = resources.filter(({ builtIn }) => builtIn?.keepsCreatedStatus === true)
    expect(kept.map(({ kind }) => kind).sort()).toEqual(["APIService", "Node", "PersistentVolume"])
    expect(resources.filter(({ kind }) => kubernetesKeepsCreatedStatus(kind))).toEqual(kept)
  })

  it("validate what is sent to subresources that a kind has", () => {
    const wrong = resources.flatMap(({ kind, builtIn, subresources }) => {
      const has = ["", ...subresources.map(({ name }) => name)]
      return Object.keys(builtIn?.validate ?? {}).flatMap(name => (has.includes(name) ? [] : [`${kind} ${name}`]))
    })
    expect(wrong).toEqual([])
  })
})

describe("builtInKind", () => {
  it("finds a kind by its group and name", () => {
    expect(builtInKind("", "Service")).toBe(families.services["/Service"])
    expect(builtInKind("apps", "Deployment")?.alsoCounts).toBe("annotations")
    expect(builtInKindOf({ apiVersion: "apps/v1", kind: "Deployment" })).toBe(builtInKind("apps", "Deployment"))
  })

  it.each([
    ["serving.knative.dev", "Service"],
    ["example.org", "Pod"],
    ["", "Deployment"],
    ["", "constructor"],
    ["", ""],
  ])("finds nothing for %j and %j", (group, kind) => {
    expect(builtInKind(group, kind)).toBeUndefined()
  })

  it("finds nothing for an object that names no kind", () => {
    expect(builtInKindOf({})).toBeUndefined()
    expect(builtInKindOf({ apiVersion: "a/b/c", kind: "Service" })).toBeUndefined()
  })
})

describe("a custom resource with the name of a built-in kind", () => {
  it.each([
    ["Service", "services"],
    ["Event", "events"],
    ["CustomResourceDefinition", "customresourcedefinitions"],
    ["Namespace", "namespaces"],
  ])("is no %s", async (kind, plural) => {
    const group = "serving.example.org"
    const schema = { "x-kubernetes-preserve-unknown-fields": true }
    const server = createApiServer({ objects: [definitionOf(kind, { group, plural, schema })] })
    const path = `http://test/apis/${group}/v1/namespaces/default/${plural}`
    const ask = async (method: string, url: string, body?: object) => {
      const init = { method, headers: { "content-type": "application/json" } }
      const answer = await server.fetch(new Request(url, { ...init, ...(body && { body: JSON.stringify(body) }) }))
      return { status: answer.status, body: (await answer.json()) as { kind: string; spec: object; metadata: object } }
    }
    const object = { apiVersion: `${group}/v1`, kind, metadata: { name: "a" }, spec: { clusterIP: "10.0.0.1" } }
    const created = await ask("POST", path, object)
    expect([created.status, created.body.spec]).toEqual([201, { clusterIP: "10.0.0.1" }])
    const updated = await ask("PUT", `${path}/a`, { ...created.body, spec: {} })
    expect([updated.status, updated.body.spec]).toEqual([200, {}])
    expect((await ask("DELETE", `${path}/a`)).body.kind).toBe("Status")
  })
})
