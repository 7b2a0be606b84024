/** Laws about servers with a seed, over random sessions: they repeat themselves, and forks, resets and earlier states are exact. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ApiServer, createApiServer } from "../../src/apiserver/index.js"
import { runs } from "../support/budget.js"
import { definitionOf } from "../support/definition.js"
import { play, session, sessionOptions } from "./random-session.js"

const seeded = (seed = 1): ApiServer => createApiServer(sessionOptions(seed))
const parts = fc.tuple(session, session)
const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "1" } }
const data = (a: string) => ({ data: { a } })

describe("a server with a seed", () => {
  it("answers the same requests with the same bytes", async () => {
    await fc.assert(
      fc.asyncProperty(session, fc.integer(), async (steps, seed) => {
        const [server, other] = [seeded(seed), seeded(seed)]
        expect(await play(server, steps)).toEqual(await play(other, steps))
        expect(server.requests).toEqual(other.requests)
      }),
      runs(80),
    )
  })

  it("goes on in a fork as it would have gone on itself", async () => {
    const base = seeded()
    await fc.assert(
      fc.asyncProperty(parts, async ([before, after]) => {
        const server = base.fork()
        await play(server, before)
        const [fork, twin] = [server.fork(), server.fork()]
        const inFork = await play(fork, after)
        // The session in the fork left no trace in the other two.
        expect(await play(server, after)).toEqual(inFork)
        expect(await play(twin, after)).toEqual(inFork)
      }),
      runs(40),
    )
  })

  it("begins anew after a reset", async () => {
    const base = seeded()
    await fc.assert(
      fc.asyncProperty(parts, async ([before, after]) => {
        const server = base.fork()
        await play(server, before)
        server.reset()
        expect(await play(server, after)).toEqual(await play(base.fork(), after))
      }),
      runs(40),
    )
  })

  it("knows each earlier state in its history", async () => {
    const base = seeded()
    await fc.assert(
      fc.asyncProperty(session, async steps => {
        const server = base.fork()
        const states = new Map([[server.resourceVersion, JSON.stringify(server.snapshot())]])
        for (const step of steps) {
          await play(server, [step])
          states.set(server.resourceVersion, JSON.stringify(server.snapshot()))
        }
        for (const [resourceVersion, state] of states) {
          const past = server.at(resourceVersion)
          expect(JSON.stringify(past.snapshot())).toBe(state)
          expect(past.resourceVersion).toBe(resourceVersion)
        }
      }),
      runs(40),
    )
  })
})

describe("a fork", () => {
  it("has the kinds, roles and unions of its server, and changes none of them", async () => {
    const server = createApiServer({ authorization: "rbac", unions: "off" })
    await server.create(definitionOf("Widget"))
    const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } }
    await server.delete({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "view" } })
    const fork = server.fork()
    await fork.create(widget)
    await fork.delete(definitionOf("Widget"))
    await expect(fork.create(widget)).rejects.toThrow("no resource serves example.com/v1 Widget")
    await server.create(widget)
    const roles = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" }
    const names = (await fork.list(roles)).map(({ metadata }) => metadata.name)
    expect(names).toContain("edit")
    expect(names).not.toContain("view")
  })

  it("deletes the dependents that it has itself", async () => {
    const server = createApiServer()
    const { uid } = (await server.create(config)).metadata
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid }]
    await server.create({ ...config, metadata: { name: "b", ownerReferences } })
    const fork = server.fork()
    await fork.create({ ...config, metadata: { name: "c", ownerReferences } })
    await server.delete(config)
    const kind = { apiVersion: "v1", kind: "ConfigMap" }
    expect([(await server.list(kind)).length, (await fork.list(kind)).length]).toEqual([0, 3])
    await fork.delete(config)
    expect(await fork.list(kind)).toEqual([])
  })

  it("leaves the watches to its server, even in the middle of their initial objects", async () => {
    const many = Array.from({ length: 500 }, (_, i) => ({
      ...config,
      metadata: { name: `m${i}` },
      data: { a: "x".repeat(400) },
    }))
    const server = createApiServer({ objects: many })
    const { body } = await server.answer({ method: "GET", path: "/api/v1/configmaps?watch=true" })
    const lines = body as AsyncIterableIterator<Uint8Array>
    const first = await lines.next()
    const fork = server.fork()
    for (const object of many) await Promise.all([server.patch(object, data("new")), fork.delete(object)])
    let text = new TextDecoder().decode(first.value)
    while (text.split("\n").length <= 1000) text += new TextDecoder().decode((await lines.next()).value)
    const events = text.split("\n")
    expect(events.filter(line => line.includes('"ADDED"') && !line.includes('"new"'))).toHaveLength(500)
    expect(events.filter(line => line.includes('"MODIFIED"') && line.includes('"new"'))).toHaveLength(500)
    server.close()
  })

  it("has its own clock", () => {
    const server = createApiServer({ seed: 1 })
    const fork = server.fork()
    fork.clock.advance(1000)
    expect(fork.clock.now().getTime() - server.clock.now().getTime()).toBe(1000)
  })
})

describe("an earlier state", () => {
  it("has the definitions of its time", async () => {
    const server = createApiServer()
    const empty = server.resourceVersion
    await server.create(definitionOf("Widget"))
    const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } }
    const defined = server.resourceVersion
    await server.create(widget)
    await server.delete(definitionOf("Widget"))
    await expect(server.at(empty).create(widget)).rejects.toThrow("no resource serves")
    await server.at(defined).create(widget)
  })

  it("must be in the history", async () => {
    const server = createApiServer()
    await server.create(config)
    expect(() => server.at(Number(server.resourceVersion) + 1)).toThrow("there is no state at the resourceVersion 7")
    server.compact(server.resourceVersion)
    expect(() => server.at(2)).toThrow("the store knows its state from 6 to 6")
    expect(() => server.at("x")).toThrow(RangeError)
  })
})

describe("a reset", () => {
  it("ends watches and waits, and keeps the clock of the test", async () => {
    const server = createApiServer({ seed: 1 })
    const { clock } = server
    const start = clock.now()
    await server.create(config)
    const { body } = await server.answer({ method: "GET", path: "/api/v1/configmaps?watch=true&resourceVersion=6" })
    const open = server.waitFor(() => false)
    clock.advance(5000)
    server.reset()
    await expect(open).rejects.toThrow("the server was closed")
    expect((await (body as AsyncIterableIterator<Uint8Array>).next()).done).toBe(true)
    expect([server.clock, clock.now(), server.requests]).toEqual([clock, start, []])
    expect(await server.list(config)).toEqual([])
  })
})
