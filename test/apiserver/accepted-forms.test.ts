import { expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import type { MapValue } from "../../src/value/value.js"

const path = "/api/v1/namespaces/default/configmaps"
const objects = [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { b: "c" } }]
const metaOf = (as: string) => `application/json;as=${as};v=v1;g=meta.k8s.io`

async function get(address: string, accept: string, method = "GET") {
  const { status, headers, body } = await createApiServer({ objects }).answer({
    method,
    path: address,
    headers: { accept },
  })
  return { status, type: headers["content-type"], text: String(body) }
}

it("leaves kind and apiVersion out of the items of a built-in kind", async () => {
  const list = JSON.parse((await get(path, "")).text) as { items: MapValue[] }
  expect(list.items.map(item => Object.keys(item).sort())).toEqual([["data", "metadata"]])
  expect((await get(path, "application/yaml")).text).not.toContain("kind: ConfigMap\n")
  expect(JSON.parse((await get(`${path}/a`, "")).text)).toMatchObject({ kind: "ConfigMap", apiVersion: "v1" })
})

it.each([
  [path, "PartialObjectMetadata", "a list (*core.ConfigMapList)"],
  [`${path}/a`, "PartialObjectMetadataList", "not a list (*core.ConfigMap)"],
])("refuses %s as %s", async (address, as, problem) => {
  const { status, text } = await get(address, metaOf(as))
  expect([status, JSON.parse(text).message]).toEqual([
    406,
    `you requested ${as}, but the requested object is ${problem}`,
  ])
})

it("prefers what the client prefers", async () => {
  expect((await get(path, "application/json;q=0.5, application/yaml")).type).toBe("application/yaml")
  expect((await get(`${path}/none`, "application/yaml")).text).toContain('message: configmaps "none" not found')
  expect((await get("/apis/apps", "application/yaml")).text).toContain("kind: APIGroup")
})

it.each([
  [path, "garbage", /^406: Not Acceptable\n\nAvailable representations: application\/json, .*;stream=watch$/],
  ["/apis", "garbage", /^only the following media types are accepted: application\/json, application\/yaml, /],
])("refuses %s for a client that accepts %s", async (address, accept, message) => {
  const { status, text } = await get(address, accept)
  expect([status, JSON.parse(text).message]).toEqual([406, expect.stringMatching(message)])
})

it.each(["/nope", "/apis/nope", "/apis/nope.example.com/v1/things", "/API/v1/pods"])(
  "has no page %s",
  async address => {
    const { status, type, text } = await get(address, "application/yaml", "PUT")
    expect([status, type, text]).toEqual([404, "text/plain; charset=utf-8", "404 page not found\n"])
  },
)

it.each([
  ["PUT", path, 405, "the server does not allow this method on the requested resource"],
  ["GET", "/api/v2/things", 404, "the server could not find the requested resource"],
])("refuses %s %s as JSON to a client that accepts something else", async (method, address, code, message) => {
  const { type, text } = await get(address, "garbage", method)
  expect([type, JSON.parse(text)]).toEqual(["application/json", expect.objectContaining({ code, message })])
})

it("keeps the annotation that stands for a field of its own type out of partial metadata", async () => {
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "a" }] } }
  const spec = { selector: { matchLabels: { a: "b" } }, template }
  const server = createApiServer({
    objects: [{ apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "a" }, spec }],
  })
  const annotationsOf = async (accept: string) => {
    const address = "/apis/apps/v1/namespaces/default/daemonsets/a"
    const { body } = await server.answer({ method: "GET", path: address, headers: { accept } })
    const { metadata, rows = [] } = JSON.parse(String(body))
    return (rows[0]?.object.metadata ?? metadata).annotations
  }
  expect(await annotationsOf("application/json")).toEqual({ "deprecated.daemonset.template.generation": "1" })
  expect(await annotationsOf(metaOf("PartialObjectMetadata"))).toBeUndefined()
  expect(await annotationsOf(metaOf("Table"))).toBeUndefined()
})
