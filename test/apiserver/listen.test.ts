/** The server on a port. */
import { type IncomingMessage, request } from "node:http"
import type { Socket } from "node:net"
import { describe, expect, it } from "vitest"
import { listen } from "../../src/apiserver/node/listen.js"
import { createApiServer } from "../../src/apiserver/server.js"
import { parseYaml } from "../../src/io/yaml.js"

/** The status and the message of the answer to a request with these headers. */
function ask(url: string, headers: Record<string, string>, method = "GET", body = "") {
  return new Promise<{ status: number | undefined; message: string }>((resolve, reject) => {
    const sent = request(`${url}/api/v1/namespaces/default/configmaps`, { method, headers }, async answer => {
      const text = (await answer.toArray()).join("")
      resolve({ status: answer.statusCode, message: text.startsWith("{") ? JSON.parse(text).message : text })
    })
    sent.on("error", reject)
    sent.end(body)
  })
}

interface Event {
  readonly object: { readonly metadata: { readonly name: string; readonly resourceVersion: string } }
}

/** Reads the given number of events of a watch. */
async function readEvents(body: ReadableStream<Uint8Array>, count: number): Promise<Event[]> {
  let text = ""
  const decoder = new TextDecoder()
  for await (const part of body) {
    text += decoder.decode(part, { stream: true })
    if (text.split("\n").length > count) break
  }
  return text.split("\n", count).map(line => JSON.parse(line) as Event)
}

it("listen tells options from a server", async () => {
  const server = createApiServer()
  const message = "options: expected an object, got a server; pass { server }"
  await expect(listen(server as object)).rejects.toThrow(new TypeError(message))
  const listening = await listen({ server })
  expect(listening.server).toBe(server)
  await listening.close()
})

describe("web pages", () => {
  const configMap = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } })

  it("can't reach the server under a name of their own", async () => {
    const { url, server, close } = await listen({ hosts: ["Cluster.test"] })
    const port = new URL(url).port
    const own = ["127.0.0.1", "localhost", "LOCALHOST", "a.localhost", "[::1]", "192.0.2.1", "cluster.test"]
    for (const host of own) expect((await ask(url, { host: `${host}:${port}` })).status).toBe(200)
    const before = server.requests.length
    const foreign = ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "notlocalhost", "a@b.example"]
    for (const host of foreign) {
      const { status } = await ask(url, { host: `${host}:${port}` })
      expect([host, status]).toEqual([host, host.includes("@") ? 400 : 403])
    }
    const { status, message } = await ask(url, { host: "evil.example" }, "POST", configMap)
    expect(status).toBe(403)
    expect(message).toBe(
      'the host "evil.example" is not known to be this server: use an address or localhost, or allow the name (option hosts of listen, --allow-host of smd serve)',
    )
    expect(server.requests.length).toBe(before)
    await close()
  })

  it("may use the name that the server listens at", async () => {
    const { url, close } = await listen({ host: "localhost" })
    expect(url).toMatch(/^http:\/\/localhost:/)
    expect((await ask(url, {})).status).toBe(200)
    await close()
  })

  it("of other origins can't write, whatever the type of the body", async () => {
    const { url, server, close } = await listen()
    for (const origin of ["http://evil.example", "null", "http://127.0.0.1:1", "http://localhost"]) {
      for (const type of [{}, { "content-type": "text/plain" }, { "content-type": "application/json" }]) {
        const { status, message } = await ask(url, { origin, ...type }, "POST", configMap)
        expect([status, message]).toEqual([
          403,
          `the request comes from a web page of another origin: ${JSON.stringify(origin)}`,
        ])
      }
    }
    expect(server.requests).toEqual([])
    expect((await ask(url, { origin: url }, "POST", configMap)).status).toBe(201)
    expect((await ask(url, {}, "POST", configMap)).status).toBe(409)
    await close()
  })
})

