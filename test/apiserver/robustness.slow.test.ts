/** Malformed, huge, slow and truncated requests over real sockets: each gets a response, and the server keeps serving. */
import { connect } from "node:net"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Listening, listen } from "../../src/apiserver/node/listen.js"
import { createApiServer } from "../../src/apiserver/server.js"
import { parseJson } from "../../src/json/json.js"
import { own } from "../../src/value/object.js"
import { isMap, type Value } from "../../src/value/value.js"

const path = "/api/v1/namespaces/default/configmaps"
const most = 3 * 1024 * 1024
const json = "content-type: application/json"
let listening: Listening

beforeAll(async () => {
  listening = await listen()
})

afterAll(() => listening.close())

/** Sends these bytes over a new connection. Returns all bytes received until it closes. */
function raw(...parts: readonly (string | Uint8Array)[]): Promise<string> {
  return new Promise(resolve => {
    let text = ""
    const socket = connect(Number(new URL(listening.url).port), "127.0.0.1")
    socket.on("data", data => {
      text += data.toString("latin1")
    })
    socket.on("error", () => undefined)
    socket.on("close", () => resolve(text))
    for (const part of parts) socket.write(part)
  })
}

/** Returns the status of a response: `HTTP/1.1 400 Bad Request` -> 400. */
function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)
}

/** Formats the head of a request. */
function head(line: string, ...headers: readonly string[]): string {
  return `${[`${line} HTTP/1.1`, "host: localhost", ...headers].join("\r\n")}\r\n\r\n`
}

/** Formats the head of a request after which the client wants the connection closed. */
function lastHead(line: string, ...headers: readonly string[]): string {
  return head(line, "connection: close", ...headers)
}

/** Sends a request with a body. Returns the response. */
function post(body: string | Uint8Array, ...headers: readonly string[]): Promise<string> {
  const { length } = typeof body === "string" ? Buffer.from(body) : body
  return raw(lastHead(`POST ${path}`, json, `content-length: ${length}`, ...headers), body)
}

async function expectServing(): Promise<void> {
  expect((await fetch(`${listening.url}${path}`)).status).toBe(200)
}

async function send(method: string, url: string, type: string, body: string): Promise<{ status: number; body: Value }> {
  const response = await fetch(`${listening.url}${url}`, { method, headers: { "content-type": type }, body })
  return { status: response.status, body: parseJson(await response.text()) }
}

const apply = (name: string, body: string) =>
  send("PATCH", `${path}/${name}?fieldManager=me&force=true`, "application/apply-patch+yaml", body)
const create = (body: string) => send("POST", path, "application/json", body)

function messageOf(body: Value): string {
  return isMap(body) ? String(own(body, "message") ?? "") : ""
}

describe("a body that is too large", () => {
  it("is refused by its announced length, before it arrives", async () => {
    const answer = await raw(head(`POST ${path}`, json, `content-length: ${most + 1}`))
    expect(statusOf(answer)).toBe(413)
    expect(answer).toContain('"reason":"RequestEntityTooLarge"')
    await expectServing()
  })

  it("is refused while the client still sends it", async () => {
    for (const size of [most + 1, 4 * most]) {
      const response = await fetch(`${listening.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: " ".repeat(size),
      })
      expect(response.status).toBe(413)
      expect(await response.json()).toMatchObject({ reason: "RequestEntityTooLarge", code: 413 })
    }
    await expectServing()
  })

  it("is refused without an announced length", async () => {
    const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`
    const chunked = lastHead(`POST ${path}`, json, "transfer-encoding: chunked")
    const answer = await raw(chunked, ...Array.from({ length: 49 }, () => chunk), "0\r\n\r\n")
    expect(statusOf(answer)).toBe(413)
    await expectServing()
  })

  it("is refused if the object is too large to store, although the request is not", async () => {
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "large" },
      data: { a: "x".repeat(2_000_000) },
    }
    const { status } = await create(JSON.stringify(object))
    expect(status).toBe(422)
    await expectServing()
  })
})

