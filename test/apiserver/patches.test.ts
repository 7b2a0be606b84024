// What the recorded answers in test/vectors do not tell of patches: what is shared, and the status of an error.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type PatchType, patchTypeOf } from "../../src/apiserver/patch/patch-keys.js"
import { strategicMerge } from "../../src/apiserver/patch/strategic-merge.js"
import { jsonPatch } from "../../src/requests/json-patch.js"
import { mergePatch, mergePatchBetween } from "../../src/requests/merge-patch.js"
import type { PatchError } from "../../src/requests/patch-error.js"
import { identicalValues } from "../../src/value/equal.js"
import type { MapValue, Value } from "../../src/value/value.js"
import { arbitraryKey, arbitraryValue, runs } from "../property/arbitraries.js"
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
  it("knows nothing of kinds that are not built in", () => {
    expect(patchTypeOf("example.org/v1", "Widget")).toBeUndefined()
  })

  it("finds merge keys that differ from those of server-side apply", () => {
    const container = pod.field("spec")?.type.field("containers")?.type.items
    expect(container?.field("ports")).toMatchObject({ strategy: "merge", mergeKey: "containerPort" })
    expect(typeOf("v1", "Service").field("spec")?.type.field("ports")).toMatchObject({ mergeKey: "port" })
  })

  it("leaves retainKeys out of the strategies: only the directive in the patch counts", () => {
    expect(pod.field("spec")?.type.field("volumes")).toMatchObject({ strategy: "merge", mergeKey: "name" })
    expect(typeOf("apps/v1", "Deployment").field("spec")?.type.field("strategy")).toMatchObject({ strategy: "" })
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
  it("makes the one object of the other, and has only what differs", () => {
    const before = deepFreeze({ a: 1, b: { c: [1], d: 2 }, e: {}, f: { g: 1 } })
    const after = deepFreeze({ a: 1, b: { c: [1, 2], d: 2 }, f: 3, h: { i: 1 } })
    expect(mergePatchBetween(before, after)).toEqual({ b: { c: [1, 2] }, e: null, f: 3, h: { i: 1 } })
    expect(mergePatchBetween(before, before)).toEqual({})
  })

  it("knows none where a null would have to be written", () => {
    expect(mergePatchBetween({ a: 1 }, { a: null })).toBeUndefined()
    expect(mergePatchBetween({}, { a: [{ b: null }] })).toBeUndefined()
    expect(mergePatchBetween({ a: null }, { a: null })).toEqual({})
  })

  it("is right wherever it answers", () => {
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
    expect(answered).toBeGreaterThan(100)
  })
})
