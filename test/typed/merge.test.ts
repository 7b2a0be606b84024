import { describe, expect, it } from "vitest"
import { StructuredMergeError } from "../../src/errors.js"
import { writeJson } from "../../src/json/json.js"
import type { Type } from "../../src/typed/type.js"
import type { MapValue, Value } from "../../src/value/value.js"
import { cyclicMap, inheritedKeys, json, nestedMap } from "../value/samples.js"
import {
  atomicList,
  issuesOf,
  listBy,
  mapOf,
  named,
  number,
  setOf,
  struct,
  text,
  things,
  typed,
  typeOf,
  unchecked,
  withDuplicates,
} from "./notation.js"

/** Lists of items `{k, v}` as text: `a b1` is `[{k: "a"}, {k: "b", v: 1}]`. */
function items(text: string): Value {
  return text
    .split(" ")
    .filter(Boolean)
    .map(item => (item.length > 1 ? { k: item[0] as string, v: Number(item.slice(1)) } : { k: item }))
}

const rows: [title: string, lhs: Value, rhs: Value, merged: Value][] = [
  ["takes a field of the right", { s: "a" }, { s: "b" }, { s: "b" }],
  ["keeps what the right does not have", { s: "a", n: 1 }, { s: "b" }, { s: "b", n: 1 }],
  ["adds what the left does not have", { s: "a" }, { n: 1 }, { s: "a", n: 1 }],
  ["takes a null over a scalar", { s: "a" }, { s: null }, { s: null }],
  ["takes a scalar over a null", { s: null }, { s: "a" }, { s: "a" }],
  ["keeps all for an empty right", { s: "a" }, {}, { s: "a" }],
  ["keeps all for a null right", { s: "a" }, null, { s: "a" }],
  ["takes all for a null left", null, { s: "a" }, { s: "a" }],
  ["gives null for nulls", null, null, null],
  ["takes an empty struct over null", null, {}, {}],
  ["keeps the children of a map under {}", { map: { a: "1" } }, { map: {} }, { map: { a: "1" } }],
  ["keeps the children of a map under null", { map: { a: "1" } }, { map: null }, { map: { a: "1" } }],
  ["keeps the items of a list under []", { tags: ["a"] }, { tags: [] }, { tags: ["a"] }],
  ["keeps the items of a list under null", { list: [{ k: "a" }] }, { list: null }, { list: [{ k: "a" }] }],
  ["takes null over an empty map", { map: {} }, { map: null }, { map: null }],
  ["takes an empty map over null", { map: null }, { map: {} }, { map: {} }],
  ["takes null over an empty list", { tags: [] }, { tags: null }, { tags: null }],
  ["replaces an atomic map", { frozen: { x: "1", y: "2" } }, { frozen: { x: "3" } }, { frozen: { x: "3" } }],
  ["replaces an atomic map by an empty one", { frozen: { x: "1" } }, { frozen: {} }, { frozen: {} }],
  ["replaces an atomic map by null", { frozen: { x: "1" } }, { frozen: null }, { frozen: null }],
  ["replaces an atomic list", { args: ["a", "b"] }, { args: ["c"] }, { args: ["c"] }],
  [
    "replaces a list that a reference makes atomic",
    { whole: [{ k: "a" }] },
    { whole: [{ k: "b" }] },
    { whole: [{ k: "b" }] },
  ],
  [
    "merges structs in structs",
    { in: { s: "a", in: { n: 1 } } },
    { in: { in: { n: 2, b: true } } },
    { in: { s: "a", in: { n: 2, b: true } } },
  ],
  [
    "merges keys of maps",
    { maps: { a: { x: "1" }, b: { x: "2" } } },
    { maps: { b: { y: "3" }, c: {} } },
    { maps: { a: { x: "1" }, b: { x: "2", y: "3" }, c: {} } },
  ],
  [
    "merges maps without a schema",
    { free: { a: { b: 1, c: [1] } } },
    { free: { a: { c: [2], d: null } } },
    { free: { a: { b: 1, c: [2], d: null } } },
  ],
  [
    "replaces a scalar without a schema by a map",
    { free: { a: 1 } },
    { free: { a: { b: 1 } } },
    { free: { a: { b: 1 } } },
  ],
  ["replaces a map without a schema by a scalar", { free: { a: { b: 1 } } }, { free: { a: 1 } }, { free: { a: 1 } }],
  ["replaces one alternative by another", { either: 1 }, { either: ["a"] }, { either: ["a"] }],
  ["replaces a list by a map of several alternatives", { either: ["a"] }, { either: { a: 1 } }, { either: { a: 1 } }],
  ["merges items by their keys", { list: items("a1 b1") }, { list: items("b2") }, { list: items("a1 b2") }],
  [
    "merges items in items",
    { list: [{ k: "a", list: items("x1") }] },
    { list: [{ k: "a", list: items("x2 y") }] },
    { list: [{ k: "a", list: items("x2 y") }] },
  ],
  [
    "finds items by the default of a key",
    { ports: [{ port: 1, name: "a" }] },
    { ports: [{ port: 1, protocol: "TCP" }] },
    { ports: [{ port: 1, name: "a", protocol: "TCP" }] },
  ],
  [
    "finds items whose numbers are written in two ways",
    { ports: [{ port: 1, name: "a" }] },
    { ports: [{ port: 1n }] },
    { ports: [{ port: 1n, name: "a" }] },
  ],
  ["adds items to a set", { tags: ["a"] }, { tags: ["b"] }, { tags: ["a", "b"] }],
  ["keeps items that both sets have once", { nums: [1, 2] }, { nums: [2n, 3] }, { nums: [1, 2n, 3] }],
  ["replaces integers beyond the safe range", { n: 2n ** 53n }, { n: 2n ** 53n + 1n }, { n: 2n ** 53n + 1n }],
]

