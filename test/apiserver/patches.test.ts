// Cases of patches that the recorded answers in test/vectors do not cover: sharing, and the status of an error.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type PatchType, patchTypeOf } from "../../src/apiserver/strategic-merge/patch-keys.js"
import { strategicMerge } from "../../src/apiserver/strategic-merge/strategic-merge.js"
import { identicalValues } from "../../src/value/equal.js"
import type { MapValue, Value } from "../../src/value/value.js"
import { jsonPatch } from "../../src/write/patches/json-patch.js"
import { mergePatch, mergePatchBetween } from "../../src/write/patches/merge-patch.js"
import type { PatchError } from "../../src/write/patches/patch-error.js"
import { arbitraryKey, arbitraryValue } from "../property/arbitraries.js"
import { budget, runs } from "../support/budget.js"
import { deepFreeze } from "../support/deep-freeze.js"

function typeOf(apiVersion: string, kind: string): PatchType {
  const type = patchTypeOf(apiVersion, kind)
  if (type === undefined) throw new Error(`no type ${kind}`)
  return type
}
const pod = typeOf("v1", "Pod")

function statusOf(run: () => Value): number | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    return (error as PatchError).status
  }
}

describe("patchTypeOf", () => {
  it("returns nothing for kinds that are not built in", () => {
    expect(patchTypeOf("example.org/v1", "Widget")).toBeUndefined()
  })

  it("finds merge keys that differ from those of server-side apply", () => {
    const container = pod.field("spec")?.type.field("containers")?.type.items
    expect(container?.field("ports")).toMatchObject({ strategy: "merge", mergeKey: "containerPort" })
    expect(typeOf("v1", "Service").field("spec")?.type.field("ports")).toMatchObject({ mergeKey: "port" })
  })

  it("omits retainKeys from the strategies: only the directive in the patch counts", () => {
    expect(pod.field("spec")?.type.field("volumes")).toMatchObject({ strategy: "merge", mergeKey: "name" })
    expect(typeOf("apps/v1", "Deployment").field("spec")?.type.field("strategy")).toMatchObject({ strategy: "" })
  })
})

describe("a strategic merge patch", () => {
  const messageOf = (live: MapValue, patch: MapValue) => {
    try {
      return strategicMerge(live, patch, pod)
    } catch (error) {
      return `${(error as PatchError).status} ${(error as PatchError).message}`
    }
  }

  it("adds maps without the ones marked for deletion", () => {
    const affinity = { nodeAffinity: { $patch: "delete" }, podAffinity: {}, podAntiAffinity: null }
    expect(strategicMerge({ spec: {} }, { spec: { affinity } }, pod)).toStrictEqual({
      spec: { affinity: { podAffinity: {} } },
    })
    expect(strategicMerge({ spec: {} }, { spec: { affinity: { $patch: "delete" } } }, pod)).toStrictEqual({ spec: {} })
  })

  it("is refused if its type differs from the object's", () => {
    const labelled = (value: MapValue) => ({ metadata: { labels: { a: value } } })
    expect(messageOf(labelled({ b: "1" }), labelled({ b: "2" }))).toBe(
      "500 merging an object in json but data type is not struct, instead is: map",
    )
    expect(messageOf({ spec: {} }, { spec: { "$setElementOrder/hostname": [] } })).toBe(
      "500 expected slice or array type, but got: struct",
    )
    expect(messageOf({ spec: { colors: {} } }, { spec: { colors: {} } })).toBe(
      '500 unable to find api field in struct PodSpec for the json field "colors"',
    )
  })
})

describe("patches share what they do not change", () => {
  const live: MapValue = deepFreeze({
    metadata: { name: "a", finalizers: ["x"] },
    spec: { containers: [{ name: "a", args: ["1"] }], nodeSelector: { b: "c" } },
  })
  const spec = live.spec as MapValue

  it("strategic merge", () => {
    const patch = deepFreeze({ spec: { containers: [{ name: "b" }, { name: "a", image: "i" }] } })
    const out = strategicMerge(live, patch, pod)
    expect(out.metadata).toBe(live.metadata)
    expect((out.spec as MapValue).nodeSelector).toBe(spec.nodeSelector)
    expect((out.spec as MapValue).containers).toEqual([{ name: "b" }, { name: "a", args: ["1"], image: "i" }])
  })

  it("merge", () => {
    const out = mergePatch(live, deepFreeze({ spec: { nodeSelector: null } }))
    expect(out).toEqual({ metadata: live.metadata, spec: { containers: spec.containers } })
    expect(out.metadata).toBe(live.metadata)
  })

  it("JSON", () => {
    const patch = deepFreeze([{ op: "copy", from: "/spec/containers/0", path: "/spec/containers/-" }])
    const out = jsonPatch(live, patch) as MapValue
    expect(out.metadata).toBe(live.metadata)
    expect((out.spec as MapValue).containers).toEqual([
      ...(spec.containers as Value[]),
      ...(spec.containers as Value[]),
    ])
  })
})

