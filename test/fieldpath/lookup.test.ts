import fc, { type Arbitrary } from "fast-check"
import { describe, expect, it } from "vitest"
import { fieldElement, indexElement, keyElement, valueElement } from "../../src/fieldpath/create-element.js"
import type { PathElement } from "../../src/fieldpath/element.js"
import { Lookup, stepsTo, valueAt } from "../../src/fieldpath/lookup.js"
import { type PathPart, pathOf } from "../../src/fieldpath/path.js"
import type { Value } from "../../src/value/value.js"
import { Counted } from "../support/counted.js"
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
  ["an item of a set by a bigint of the same value", ["finalizers", valueElement(1n)], 1],
  ["an item by index", ["finalizers", 1], "a"],
  ["the item with all keys rather than one that lacks some", ["ports", { port: 80, protocol: "TCP" }, "name"], "whole"],
  ["an item that lacks a key", ["ports", { port: 53, protocol: "TCP" }, "name"], "first of two"],
  ["an item among others that are not maps", ["mixed", { port: 1 }, "port"], 1],
  ["nothing for a field that is absent", ["absent"], undefined],
  ["nothing below an absent field", ["absent", "deeper"], undefined],
  ["nothing below a scalar", ["replicas", "deeper"], undefined],
  ["nothing below null", ["nothing", "deeper"], undefined],
  ["nothing for a field of a list", ["ports", "port"], undefined],
  ["nothing for an index of a map", ["labels", 0], undefined],
  ["nothing for an index beyond the end", ["finalizers", 3], undefined],
  ["nothing for keys that no item has", ["ports", { port: 443, protocol: "TCP" }], undefined],
  ["nothing for keys of which one differs", ["ports", { port: 53, protocol: "SCTP", name: "udp" }], undefined],
  ["nothing for a value that no item has", ["finalizers", valueElement("c")], undefined],
  ["nothing for an inherited property", ["labels", "constructor"], undefined],
]

describe("valueAt", () => {
  it.each(rows)("finds %s", (_, path, expected) => {
    expect(valueAt(object, pathOf(...path))).toBe(expected)
  })
})

describe("stepsTo", () => {
  it.each(rows)("returns the steps to %s", (_, path, expected) => {
    const steps = stepsTo(object, pathOf(...path))
    const end = steps?.reduce<unknown>((value, step) => (value as Record<string | number, unknown>)[step], object)
    expect([steps === undefined, end]).toEqual([expected === undefined, expected])
  })

  it("distinguishes items that are equal or even the same object", () => {
    const item = { a: 1 }
    const list = deepFreeze(["x", "x", item, item])
    expect([0, 1, 2, 3].map(index => stepsTo(list, pathOf(index)))).toEqual([[0], [1], [2], [3]])
  })
})

describe("Lookup", () => {
  it.each(rows)("finds %s", (_, path, expected) => {
    const lookup = new Lookup(object)
    for (let i = 0; i < 2; i++) expect(lookup.valueAt(pathOf(...path))).toBe(expected)
    expect(lookup.stepsTo(pathOf(...path))).toEqual(stepsTo(object, pathOf(...path)))
  })

  it("finds the same as valueAt and stepsTo in long lists of any items", () => {
    const scalar = fc.constantFrom<Value>("a", "b", "1", 1, 1n, 1.5, 2n ** 60n, 2 ** 60, true, null, 0, -0, [1], [1n], {
      a: 1,
    })
    const keyed = fc.dictionary(fc.constantFrom("x", "y", "z", "other"), scalar, { noNullPrototype: true })
    const lists = fc.array(fc.oneof({ arbitrary: keyed, weight: 5 }, scalar), { minLength: 9, maxLength: 40 })
    const element = fc.oneof<[Arbitrary<PathElement>, Arbitrary<PathElement>, Arbitrary<PathElement>]>(
      fc
        .dictionary(fc.constantFrom("x", "y", "z"), scalar, { minKeys: 1, noNullPrototype: true })
        .map(keys => keyElement(keys)),
      scalar.map(value => valueElement(value)),
      fc.nat(50).map(index => indexElement(index)),
    )
    fc.assert(
      fc.property(lists, fc.array(element, { minLength: 5 }), (list, elements) => {
        const lookup = new Lookup({ list })
        for (const element of elements) {
          const path = [fieldElement("list"), element]
          expect(lookup.stepsTo(path)).toEqual(stepsTo({ list }, path))
          expect(lookup.valueAt(path)).toBe(valueAt({ list }, path))
        }
      }),
    )
  })

  it.each<[string, (i: number) => Value, (i: number) => PathElement]>([
    ["by one key", i => ({ name: `n${i}`, value: i }), i => keyElement({ name: `n${i}` })],
    ["by several keys", i => ({ port: i, protocol: "TCP" }), i => keyElement({ port: i, protocol: "TCP" })],
    ["by some of their keys", i => ({ port: i }), i => keyElement({ port: i, protocol: "TCP" })],
    ["by their value", i => `v${i}`, i => valueElement(`v${i}`)],
  ])("reads the items of a list once: %s", (_, itemOf, elementOf) => {
    const count = 1_000
    const counted = new Counted({ list: Array.from({ length: count }, (_, i) => itemOf(i)) })
    const lookup = new Lookup(counted.value)
    for (let i = 0; i < count; i++) {
      expect(lookup.stepsTo([fieldElement("list"), elementOf(i)])).toEqual(["list", i])
    }
    expect(counted.reads).toBeLessThan(30 * count)
  })
})