describe("merge", () => {
  it.each(rows)("%s", (_, lhs, rhs, merged) => {
    expect(typed(lhs).merge(typed(rhs)).value).toStrictEqual(merged)
    expect(unchecked(lhs).merge(typed(rhs)).value).toStrictEqual(merged)
  })

  it.each(rows)("%s, also deeper down", (_, lhs, rhs, merged) => {
    const deeper = (value: Value): Value => ({ list: [{ k: "q" }], in: { in: value }, n: 1 })
    expect(typed(deeper(lhs)).merge(typed(deeper(rhs))).value).toStrictEqual(deeper(merged))
  })

  it.each(rows)("%s, and returns the same object the second time", (_, lhs, rhs) => {
    const once = typed(lhs).merge(typed(rhs))
    expect(once.merge(typed(rhs))).toBe(once)
  })

  it.each(rows)("returns the same object for a value merged with itself: the rest after it %s", (_, lhs, rhs) => {
    for (const value of [lhs, rhs]) {
      const given = typed(value)
      expect(given.merge(given)).toBe(given)
      expect(given.merge(typed(value))).toBe(given)
      expect(given.merge(typed(structuredClone(value)))).toBe(given)
    }
  })
})

describe("the order of a merged list", () => {
  const orders: [title: string, lhs: string, rhs: string, merged: string][] = [
    ["is that of lhs where rhs adds nothing", "a b c", "b", "a b c"],
    ["puts new items at the end", "a b", "c d", "a b c d"],
    ["is that of rhs for the items of both", "a b c", "c a", "b c a"],
    ["is that of rhs where it has all", "a b c", "c b a", "c b a"],
    ["puts new items before the one that follows them", "a b", "c b", "a c b"],
    ["puts new items after the one they follow", "a b", "a c", "a b c"],
    ["keeps items of lhs alone in their place", "a b c d", "b d", "a b c d"],
    ["moves items to where rhs has them", "a b c d", "d x a", "b c d x a"],
    ["takes all of rhs for an empty lhs", "", "b a", "b a"],
    ["interleaves", "a b c", "x a y b z", "x a y b c z"],
  ]
  it.each(orders)("%s", (_, lhs, rhs, merged) => {
    const lists = typeOf(listBy(["k"], mapOf(text)))
    const keyed = (order: string) =>
      order
        .split(" ")
        .filter(Boolean)
        .map(k => ({ k }))
    expect(typed(keyed(lhs), lists).merge(typed(keyed(rhs), lists)).value).toStrictEqual(keyed(merged))
    const sets = typeOf(setOf(text))
    const plain = (order: string) => order.split(" ").filter(Boolean)
    expect(typed(plain(lhs), sets).merge(typed(plain(rhs), sets)).value).toStrictEqual(plain(merged))
  })

  it("holds for long lists too", () => {
    const sets = typeOf(setOf(text))
    const names = Array.from({ length: 200 }, (_, i) => `n${i}`)
    const reversed = names.toReversed()
    expect(typed(names, sets).merge(typed(reversed, sets)).value).toStrictEqual(reversed)
    expect(typed(names, sets).merge(typed(["x", ...names.slice(100)], sets)).value).toStrictEqual([
      ...names.slice(0, 100),
      "x",
      ...names.slice(100),
    ])
  })
})

