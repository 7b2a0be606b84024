import { describe, expect, it } from "vitest"
import { valueElement } from "../../src/fieldpath/element.js"
import { stepsTo, valueAt } from "../../src/fieldpath/lookup.js"
import { type PathPart, pathOf } from "../../src/fieldpath/path.js"
import type { Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"

const object: Value = deepFreeze({
  replicas: 3,
  nothing: null,
  labels: { "app.kubernetes.io/name": "shop" },
  finalizers: ["b", "a", 1],
  ports: [
    { port: 80, name: "default protocol" },
    { port: 80, protocol: "TCP", name: "whole" },
    { port: 53, name: "first of two" },
    { port: 53, protocol: "UDP", name: "udp" },
    { port: 53, name: "second of two" },
  ],
  mixed: [7, { port: 1 }, null],
})

const rows: [title: string, path: PathPart[], expected: Value | undefined][] = [
  ["the root", [], object],
  ["a field", ["replicas"], 3],
  ["an explicit null", ["nothing"], null],
  ["a key with dots", ["labels", "app.kubernetes.io/name"], "shop"],
  ["an item of a set", ["finalizers", valueElement("a")], "a"],
  ["an item of a set by a number written in another way", ["finalizers", valueElement(1n)], 1],
  ["an item by index", ["finalizers", 1], "a"],
  [
    "the item that has all the keys before one that lacks some",
    ["ports", { port: 80, protocol: "TCP" }, "name"],
    "whole",
  ],
  ["an item that lacks a key", ["ports", { port: 53, protocol: "TCP" }, "name"], "first of two"],
  ["an item among others that are no maps", ["mixed", { port: 1 }, "port"], 1],
  ["nothing for a field that is absent", ["absent"], undefined],
  ["nothing below an absent field", ["absent", "deeper"], undefined],
  ["nothing below a scalar", ["replicas", "deeper"], undefined],
  ["nothing below null", ["nothing", "deeper"], undefined],
  ["nothing for a field of a list", ["ports", "port"], undefined],
  ["nothing for an index of a map", ["labels", 0], undefined],
  ["nothing for an index beyond the end", ["finalizers", 3], undefined],
  ["nothing for keys no item has", ["ports", { port: 443, protocol: "TCP" }], undefined],
  ["nothing for keys that only differ in one", ["ports", { port: 53, protocol: "SCTP", name: "udp" }], undefined],
  ["nothing for a value no item has", ["finalizers", valueElement("c")], undefined],
  ["nothing for what every object inherits", ["labels", "constructor"], undefined],
]

describe("valueAt", () => {
  it.each(rows)("finds %s", (_, path, expected) => {
    expect(valueAt(object, pathOf(...path))).toBe(expected)
  })
})

describe("stepsTo", () => {
  it.each(rows)("leads to %s", (_, path, expected) => {
    const steps = stepsTo(object, pathOf(...path))
    const end = steps?.reduce<unknown>((value, step) => (value as Record<string | number, unknown>)[step], object)
    expect([steps === undefined, end]).toEqual([expected === undefined, expected])
  })

  it("tells items apart that have the same value, or are the same object", () => {
    const item = { a: 1 }
    const list = deepFreeze(["x", "x", item, item])
    expect([0, 1, 2, 3].map(index => stepsTo(list, pathOf(index)))).toEqual([[0], [1], [2], [3]])
  })
})
