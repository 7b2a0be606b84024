/** Watches: the events that a client receives. */
import { describe, expect, it } from "vitest"
import { type ApiServer, createApiServer } from "../../src/apiserver/server.js"
import type { MapValue } from "../../src/value/value.js"
import { send } from "./requests.js"

const path = "/api/v1/namespaces/default/configmaps"
const object = (name: string, labels: MapValue = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels },
})

/** Patches the object `a`. */
const patch = (server: ApiServer, body: object) => send(server, "PATCH", `${path}/a`, body, "merge")

/** Opens a watch and reads its events one at a time. */
async function watch(server: ApiServer, query = "") {
  const response = await server.fetch(new Request(`http://test${path}?watch=true&${query}`))
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ""
  const next = async (): Promise<string> => {
    while (!text.includes("\n")) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done) return "end"
      text += decoder.decode(value, { stream: true })
    }
    const line = text.slice(0, text.indexOf("\n"))
    text = text.slice(line.length + 1)
    const event = JSON.parse(line)
    return `${event.type} ${event.object.metadata?.name ?? event.object.reason ?? ""}`.trim()
  }
  return { status: response.status, next, cancel: () => reader?.cancel(), response }
}

describe("a watch", () => {
  it("begins with the existing objects, and continues with changes", async () => {
    const server = createApiServer({ objects: [object("a")] })
    const { next } = await watch(server)
    expect(await next()).toBe("ADDED a")
    await send(server, "POST", path, object("b"))
    await patch(server, { data: { x: "1" } })
    await send(server, "DELETE", `${path}/a`)
    expect([await next(), await next(), await next()]).toEqual(["ADDED b", "MODIFIED a", "DELETED a"])
    server.close()
    expect(await next()).toBe("end")
  })

  it("begins after a resourceVersion, which may have expired", async () => {
    const server = createApiServer()
    const { body: a } = await send(server, "POST", path, object("a"))
    await send(server, "POST", path, object("b"))
    const { resourceVersion } = a.metadata as MapValue
    expect(await (await watch(server, `resourceVersion=${resourceVersion}`)).next()).toBe("ADDED b")
    server.compact(Number(resourceVersion) + 1)
    const late = await watch(server, `resourceVersion=${resourceVersion}`)
    expect([await late.next(), await late.next()]).toEqual(["ERROR Expired", "end"])
    server.close()
  })

  it("ends the initial events with a bookmark if the client asks for it", async () => {
    const server = createApiServer({ objects: [object("a")] })
    const options = "sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"
    const { next } = await watch(server, options)
    expect([await next(), await next()]).toEqual(["ADDED a", "BOOKMARK"])
    server.close()
    const silent = await watch(server, "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1")
    expect([await silent.next(), await silent.next()]).toEqual(["ADDED a", "end"])
  })

  const match = "resourceVersionMatch"
  it.each([
    ["sendInitialEvents=true", `Forbidden: sendInitialEvents requires setting ${match} to NotOlderThan`],
    [`${match}=NotOlderThan`, `Forbidden: ${match} is forbidden for watch unless sendInitialEvents is provided`],
    [
      `${match}=Exact&continue=x`,
      `Forbidden: ${match} is forbidden for watch unless sendInitialEvents is provided, ${match}: Unsupported value: "Exact": supported values: "NotOlderThan", ${match}: Forbidden: ${match} is forbidden when continue is provided`,
    ],
  ])("may not have %s", async (query, problems) => {
    const response = await createApiServer().fetch(new Request(`http://test${path}?watch=true&${query}`))
    const { code, message } = (await response.json()) as { code: number; message: string }
    const all = `${match}: ${problems}`
    expect([code, message]).toEqual([
      422,
      `ListOptions.meta.k8s.io "" is invalid: ${all.includes(", ") ? `[${all}]` : all}`,
    ])
  })

  it("ends at once with a timeout in the past", async () => {
    expect(await (await watch(createApiServer(), "timeoutSeconds=-1")).next()).toBe("end")
  })

  it("has bookmarks for no more events than were sent", async () => {
    const server = createApiServer({ objects: [object("a")] })
    const begin = server.resourceVersion
    const options = "sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"
    const request = new Request(`http://test${path}?watch=true&${options}`)
    const [response] = await Promise.all([server.fetch(request), send(server, "POST", path, object("b"))])
    setTimeout(() => server.close())
    const lines = (await response.text()).trimEnd().split("\n")
    const [, bookmark, added] = lines.map(line => JSON.parse(line))
    expect([bookmark.type, bookmark.object.metadata.resourceVersion]).toEqual(["BOOKMARK", begin])
    expect([added.type, added.object.metadata.name]).toEqual(["ADDED", "b"])
  })

  it("ends at its timeout, however long that is", async () => {
    const server = createApiServer()
    expect(await (await watch(server, "timeoutSeconds=1")).next()).toBe("end")
    const { next } = await watch(server, "timeoutSeconds=99999999")
    await new Promise(resolve => setTimeout(resolve, 10))
    await send(server, "POST", path, object("a"))
    expect(await next()).toBe("ADDED a")
    server.close()
  })

  it("reports objects that enter and leave a selection", async () => {
    const server = createApiServer({ objects: [object("a", { on: "no" })] })
    const { next } = await watch(server, "labelSelector=on=yes")
    await patch(server, { metadata: { labels: { on: "yes" } } })
    await patch(server, { data: { x: "1" } })
    await patch(server, { metadata: { labels: { on: "no" } } })
    expect([await next(), await next(), await next()]).toEqual(["ADDED a", "MODIFIED a", "DELETED a"])
    server.close()
  })

  it("loses and repeats nothing for a client that reads late", async () => {
    const server = createApiServer()
    const { next, cancel } = await watch(server)
    for (let i = 0; i < 100; i++) await send(server, "POST", path, object(`n${i}`))
    for (let i = 0; i < 100; i++) expect(await next()).toBe(`ADDED n${i}`)
    await cancel()
  })
})
