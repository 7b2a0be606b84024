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

/** Formats a request with a body that closes the connection after the response. */
function post(body: string | Uint8Array, headers = "content-type: application/json"): Promise<string> {
  const { length } = typeof body === "string" ? Buffer.from(body) : body
  return raw(
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${headers}\r\ncontent-length: ${length}\r\n\r\n`,
    body,
  )
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
  it("is refused by its announced length, before it comes", async () => {
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${most + 1}\r\n\r\n`
    const answer = await raw(head)
    expect(statusOf(answer)).toBe(413)
    expect(answer).toContain('"reason":"RequestEntityTooLarge"')
    await expectServing()
  })

  it("is refused with its answer while the client sends all of it", async () => {
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
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`
    const answer = await raw(head, ...Array.from({ length: 49 }, () => chunk), "0\r\n\r\n")
    expect(statusOf(answer)).toBe(413)
    await expectServing()
  })

  it("may be refused for an object that is too large to store, though the request is not", async () => {
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
    ["no HTTP", "hello\r\n\r\n", 400],
    ["a header without a colon", `GET ${path} HTTP/1.1\r\nhost: localhost\r\nnonsense\r\n\r\n`, 400],
    ["no host", `GET ${path} HTTP/1.1\r\nconnection: close\r\n\r\n`, 400],
    ["a host that is none", `GET ${path} HTTP/1.1\r\nhost: a b/:x\r\nconnection: close\r\n\r\n`, 400],
    ["two lengths", `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n`, 400],
    ["a method that nobody knows", `BREW ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`, 400],
    ["the method TRACE", `TRACE ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`, 400],
    ["the target *", "OPTIONS * HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n", 404],
    ["OPTIONS", `OPTIONS ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`, 405],
    [
      "a percent sign with no digits in the path",
      `GET ${path}/%zz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
      404,
    ],
    [
      "bytes in the path that are not UTF-8",
      `GET ${path}/%ff HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
      404,
    ],
    ["a slash in the name", `GET ${path}/a%2Fb HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`, 404],
    ["NUL in the name", `GET ${path}/%00 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`, 404],
    [
      "a percent sign with no digits in the query",
      `GET ${path}?limit=%zz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
      400,
    ],
    [
      "a selector that is none",
      `GET ${path}?labelSelector=((%25 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
      400,
    ],
    [
      "a limit that is too large",
      `GET ${path}?limit=99999999999999999999 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
      400,
    ],
    ["a name called __proto__", `GET ${path}/__proto__ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`, 404],
    [
      "a resource called __proto__",
      "GET /apis/__proto__/v1/constructor HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
      404,
    ],
    [
      "a long address",
      `GET ${path}?labelSelector=${"a,".repeat(30_000)}a HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
      200,
    ],
    ["an address that is too long", `GET ${path}?a=${"a".repeat(1_100_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`, 431],
  ])("is answered: %s", async (_, request, status) => {
    expect(statusOf(await raw(request))).toBe(status)
    await expectServing()
  })

  it.each([
    ["an empty body", "", 400],
    ["no JSON", "{", 400],
    ["two values", "{} {}", 400],
    ["bytes that are not UTF-8", Uint8Array.of(0x22, 0xff, 0x22), 400],
    ["null", "null", 400],
    ["a list", "[]", 400],
    ["metadata that is text", '{"metadata":"x"}', 400],
    ["a name that is a number", '{"metadata":{"name":5}}', 400],
  ])("is refused: %s", async (_, body, status) => {
    expect(statusOf(await post(body))).toBe(status)
    await expectServing()
  })

  it("is refused where its body is compressed, which no API server reads", async () => {
    const body = gzipSync('{"metadata":{"name":"zipped"}}')
    for (const bytes of [body, body.subarray(0, 9)]) {
      expect(statusOf(await post(bytes, "content-type: application/json\r\ncontent-encoding: gzip"))).toBe(400)
    }
    await expectServing()
  })
})

describe("a client that is slow or goes away", () => {
  it("holds nobody up while it sends", async () => {
    const socket = connect(Number(new URL(listening.url).port), "127.0.0.1")
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
    )
    const half = connect(Number(new URL(listening.url).port), "127.0.0.1")
    half.write("GET /api")
    await expectServing()
    socket.destroy()
    half.destroy()
    await expectServing()
  })

  it("may go away before its answer, or in the middle of it", async () => {
    for (const request of [`GET ${path}`, "GET /openapi/v2", `GET ${path}?watch=true`]) {
      for (let bytes = 0; bytes < 2; bytes++) {
        await new Promise<void>(resolve => {
          const socket = connect(Number(new URL(listening.url).port), "127.0.0.1")
          socket.on("close", () => resolve())
          socket.write(`${request} HTTP/1.1\r\nhost: localhost\r\n\r\n`, () => {
            if (bytes === 0) socket.destroy()
            else socket.once("data", () => socket.destroy())
          })
        })
      }
    }
    await expectServing()
    await expect.poll(() => openWatches(listening.url)).toBe(0)
  })

  it("may ask for a watch with HEAD", async () => {
    const response = await fetch(`${listening.url}${path}?watch=true`, { method: "HEAD" })
    expect(response.status).toBe(200)
    await expect.poll(() => openWatches(listening.url)).toBe(0)
  })
})

async function openWatches(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const counts = [...text.matchAll(/^apiserver_longrunning_requests\{.*\} (\d+)$/gm)].map(([, count]) => Number(count))
  return counts.reduce((sum, count) => sum + count, 0)
}

describe("values that are odd", () => {
  it.each([
    ["lists", `{"metadata":{"name":"deep"},"data":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["maps", `{"metadata":{"name":"deep"},"data":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`],
  ])("are refused where they nest too deep: %s of JSON", async (_, body) => {
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
  ])("are refused where they nest too deep: %s of YAML", async (_, body) => {
    const { status } = await apply("deep", `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: deep}\n${body}\n`)
    expect(status).toBe(400)
    await expectServing()
  })

  it("are refused where aliases multiply them", async () => {
    const levels = Array.from({ length: 30 }, (_, i) => `x${i + 1}: &x${i + 1} [${`*x${i},`.repeat(9)}*x${i}]`)
    const bomb = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bomb}\nx0: &x0 lol\n${levels.join("\n")}\n`
    expect((await apply("bomb", bomb)).status).toBe(400)
    expect((await send("POST", path, "application/yaml", bomb)).status).toBe(400)
    await expectServing()
  })

  it("are ordinary keys where they are called __proto__", async () => {
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

  it("are kept where they are NUL, and refused in namespaces", async () => {
    const stored = await create('{"metadata":{"name":"nul"},"data":{"a":"x\\u0000y"}}')
    expect([stored.status, stored.body]).toMatchObject([201, { data: { a: "x\0y" } }])
    expect((await create('{"metadata":{"name":"x","namespace":"\\u0000"}}')).status).toBe(400)
    await expectServing()
  })

  it("come back as U+FFFD where they are half of a surrogate pair", async () => {
    const { status, body } = await create('{"metadata":{"name":"half"},"data":{"a":"x\\ud800y"}}')
    expect([status, body]).toMatchObject([201, { data: { a: "x\ufffdy" } }])
    await expectServing()
  })

  it("are refused where they are numbers that Go has not", async () => {
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

  it("are answered where there are many: thousands of keys, a million elements", async () => {
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

  it("keeps no more than a few events waiting, and its watch ends once the store has forgotten the next", async () => {
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

  it("does not hold up others over sockets, and is let go when it goes away", async () => {
    const { url, server, close } = await listen({ history: 50, objects: [JSON.parse(object("big"))] })
    const socket = connect(Number(new URL(url).port), "127.0.0.1")
    socket.write(`GET ${path}?watch=true HTTP/1.1\r\nhost: localhost\r\n\r\n`)
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
  it("keeps the last ones only", async () => {
    const server = createApiServer()
    for (let i = 0; i <= 20_000; i++) await server.fetch(new Request(`http://test/x?${i}`))
    expect(server.requests.length).toBe(10_001)
    expect(server.requests.at(-1)?.path).toBe("/x?20000")
  })
})
