import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { copyMap, isEmptyMap, own, put, sizeOf } from "../../src/value/object.js"
import type { MapValue, Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { inheritedKeys, json } from "./samples.js"

describe("own", () => {
  const map: MapValue = deepFreeze({ a: 1, nothing: null, no: false, zero: 0, empty: "" })

  it.each([
    ["a", 1],
    ["nothing", null],
    ["no", false],
    ["zero", 0],
    ["empty", ""],
    ["absent", undefined],
    ["", undefined],
  ])("reads %j as %j", (key, expected) => {
    expect(own(map, key)).toBe(expected)
  })

  it.each(inheritedKeys)("does not find an inherited %s", key => {
    expect(own(map, key)).toBeUndefined()
    expect(own(Object.create(null), key)).toBeUndefined()
    expect(own(runInNewContext("({})"), key)).toBeUndefined()
  })

  it.each(inheritedKeys)("finds the map's own %s", key => {
    expect(own(json(`{"${key}": {"a": 1}}`) as MapValue, key)).toEqual({ a: 1 })
    expect(own(json(`{"${key}": null}`) as MapValue, key)).toBeNull()
  })
})

describe("put", () => {
  it.each(["a", "", ...inheritedKeys])("sets the key %j without changing the prototype", key => {
    const map: Record<string, Value> = {}
    put(map, key, { x: 1 })
    expect(Object.entries(map)).toEqual([[key, { x: 1 }]])
    expect(Object.getPrototypeOf(map)).toBe(Object.prototype)
    put(map, key, 2)
    expect(Object.entries(map)).toEqual([[key, 2]])
  })
})

describe("copyMap", () => {
  it("copies every key and shares the values", () => {
    const map = json('{"a": {"b": 1}, "__proto__": {"c": 2}, "toString": null}') as MapValue
    const copy = copyMap(map)
    expect(copy).not.toBe(map)
    expect(Object.keys(copy)).toEqual(["a", "__proto__", "toString"])
    for (const key of Object.keys(copy)) expect(own(copy, key)).toBe(own(map, key))
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  })
})

describe("sizeOf and isEmptyMap", () => {
  it.each([
    ["{}", 0],
    ['{"a": null}', 1],
    ['{"__proto__": 1, "constructor": 2, "a": 3}', 3],
  ])("%s has %i keys", (text, size) => {
    expect(sizeOf(json(text) as MapValue)).toBe(size)
    expect(isEmptyMap(json(text) as MapValue)).toBe(size === 0)
  })
})
