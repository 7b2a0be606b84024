/** The history of the store and its limits: events, pages of lists, initial objects of watches, and owner references. */
import { describe, expect, it } from "vitest"
import { type ApiServer, createApiServer } from "../../src/apiserver/server.js"
import type { Entry } from "../../src/apiserver/storage/collection.js"
import { Store } from "../../src/apiserver/storage/store.js"
import { readManagedFields } from "../../src/managedfields/entries/entry.js"
import { metadataOf, withMetadata } from "../../src/schema/metadata.js"
import { withKeys } from "../../src/value/fields.js"
import type { MapValue } from "../../src/value/value.js"
import { charactersBeside, charactersOf } from "../../src/write/size.js"
import { configMap as configMapOf } from "../support/config-map.js"
import { clientOf } from "./requests.js"

const resource = "/configmaps"

function configMap(name: string, data?: MapValue, metadata: MapValue = {}): MapValue {
  return configMapOf(name, data, { namespace: "default", ...metadata })
}

/** Returns the resourceVersions of the kept events, from the first one that was not compacted. */
function kept(store: Store): number[] {
  const found: number[] = []
  for (
    let next = store.nextEvent(resource, 0);
    next !== undefined;
    next = store.nextEvent(resource, found.at(-1) ?? 0)
  ) {
    found.push(next.resourceVersion)
  }
  return found
}

describe("the owners of stored objects", () => {
  const owned = (name: string, field: string, time: string) => {
    const entry = { manager: "a", operation: "Update", apiVersion: "v1", time, fieldsType: "FieldsV1" }
    return configMap(name, {}, { managedFields: [{ ...entry, fieldsV1: { "f:data": { [`f:${field}`]: {} } } }] })
  }
  const fieldsOf = (object: MapValue) => readManagedFields(object)?.[0]?.fieldsV1

  it("share equal fieldsV1 between objects, and nothing else", () => {
    const store = new Store()
    const given = owned("b", "x", "2026-01-01T00:00:01Z")
    const [a, b, c] = [owned("a", "x", "2026-01-01T00:00:00Z"), given, owned("c", "y", "2026-01-01T00:00:00Z")].map(
      object => store.put(resource, object),
    ) as [MapValue, MapValue, MapValue]
    expect(fieldsOf(b)).toBe(fieldsOf(a))
    expect(fieldsOf(c)).not.toBe(fieldsOf(a))
    expect(given).toEqual(owned("b", "x", "2026-01-01T00:00:01Z"))
    expect(JSON.stringify(b)).toBe(JSON.stringify(withMetadata(given, { resourceVersion: "3" })))
    expect(fieldsOf(given)).not.toBe(fieldsOf(a))
  })

  it("stay the same list if there is nothing to share", () => {
    const store = new Store()
    const stored = store.put(resource, owned("a", "x", "2026-01-01T00:00:00Z"))
    const next = store.put(resource, withKeys(stored, { data: { x: "1" } }))
    expect(metadataOf(next).managedFields).toBe(metadataOf(stored).managedFields)
  })
})

describe("the history of a store", () => {
  it("has at least the given number of events, and at most twice as many", () => {
    const store = new Store(3)
    for (let i = 0; i < 6; i++) store.put(resource, configMap("a", { i }))
    expect([kept(store), store.compacted]).toEqual([[2, 3, 4, 5, 6, 7], 1])
    store.put(resource, configMap("a", { i: 6 }))
    expect([kept(store), store.compacted]).toEqual([[6, 7, 8], 5])
  })

  it("has at most the given number of characters, and half of them after it has dropped events", () => {
    const store = new Store(1000, 10_000)
    const text = "x".repeat(1000 - charactersOf(configMap("a", { i: 1, text: "" }, { resourceVersion: "10" })))
    for (let i = 0; i < 10; i++) store.put(resource, configMap("a", { i, text }))
    expect(kept(store)).toHaveLength(10)
    store.put(resource, configMap("a", { i: 10, text }))
    expect([kept(store), store.compacted]).toEqual([[8, 9, 10, 11, 12], 7])
    for (let i = 0; i < 100; i++) {
      store.put(resource, configMap("a", { i, text }))
      expect(kept(store).length).toBeLessThanOrEqual(10)
    }
  })

  it("keeps the last event, however large it is", () => {
    const store = new Store(1000, 100)
    for (let i = 0; i < 3; i++) store.put(resource, configMap("a", { text: "x".repeat(1000) }))
    expect([kept(store), store.compacted]).toEqual([[4], 3])
  })

  it("does not count parts that an earlier object shares", () => {
    const data = { text: "x".repeat(1000) }
    const store = new Store(1000, 5000)
    for (let i = 0; i < 20; i++) store.put(resource, configMap("a", data, { labels: { i: String(i) } }))
    expect(kept(store)).toHaveLength(20)
  })

  it("is forgotten up to a resourceVersion", () => {
    const store = new Store()
    for (let i = 0; i < 4; i++) store.put(resource, configMap("a", { i }))
    store.compact(3)
    expect([kept(store), store.compacted]).toEqual([[4, 5], 3])
    store.compact(2)
    expect(store.compacted).toBe(3)
    store.compact(100)
    expect([kept(store), store.compacted]).toEqual([[], 5])
  })
})

