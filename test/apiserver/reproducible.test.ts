/** Servers whose answers repeat: the clock of a test, and seeds. */
import { describe, expect, it } from "vitest"
import { TestClock } from "../../src/apiserver/reproducible/clock.js"
import { RandomValues } from "../../src/apiserver/reproducible/random.js"
import { createApiServer } from "../../src/apiserver/server.js"

const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }

describe("the clock of a test", () => {
  it("runs timers in the order of their times, each at its own time", () => {
    const clock = new TestClock("2026-01-01T00:00:00Z")
    const ran: string[] = []
    const note = (name: string) => () => void ran.push(`${name} ${clock.now().toISOString().slice(17, 23)}`)
    clock.schedule(2_000, note("second"))
    clock.schedule(1_000, () => {
      note("first")()
      clock.schedule(500, note("nested"))
    })
    clock.schedule(2_000, note("third"))
    clock.schedule(1_000, note("cancelled"))()
    clock.advance(1_999)
    clock.advance(1)
    clock.schedule(0, note("now"))
    clock.advance(0)
    expect(ran).toEqual(["first 01.000", "nested 01.500", "second 02.000", "third 02.000", "now 02.000"])
  })

  it("refuses times that are none", () => {
    expect(() => new TestClock("tomorrow")).toThrow('start: expected a time, got "tomorrow"')
    expect(() => new TestClock().advance(-1)).toThrow("milliseconds: expected a number of milliseconds, at least 0")
  })

  it("gives objects their times, and ends watches", async () => {
    const clock = new TestClock("2030-05-05T05:05:05Z")
    const server = createApiServer({ clock })
    expect(server.clock).toBe(clock)
    const path = "/api/v1/configmaps?watch=true&timeoutSeconds=30&allowWatchBookmarks=true&resourceVersion=1"
    const { body } = await server.answer({
      method: "GET",
      path: path.replace("timeoutSeconds=30", "timeoutSeconds=90"),
    })
    const lines = body as AsyncIterableIterator<Uint8Array>
    const next = lines.next()
    clock.advance(60_000)
    expect(new TextDecoder().decode((await next).value)).toMatch(/^\{"type":"BOOKMARK"/)
    const end = lines.next()
    clock.advance(30_000)
    expect((await end).done).toBe(true)
    expect(await server.create(config)).toMatchObject({ metadata: { creationTimestamp: "2030-05-05T05:06:35Z" } })
  })

  it("ends Events an hour after their last write, in forks too", async () => {
    const server = createApiServer({ seed: 1 })
    const { clock } = server
    const event = (name: string) => ({
      ...{ apiVersion: "v1", kind: "Event", metadata: { name } },
      involvedObject: { kind: "ConfigMap", name: "a", namespace: "default" },
    })
    const minutes = 60_000
    await server.create(event("once"))
    await server.create(event("again"))
    clock.advance(30 * minutes)
    await server.patch(event("again"), { message: "again" })
    const fork = server.fork()
    clock.advance(29 * minutes)
    expect(await server.list({ apiVersion: "v1", kind: "Event" })).toHaveLength(2)
    const ended = server.waitForDeletion(event("once"))
    clock.advance(minutes)
    await ended
    const names = async (of: typeof server) =>
      (await of.list({ apiVersion: "events.k8s.io/v1", kind: "Event" })).map(({ metadata }) => metadata.name)
    expect(await names(server)).toEqual(["again"])
    clock.advance(30 * minutes)
    expect([await names(server), await names(fork)]).toEqual([[], ["again", "once"]])
    fork.clock.advance(60 * minutes)
    expect(await names(fork)).toEqual([])
    server.reset()
    await server.create(event("once"))
    clock.advance(59 * minutes)
    expect(await names(server)).toEqual(["once"])
    clock.advance(minutes)
    expect(await names(server)).toEqual([])
  })

  it("ends the tokens of ServiceAccounts", async () => {
    const tokenOf = async () => {
      const server = createApiServer({ seed: 1, authorization: "rbac" })
      await server.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } })
      const headers = { "content-type": "application/json" }
      const path = "/api/v1/namespaces/default/serviceaccounts/robot/token"
      const body = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} })
      const answer = await server.answer({ method: "POST", path, headers, body })
      return { server, token: JSON.parse(String(answer.body)).status.token as string }
    }
    const { server, token } = await tokenOf()
    const status = async (of: typeof server) =>
      (await of.answer({ method: "GET", path: "/api", headers: { authorization: `Bearer ${token}` } })).status
    server.clock.advance(59 * 60_000)
    const fork = server.fork()
    server.clock.advance(2 * 60_000)
    expect([await status(server), await status(fork)]).toEqual([401, 200])
    expect((await tokenOf()).token).toBe(token)
  })

  it("is that of a server with a seed, and of no other", () => {
    expect(createApiServer({ seed: 1 }).clock.now().toISOString()).toBe("2026-01-01T00:00:00.000Z")
    expect(() => createApiServer().clock).toThrow("the server has no TestClock")
  })
})

describe("random values", () => {
  it("repeat for a seed, and differ for another", () => {
    const some = (seed: number) => {
      const random = new RandomValues(seed)
      return [random.uid(), random.suffix(), random.uid()]
    }
    expect(some(1)).toEqual(some(1))
    expect(new Set([...some(1), ...some(2)]).size).toBe(6)
    expect(some(7)[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(some(7)[1]).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/)
  })

  it("are as many as there are objects", () => {
    const random = new RandomValues(3)
    expect(new Set(Array.from({ length: 20_000 }, () => random.uid())).size).toBe(20_000)
  })

  it("continue in a fork as in the original", () => {
    const random = new RandomValues(5)
    random.uid()
    const fork = random.fork()
    expect([fork.uid(), fork.suffix()]).toEqual([random.uid(), random.suffix()])
  })
})
