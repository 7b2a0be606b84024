import { describe, expect, it } from "vitest"
import { type PathPart, pathOf } from "../../../src/fieldpath/path.js"
import { FieldSet } from "../../../src/fieldpath/set.js"
import { resetToLive } from "../../../src/managedfields/subresources/reset.js"
import type { MapValue } from "../../../src/value/value.js"
import { deepFreeze } from "../../support/deep-freeze.js"

const fields = (...paths: PathPart[][]) => FieldSet.of(paths.map(parts => pathOf(...parts)))
const mine = [{ manager: "me", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: {} }]
const live: MapValue = deepFreeze({
  metadata: { name: "web", labels: { a: "1" }, managedFields: [] },
  spec: { x: 1 },
  status: { ready: true },
})
const object: MapValue = deepFreeze({
  metadata: { name: "web", labels: { a: "2" }, annotations: { b: "1" }, managedFields: mine },
  spec: { x: 2 },
  status: { ready: false },
})

describe("reset to live", () => {
  it("takes the fields from the live object without moving them", () => {
    const reset = resetToLive(object, live, fields(["status"]))
    expect(reset).toEqual({ ...object, status: { ready: true } })
    expect(reset.spec).toBe(object.spec)
    expect(reset.status).toBe(live.status)
    expect(Object.keys(reset)).toEqual(["metadata", "spec", "status"])
  })

  it("removes fields that the live object does not have, and restores fields that the request left out", () => {
    const { status: _, ...without } = live
    expect(resetToLive(object, without, fields(["status"]))).not.toHaveProperty("status")
    expect(resetToLive({ metadata: {} }, live, fields(["status"]))).toEqual({ metadata: {}, status: live.status })
  })

  it("resets below a field", () => {
    const reset = resetToLive(object, live, fields(["metadata", "labels"], ["spec"]))
    expect(reset).toEqual({
      ...object,
      metadata: { ...(object.metadata as MapValue), labels: { a: "1" } },
      spec: { x: 1 },
    })
    expect(resetToLive({ spec: {} }, live, fields(["metadata", "labels"]))).toEqual({
      spec: {},
      metadata: { labels: { a: "1" } },
    })
    expect(resetToLive({ status: null }, {}, fields(["status", "conditions"]))).toEqual({ status: null })
  })

  it("never resets managedFields", () => {
    const reset = resetToLive(object, live, fields(["metadata"]))
    expect(reset.metadata).toEqual({ name: "web", labels: { a: "1" }, managedFields: mine })
  })

  it("returns the object itself if nothing has to change", () => {
    const same = { ...object, status: live.status as MapValue }
    expect(resetToLive(same, live, fields(["status"], ["spec", "y"]))).toBe(same)
  })

  it("removes only the status of a new object", () => {
    expect(resetToLive(object, undefined, fields(["spec"], ["status"]))).toEqual({
      metadata: object.metadata,
      spec: object.spec,
    })
    expect(resetToLive(object, undefined, fields(["spec"], ["metadata"]))).toBe(object)
  })

  it("treats __proto__ as an ordinary key", () => {
    const hostile = JSON.parse('{"__proto__": {"x": 1}, "status": {"__proto__": 1}}') as MapValue
    expect(JSON.stringify(resetToLive(hostile, {}, fields(["status"])))).toBe('{"__proto__":{"x":1}}')
  })
})