describe("a request that is malformed", () => {
  it.each([
    ["another protocol", "hello\r\n\r\n", 400],
    ["a header without a colon", head(`GET ${path}`, "nonsense"), 400],
    ["no host", `GET ${path} HTTP/1.1\r\nconnection: close\r\n\r\n`, 400],
    ["an invalid host", `GET ${path} HTTP/1.1\r\nhost: a b/:x\r\nconnection: close\r\n\r\n`, 400],
    ["two lengths", head(`POST ${path}`, "content-length: 1", "content-length: 2"), 400],
    ["an unknown method", head(`BREW ${path}`), 405],
    ["an unknown method at no path", head("BREW x"), 400],
    ["an unknown method for an unknown host", `BREW ${path} HTTP/1.1\r\nhost: example.com\r\n\r\n`, 403],
    ["the method TRACE", lastHead(`TRACE ${path}`), 400],
    ["the target *", lastHead("OPTIONS *"), 404],
    ["OPTIONS", lastHead(`OPTIONS ${path}`), 405],
    ["a percent sign without digits in the path", lastHead(`GET ${path}/%zz`), 404],
    ["bytes in the path that are not UTF-8", lastHead(`GET ${path}/%ff`), 404],
    ["a slash in the name", lastHead(`GET ${path}/a%2Fb`), 404],
    ["NUL in the name", lastHead(`GET ${path}/%00`), 404],
    ["a percent sign without digits in the query", lastHead(`GET ${path}?limit=%zz`), 400],
    ["an invalid selector", lastHead(`GET ${path}?labelSelector=((%25`), 400],
    ["a limit that is too large", lastHead(`GET ${path}?limit=99999999999999999999`), 400],
    ["a name called __proto__", lastHead(`GET ${path}/__proto__`), 404],
    ["a resource called __proto__", lastHead("GET /apis/__proto__/v1/constructor"), 404],
    ["a long address", lastHead(`GET ${path}?labelSelector=${"a,".repeat(30_000)}a`), 200],
    ["an address that is too long", head(`GET ${path}?a=${"a".repeat(1_100_000)}`), 431],
  ])("gets a response: %s", async (_, request, status) => {
    expect(statusOf(await raw(request))).toBe(status)
    await expectServing()
  })

  it.each([
    ["an empty body", "", 400],
    ["invalid JSON", "{", 400],
    ["two values", "{} {}", 400],
    ["bytes that are not UTF-8", Uint8Array.of(0x22, 0xff, 0x22), 400],
    ["null, which is an empty object", "null", 422],
    ["a list", "[]", 400],
    ["metadata that is text", '{"metadata":"x"}', 400],
    ["a name that is a number", '{"metadata":{"name":5}}', 400],
  ])("is refused: %s", async (_, body, status) => {
    expect(statusOf(await post(body))).toBe(status)
    await expectServing()
  })

  it("is refused if its body is compressed, which no API server reads", async () => {
    const body = gzipSync('{"metadata":{"name":"zipped"}}')
    for (const bytes of [body, body.subarray(0, 9)]) {
      expect(statusOf(await post(bytes, "content-encoding: gzip"))).toBe(400)
    }
    await expectServing()
  })
})

describe("a client that is slow or goes away", () => {
  it("does not delay other clients while it sends", async () => {
    const socket = connect(Number(new URL(listening.url).port), "127.0.0.1")
    socket.write(`${head(`POST ${path}`, json, "content-length: 100")}{`)
    const half = connect(Number(new URL(listening.url).port), "127.0.0.1")
    half.write("GET /api")
    await expectServing()
    socket.destroy()
    half.destroy()
    await expectServing()
  })

  it("may disconnect before its response, or in the middle of it", async () => {
    for (const request of [`GET ${path}`, "GET /openapi/v2", `GET ${path}?watch=true`]) {
      for (let bytes = 0; bytes < 2; bytes++) {
        await new Promise<void>(resolve => {
          const socket = connect(Number(new URL(listening.url).port), "127.0.0.1")
          socket.on("close", () => resolve())
          socket.write(head(request), () => {
            if (bytes === 0) socket.destroy()
            else socket.once("data", () => socket.destroy())
          })
        })
      }
    }
    await expectServing()
    await expect.poll(() => openWatches(listening.url)).toBe(0)
  })

  it("can't send HEAD for a watch", async () => {
    const response = await fetch(`${listening.url}${path}?watch=true`, { method: "HEAD" })
    expect(response.status).toBe(405)
    await expect.poll(() => openWatches(listening.url)).toBe(0)
  })
})

