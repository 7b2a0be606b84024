/** The options of a server: validation, OpenAPI documents, read-only mode, and loaded objects with a history. */
import { describe, expect, it } from "vitest"
import { listen } from "../../src/apiserver/node/listen.js"
import { type ApiServer, createApiServer } from "../../src/apiserver/server.js"
import type { MapValue } from "../../src/value/value.js"
import type { ValidationRequest } from "../../src/write/admission.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { definitionOf } from "../support/definition.js"
import { type ContentType, type Sent, send } from "./requests.js"

const configMaps = "/api/v1/namespaces/default/configmaps"
const settings = deepFreeze({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { a: "1" } })
const widgets = definitionOf("Widget")

const metadataOf = (object: MapValue) => object.metadata as MapValue

describe("validate", () => {
  it("refuses objects with a cause for each problem, in dry runs too", async () => {
    const server = createApiServer({
      validate: ({ object }) =>
        (object.data as MapValue).a === "odd"
          ? [
              { field: "data.a", message: 'Invalid value: "odd": must be even' },
              { field: "data.b", message: "Required value", reason: "FieldValueRequired" },
            ]
          : [],
    })
    const odd = { ...settings, data: { a: "odd" } }
    for (const query of ["", "?dryRun=All"]) {
      const { status, body } = await send(server, "POST", configMaps + query, odd)
      expect(status).toBe(422)
      expect(body.message).toBe(
        'ConfigMap "settings" is invalid: [data.a: Invalid value: "odd": must be even, data.b: Required value]',
      )
      expect((body.details as MapValue).causes).toEqual([
        { reason: "FieldValueInvalid", field: "data.a", message: 'Invalid value: "odd": must be even' },
        { reason: "FieldValueRequired", field: "data.b", message: "Required value" },
      ])
    }
    expect((await send(server, "GET", `${configMaps}/settings`)).status).toBe(404)
    expect((await send(server, "POST", configMaps, settings)).status).toBe(201)
  })

  it("sees the object to store: after admission, with the old values of fields that the request can't write", async () => {
    const seen: ValidationRequest[] = []
    const server = createApiServer({
      admit: ({ object }) => ({ ...object, data: { ...(object.data as MapValue), admitted: "yes" } }),
      validate: request => {
        seen.push(request)
        return []
      },
    })
    await send(server, "POST", configMaps, settings)
    const change = { data: { a: "2" }, metadata: { creationTimestamp: "1999-01-01T00:00:00Z" } }
    await send(server, "PATCH", `${configMaps}/settings?fieldManager=m&dryRun=All`, change, "merge")
    const [first, second] = seen
    expect(seen.length).toBe(2)
    expect(first).toMatchObject({ operation: "CREATE", live: undefined, resource: "configmaps", dryRun: false })
    expect(first?.object.data).toEqual({ a: "1", admitted: "yes" })
    expect(metadataOf(first?.object as MapValue).uid).toBeTypeOf("string")
    expect(second).toMatchObject({ operation: "UPDATE", subresource: "", dryRun: true, manager: "m" })
    expect(metadataOf(second?.object as MapValue).creationTimestamp).toBe(
      metadataOf(second?.live as MapValue).creationTimestamp,
    )
  })

  it("is not asked about loaded objects", () => {
    const server = createApiServer({
      validate: () => [{ field: "data", message: "Forbidden: no" }],
      objects: [settings],
    })
    expect(server.snapshot().some(({ kind }) => kind === "ConfigMap")).toBe(true)
  })
})

