// Custom resources at several versions, as a kube-apiserver v1.37.1 answers them.
import { expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import { kubernetes } from "../../src/kinds/kubernetes.js"
import { plan } from "../../src/tools/ownership/plan.js"
import type { MapValue } from "../../src/value/value.js"
import { definitionOf } from "../support/definition.js"
import { clientOf } from "./requests.js"

const text = (value: string) => ({ type: "string", default: value })
const schemaOf = (properties: MapValue) => ({
  openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } },
})
const versions = [
  { name: "v1", served: true, storage: true, schema: schemaOf({ a: text("one"), onlyStable: text("stable") }) },
  { name: "v1beta1", served: true, storage: false, schema: schemaOf({ a: text("beta"), onlyBeta: text("beta") }) },
]

/** Creates an object at a version. Returns its spec in the answer, and as each version shows it. */
async function created(version: string, spec: MapValue): Promise<unknown[]> {
  const server = createApiServer({ crds: [definitionOf("Thing", { spec: { versions } })] })
  const path = (at: string) => `http://server/apis/example.com/${at}/namespaces/default/things`
  const body = JSON.stringify({ apiVersion: `example.com/${version}`, kind: "Thing", metadata: { name: "a" }, spec })
  const headers = { "content-type": "application/json" }
  const answers = [await server.fetch(new Request(path(version), { method: "POST", headers, body }))]
  for (const at of ["v1", "v1beta1"]) answers.push(await server.fetch(new Request(`${path(at)}/a`)))
  return Promise.all(answers.map(async answer => ((await answer.json()) as MapValue).spec))
}

it("gives an object the defaults of the version of the request, and then those of the stored version", async () => {
  const stored = { a: "beta", onlyStable: "stable" }
  expect(await created("v1beta1", {})).toEqual([{ a: "beta" }, stored, { a: "beta" }])
  expect(await created("v1", {})).toEqual([
    { a: "one", onlyStable: "stable" },
    { a: "one", onlyStable: "stable" },
    { a: "one" },
  ])
})

it("does not store a field that only another version has", async () => {
  expect(await created("v1beta1", { onlyBeta: "x" })).toEqual([
    { a: "beta" },
    { a: "beta", onlyStable: "stable" },
    { a: "beta" },
  ])
})

it("reads an object by the schema of the version at which it was stored, after another version became the stored one", async () => {
  const definition = (stored: string) =>
    definitionOf("Thing", { spec: { versions: versions.map(each => ({ ...each, storage: each.name === stored })) } })
  const server = createApiServer({ crds: [definition("v1beta1")] })
  const send = clientOf(server)
  const path = (at: string) => `/apis/example.com/${at}/namespaces/default/things`
  await send("POST", path("v1beta1"), { apiVersion: "example.com/v1beta1", kind: "Thing", metadata: { name: "a" } })
  await send("PATCH", `${path("v1beta1")}/a`, { spec: { onlyBeta: "x" } }, "merge")
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com"
  await send("PATCH", definitions, { spec: (definition("v1") as MapValue).spec }, "merge")
  const specAt = async (at: string) => (await send("GET", `${path(at)}/a`)).body.spec
  expect([await specAt("v1beta1"), await specAt("v1")]).toEqual([{ a: "beta", onlyBeta: "x" }, { a: "beta" }])
  await send("PATCH", `${path("v1")}/a`, { metadata: { labels: { written: "again" } } }, "merge")
  expect([await specAt("v1beta1"), await specAt("v1")]).toEqual([{ a: "beta" }, { a: "beta", onlyStable: "stable" }])
})

it("plans for a live object at a version as a server answered with it, without the defaults of the stored version", async () => {
  const crd = definitionOf("Thing", { spec: { versions } })
  const server = createApiServer({ crds: [crd] })
  const send = clientOf(server)
  const path = "/apis/example.com/v1beta1/namespaces/default/things/a?fieldManager=me"
  const thing = (spec: MapValue) => ({
    apiVersion: "example.com/v1beta1",
    kind: "Thing",
    metadata: { name: "a", namespace: "default" },
    spec,
  })
  const live = (await send("PATCH", path, thing({ a: "x" }), "apply")).body
  const answer = await send("PATCH", `${path}&dryRun=All`, thing({ a: "y" }), "apply")
  const { changes, object } = plan(live, thing({ a: "y" }), {
    types: kubernetes.with([crd]),
    manager: "me",
    clock: () => new Date(0),
  })
  expect(object.spec).toEqual(answer.body.spec)
  expect(changes.map(({ path, from, to }) => [path, from, to])).toEqual([[".spec.a", "x", "y"]])
})