describe("items that share their keys", () => {
  const twice = { list: [{ k: "a", v: 1 }, { k: "b" }, { k: "a", v: 2 }] }

  it("stay if the right does not have them", () => {
    const live = withDuplicates(twice)
    expect(live.merge(typed({ list: [{ k: "b" }] }))).toBe(live)
    expect(live.merge(typed({ list: [{ k: "c" }] })).value).toStrictEqual({ list: [...twice.list, { k: "c" }] })
  })

  it("are replaced by the one of the right", () => {
    expect(withDuplicates(twice).merge(typed({ list: [{ k: "a", v: 3 }] })).value).toStrictEqual({
      list: [{ k: "a", v: 3 }, { k: "b" }],
    })
  })

  it("stay in a set until the right has them", () => {
    const sets = typeOf(setOf(text))
    expect(withDuplicates(["a", "b", "a"], sets).merge(typed(["b"], sets)).value).toStrictEqual(["a", "b", "a"])
    expect(withDuplicates(["a", "b", "a"], sets).merge(typed(["a"], sets)).value).toStrictEqual(["a", "b"])
  })

  it("are skipped if the right has them", () => {
    const sets = typeOf(setOf(text))
    expect(withDuplicates(["a", "a", "x"], sets).merge(typed(["a", "c"], sets)).value).toStrictEqual(["a", "c", "x"])
  })

  it("are refused on the right", () => {
    expect(issuesOf(() => typed({ list: [] }).merge(withDuplicates(twice)))).toEqual([
      '.list: duplicate entries for key [k="a"]',
    ])
  })
})

describe("sharing of a merge", () => {
  const left = {
    s: "a",
    in: { n: 1, in: { tags: ["a"] } },
    list: [
      { k: "a", v: 1 },
      { k: "b", v: 2 },
    ],
    map: { a: "1" },
  }

  function merged(rhs: Value): MapValue {
    return typed(left).merge(typed(rhs)).value as MapValue
  }

  it("is the whole left value if nothing changes", () => {
    for (const rhs of [
      null,
      {},
      { s: "a" },
      { in: { n: 1 } },
      { list: [{ k: "b", v: 2 }] },
      { map: {} },
      structuredClone(left),
    ]) {
      expect(merged(rhs)).toBe(left)
    }
  })

  it("is every part of the left beside the change", () => {
    const out = merged({ in: { n: 2 } })
    expect(out).not.toBe(left)
    expect([out.list, out.map, (out.in as MapValue).in]).toEqual([left.list, left.map, left.in.in])
    expect([out.list === left.list, out.map === left.map, (out.in as MapValue).in === left.in.in]).toEqual([
      true,
      true,
      true,
    ])
  })

  it("is every other item of a list", () => {
    const out = merged({ list: [{ k: "b", v: 3 }] }).list as Value[]
    expect(out[0]).toBe(left.list[0])
    expect(out[1]).toStrictEqual({ k: "b", v: 3 })
  })

  it("is the part of the right that the left lacks", () => {
    const rhs = { ports: [{ port: 1 }], maps: { a: { x: "1" } } }
    const out = merged(rhs)
    expect([out.ports === rhs.ports, out.maps === rhs.maps]).toEqual([true, true])
  })

  it("is the right list if it has every item in its own order", () => {
    const rhs = [{ k: "b" }, { k: "a" }]
    expect(typed({ list: [] }).merge(typed({ list: rhs })).value).toStrictEqual({ list: rhs })
    expect((merged({ tags: ["x"] }).tags as Value[])[0]).toBe("x")
  })

  it("is the left leaf if the right one is equal", () => {
    const leaf = { args: ["a", "b"], frozen: { x: "1" } }
    const given = typed(leaf)
    expect(given.merge(typed(structuredClone(leaf)))).toBe(given)
  })

  it("is not a number that is written in another way", () => {
    expect(typed({ n: 1n }).merge(typed({ n: 1 })).value).toStrictEqual({ n: 1 })
  })

  it("is not a zero of the other sign", () => {
    const numbers = typeOf(struct({ n: number, set: setOf(number), args: atomicList(number) }))
    for (const zero of [0, -0]) {
      const lhs = { n: -zero, set: [1, -zero], args: [-zero] }
      for (const rhs of [{ n: zero }, { set: [zero] }, { args: [zero] }]) {
        const given = typed(lhs, numbers)
        expect(given.merge(typed(rhs, numbers)).value).toStrictEqual({
          ...lhs,
          ...rhs,
          ...("set" in rhs && { set: [1, zero] }),
        })
        expect(given.merge(typed(structuredClone(lhs), numbers))).toBe(given)
      }
    }
  })
})