describe("a server that is read-only", () => {
  const server = createApiServer({ readOnly: true, crds: [widgets], objects: [settings] })
  const before = server.snapshot()
  const changed = { ...settings, data: { a: "2" } }
  const gadgets = definitionOf("Gadget")
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
  const other = { ...settings, metadata: { name: "other" } }
  const writes: readonly (readonly [method: string, path: string, body?: object, type?: ContentType])[] = [
    ["POST", configMaps, other],
    ["PUT", `${configMaps}/settings`, changed],
    ["PATCH", `${configMaps}/settings?fieldManager=m&force=true`, changed, "apply"],
    ["PATCH", `${configMaps}/settings`, { data: { a: "3" } }, "merge"],
    ["DELETE", `${configMaps}/settings`],
    ["DELETE", configMaps],
    ["POST", definitions, gadgets],
    ["DELETE", `${definitions}/widgets.example.com`],
    ["DELETE", "/api/v1/namespaces/kube-node-lease"],
  ]

  const rows = writes.map(([method, path, body, type]) => ({ method, path, body, type }))
  it.each(rows)("refuses a write: $method $path", async ({ method, path, body, type }) => {
    const answer = await send(server, method, path, body, type)
    expect(answer).toMatchObject({ status: 403, body: { kind: "Status", reason: "Forbidden" } })
    expect(answer.body.message).toMatch(/ is forbidden: this API server is read-only and stores nothing; a dry run /)
    expect(server.snapshot()).toEqual(before)
    expect((await send(server, "GET", "/apis/example.com/v1/gadgets")).status).toBe(404)
    expect((await send(server, "GET", "/apis/example.com/v1/widgets")).status).toBe(200)
  })

  it("answers dry runs, reviews, and requests that change nothing", async () => {
    const dry = await send(server, "PUT", `${configMaps}/settings?dryRun=All`, changed)
    expect(dry).toMatchObject({ status: 200, body: { data: { a: "2" } } })
    expect((await send(server, "POST", `${configMaps}?dryRun=All`, other)).status).toBe(201)
    const options = { apiVersion: "v1", kind: "DeleteOptions", dryRun: ["All"] }
    expect((await send(server, "DELETE", `${configMaps}/settings`, options)).status).toBe(200)
    const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: {} }
    const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    expect((await send(server, "POST", reviews, review)).status).toBe(201)
    const live = (await send(server, "GET", `${configMaps}/settings`)).body
    expect((await send(server, "PUT", `${configMaps}/settings?fieldManager=load`, live)).status).toBe(200)
    expect((await send(server, "PUT", `${configMaps}/settings`, { ...settings, kind: "Secret" })).status).toBe(400)
    expect(server.snapshot()).toEqual(before)
  })

  it("still loads objects", () => {
    const server = createApiServer({ readOnly: true })
    server.load([settings])
    expect(server.snapshot().some(({ kind }) => kind === "ConfigMap")).toBe(true)
  })

  it("has the roles of a new cluster", async () => {
    const server = createApiServer({ readOnly: true, authorization: "rbac" })
    expect((await send(server, "GET", configMaps)).status).toBe(200)
  })
})

describe("openapi", () => {
  const document = {
    openapi: "3.0.0",
    paths: { "/apis/apps/v1/": {} },
    components: { schemas: { Deployment: { description: "a description <of> its own" } } },
  }

  it("serves supplied documents for built-in groups, each with its own hash", async () => {
    const server = createApiServer({ openapi: { "apis/apps/v1": document, "apis/gone.example.com/v1": document } })
    const index = (await send(server, "GET", "/openapi/v3")).body.paths as Record<string, MapValue>
    const generated = (await send(createApiServer(), "GET", "/openapi/v3")).body.paths as Record<string, MapValue>
    expect(Object.keys(index)).toEqual(Object.keys(generated))
    expect(index["api/v1"]).toEqual(generated["api/v1"])
    expect(index["apis/apps/v1"]).not.toEqual(generated["apis/apps/v1"])
    const address = String(index["apis/apps/v1"]?.serverRelativeURL)
    const response = await server.fetch(new Request(`http://test${address}`))
    expect(response.headers.get("cache-control")).toBe("public, immutable")
    expect(await response.json()).toEqual(document)
    expect((await send(server, "GET", "/openapi/v3/apis/gone.example.com/v1")).status).toBe(404)
  })

  it("generates the documents of custom resources even if they are supplied", async () => {
    const server = createApiServer({ crds: [widgets], openapi: { "apis/example.com/v1": document } })
    const { body } = await send(server, "GET", "/openapi/v3/apis/example.com/v1")
    expect(Object.keys((body.components as MapValue).schemas as MapValue)).toContain("com.example.v1.Widget")
  })
})

