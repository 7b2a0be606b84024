import { deepStrictEqual } from "node:assert"
import { isDeepStrictEqual } from "node:util"
import { describe, expect, it } from "vitest"
import {
  fieldElement,
  indexElement,
  indexElementOf,
  keyElement,
  keyElementOf,
  singleKeyElement,
  valueElement,
  valueElementOf,
} from "../../src/fieldpath/create-element.js"
import {
  compareElements,
  equalElements,
  formatElement,
  formatFieldsV1Key,
  invalidElement,
  isPathElement,
  type PathElement,
} from "../../src/fieldpath/element.js"
import { parseFieldsV1Key } from "../../src/fieldpath/fieldsv1/key.js"
import { formatFieldsV1 } from "../../src/fieldpath/fieldsv1/text.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import type { MapValue } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { fillTables } from "../support/fill-tables.js"
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

  it("gives the same object for the same scalar, unless paths print it in different ways", () => {
    for (const value of ["a", 1, -1.5, true]) expect(valueElement(value)).toBe(valueElement(value))
    expect(valueElement(1)).not.toBe(valueElement("1"))
    expect(valueElement(1)).not.toBe(valueElementOf(1, true))
    expect(valueElement(0)).not.toBe(valueElement(-0))
  })

  it("distinguishes indexes that are the same float", () => {
    const [even, odd] = [indexElementOf(2n ** 53n), indexElementOf(2n ** 53n + 1n)]
    expect([even.index, odd.index]).toEqual([2n ** 53n, 2n ** 53n + 1n])
    expect([compareElements(even, odd), equalElements(even, odd)]).toEqual([-1, false])
  })

  it("distinguishes keys with the same value by their names", () => {
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

  it("does not intern long texts, but compares them as equal", () => {
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

  it.each(inheritedKeys)("treats %s as an ordinary name", name => {
    expect(fieldElement(name).name).toBe(name)
    expect(keyElement(json(`{"${name}": "x"}`) as MapValue).fields).toEqual([{ name, value: "x" }])
  })

  it("compares elements as equal after the intern tables start over", () => {
    const make = () => [fieldElement("kept"), singleKeyElement("name", "kept"), valueElement("kept")]
    const before = make()
    fillTables()
    make().forEach((element, i) => {
      expect(element).not.toBe(before[i])
      expect(compareElements(element, before[i] as PathElement)).toBe(0)
      expect(equalElements(element, before[i] as PathElement)).toBe(true)
    })
  })

  it.each([0.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses the index %d", index => {
    expect(() => indexElement(index)).toThrow(
      new RangeError(`index of a path element must be an integer, got ${index}`),
    )
  })

  it("recognizes only its own elements", () => {
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
  ])("are equal for %s", (_, a, b) => {
    expect([compareElements(a, b), equalElements(a, b)]).toEqual([0, true])
  })

  it("differ between a key element and one with more keys", () => {
    const one = element("[a=1]")
    const two = element("[a=1,b=2]")
    expect([equalElements(one, two), equalElements(two, one)]).toEqual([false, false])
  })
})

// Compares as users and test runners do, by visible properties.
describe("deep equality", () => {
  const make = () => ["a", "[k=x]", "[k=1]", "[a=x,b=1]", "[=x]", "[=1.5]", "[0]", "[1000]"].map(element)

  it("does not depend on the earlier use of the elements", () => {
    const used = make()
    for (const each of used) {
      if (each.kind === "key") expect(each.fields.length).toBe(each.count)
      formatFieldsV1(FieldSet.of([[each]]))
    }
    fillTables()
    deepStrictEqual(make(), used)
    expect(make()).toStrictEqual(used)
  })

  it("does not depend on how the elements were created", () => {
    const read = make().map(each => parseFieldsV1Key(formatFieldsV1Key(each)))
    deepStrictEqual(make(), read)
    deepStrictEqual(keyElement({ a: 1 }), keyElementOf([{ name: "a", value: 1 }]))
  })

  it("distinguishes different elements", () => {
    const all = [...make(), ...["b", "[k=y]", "[l=1]", "[k=2]", "[a=x,b=2]", "[a=x,b=1,c=1]", "[a=x,c=1]"].map(element)]
    all.forEach((a, i) => {
      all.forEach((b, j) => {
        expect(isDeepStrictEqual(a, b)).toBe(i === j)
      })
    })
  })
})

describe("JSON", () => {
  it("of an element is its key in FieldsV1", () => {
    const elements = ["a", "[k=x]", "[port=80,protocol=TCP]", "[=x]", "[=1.5]", "[3]"].map(element)
    const texts = ["f:a", 'k:{"k":"x"}', 'k:{"port":80,"protocol":"TCP"}', 'v:"x"', "v:1.5", "i:3"]
    expect(JSON.parse(JSON.stringify(elements))).toEqual(texts)
    expect(texts.map(key => parseFieldsV1Key(key))).toEqual(elements)
    expect(JSON.stringify(valueElement(2n ** 60n))).toBe(`"v:${2n ** 60n}"`)
  })

  it("of the invalid element says so", () => {
    expect(JSON.stringify(invalidElement)).toBe('"{{invalid path element}}"')
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
