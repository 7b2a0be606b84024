import { describe, expect, it } from "vitest"
import {
  compareElements,
  equalElements,
  fieldElement,
  formatElement,
  indexElement,
  indexElementOf,
  invalidElement,
  isPathElement,
  keyElement,
  keyElementOf,
  type PathElement,
  singleKeyElement,
  valueElement,
  valueElementOf,
} from "../../src/fieldpath/element.js"
import type { MapValue } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { inheritedKeys, json } from "../value/samples.js"
import { element } from "./notation.js"

describe("making elements", () => {
  it("gives the same object for the same field name", () => {
    expect(fieldElement("spec")).toBe(fieldElement("spec"))
    expect(fieldElement("spec")).not.toBe(fieldElement("Spec"))
  })

  it("gives the same object for the same single string key", () => {
    expect(keyElement({ name: "a" })).toBe(keyElement({ name: "a" }))
    expect(keyElement({ name: "a" })).toBe(singleKeyElement("name", "a"))
    expect(keyElement({ name: "a" })).not.toBe(keyElement({ key: "a" }))
  })

  it("gives the same object for the same scalar, unless paths may print it in two ways", () => {
    for (const value of ["a", 1, -1.5, true]) expect(valueElement(value)).toBe(valueElement(value))
    expect(valueElement(1)).not.toBe(valueElement("1"))
    expect(valueElement(1)).not.toBe(valueElementOf(1, true))
    expect(valueElement(0)).not.toBe(valueElement(-0))
  })

  it("tells indexes apart that are one float", () => {
    const [even, odd] = [indexElementOf(2n ** 53n), indexElementOf(2n ** 53n + 1n)]
    expect([even.index, odd.index]).toEqual([2n ** 53n, 2n ** 53n + 1n])
    expect([compareElements(even, odd), equalElements(even, odd)]).toEqual([-1, false])
  })

  it("tells keys of the same value apart by their names", () => {
    for (const [name, value] of [
      ["name", "twice"],
      ["key", "twice"],
      ["keyt", "wice"],
      ["key", "twice"],
    ] as const) {
      expect(singleKeyElement(name, value).fields).toEqual([{ name, value }])
      expect(singleKeyElement(name, value)).toBe(singleKeyElement(name, value))
    }
  })

  it("makes long texts anew each time, equal all the same", () => {
    const long = "x".repeat(5_000)
    expect(fieldElement(long)).not.toBe(fieldElement(long))
    expect(equalElements(fieldElement(long), fieldElement(long))).toBe(true)
    expect(equalElements(singleKeyElement("k", long), singleKeyElement("k", long))).toBe(true)
    expect(compareElements(valueElement(long), valueElement(long))).toBe(0)
  })

  it("sorts the fields of a key", () => {
    const { fields } = keyElement(deepFreeze({ protocol: "TCP", "\u{1f600}": 1, "\uffff": 2, port: 80 }))
    expect(fields.map(({ name }) => name)).toEqual(["port", "protocol", "\uffff", "\u{1f600}"])
  })

  it.each(inheritedKeys)("takes %s for an ordinary name", name => {
    expect(fieldElement(name).name).toBe(name)
    expect(keyElement(json(`{"${name}": "x"}`) as MapValue).fields).toEqual([{ name, value: "x" }])
  })

  it("keeps equal elements equal when a table of interned ones starts anew", () => {
    const before = fieldElement("kept")
    const keyBefore = singleKeyElement("name", "kept")
    for (let i = 0; i < 40_000; i++) {
      fieldElement(`filler-${i}`)
      singleKeyElement("name", `filler-${i}`)
    }
    for (let i = 0; i < 300; i++) singleKeyElement(`filler-${i}`, "x")
    expect(compareElements(before, fieldElement("kept"))).toBe(0)
    expect(equalElements(keyBefore, singleKeyElement("name", "kept"))).toBe(true)
  })

  it.each([0.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses the index %d", index => {
    expect(() => indexElement(index)).toThrow(
      new RangeError(`index of a path element must be an integer, got ${index}`),
    )
  })

  it("knows its elements from everything else", () => {
    for (const text of ["a", "[k=1]", "[=1]", "[0]"]) expect(isPathElement(element(text))).toBe(true)
    for (const other of ["a", 0, null, undefined, { kind: "field", name: "a" }])
      expect(isPathElement(other)).toBe(false)
  })
})

describe("order and equality", () => {
  // Each is less than the next: fields, then keys, values, indexes.
  const ordered: readonly PathElement[] = [
    ...["A", "a", "aa", "b", "\uffff", "\u{1f600}"].map(fieldElement),
    keyElement({}),
    keyElement({ "": 1 }),
    ...["[a=1]", "[a=1,b=1]", "[a=1,b=2]", "[a=2]", '[a="1"]', "[a=x]", "[a=true]", "[a=null]", "[b=0]"].map(element),
    ...["[=-1]", "[=1.5]", "[=2]", "[=10]", '[="10"]', "[=a]", "[=false]", "[=true]", "[=null]"].map(element),
    ...["[-1]", "[0]", "[2]", "[10]"].map(element),
    invalidElement,
  ]

  it("hold for every pair", () => {
    ordered.forEach((a, i) => {
      ordered.forEach((b, j) => {
        expect(compareElements(a, b)).toBe(Math.sign(i - j))
        expect(equalElements(a, b)).toBe(i === j)
      })
    })
  })

  it.each([
    ["keys in another order", keyElement({ a: 1, b: 2 }), keyElement({ b: 2, a: 1 })],
    ["keys that are 1 and 1n", keyElement({ a: 1 }), keyElement({ a: 1n })],
    ["values that are 1 and 1n", valueElement(1), valueElement(1n)],
    ["values that are maps", valueElement({ a: 1, b: [] }), valueElement({ b: [], a: 1 })],
    ["indexes", indexElement(3), indexElement(3)],
    ["single keys, one of them not interned", keyElement({ a: "x" }), keyElementOf([{ name: "a", value: "x" }])],
  ])("find elements equal whose %s are", (_, a, b) => {
    expect([compareElements(a, b), equalElements(a, b)]).toEqual([0, true])
  })

  it("tell a key from one that has more", () => {
    const one = element("[a=1]")
    const two = element("[a=1,b=2]")
    expect([equalElements(one, two), equalElements(two, one)]).toEqual([false, false])
  })
})

describe("formatElement", () => {
  const rows: [PathElement, string][] = [
    [fieldElement("spec"), ".spec"],
    [fieldElement("a.b/c"), ".a.b/c"],
    [fieldElement(""), "."],
    [element("[port=80,protocol=TCP]"), '[port=80,protocol="TCP"]'],
    [element("[a=true]"), "[a=true]"],
    [valueElement("x"), '[="x"]'],
    [valueElement('"'), '[="\\""]'],
    [valueElement(2n ** 60n), "[=1152921504606846976]"],
    [valueElement(1.5), "[=1.5]"],
    [valueElement(null), "[=null]"],
    [valueElement({ b: [1], a: "x" }), '[=a="x"b=[1]]'],
    [indexElement(3), "[3]"],
    [invalidElement, "{{invalid path element}}"],
  ]
  it.each(rows)("of %o", (given, text) => {
    expect(formatElement(given)).toBe(text)
  })
})
