// The warnings that a kube-apiserver v1.37.1 sends.
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import type { MapValue } from "../../src/value/value.js"
import { definitionOf } from "../support/definition.js"

const versions = ["v1alpha1", "v1beta1", "v1", "v2", "other"].map(name => ({
  name,
  served: name !== "v2",
  storage: name === "v1",
  deprecated: name !== "v1",
  ...(name === "v1alpha1" && { deprecationWarning: "use v1" }),
  schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
}))
const objects = [
  definitionOf("Gauge", { spec: { versions } }),
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "a" },
    spec: { ports: [{ port: 80 }], externalIPs: ["192.0.2.1"] },
  },
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
]

/** Sends a request to a new server. Returns the status, the texts of the warnings and the body. */
async function send(method: string, path: string, body?: MapValue, type = "application/json") {
  const server = createApiServer({ objects })
  const init = { method, headers: { "content-type": type }, ...(body !== undefined && { body: JSON.stringify(body) }) }
  const answer = await server.fetch(new Request(`http://server${path}`, init))
  const warnings = answer.headers.get("warning")?.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g) ?? []
  const texts = Array.from(warnings, ([, text = ""]) => text.replaceAll("\\", ""))
  const watches = path.includes("watch=")
  if (watches) await answer.body?.cancel()
  return { status: answer.status, texts, object: watches ? {} : ((await answer.json()) as MapValue) }
}

const namespace = "/api/v1/namespaces/default"
const gauges = (version: string) => `/apis/example.com/${version}/namespaces/default/gauges`
const beta = "example.com/v1beta1 Gauge is deprecated; use example.com/v1 Gauge"
const endpoints = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"

describe("a deprecated version", () => {
  it.each<[string, string, number, string[]]>([
    ["GET", gauges("v1beta1"), 200, [beta]],
    ["GET", `${gauges("v1beta1")}?watch=true`, 200, [beta]],
    ["GET", `${gauges("v1beta1")}/none`, 404, [beta]],
    ["DELETE", gauges("v1beta1"), 200, [beta]],
    ["GET", gauges("v1alpha1"), 200, ["use v1"]],
    ["GET", gauges("v1"), 200, []],
    ["GET", gauges("other"), 200, ["example.com/other Gauge is deprecated; use example.com/v1 Gauge"]],
    ["GET", `${gauges("v1beta1")}/a/status`, 404, [beta]],
    ["GET", `${namespace}/endpoints/a/status`, 404, []],
    ["GET", `${namespace}/endpoints`, 200, [endpoints]],
  ])("has a warning in each answer: %s %s", async (method, path, status, texts) => {
    expect(await send(method, path)).toMatchObject({ status, texts })
  })

  it("is warned of before anything else", async () => {
    const body = { apiVersion: "v1", kind: "Endpoints", metadata: { name: "a" }, more: 1 }
    const { texts } = await send("POST", `${namespace}/endpoints`, body)
    expect(texts).toEqual([endpoints, 'unknown field "more"'])
  })
})

describe("repeated owner references", () => {
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u1" }
  const other = { ...owner, name: "q" }
  const metadata = {
    name: "a",
    ownerReferences: [owner, other, { uid: "u1", name: "p", kind: "Pod", apiVersion: "v1" }],
  }
  const warning = (when: string) =>
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u1`

  it.each<[string, string, string, string]>([
    ["POST", "secrets", "application/json", ""],
    ["PUT", "configmaps/a", "application/json", ""],
    ["PATCH", "configmaps/a", "application/merge-patch+json", " after mutating admission happens"],
  ])("are stored once after a %s", async (method, path, type, when) => {
    const { object, texts } = await send(method, `${namespace}/${path}`, { metadata }, type)
    expect(object.metadata).toMatchObject({ ownerReferences: [owner, other] })
    expect(texts).toEqual([warning(when)])
  })
})

describe("the status of a Service", () => {
  it("is written without a warning about its spec", async () => {
    const path = `${namespace}/services/a`
    const patch = { status: { loadBalancer: {} } }
    const type = "application/merge-patch+json"
    const deprecated = "spec.externalIPs is deprecated and may no longer be implemented in some clusters"
    expect((await send("PATCH", path, { metadata: { labels: { a: "b" } } }, type)).texts).toEqual([deprecated])
    expect((await send("PATCH", `${path}/status`, patch, type)).texts).toEqual([])
  })
})

it("lists the unknown fields of a patch by name", async () => {
  const patch = { spec: { unknownThing: 1 }, alsoUnknown: 2 }
  const { texts } = await send("PATCH", `${namespace}/services/a`, patch, "application/merge-patch+json")
  expect(texts.slice(0, 2)).toEqual(['unknown field "alsoUnknown"', 'unknown field "spec.unknownThing"'])
})

it("warns of names that the hosts of Pods can't have", async () => {
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
  const spec = { selector: { matchLabels: { a: "b" } }, template }
  const path = "/apis/apps/v1/namespaces/default/replicasets"
  const texts = (name: string) => send("POST", path, { metadata: { name }, spec }).then(answer => answer.texts)
  expect(await texts("a")).toEqual([])
  expect(await texts("a.b")).toEqual([
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
  ])
})