describe("charactersOf", () => {
  it.each([
    ["text", 6],
    [1, 4],
    [null, 4],
    [[], 2],
    [["a", "b"], 10],
    [{ key: "value" }, 16],
    [{ a: [true], b: {} }, 21],
  ])("%j is %i", (value, characters) => {
    expect(charactersOf(value)).toBe(characters)
  })

  it("stops after too many", () => {
    const text = "x".repeat(100)
    let value: MapValue = { text }
    // With its aliases expanded, this value has a hundred million texts.
    for (let i = 0; i < 8; i++) value = { list: Array.from({ length: 10 }, () => value) }
    expect(charactersOf(value, 1000)).toBeLessThan(1300)
  })

  it("counts only the parts that the other value lacks", () => {
    const shared = { a: "x".repeat(100) }
    expect(charactersBeside({ shared, b: [shared] }, { shared, b: [shared] })).toBe(
      charactersOf({ shared: 0, b: [0] }) - 8,
    )
    expect(charactersBeside({ shared }, { other: shared })).toBe(charactersOf({ shared }))
    expect(charactersBeside([shared, "a"], [shared])).toBe(charactersOf([0, "a"]) - 4)
    expect(charactersBeside({ a: "text" }, { a: "text" })).toBe(charactersOf({ a: "text" }))
  })
})