describe("keys that every object inherits", () => {
  const strings = typeOf(mapOf(mapOf(text)))

  /** As text, because a map with a key `constructor` confuses toEqual. */
  function mergedText(lhs: Value, rhs: Value): string {
    return writeJson(typed(lhs, strings).merge(typed(rhs, strings)).value)
  }

  it.each(inheritedKeys)("are added, replaced and kept: %s", key => {
    const one = json(`{"${key}":{"a":"1"}}`)
    expect(mergedText({}, one)).toBe(`{"${key}":{"a":"1"}}`)
    expect(mergedText({ x: {} }, one)).toBe(`{"x":{},"${key}":{"a":"1"}}`)
    expect(mergedText(one, json(`{"${key}":{"b":"2"}}`))).toBe(`{"${key}":{"a":"1","b":"2"}}`)
    expect(mergedText(one, json(`{"${key}":{"a":"2"}}`))).toBe(`{"${key}":{"a":"2"}}`)
    expect(typed(one, strings).merge(typed({}, strings)).value).toBe(one)
  })

  it.each(inheritedKeys)("do not change the prototype of the result: %s", key => {
    const out = typed({ x: {} }, strings).merge(typed(json(`{"${key}":{}}`), strings)).value
    expect(Object.getPrototypeOf(out)).toBe(Object.prototype)
    expect(Object.keys(out as MapValue)).toEqual(["x", key])
  })

  it.each(inheritedKeys)("tell items apart: %s", key => {
    const lists = typeOf(listBy([key], mapOf(text)))
    const a = json(`[{"${key}":"a"}]`)
    const b = json(`[{"${key}":"b"}]`)
    expect(writeJson(typed(a, lists).merge(typed(b, lists)).value)).toBe(`[{"${key}":"a"},{"${key}":"b"}]`)
    expect(typed(a, lists).merge(typed(a, lists)).value).toBe(a)
  })
})

describe("merging unvalidated values", () => {
  const lone = typeOf(struct({ l: listBy(["k"], mapOf(text)), s: text, m: mapOf(text) }))
  const invalid: [title: string, type: Type, lhs: Value, rhs: Value, issues: string[]][] = [
    [
      "a type that does not exist",
      typeOf(struct({ a: named("missing") })),
      { a: 1 },
      { a: 2 },
      [".a: schema error: no type found matching: missing"],
    ],
    [
      "scalars that are wrong on both sides",
      lone,
      { s: 1 },
      { s: 2 },
      [
        ".s: lhs: expected string, got &value.valueUnstructured{Value:1}",
        ".s: rhs: expected string, got &value.valueUnstructured{Value:2}",
      ],
    ],
    [
      "items without keys on the right",
      lone,
      {},
      { l: [null] },
      [".l: element 0: associative list with keys may not have a null element"],
    ],
    [
      "items without keys on the left",
      lone,
      { l: [null] },
      { l: [{ k: "a" }] },
      [".l: element 0: associative list with keys may not have a null element"],
    ],
    [
      "items that share their keys on the right",
      lone,
      {},
      { l: [{ k: "a" }, { k: "a" }] },
      ['.l: duplicate entries for key [k="a"]'],
    ],
  ]
  it.each(invalid)("reports %s", (_, type, lhs, rhs, issues) => {
    expect(issuesOf(() => unchecked(lhs, type).merge(unchecked(rhs, type)))).toEqual(issues)
  })

  it("reports problems under a key that only one side has with their paths, declared or not", () => {
    const type = typeOf(mapOf(listBy(["k"], mapOf(text))))
    const wrong = unchecked({ a: [null] }, type)
    const right = unchecked({ b: [{ k: "x" }] }, type)
    const issue = ".a: element 0: associative list with keys may not have a null element"
    expect(issuesOf(() => right.merge(wrong))).toEqual([issue])
    expect(issuesOf(() => wrong.merge(right))).toEqual([issue])
  })

  it.each([
    ["nests too deep", () => nestedMap(2_000)],
    ["nests far too deep", () => nestedMap(100_000)],
    ["contains itself", cyclicMap],
  ])("refuses a value that %s", (_, make) => {
    const free = things.type("__untyped_deduced_")
    expect(() => unchecked(make(), free).merge(unchecked(make(), free))).toThrow(StructuredMergeError)
    expect(() => unchecked({}, free).merge(unchecked(make(), free))).toThrow(StructuredMergeError)
    expect(() => unchecked(make(), free).merge(unchecked({ q: 1 }, free))).toThrow(StructuredMergeError)
  })

  it("does not take the result for checked", () => {
    const out = unchecked({ tags: ["a", "a"] }).merge(unchecked({ s: "a" }))
    expect(out.value).toStrictEqual({ tags: ["a", "a"], s: "a" })
    expect(issuesOf(() => out.validate())).toEqual(['.tags: duplicate entries for key [="a"]'])
  })
})