describe("load", () => {
  const stored = (name: string, resourceVersion: string, data: string) => ({
    ...settings,
    metadata: { name, namespace: "default", uid: `uid-${name}`, generation: 3, resourceVersion },
    data: { a: data },
  })
  const versionOf = (server: ApiServer, name: string) =>
    server.snapshot().flatMap(object => (metadataOf(object).name === name ? [metadataOf(object).resourceVersion] : []))

  it("restores a snapshot: owners, uids, generations and resourceVersions", async () => {
    const first = createApiServer({ crds: [widgets], objects: [settings] })
    await send(first, "POST", `${configMaps}?fieldManager=m`, { ...settings, metadata: { name: "other" } })
    await send(first, "DELETE", `${configMaps}/settings`)
    const second = createApiServer()
    const objects = first.snapshot()
    const isDefinition = ({ kind }: MapValue) => kind === "CustomResourceDefinition"
    second.load([...objects.filter(isDefinition), ...objects.filter(object => !isDefinition(object)).reverse()])
    expect(second.snapshot()).toEqual(objects)
    const highest = Math.max(...objects.map(object => Number(metadataOf(object).resourceVersion)))
    expect(second.resourceVersion).toBe(String(highest))
    const { body } = await send(second, "POST", configMaps, { ...settings, metadata: { name: "next" } })
    expect(metadataOf(body).resourceVersion).toBe(String(highest + 1))
  })

  it("gives a later state of the same object a resourceVersion of its own", () => {
    const server = createApiServer({ objects: [stored("a", "100", "1")] })
    expect(versionOf(server, "a")).toEqual(["100"])
    server.load([stored("a", "100", "2")])
    expect(versionOf(server, "a")).toEqual(["101"])
  })

  it("sends loaded objects to watches, in order", async () => {
    const server = createApiServer({ objects: [stored("a", "100", "1")] })
    const { url, close } = await listen({ server })
    const response = await fetch(`${url}${configMaps}?watch=true&resourceVersion=100`)
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    server.load([stored("b", "50", "1"), stored("c", "200", "1")])
    let text = ""
    while (text.split("\n").length < 3) text += new TextDecoder().decode((await reader.read()).value)
    const versions = text
      .split("\n")
      .flatMap(line => (line === "" ? [] : [JSON.parse(line).object.metadata.resourceVersion]))
    expect(versions).toEqual(["101", "200"])
    await close()
  })

  it("refuses a watch from before events that it would miss", async () => {
    const server = createApiServer({ objects: [stored("a", "100", "1")] })
    server.load([stored("b", "50", "1")])
    const { url, close } = await listen({ server })
    const text = await (await fetch(`${url}${configMaps}?watch=true&resourceVersion=40`)).text()
    expect(JSON.parse(text)).toMatchObject({ type: "ERROR", object: { code: 410 } })
    await close()
  })

  it("changes an existing object", () => {
    const server = createApiServer({ objects: [settings, { ...settings, data: { a: "2" } }] })
    expect(server.snapshot().find(({ kind }) => kind === "ConfigMap")?.data).toEqual({ a: "2" })
    const labelled = { apiVersion: "v1", kind: "Namespace", metadata: { name: "default", labels: { team: "x" } } }
    server.load([labelled])
    const namespace = server.snapshot().find(object => metadataOf(object).name === "default")
    expect(metadataOf(namespace as MapValue).labels).toMatchObject({ team: "x" })
    expect(namespace?.status).toEqual({ phase: "Active" })
  })

  it("accepts definitions that older servers stored and that can no longer be created", async () => {
    const old = { ...widgets, spec: { ...(widgets.spec as MapValue), preserveUnknownFields: true } }
    const server = createApiServer({ objects: [old] })
    const { apiVersion, kind } = { apiVersion: "example.com/v1", kind: "Widget" }
    server.load([{ apiVersion, kind, metadata: { name: "w" }, spec: { unheard: 1 } }])
    expect(server.snapshot().find(object => object.kind === kind)?.spec).toEqual({ unheard: 1 })
    const created = await createApiServer().fetch(
      new Request("http://a/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(old),
      }),
    )
    expect(created.status).toBe(422)
  })

  it("throws for a kind that is not served", () => {
    const gadget = { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "g" } }
    expect(() => createApiServer({ objects: [gadget] })).toThrow(
      "no resource serves example.com/v1 Gadget: load its CustomResourceDefinition first",
    )
  })
})

describe("parity", () => {
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "<x>" }
  const owned = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ownerReferences: [owner] } }
  const path = `${configMaps}/a?fieldManager=`
  const ownedKeys = ({ body }: Sent) =>
    Object.keys(body.metadata.managedFields[0].fieldsV1["f:metadata"]["f:ownerReferences"])

  it.each([
    [undefined, 'k:{"uid":"\\u003cx\\u003e"}'],
    ["v6", 'k:{"uid":"\\u003cx\\u003e"}'],
    ["v7", 'k:{"uid":"<x>"}'],
  ] as const)("%s writes keys of managedFields as %s", async (parity, key) => {
    const answer = await send(createApiServer({ parity }), "PATCH", `${path}me`, owned, "apply")
    expect(ownedKeys(answer)).toEqual([key])
  })

  it("lets a server of v7 rewrite the managedFields of v6", async () => {
    const { body } = await send(createApiServer(), "PATCH", `${path}me`, owned, "apply")
    const server = createApiServer({ parity: "v7", objects: [body] })
    const answer = await send(server, "PATCH", `${path}you`, { data: { a: "b" } }, "merge")
    expect(ownedKeys(answer)).toEqual(['k:{"uid":"<x>"}'])
  })
})

describe("listen", () => {
  it("lets another function answer, and listens on all interfaces if asked to", async () => {
    const { url, close } = await listen({ host: "0.0.0.0", fetch: async () => new Response("mine") })
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await (await fetch(url)).text()).toBe("mine")
    await close()
  })
})
