/** kubectl's two kinds of apply, one after the other: last-applied.ts, last-applied-updater.ts, last-applied-manager.ts. */
import { describe, expect, it } from "vitest"
import {
  formatLastApplied,
  lastAppliedAnnotation,
  lastAppliedOf,
  withLastApplied,
} from "../../../src/managedfields/chain/last-applied.js"
import { deducedTypes } from "../../../src/managedfields/types/object-types.js"
import type { ObjectConverter } from "../../../src/managedfields/types/version-converter.js"
import type { Value } from "../../../src/value/value.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { configMap, deployment, fieldManager, owners, type Thing } from "../notation.js"

/** Returns the object as client-side apply leaves it, with this configuration, or text, in the annotation. */
function clientSide(object: Thing, lastApplied: Thing | string): Thing {
  const text = typeof lastApplied === "string" ? lastApplied : `${JSON.stringify(lastApplied)}\n`
  return { ...object, metadata: { ...object.metadata, annotations: { [lastAppliedAnnotation]: text } } }
}

const config = configMap({ x: "1", y: "1" })
const kubectl = { manager: "kubectl" }
const csa = { manager: "kubectl-client-side-apply" }

describe("server-side apply by kubectl after client-side apply", () => {
  it("takes over the fields that client-side apply applied", () => {
    const manager = fieldManager()
    const live = manager.update(undefined, clientSide(config, config), csa).object
    const { object } = manager.apply(live, configMap({ x: "2", y: "1" }), kubectl)
    expect(object).toMatchObject({ data: { x: "2", y: "1" } })
    expect(owners(object)[0]).toBe("kubectl Apply v1: .data.x .data.y")
  })

  it("keeps the annotation in step", () => {
    const manager = fieldManager()
    const live = manager.update(undefined, clientSide(config, config), csa).object
    const next = configMap({ x: "2", z: "<é>" }, { annotations: { a: "1", [lastAppliedAnnotation]: "old" } })
    const { object } = manager.apply(live, next, { ...kubectl, force: true })
    expect(lastAppliedOf(object)).toBe(
      '{"apiVersion":"v1","data":{"x":"2","z":"\\u003cé\\u003e"},"kind":"ConfigMap","metadata":{"annotations":{"a":"1"},"name":"web"}}\n',
    )
  })

  it("keeps the annotation in step even if nothing else changes", () => {
    const manager = fieldManager()
    let live = manager.apply(undefined, config, kubectl).object
    live = manager.update(live, clientSide(live, "{}"), csa).object
    const { object, changed } = manager.apply(live, config, kubectl)
    expect(JSON.parse(lastAppliedOf(object))).toEqual(config)
    expect(changed).toBe(true)
    expect(manager.apply(object, config, kubectl).object).toBe(object)
  })

  it.each([
    ["another manager", config, { manager: "a" }],
    ["a field whose value was changed since", configMap({ x: "0", y: "1" }), kubectl],
    ["a field that was not applied", configMap({ y: "1" }), kubectl],
    ["a configuration at another version", { ...config, apiVersion: "v2" }, kubectl],
    ["a configuration of another kind", { ...config, kind: "Secret" }, kubectl],
    ["a configuration without a kind", { ...config, kind: "" }, kubectl],
    ["a configuration that does not fit its type", { ...config, q: 1 }, kubectl],
    ["an annotation that is no JSON", "x", kubectl],
    ["an annotation that is no object", "[]", kubectl],
    ["an empty annotation", "", kubectl],
  ])("is in conflict for %s", (_, lastApplied, options) => {
    const manager = fieldManager()
    const live = manager.update(undefined, clientSide(config, lastApplied), csa).object
    const attempt = manager.tryApply(live, configMap({ x: "2", y: "1" }), options)
    expect(attempt.ok || attempt.error.message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.x',
    )
  })

  it("takes over the fields of a live object at another version", () => {
    // v2 counts what v1 counts in dozens.
    const converter: ObjectConverter = {
      convert: (object, apiVersion) => {
        const size = object.size as number
        return { ...object, apiVersion, size: apiVersion === "g/v1" ? size / 12 : size * 12 }
      },
    }
    const widget = (version: string, size: number): Thing =>
      deepFreeze({ apiVersion: `g/${version}`, kind: "Widget", metadata: { name: "w" }, size })
    const manager = fieldManager({ types: deducedTypes, converter })
    const first = clientSide(widget("v2", 12), widget("v1", 1))
    const live = manager.update(undefined, first, csa).object
    const { object } = manager.apply(live, widget("v1", 2), kubectl)
    expect(object).toMatchObject({ apiVersion: "g/v1", size: 2 })
  })

  it("ignores a last configuration without a kind, even if every kind has a type", () => {
    const manager = fieldManager({ types: deducedTypes })
    const { kind: _, ...kindless } = config
    const live = manager.update(undefined, clientSide(config, kindless as Thing), csa).object
    expect(manager.tryApply(live, configMap({ x: "2", y: "1" }), kubectl).ok).toBe(false)
  })

  it("does not force fields that were applied client-side and removed since", () => {
    const manager = fieldManager()
    const first = manager.update(undefined, clientSide(config, config), csa).object
    const gone = { ...first, data: { y: "1" } }
    const attempt = manager.tryApply(gone, config, kubectl)
    expect(attempt.ok || attempt.error.message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.x',
    )
  })

  it("names only the fields that client-side apply had not applied", () => {
    const manager = fieldManager()
    const live = manager.update(undefined, clientSide(config, configMap({ x: "1" })), csa).object
    const attempt = manager.tryApply(live, configMap({ x: "2", y: "2" }), kubectl)
    expect(attempt.ok || attempt.error.message).toContain("Apply failed with 1 conflict: ")
    expect(attempt.ok || attempt.error.message).toContain(": .data.y")
  })

  it("has conflicts if the live object has duplicate items", () => {
    const manager = fieldManager()
    const containers = [{ name: "a" }, { name: "a" }]
    const live = manager.update(
      undefined,
      clientSide(deployment({ replicas: 1, template: { spec: { containers } } }), deployment({ replicas: 1 })),
      csa,
    ).object
    expect(manager.tryApply(live, deployment({ replicas: 2 }), kubectl).ok).toBe(false)
  })

  it("passes on problems of the configuration", () => {
    const manager = fieldManager()
    const live = manager.update(undefined, clientSide(config, config), csa).object
    const attempt = manager.tryApply(live, { ...config, q: 1 }, kubectl)
    expect(attempt.ok || attempt.error.message).toContain("field not declared in schema")
  })
})

