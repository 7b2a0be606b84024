import { describe, expect, it } from "vitest"
import { formatElement, type PathElement } from "../../src/fieldpath/element.js"
import { countSameItems, elementOfItem, ItemTable, itemProblem } from "../../src/typed/list-items.js"
import type { ListShape } from "../../src/typed/type.js"
import type { Value } from "../../src/value/value.js"
import { element } from "../fieldpath/notation.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { inheritedKeys, json } from "../value/samples.js"
import { atomicList, listBy, mapOf, number, scalar, setOf, struct, text, typeOf } from "./notation.js"

function isSameItem(list: ListShape, a: Value, b: Value): boolean {
  return countSameItems(list, [a], [b]) === 1
}

function shapeOf(ref: Parameters<typeof typeOf>[0]): ListShape {
  return typeOf(ref).list as ListShape
}

const strings = shapeOf(setOf(text))
const byName = shapeOf(listBy(["name"], struct({ name: text })))
const byPort = shapeOf(
  listBy(["protocol", "port"], struct({ port: number, protocol: text }, undefined, { protocol: "TCP" })),
)

describe("elementOfItem", () => {
  const rows: [title: string, list: ListShape, item: Value, element: string | null][] = [
    ["an item of a set is found by its value", strings, "a", '[="a"]'],
    ["so is an item of another kind", strings, 1.5, "[=1.5]"],
    ["and a number beyond the safe range", shapeOf(setOf(scalar)), 2n ** 53n, "[=9007199254740992]"],
    ["null has none in a set", strings, null, null],
    ["a map has none in a set", strings, {}, null],
    ["a list has none in a set", strings, [], null],
    ["an item is found by its key", byName, { name: "a", v: 1 }, '[name="a"]'],
    ["a key may be empty", byName, { name: "" }, '[name=""]'],
    ["a key may be null", byName, { name: null }, "[name=null]"],
    ["a key may be of another kind", byName, { name: 1 }, "[name=1]"],
    ["a key may be a list", byName, { name: [1, "a"] }, '[name=[1,"a"]]'],
    ["an item without its key has none", byName, { v: 1 }, null],
    ["null has none among items with keys", byName, null, null],
    ["a scalar has none among items with keys", byName, "a", null],
    ["a list has none among items with keys", byName, [], null],
    ["keys come sorted", byPort, { protocol: "UDP", port: 1 }, '[port=1,protocol="UDP"]'],
    ["a key that is missing has its default", byPort, { port: 1 }, '[port=1,protocol="TCP"]'],
    ["a key that is null has no default", byPort, { port: 1, protocol: null }, "[port=1,protocol=null]"],
    ["a default alone is enough", byPort, {}, '[protocol="TCP"]'],
    ["keys without a default may be missing", byPort, { protocol: "UDP" }, '[protocol="UDP"]'],
    ["an item of an atomic list has none", shapeOf(atomicList(text)), "a", null],
  ]
  it.each(rows)("%s", (_, list, item, expected) => {
    const found = elementOfItem(list, deepFreeze(item))
    expect(found === null ? null : formatElement(found)).toBe(expected)
  })

  it("returns the same object for the same string key", () => {
    expect(elementOfItem(byName, { name: "a" })).toBe(elementOfItem(byName, { name: "a", v: 1 }))
  })

  it.each(inheritedKeys)("treats %s as an ordinary key", key => {
    const list = shapeOf(listBy([key], mapOf(text)))
    expect(elementOfItem(list, {})).toBeNull()
    expect(elementOfItem(list, json(`{"${key}": "x"}`))).toEqual(element(`[${key}=x]`))
  })
})

describe("itemProblem", () => {
  const rows: [title: string, list: ListShape, item: Value, problem: string][] = [
    ["null in a set", strings, null, "associative list without keys has an element that's an explicit null"],
    ["a map in a set", strings, {}, "associative list without keys has an element that's a map type"],
    ["a list in a set", strings, [], "not supported: associative list with lists as elements"],
    ["null among items with keys", byName, null, "associative list with keys may not have a null element"],
    ["a scalar among items with keys", byName, 1, "associative list with keys may not have non-map elements"],
    [
      "no key at all, in the schema's order",
      shapeOf(listBy(["z", "a"], mapOf(text))),
      {},
      'associative list with keys has an element that omits all key fields ["z" "a"] (and doesn\'t have default values for any key fields)',
    ],
    [
      "keys of items that are not maps",
      shapeOf(listBy(["k"], text)),
      {},
      "couldn't find default value for k: associative list may not have non-map types",
    ],
    ["items of an atomic list", shapeOf(atomicList(text)), "a", "invalid indexing of non-associative list"],
  ]
  it.each(rows)("returns the problem of %s", (_, list, item, problem) => {
    expect(elementOfItem(list, item)).toBeNull()
    expect(itemProblem(list, item)).toBe(problem)
  })
})