describe("a JSON patch", () => {
  it("changes a copy without changing the original", () => {
    const patch = deepFreeze([
      { op: "add", path: "/a/list", value: [{ n: 1 }] },
      { op: "add", path: "/a/list/0/m", value: 2 },
      { op: "copy", from: "/a", path: "/b" },
      { op: "add", path: "/a/list/0/n", value: 3 },
      { op: "add", path: "/b/list/-", value: 4 },
      { op: "copy", from: "/b/list", path: "/c" },
      { op: "remove", path: "/c/0/m" },
      { op: "move", from: "/a/list", path: "/d" },
      { op: "replace", path: "/d/0", value: 5 },
    ])
    expect(jsonPatch(deepFreeze({ a: { kept: true } }), patch)).toEqual({
      a: { kept: true },
      b: { kept: true, list: [{ n: 1, m: 2 }, 4] },
      c: [{ n: 1 }, 4],
      d: [5],
    })
  })

  it("changes an added value without changing the patch", () => {
    const value = deepFreeze({ list: [] as Value[] })
    const patch = [
      { op: "add", path: "/a", value },
      { op: "add", path: "/a/list/-", value: 1 },
      { op: "replace", path: "", value },
      { op: "add", path: "/list/-", value: 2 },
    ]
    expect(jsonPatch({}, patch)).toEqual({ list: [2] })
    expect(value).toEqual({ list: [] })
  })

  it("may have 10,000 operations", () => {
    const operations = Array.from({ length: 10_001 }, (_, i) => ({ op: "add", path: `/k${i}`, value: i }))
    expect(Object.keys(jsonPatch({}, operations.slice(1)) as MapValue)).toHaveLength(10_000)
    const message = "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"
    expect(() => jsonPatch({}, operations)).toThrow(expect.objectContaining({ status: 413, message }))
  })

  it("may copy 3 MB", () => {
    const text = "x".repeat(1024 * 1024 - 2)
    const copy = { op: "copy", from: "/a", path: "/b" }
    expect(jsonPatch({ a: text }, [copy, copy, copy])).toEqual({ a: text, b: text })
    const message =
      "Unable to complete the copy, the accumulated size increase of copy is 3145729, exceeding the limit 3145728"
    const more = [{ op: "add", path: "/c", value: 1 }, { ...copy, from: "/c" }, copy, copy, copy]
    expect(() => jsonPatch({ a: text }, more)).toThrow(expect.objectContaining({ status: 422, message }))
  })

  it("doubles its copies up to 3 MB", () => {
    const doubling = Array.from({ length: 60 }, () => ({ op: "copy", from: "/a", path: "/a/-" }))
    expect(() => jsonPatch({ a: ["x".repeat(1000)] }, doubling)).toThrow("exceeding the limit")
  })

  it.each([
    ["a map", "/k", (i: number) => `/k/n${i}`],
    ["the end of a list", "/l", () => "/l/-"],
    ["the beginning of a list", "/l", () => "/l/0"],
    ["maps in a list", "/l", (i: number) => `/l/${i}/a`],
  ])("adds 10,000 times to %s that is large, and copies it once", (_, __, path) => {
    const keys = Array.from({ length: 100_000 }, (_, i) => [`k${i}`, i] as const)
    const live = deepFreeze({ k: Object.fromEntries(keys), l: keys.map(([key]) => ({ key })) })
    let copies = 0
    const counted = (target: object) =>
      new Proxy(target, {
        ownKeys: given => {
          copies++
          return Reflect.ownKeys(given)
        },
      })
    const operations = Array.from({ length: 10_000 }, (_, i) => ({ op: "add", path: path(i), value: i }))
    const out = jsonPatch(counted(live) as MapValue, operations) as MapValue
    expect(copies).toBe(1)
    const before = Object.keys(live.k).length + live.l.length
    expect(Object.keys(out.k as MapValue).length + (out.l as Value[]).length - before).toBe(
      path(1) === "/l/1/a" ? 0 : 10_000,
    )
  })
})

describe("the status of an error", () => {
  it.each<[string, number, () => Value]>([
    ["a malformed directive", 400, () => strategicMerge({}, { spec: {}, $retainKeys: 1 }, pod)],
    [
      "lists of lists",
      422,
      () => strategicMerge({ metadata: { finalizers: [[]] } }, { metadata: { finalizers: [1] } }, pod),
    ],
    [
      "an item without its key",
      500,
      () => strategicMerge({ spec: { volumes: [{}] } }, { spec: { volumes: [{}] } }, pod),
    ],
    ["no JSON patch", 400, () => jsonPatch({}, {})],
    ["a JSON patch that does not apply", 422, () => jsonPatch({}, [{ op: "remove", path: "/a" }])],
  ])("%s: %i", (_, status, run) => {
    expect(statusOf(run)).toBe(status)
  })
})

describe("mergePatchBetween", () => {
  it("turns one object into the other, and has only the differences", () => {
    const before = deepFreeze({ a: 1, b: { c: [1], d: 2 }, e: {}, f: { g: 1 } })
    const after = deepFreeze({ a: 1, b: { c: [1, 2], d: 2 }, f: 3, h: { i: 1 } })
    expect(mergePatchBetween(before, after)).toEqual({ b: { c: [1, 2] }, e: null, f: 3, h: { i: 1 } })
    expect(mergePatchBetween(before, before)).toEqual({})
  })

  it("is undefined if it would have to write a null", () => {
    expect(mergePatchBetween({ a: 1 }, { a: null })).toBeUndefined()
    expect(mergePatchBetween({}, { a: [{ b: null }] })).toBeUndefined()
    expect(mergePatchBetween({ a: null }, { a: null })).toEqual({})
  })

  it("is correct whenever it is defined", () => {
    const object = fc.dictionary(arbitraryKey, arbitraryValue).map(deepFreeze)
    let answered = 0
    fc.assert(
      fc.property(object, object, (before, after) => {
        const patch = mergePatchBetween(before, after)
        if (patch === undefined) return
        answered++
        expect(identicalValues(mergePatch(before, patch), after)).toBe(true)
      }),
      runs(300),
    )
    expect(answered).toBeGreaterThan(budget(100))
  })
})