async function openWatches(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const counts = [...text.matchAll(/^apiserver_longrunning_requests\{.*\} (\d+)$/gm)].map(([, count]) => Number(count))
  return counts.reduce((sum, count) => sum + count, 0)
}

describe("odd values", () => {
  it.each([
    ["lists", `{"metadata":{"name":"deep"},"data":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["maps", `{"metadata":{"name":"deep"},"data":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`],
  ])("are refused if they nest too deeply: %s of JSON", async (_, body) => {
    expect((await create(body)).status).toBe(400)
    const types = [
      "application/json-patch+json",
      "application/merge-patch+json",
      "application/strategic-merge-patch+json",
    ]
    await create('{"metadata":{"name":"patched"}}')
    for (const type of types) expect((await send("PATCH", `${path}/patched`, type, body)).status).toBe(400)
    await expectServing()
  })

  it.each([
    ["flow lists", `data: ${"[".repeat(50_000)}${"]".repeat(50_000)}`],
    ["flow maps", `data: ${"{a: ".repeat(50_000)}1${"}".repeat(50_000)}`],
    ["lists on one line", `data:\n  ${"- ".repeat(50_000)}a`],
    ["keys", `data:\n  ${"? ".repeat(20_000)}a`],
  ])("are refused if they nest too deeply: %s of YAML", async (_, body) => {
    const { status } = await apply("deep", `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: deep}\n${body}\n`)
    expect(status).toBe(400)
    await expectServing()
  })

  it("are refused if aliases multiply them", async () => {
    const levels = Array.from({ length: 30 }, (_, i) => `x${i + 1}: &x${i + 1} [${`*x${i},`.repeat(9)}*x${i}]`)
    const bomb = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bomb}\nx0: &x0 lol\n${levels.join("\n")}\n`
    expect((await apply("bomb", bomb)).status).toBe(400)
    expect((await send("POST", path, "application/yaml", bomb)).status).toBe(400)
    await expectServing()
  })

  it("are ordinary keys if they are called __proto__", async () => {
    const object =
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"proto","labels":{"constructor":"a"}},"data":{"__proto__":"a","constructor":"b"}}'
    expect((await create(object)).status).toBe(201)
    expect((await apply("proto", object)).status).toBe(200)
    const merged = await send("PATCH", `${path}/proto`, "application/merge-patch+json", '{"data":{"__proto__":"c"}}')
    const patch = '[{"op":"add","path":"/data/constructor","value":"d"}]'
    const { body } = await send("PATCH", `${path}/proto`, "application/json-patch+json", patch)
    expect(merged.status).toBe(200)
    const data = isMap(body) ? own(body, "data") : undefined
    expect(data !== undefined && isMap(data) && [own(data, "__proto__"), own(data, "constructor")]).toEqual(["c", "d"])
    expect(Object.hasOwn(Object.prototype, "a")).toBe(false)
    await expectServing()
  })

  it("are kept if they are NUL, and refused in names of namespaces", async () => {
    const stored = await create('{"metadata":{"name":"nul"},"data":{"a":"x\\u0000y"}}')
    expect([stored.status, stored.body]).toMatchObject([201, { data: { a: "x\0y" } }])
    expect((await create('{"metadata":{"name":"x","namespace":"\\u0000"}}')).status).toBe(400)
    await expectServing()
  })

  it("come back as U+FFFD if they are half of a surrogate pair", async () => {
    const { status, body } = await create('{"metadata":{"name":"half"},"data":{"a":"x\\ud800y"}}')
    expect([status, body]).toMatchObject([201, { data: { a: "x\ufffdy" } }])
    await expectServing()
  })

  it("are refused if they are numbers that Go can't represent", async () => {
    const replicas = (value: string) =>
      send(
        "POST",
        "/apis/apps/v1/namespaces/default/deployments",
        "application/json",
        `{"metadata":{"name":"n"},"spec":{"replicas":${value}}}`,
      )
    for (const value of ["1e400", "9".repeat(100_000)]) {
      const { status, body } = await replicas(value)
      expect([value.slice(0, 9), status, messageOf(body) !== ""]).toEqual([value.slice(0, 9), 400, true])
    }
    await expectServing()
  })

  it("get a response if there are many: thousands of keys, a million elements", async () => {
    const keys = Array.from({ length: 10_000 }, (_, i) => `"k${i}":""`).join(",")
    expect((await create(`{"metadata":{"name":"keys"},"data":{${keys}}}`)).status).toBe(201)
    expect((await create(`{"metadata":{"name":"elements"},"data":[${"0,".repeat(1_000_000)}0]}`)).status).toBe(400)
    await expectServing()
  })
})