describe("ItemTable", () => {
  const values = ["a", "b", 1, "1", true, 2n ** 53n, 1.5, "", "true", 0, false, "\u{1f600}", -1]
  const lists: [title: string, shape: ListShape, items: Value[]][] = [
    ["items of a set", strings, values],
    ["items with a string key", byName, values.map((_, i) => ({ name: `n${i}` }))],
    ["items with a key of any kind", byName, [...values.map(name => ({ name })), { name: [1] }, { name: "[1]" }]],
    ["items with several keys", byPort, values.map((protocol, i) => ({ protocol, port: i % 2 }))],
  ]

  it.each(lists)("numbers %s and finds each again", (_, shape, given) => {
    const table = new ItemTable(shape)
    expect(given.map(each => table.find(each))).toEqual(given.map(() => -1))
    expect(given.map(each => table.add(each))).toEqual(given.map((_, i) => i))
    expect(given.map(each => table.add(each))).toEqual(given.map((_, i) => i))
    expect(given.map(each => table.find(each))).toEqual(given.map((_, i) => i))
    expect(table.size).toBe(given.length)
    const elements = given.map((_, i) => formatElement(table.element(i)))
    expect(elements).toEqual(given.map(each => formatElement(elementOfItem(shape, each) as PathElement)))
  })

  it.each(lists)("finds %s among a few", (_, shape, given) => {
    const table = new ItemTable(shape)
    const few = given.slice(-4)
    expect(few.map(each => table.add(each))).toEqual([0, 1, 2, 3])
    expect(few.map(each => table.find(each))).toEqual([0, 1, 2, 3])
  })

  it("has no number for items without an element", () => {
    for (const item of [null, {}, [], { name: "a" }]) expect(new ItemTable(strings).add(item)).toBe(-1)
    for (const item of [null, {}, [], "a"]) expect(new ItemTable(byName).find(item)).toBe(-1)
    expect(new ItemTable(shapeOf(atomicList(text))).add("a")).toBe(-1)
  })

  const alike: [a: Value, b: Value][] = [
    [1, 1n],
    [0, -0],
    [2 ** 60, 2n ** 60n],
  ]
  it.each(alike)("finds %s by %s, among few and among many", (a, b) => {
    for (const others of [0, 20]) {
      for (const shape of [strings, byName]) {
        const wrap = (value: Value): Value => (shape === strings ? value : { name: value })
        const table = new ItemTable(shape)
        for (let i = 0; i < others; i++) table.add(wrap(`n${i}`))
        table.add(wrap(a))
        expect(table.find(wrap(b))).toBe(others)
        expect(isSameItem(shape, wrap(a), wrap(b))).toBe(true)
      }
    }
  })

  it("distinguishes values that only look alike, among few and among many", () => {
    for (const others of [0, 20]) {
      const table = new ItemTable(strings)
      for (let i = 0; i < others; i++) table.add(`n${i}`)
      const lookalikes = [1, "1", true, "true", 2n ** 53n, 2n ** 53n + 1n, ""]
      expect(new Set(lookalikes.map(value => table.add(value))).size).toBe(lookalikes.length)
    }
  })

  it("treats keys in any order as the same", () => {
    const list = shapeOf(listBy(["a", "b"], mapOf(scalar)))
    const [one, other] = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ] as const
    const table = new ItemTable(list)
    expect([one, other].map(map => table.add(map))).toEqual([0, 0])
    expect(isSameItem(list, one, other)).toBe(true)
    expect(isSameItem(list, one, { a: 2, b: 1 })).toBe(false)
  })

  it("treats a default like a given key", () => {
    const list = shapeOf(listBy(["kind"], struct({ kind: text }, undefined, { kind: "Pod" })))
    const table = new ItemTable(list)
    expect([{}, { kind: "Pod" }, { kind: "Node" }].map(item => table.add(item))).toEqual([0, 0, 1])
    expect(formatElement(table.element(0))).toBe('[kind="Pod"]')
  })

  it("never matches items without an element", () => {
    expect(isSameItem(strings, null, null)).toBe(false)
    expect(isSameItem(byName, { name: "a" }, {})).toBe(false)
  })
})
