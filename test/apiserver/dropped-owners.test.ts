/** Requests for objects without managedFields, as KEP-5958 describes them. */
import { expect, it } from "vitest"
import { type ApiServer, createApiServer } from "../../src/apiserver/server.js"
import type { MapValue } from "../../src/value/value.js"

const path = "/api/v1/namespaces/default/configmaps"
const drop = "application/json;drop=metadata.managedFields"
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { b: "c" } }

function serverWithGate(on = true) {
  return createApiServer({ objects: [configMap], featureGates: { ManagedFieldsOptOut: on } })
}

async function ask(
  server: ApiServer,
  accept: string,
  { method = "GET", url = path, body = undefined as unknown } = {},
) {
  const type = method === "PATCH" ? "application/apply-patch+yaml" : "application/json"
  const headers = { accept, "content-type": type }
  const response = await server.fetch(
    new Request(`http://test${url}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }),
  )
  return response
}

const managersOf = (object: MapValue) =>
  ((object.metadata as MapValue).managedFields as MapValue[] | undefined)?.map(entry => entry.manager)

it.each([
  ["GET", `${path}/a`, undefined],
  ["POST", path, { ...configMap, metadata: { name: "b" } }],
  ["PUT", `${path}/a`, { ...configMap, data: { b: "d" } }],
  ["PATCH", `${path}/a?fieldManager=m&force=true`, { ...configMap, data: { e: "f" } }],
])("leaves managedFields out of the answer to a %s, and stores them", async (method, url, body) => {
  const server = serverWithGate()
  const answer = (await (await ask(server, drop, { method, url, body })).json()) as MapValue
  expect(answer).toMatchObject({ kind: "ConfigMap", metadata: { resourceVersion: expect.any(String) } })
  expect(managersOf(answer)).toBeUndefined()
  const name = (answer.metadata as MapValue).name
  const whole = (await (await ask(server, "application/json", { url: `${path}/${name}` })).json()) as MapValue
  expect(managersOf(whole)).toContain(method === "GET" || method === "PATCH" ? "load" : "unknown")
})

it.each([
  "application/yaml;drop=metadata.managedFields",
  "application/json; drop=metadata.annotations+metadata.managedFields",
  `${drop};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`,
  `${drop};as=Table;v=v1;g=meta.k8s.io`,
])("leaves them out of a list for %s", async accept => {
  const text = await (await ask(serverWithGate(), accept)).text()
  expect(text).toContain("resourceVersion")
  expect(text).not.toContain("managedFields")
})

it("leaves them out of the events of a watch, and of no other watch", async () => {
  const server = serverWithGate()
  const first = async (accept: string) => {
    const response = await ask(server, accept, {
      url: `${path}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const { value } = await reader.read()
    await reader.cancel()
    return JSON.parse(new TextDecoder().decode(value).split("\n")[0] as string) as { object: MapValue }
  }
  expect(managersOf((await first(drop)).object)).toBeUndefined()
  expect(managersOf((await first("application/json")).object)).toEqual(["load"])
})

it.each([
  ["the gate is off", false, drop],
  ["the client drops something else", true, "application/json;drop=metadata.annotations"],
  ["the client drops nothing", true, "application/json;drop="],
])("keeps them if %s", async (_, gate, accept) => {
  const object = (await (await ask(serverWithGate(gate), accept, { url: `${path}/a` })).json()) as MapValue
  expect(managersOf(object)).toEqual(["load"])
})