describe("a client that does not read its watch", () => {
  const size = 100_000
  const object = (name: string, i = 0) =>
    JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { [`k${i}`]: "x".repeat(size) } })
  const putTo = (server: ReturnType<typeof createApiServer>, i: number) =>
    server.fetch(
      new Request(`http://test${path}/big`, {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: object("big", i),
      }),
    )

  it("has only a few waiting events, and its watch ends once the store has forgotten the next one", async () => {
    const server = createApiServer({ history: 5, objects: [JSON.parse(object("big"))] })
    const response = await server.fetch(
      new Request(`http://test${path}?watch=true&resourceVersion=${server.resourceVersion}`),
    )
    const other = await server.fetch(
      new Request(`http://test${path}?watch=true&resourceVersion=${server.resourceVersion}`),
    )
    const reader = other.body?.getReader()
    for (let i = 1; i <= 40; i++) {
      expect((await putTo(server, i)).status).toBe(200)
      const { value } = (await reader?.read()) ?? {}
      expect(Buffer.from(value ?? []).includes(`"k${i}"`)).toBe(true)
    }
    const metrics = await (await server.fetch(new Request("http://test/metrics"))).text()
    expect(metrics).toMatch(/apiserver_longrunning_requests\{.*\} 1\n/)
    // The client gets the events from before it stopped reading, and then the reason for the end.
    const lines = (await response.text()).trimEnd().split("\n")
    const kinds = lines.map(line => JSON.parse(line) as { type: string; object: { reason?: string } })
    expect(kinds.length).toBeLessThanOrEqual(3)
    expect(kinds.at(-1)).toMatchObject({ type: "ERROR", object: { reason: "Expired", code: 410 } })
    server.close()
  })

  it("does not delay others over sockets, and is forgotten when it disconnects", async () => {
    const { url, server, close } = await listen({ history: 50, objects: [JSON.parse(object("big"))] })
    const socket = connect(Number(new URL(url).port), "127.0.0.1")
    socket.write(head(`GET ${path}?watch=true`))
    await new Promise<void>(resolve => socket.once("data", () => resolve()))
    socket.pause()
    for (let i = 1; i <= 200; i++) expect((await putTo(server, i)).status).toBe(200)
    await expect.poll(() => openWatches(url)).toBe(0)
    socket.destroy()
    expect((await fetch(`${url}${path}`)).status).toBe(200)
    await close()
  })
})

describe("the log of requests", () => {
  it("keeps only the latest ones", async () => {
    const server = createApiServer()
    for (let i = 0; i <= 20_000; i++) await server.fetch(new Request(`http://test/x?${i}`))
    expect(server.requests.length).toBe(10_001)
    expect(server.requests.at(-1)?.path).toBe("/x?20000")
  })
})