describe("server-side apply", () => {
  it("leaves the annotation unchanged if others apply", () => {
    const manager = fieldManager()
    const live = manager.update(undefined, clientSide(config, "x"), csa).object
    const { object } = manager.apply(live, configMap({ x: "2" }), { manager: "a", force: true })
    expect(lastAppliedOf(object)).toBe("x")
  })

  it("adds no annotation", () => {
    const { object } = fieldManager().apply(undefined, config, kubectl)
    expect(object.metadata).not.toHaveProperty("annotations")
  })

  it("drops the annotation if it would get too large", () => {
    const manager = fieldManager()
    const large = "é".repeat(100_000)
    const live = manager.update(undefined, clientSide(config, config), csa).object
    const two = manager.apply(live, configMap({ x: large }), { ...kubectl, force: true }).object
    expect(lastAppliedOf(two)).toContain(large)
    const three = manager.apply(two, configMap({ x: large, y: large }), { ...kubectl, force: true }).object
    expect(three.metadata?.annotations).toEqual({})
  })
})

describe("the annotations", () => {
  const annotated = (annotations: Value) => configMap({}, { annotations })

  it("count as absent if one is not a string", () => {
    expect(lastAppliedOf(annotated({ [lastAppliedAnnotation]: "x", other: 1 }))).toBe("")
    expect(lastAppliedOf({ metadata: "x" })).toBe("")
    expect(lastAppliedOf({})).toBe("")
  })

  it("are left out of the text if one is not a string", () => {
    expect(formatLastApplied(annotated({ a: 1 }))).toBe(
      '{"apiVersion":"v1","data":{},"kind":"ConfigMap","metadata":{"name":"web"}}\n',
    )
  })

  it("are empty in the text if there is only the one of client-side apply", () => {
    expect(formatLastApplied(annotated({ [lastAppliedAnnotation]: "x" }))).toBe(
      '{"apiVersion":"v1","data":{},"kind":"ConfigMap","metadata":{"annotations":{},"name":"web"}}\n',
    )
  })

  it("are added to an object without annotations, but not to metadata that is not a map", () => {
    const annotations = { [lastAppliedAnnotation]: "x" }
    expect(withLastApplied({}, "x")).toEqual({ metadata: { annotations } })
    expect(withLastApplied({ metadata: { name: "web" } }, "x")).toEqual({ metadata: { name: "web", annotations } })
    const odd = { metadata: "m" }
    expect([withLastApplied(odd, "x"), formatLastApplied(odd)]).toEqual([odd, '{"metadata":"m"}\n'])
    expect(formatLastApplied({})).toBe("{}\n")
  })

  it("treat null as an empty text", () => {
    expect(withLastApplied(annotated({ a: null, [lastAppliedAnnotation]: "x" }), "y").metadata).toEqual({
      name: "web",
      annotations: { a: "", [lastAppliedAnnotation]: "y" },
    })
  })

  it("do not change if the text is already there", () => {
    const settled = annotated({ a: "", [lastAppliedAnnotation]: "y" })
    expect(withLastApplied(settled, "y")).toBe(settled)
    expect(withLastApplied(annotated({ a: null, [lastAppliedAnnotation]: "y" }), "y")).toEqual(settled)
    const large = annotated({ a: "x".repeat(256 * 1024), [lastAppliedAnnotation]: "y" })
    expect(withLastApplied(large, "y").metadata).toEqual({ name: "web", annotations: { a: "x".repeat(256 * 1024) } })
  })

  it("may have 256 KiB in total", () => {
    const object = annotated({ [lastAppliedAnnotation]: "x" })
    const most = 256 * 1024 - lastAppliedAnnotation.length
    expect(lastAppliedOf(withLastApplied(object, "a".repeat(most)))).toHaveLength(most)
    expect(lastAppliedOf(withLastApplied(object, "a".repeat(most + 1)))).toBe("")
    expect(lastAppliedOf(withLastApplied(object, "é".repeat(most / 2 + 1)))).toBe("")
  })
})