describe("a server that listens", () => {
  it("answers at its address, and returns a kubeconfig for it", async () => {
    const { url, kubeconfig, close } = await listen()
    try {
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      expect(parseYaml(kubeconfig)).toMatchObject({
        clusters: [{ cluster: { server: url } }],
        "current-context": "test",
      })
      expect(await (await fetch(`${url}/readyz`)).text()).toBe("ok")
      const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } })
      const headers = { "content-type": "application/json" }
      const created = await fetch(`${url}/api/v1/namespaces/default/configmaps`, { method: "POST", headers, body })
      expect(created.status).toBe(201)
    } finally {
      await close()
    }
  })

  it("refuses a body that is too large, and keeps serving after a request that was cut off", async () => {
    const { url, close } = await listen()
    try {
      const headers = { "content-type": "application/json" }
      const path = `${url}/api/v1/namespaces/default/configmaps`
      const large = await fetch(path, { method: "POST", headers, body: " ".repeat(3 * 1024 * 1024 + 1) })
      expect(large.status).toBe(413)
      await new Promise<void>(resolve => {
        const cut = request(path, { method: "POST", headers: { ...headers, "content-length": "100" } })
        cut.on("error", () => resolve())
        cut.on("close", () => resolve())
        cut.write("{", () => cut.destroy())
      })
      expect((await fetch(path)).status).toBe(200)
    } finally {
      await close()
    }
  })

  it("sends the events of concurrent writes to every watch, in order", async () => {
    const { url, close } = await listen()
    try {
      const path = `${url}/api/v1/namespaces/default/configmaps`
      const names = Array.from({ length: 100 }, (_, i) => `object-${i}`)
      const watches = await Promise.all([1, 2, 3].map(() => fetch(`${path}?watch=true`)))
      const seen = watches.map(({ body }) => readEvents(body as ReadableStream<Uint8Array>, names.length))
      const headers = { "content-type": "application/json" }
      const body = (name: string) => JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } })
      await Promise.all(names.map(name => fetch(path, { method: "POST", headers, body: body(name) })))
      for (const events of await Promise.all(seen)) {
        expect(events.map(({ object }) => object.metadata.name).toSorted()).toEqual(names.toSorted())
        const versions = events.map(({ object }) => Number(object.metadata.resourceVersion))
        expect(versions).toEqual(versions.toSorted((a, b) => a - b))
      }
    } finally {
      await close()
    }
  })

  it("sends the headers of a watch at once", async () => {
    const { url, close } = await listen()
    const response = await fetch(`${url}/api/v1/configmaps?watch=true`)
    expect(response.status).toBe(200)
    await close()
  })
})

describe("a request for another protocol", () => {
  const watch = "/api/v1/namespaces/default/configmaps?watch=true"
  const handshake = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" }

  it("gets the events of a watch as messages over WebSocket, pongs, and a close", async () => {
    const { url, server, close } = await listen()
    const name = "x".repeat(200)
    await server.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } })
    const asked = request(url + watch, { headers: handshake }).end()
    const [answer, socket] = await new Promise<[IncomingMessage, Socket]>(resolve =>
      asked.once("upgrade", (answer, socket: Socket, first) => {
        socket.unshift(first)
        resolve([answer, socket])
      }),
    )
    expect(answer.headers["sec-websocket-accept"]).toBe("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    const data = socket.iterator({ destroyOnReturn: false })
    const [head, text] = [(await data.next()).value as Buffer, () => JSON.parse(head.subarray(4).toString())]
    expect([head[0], head[1], head.readUInt16BE(2)]).toEqual([0x81, 126, head.length - 4])
    expect(text()).toMatchObject({ type: "ADDED", object: { metadata: { name } } })
    const mask = [0, 0, 0, 0]
    socket.write(Buffer.from([0x89, 0x81, ...mask, 7]))
    expect([...((await data.next()).value as Buffer)]).toEqual([0x8a, 1, 7])
    socket.write(Buffer.from([0x88, 0x80, ...mask]))
    expect([...((await data.next()).value as Buffer)]).toEqual([0x88, 2, 3, 232])
    expect((await data.next()).done).toBe(true)
    await close()
  })

  it("over WebSocket ends with the server, and is refused like others", async () => {
    const { url, close } = await listen()
    const refused = request(url, { headers: handshake, path: "/api/v1/nothing?watch=true" }).end()
    const status = await new Promise(resolve => refused.once("response", ({ statusCode }) => resolve(statusCode)))
    expect(status).toBe(404)
    const asked = request(url + watch, { headers: handshake }).end()
    const socket = await new Promise<Socket>(resolve => asked.once("upgrade", (_, socket: Socket) => resolve(socket)))
    const ended = new Promise(resolve => socket.resume().once("close", resolve))
    await close()
    await ended
  })

  it("is answered as if it had not asked, if the protocol is another one", async () => {
    const { url, close } = await listen()
    const headers = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAEAAEAAAAIAAAAB" }
    const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } })
    expect(await ask(url, { ...headers, "content-type": "application/json" }, "POST", body)).toMatchObject({
      status: 201,
    })
    await close()
  })
})