describe("a store", () => {
  it("lists the objects of one namespace, or of all, in order", () => {
    const store = new Store()
    const names = (namespace?: string) =>
      store.list(resource, namespace).map(({ metadata }) =>
        Object.values(metadata as MapValue)
          .slice(0, 2)
          .join("/"),
      )
    for (const [namespace, name] of ["b/b", "a/z", "a-/a", "a/a", "a0/c", "b/é", "b/c"].map(key => key.split("/"))) {
      store.put(resource, configMap(name ?? "", {}, { namespace: namespace ?? "" }))
    }
    expect(names()).toEqual(["a/a-", "a/a", "z/a", "c/a0", "b/b", "c/b", "é/b"])
    expect(names("a")).toEqual(["a/a", "z/a"])
    expect(names("b")).toEqual(["b/b", "c/b", "é/b"])
    expect(names("c")).toEqual([])
    store.remove(resource, configMap("z", {}, { namespace: "a" }))
    store.put(resource, configMap("y", {}, { namespace: "a" }))
    store.put(resource, configMap("z", {}, { namespace: "a" }))
    expect(names("a")).toEqual(["a/a", "y/a", "z/a"])
    expect(store.entries(resource, "")).toBe(store.entries(resource, ""))
  })

  it("sorts a namespace again only after a write that adds or deletes in it", () => {
    const store = new Store()
    const all = () => ["a", "b"].map(namespace => store.entries(resource, namespace))
    const put = (namespace: string, name: string, data = {}) =>
      store.put(resource, configMap(name, data, { namespace }))
    put("a", "x")
    put("b", "x")
    const [a, b] = all()
    put("a", "x", { changed: "yes" })
    expect([all()[0] === a, a?.[0]?.object?.data]).toEqual([true, { changed: "yes" }])
    put("b", "y")
    expect([all()[0] === a, all()[1] === b]).toEqual([true, false])
    store.remove(resource, configMap("x", {}, { namespace: "a" }))
    expect([all()[0], a?.[0]?.object]).toEqual([[], undefined])
  })

  it("knows the dependents of each object", () => {
    const store = new Store()
    const owned = (name: string, ...uids: string[]) =>
      configMap(
        name,
        {},
        { ownerReferences: uids.map(uid => ({ apiVersion: "v1", kind: "ConfigMap", name: uid, uid })) },
      )
    const names = (uid: string) => store.dependentsOf(uid).map(({ name }) => name)
    store.put(resource, owned("a", "x", "y"))
    store.put(resource, owned("b", "x"))
    expect([names("x"), names("y"), names("z")]).toEqual([["a", "b"], ["a"], []])
    store.put(resource, owned("a", "z"))
    expect([names("x"), names("y"), names("z")]).toEqual([["b"], [], ["a"]])
    store.remove(resource, owned("b"))
    expect(names("x")).toEqual([])
    store.put(resource, {
      ...owned("c"),
      metadata: { name: "c", namespace: "default", ownerReferences: [1, { uid: 2 }] },
    })
    expect(store.dependentsOf("2")).toEqual([])
  })

  it("finds earlier states of objects as long as it has their events", () => {
    const store = new Store()
    const stored = ["a", "b", "c"].map(name => store.put(resource, configMap(name)))
    const then = store.resourceVersion
    const entries = store.entries(resource, "default")
    store.put(resource, configMap("a", { changed: true }))
    store.put(resource, configMap("a", { changed: "again" }))
    store.remove(resource, configMap("b"))
    store.put(resource, configMap("new"))
    const states = (version: number) => entries.map(entry => store.statesAt(resource, version)(entry))
    expect(states(then)).toEqual(stored)
    expect(store.statesAt(resource, then)(store.entries(resource, "")[2] as Entry)).toBeUndefined()
    store.compact(then + 1)
    expect(states(then)).toEqual([undefined, undefined, stored[2]])
  })

  it("finds the entries that there were, as long as it remembers", () => {
    const store = new Store()
    const put = (namespace: string, name: string) =>
      store.put(resource, { ...configMap(name), metadata: { name, namespace } })
    const listed = (version: number, namespace = "") =>
      store.entriesAt(resource, namespace, version)?.map(entry => `${entry.namespace}/${entry.name}`)
    for (const [namespace, name] of [
      ["a", "x"],
      ["a-", "x"],
      ["b", "x"],
    ] as const)
      put(namespace, name)
    const then = store.resourceVersion
    store.put("other", configMap("x"))
    const before = ["a-/x", "a/x", "b/x"]
    expect([listed(then), listed(then, "a")]).toEqual([before, ["a/x"]])
    for (const namespace of ["a", "a-"]) store.remove(resource, put(namespace, "x"))
    put("a", "y")
    expect([listed(then), listed(then, "a"), listed(then, "c")]).toEqual([before, ["a/x"], []])
    expect(listed(store.resourceVersion)).toEqual(["a/y", "b/x"])
    expect(listed(store.resourceVersion + 1)).toBeUndefined()
    store.compact(then)
    expect([listed(then), listed(then - 1)]).toEqual([before, undefined])
  })
})

const path = "/api/v1/namespaces/default/configmaps"

/** Returns a function that sends requests about ConfigMaps; `query` follows their path. */
function client(server: ApiServer) {
  const send = clientOf(server)
  return (method: string, query: string, body?: MapValue) => send(method, `${path}${query}`, body)
}

describe("the pages of a list", () => {
  const start = () => {
    const server = createApiServer({ objects: ["a", "b", "c", "d"].map(name => configMap(name, { v: "1" })) })
    return { server, send: client(server) }
  }
  const names = ({ items }: { items: { metadata: { name: string }; data: { v: string } }[] }) =>
    items.map(({ metadata, data }) => metadata.name + data.v)

  it("show one state, whatever changes in between", async () => {
    const { send } = start()
    const first = (await send("GET", "?limit=1")).body
    await send("PUT", "/b", configMap("b", { v: "2" }))
    await send("DELETE", "/c")
    await send("POST", "", configMap("aa", { v: "1" }))
    const second = (await send("GET", `?limit=2&continue=${first.metadata.continue}`)).body
    const third = (await send("GET", `?limit=2&continue=${second.metadata.continue}`)).body
    expect([names(first), names(second), names(third)]).toEqual([["a1"], ["b1", "c1"], ["d1"]])
    expect([first, second, third].map(({ metadata }) => metadata.remainingItemCount)).toEqual([3, 1, undefined])
    expect(new Set([first, second, third].map(({ metadata }) => metadata.resourceVersion)).size).toBe(1)
    expect(names((await send("GET", `?continue=${first.metadata.continue}`)).body)).toEqual(["b1", "c1", "d1"])
  })

  it("expire with the history of the changes", async () => {
    const { server, send } = start()
    const first = (await send("GET", "?limit=1")).body
    const rest = `?continue=${first.metadata.continue}`
    server.compact(server.resourceVersion)
    expect(names((await send("GET", rest)).body)).toEqual(["b1", "c1", "d1"])
    await send("PUT", "/b", configMap("b", { v: "2" }))
    server.compact(server.resourceVersion)
    expect(await send("GET", rest)).toMatchObject({ status: 410, body: { reason: "Expired" } })
  })
})

