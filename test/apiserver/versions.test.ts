// Custom resources at several versions, as a kube-apiserver v1.37.1 answers them.
import { expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import type { MapValue } from "../../src/value/value.js"
import { definitionOf } from "../support/definition.js"

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
