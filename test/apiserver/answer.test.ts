/** Requests and responses as plain data, which must equal those of `fetch`. */
import { describe, expect, it } from "vitest"
import { readAddress } from "../../src/apiserver/request/request.js"
import { JsonCache } from "../../src/apiserver/response/json-cache.js"
import type { WatchLines } from "../../src/apiserver/response/response.js"
import { createApiServer } from "../../src/apiserver/server.js"
import { formatGoJson } from "../../src/json/json.js"
import { configMap } from "../support/config-map.js"

const path = "/api/v1/namespaces/default/configmaps"
const json = { "content-type": "application/json" }
const clock = () => new Date(0)

describe("answer", () => {
  it.each([
    ["an object", { path: `${path}/a` }],
    ["a list", { path }],
    ["an empty list", { path: "/api/v1/namespaces/other/configmaps" }],
    ["a page", { path: `${path}?labelSelector=!x` }],
    ["a Table", { path, headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } }],
    ["YAML", { path: `${path}/a`, headers: { accept: "application/yaml" } }],
    ["a Status", { path: `${path}/none` }],
    ["text", { path: "/healthz" }],
    ["an address that is not normal", { path: "/api/v1/../v1/namespaces/default/configmaps/%61?x=<#y" }],
    ["warnings", { path, method: "POST", headers: json, body: '{"metadata":{"name":"w"},"odd":1}' }],
    ["a document that is known", { path: "/openapi/v3/api/v1", headers: { "if-none-match": "" } }],
  ])("equals the answer of fetch: %s", async (_, { method = "GET", headers = {}, ...request }: RequestLike) => {
    const answers = await Promise.all(
      [0, 1].map(async way => {
        const server = createApiServer({ clock, objects: [configMap("a", { text: "<é>" }), configMap("b")] })
        if (headers["if-none-match"] === "") {
          const { headers: found } = await server.answer({ method, path: request.path })
          headers["if-none-match"] = found.etag ?? ""
        }
        if (way === 0) {
          const answer = await server.answer({ method, headers, ...request })
          return [answer.status, answer.headers, answer.body, server.requests]
        }
        const response = await server.fetch(new Request(`http://test${request.path}`, { method, headers, ...request }))
        return [response.status, Object.fromEntries(response.headers), await response.text(), server.requests]
      }),
    )
    const uids = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g
    const [plain, web] = answers.map(answer => JSON.stringify(answer).replace(uids, "uid"))
    expect(plain).toBe(web)
  })

  it("accepts a body as text, as bytes, and from a function that is called when the body is needed", async () => {
    const server = createApiServer()
    const text = (name: string) => JSON.stringify(configMap(name))
    const post = (body: string | Uint8Array | (() => Promise<Uint8Array | undefined>), at = path) =>
      server.answer({ method: "POST", path: at, headers: json, body })
    expect((await post(text("a"))).status).toBe(201)
    expect((await post(new TextEncoder().encode(text("b")))).status).toBe(201)
    expect((await post(async () => new TextEncoder().encode(text("c")))).status).toBe(201)
    expect((await post(async () => undefined)).status).toBe(413)
    expect((await post(" ".repeat(3 * 1024 * 1024 + 1))).status).toBe(413)
    expect((await post(() => Promise.reject(new Error("gone")))).status).toBe(400)
    let isRead = false
    const note = async () => {
      isRead = true
      return undefined
    }
    expect([(await post(note, "/api/v1/nothings")).status, isRead]).toEqual([404, false])
    expect(server.requests).toHaveLength(7)
  })

  it("rejects if the method or the path is not text", async () => {
    const { answer } = createApiServer()
    await expect(answer({ method: "GET" } as never)).rejects.toThrow("request.path: expected a string, got undefined")
  })
})

interface RequestLike {
  readonly path: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

describe("the lines of a watch", () => {
  const textOf = (lines: Uint8Array) =>
    new TextDecoder()
      .decode(lines)
      .trimEnd()
      .split("\n")
      .map(line => `${JSON.parse(line).type} ${JSON.parse(line).object.metadata.name}`)

  async function watched(server: ReturnType<typeof createApiServer>, query = "") {
    const { body } = await server.answer({ method: "GET", path: `${path}?watch=true${query}` })
    return body as WatchLines
  }

  it("arrive together if several are ready, and end with the loop that reads them", async () => {
    const server = createApiServer({ objects: [configMap("a"), configMap("b")] })
    const seen: string[][] = []
    const open = async () => (await server.answer({ method: "GET", path: "/metrics" })).body
    for await (const lines of await watched(server)) {
      seen.push(textOf(lines))
      if (seen.length === 2) break
      expect(await open()).toMatch(/apiserver_longrunning_requests\{.*\} 1\n/)
      server.load([configMap("c"), configMap("a", { x: "1" })])
    }
    expect(seen).toEqual([
      ["ADDED a", "ADDED b"],
      ["ADDED c", "MODIFIED a"],
    ])
    expect(await open()).not.toMatch(/apiserver_longrunning_requests\{/)
  })

  it("may have several waiting readers, each of which gets some", async () => {
    const server = createApiServer()
    const lines = await watched(server, `&resourceVersion=${server.resourceVersion}`)
    const waiting = [lines.next(), lines.next(), lines.next()]
    server.load([configMap("a"), configMap("b")])
    server.close()
    const found = (await Promise.all(waiting)).map(({ done, value }) => (done === true ? "end" : textOf(value)))
    expect(found).toEqual([["ADDED a"], ["ADDED b"], "end"])
  })

  it("begin after a resourceVersion in the future", async () => {
    const server = createApiServer()
    const lines = await watched(server, `&resourceVersion=${Number(server.resourceVersion) + 1}`)
    const next = lines.next()
    server.load([configMap("a"), configMap("b")])
    expect(textOf((await next).value as Uint8Array)).toEqual(["ADDED b"])
    await lines.return()
    expect(await lines.next()).toEqual({ done: true, value: undefined })
  })
})

describe("readAddress", () => {
  it.each([
    ["/a/b?c=d", "/a/b", "?c=d"],
    ["/a?", "/a", ""],
    ["/a/./b/../c", "/a/c", ""],
    ["/a/%2e%2E/c?x='y'#z", "/c", "?x=%27y%27"],
    ["/a b\\c", "/a%20b/c", ""],
    ["//host/a", "//host/a", ""],
    ["*", "/*", ""],
    ["/é?é", "/%C3%A9", "?%C3%A9"],
  ])("reads %s as a URL does", (address, expected, search) => {
    const read = readAddress({ method: "GET", path: address })
    expect([read.path, read.search]).toEqual([expected, search])
    expect(read.query.toString()).toBe(new URLSearchParams(search).toString())
  })
})

describe("JsonCache", () => {
  const object = { b: "<", a: [1] }
  const list = { kind: "List", metadata: {}, items: [object, { c: 1 }, object] }

  it("formats objects and lists as without a cache", () => {
    const cache = new JsonCache()
    for (let i = 0; i < 2; i++) {
      expect(cache.format(object)).toBe(formatGoJson(object, { sorted: false }))
      expect(cache.formatList(list)).toBe(formatGoJson(list, { sorted: false }))
    }
    expect(cache.formatList({ items: [] })).toBe('{"items":[]}')
  })

  it("formats an object again after the cache was full, and never caches a text that is too long", () => {
    const cache = new JsonCache(30)
    const objects = Array.from({ length: 10 }, (_, i) => ({ text: `${i}` }))
    for (const each of [...objects, { text: "x".repeat(100) }, ...objects]) {
      expect(cache.format(each)).toBe(JSON.stringify(each))
    }
  })
})