describe("a watch that nobody reads", () => {
  const large = "x".repeat(100_000)
  const objects = (v: string) => ["a", "b", "c"].map(name => configMap(name, { v, large }))

  /** Reads events from the watch, up to this many. */
  async function eventsOf(response: Response, most: number): Promise<string[]> {
    const events: string[] = []
    const reader = response.body?.getReader()
    while (events.length < most) {
      const { value, done } = (await reader?.read()) ?? { done: true }
      if (done) break
      const { type, object } = JSON.parse(new TextDecoder().decode(value))
      events.push(
        object.kind === "Status" ? `${type} ${object.code}` : `${type} ${object.metadata.name}${object.data.v}`,
      )
    }
    await reader?.cancel()
    return events
  }

  it("begins with the objects of its start, which the store remembers", async () => {
    const server = createApiServer({ objects: objects("1") })
    const response = await server.fetch(new Request(`http://test${path}?watch=true`))
    const send = client(server)
    await send("PUT", "/b", configMap("b", { v: "2", large }))
    await send("DELETE", "/c")
    expect(await eventsOf(response, 3)).toEqual(["ADDED a1", "ADDED b1", "ADDED c1"])
  })

  it("ends with 410 if the store has forgotten them", async () => {
    for (const change of ["PUT", "DELETE"]) {
      const server = createApiServer({ objects: objects("1") })
      const response = await server.fetch(new Request(`http://test${path}?watch=true`))
      await client(server)(change, "/b", change === "PUT" ? configMap("b", { v: "2", large }) : undefined)
      server.compact(server.resourceVersion)
      expect(await eventsOf(response, 9)).toEqual(["ADDED a1", "ERROR 410"])
    }
  })

  it("sends all initial objects, and then the changes", async () => {
    const server = createApiServer({ objects: objects("1") })
    const response = await server.fetch(new Request(`http://test${path}?watch=true`))
    const send = client(server)
    await send("PUT", "/b", configMap("b", { v: "2", large }))
    await send("DELETE", "/c")
    expect(await eventsOf(response, 5)).toEqual(["ADDED a1", "ADDED b1", "ADDED c1", "MODIFIED b2", "DELETED c1"])
  })
})

describe("deleting", () => {
  const owned = (i: number, owner: number) =>
    configMap(
      `c${i}`,
      {},
      {
        uid: `u${i}`,
        resourceVersion: String(100 + i),
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: `c${owner}`, uid: `u${owner}` }],
      },
    )
  const first = configMap("c0", {}, { uid: "u0", resourceVersion: "100" })

  it.each([
    ["owns the next", (i: number) => i - 1],
    ["is owned by the first", () => 0],
  ])("also deletes 3,000 objects, each of which %s", async (_, ownerOf) => {
    const rest = Array.from({ length: 3000 }, (_, i) => owned(i + 1, ownerOf(i + 1)))
    const server = createApiServer({ objects: [first, ...rest, configMap("other")] })
    const send = client(server)
    expect((await send("DELETE", "/c0")).status).toBe(200)
    const { items } = (await send("GET", "")).body
    expect(items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(["other"])
  })

  it("orphans only direct dependents", async () => {
    const server = createApiServer({ objects: [first, owned(1, 0), owned(2, 1)] })
    const send = client(server)
    expect((await send("DELETE", "/c0?propagationPolicy=Orphan")).status).toBe(200)
    const { items } = (await send("GET", "")).body
    expect(
      items.map(({ metadata }: { metadata: MapValue }) => [metadata.name, metadata.ownerReferences !== undefined]),
    ).toEqual([
      ["c1", false],
      ["c2", true],
    ])
  })
})
