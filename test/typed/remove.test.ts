import { describe, expect, it } from "vitest"
import { StructuredMergeError } from "../../src/errors.js"
import { writeJson } from "../../src/json/json.js"
import type { Type } from "../../src/typed/type.js"
import type { MapValue, Value } from "../../src/value/value.js"
import { set } from "../fieldpath/notation.js"
import { cyclicMap, inheritedKeys, json, nestedMap } from "../value/samples.js"
import {
  listBy,
  mapOf,
  number,
  scalar,
  setOf,
  struct,
  text,
  things,
  typed,
  typeOf,
  unchecked,
  withDuplicates,
} from "./notation.js"

type Row = [title: string, value: Value, items: string, result: Value]

const removals: Row[] = [
  ["a scalar", { s: "a", n: 1 }, "s", { n: 1 }],
  ["the last field, which leaves null", { s: "a" }, "s", null],
  ["the last field of a struct, which leaves null", { in: { s: "a" }, n: 1 }, "in.s", { in: null, n: 1 }],
  ["the last key of a map, which leaves null", { map: { a: "1" } }, "map.a", { map: null }],
  ["the last item of a list, which leaves null", { list: [{ k: "a" }], n: 1 }, "list[k=a]", { list: null, n: 1 }],
  ["an item by its keys", { list: [{ k: "a" }, { k: "b" }] }, "list[k=a]", { list: [{ k: "b" }] }],
  [
    "an item by the default of a key",
    { ports: [{ port: 1 }, { port: 2 }] },
    "ports[port=1,protocol=TCP]",
    { ports: [{ port: 2 }] },
  ],
  [
    "an item by a bigint of the same value",
    { ports: [{ port: 1n }, { port: 2 }] },
    "ports[port=1,protocol=TCP]",
    { ports: [{ port: 2 }] },
  ],
  ["an item of a set", { tags: ["a", "b"] }, "tags[=b]", { tags: ["a"] }],
  ["fields of an item, but not the item", { list: [{ k: "a", v: 1 }] }, "list[k=a].v", { list: [{ k: "a" }] }],
  [
    "all fields of an item, which leaves null",
    { list: [{ k: "a", v: 1 }] },
    "list[k=a].v list[k=a].k",
    { list: [null] },
  ],
  [
    "items in items",
    { list: [{ k: "a", list: [{ k: "b" }, { k: "c" }] }] },
    "list[k=a].list[k=c]",
    { list: [{ k: "a", list: [{ k: "b" }] }] },
  ],
  ["a member with everything below it", { map: { a: "1" }, n: 1 }, "map", { n: 1 }],
  ["an atomic value", { frozen: { x: "1" }, args: ["a"], n: 1 }, "frozen args", { n: 1 }],
  [
    "an atomic map if the set has something in it, which leaves null",
    { frozen: { x: "1" }, n: 1 },
    "frozen.x",
    { frozen: null, n: 1 },
  ],
  [
    "an atomic list if the set has something in it, which leaves null",
    { args: ["a"], n: 1 },
    "args[0]",
    { args: null, n: 1 },
  ],
  ["an empty map if the set has something in it, which leaves null", { map: {}, n: 1 }, "map.a", { map: null, n: 1 }],
  [
    "an empty list if the set has something in it, which leaves null",
    { tags: [], n: 1 },
    "tags[=a]",
    { tags: null, n: 1 },
  ],
  ["nothing from a null", { map: null, n: 1 }, "map.a", { map: null, n: 1 }],
  ["keys without a schema", { free: { a: { b: 1, c: 2 } } }, "free.a.c", { free: { a: { b: 1 } } }],
  ["a key of one alternative", { either: { a: 1, b: 2 } }, "either.a", { either: { b: 2 } }],
]

const kept: Row[] = [
  ["nothing", { s: "a", list: [{ k: "a" }] }, "", { s: "a", list: [{ k: "a" }] }],
  [
    "fields that the value does not have",
    { s: "a", map: { a: "1" }, list: [{ k: "a" }] },
    "n map.b list[k=b] in.s",
    { s: "a", map: { a: "1" }, list: [{ k: "a" }] },
  ],
  ["below a scalar", { s: "a" }, "s.x", { s: "a" }],
  [
    "elements of the wrong kind",
    { tags: ["a"], list: [{ k: "a" }], map: { a: "1" } },
    "tags[0] list[=a] map[k=a]",
    { tags: ["a"], list: [{ k: "a" }], map: { a: "1" } },
  ],
]

describe("removeItems removes", () => {
  it.each(removals)("%s", (_, value, items, result) => {
    expect(typed(value).removeItems(set(items)).value).toStrictEqual(result)
  })

  it.each(kept)("nothing, and returns the same object, for %s", (_, value, items, result) => {
    const given = typed(value)
    expect(given.removeItems(set(items))).toBe(given)
    expect(given.value).toStrictEqual(result)
  })

  it("every item with the keys", () => {
    const value = { list: [{ k: "a", v: 1 }, { k: "b" }, { k: "a", v: 2 }] }
    expect(withDuplicates(value).removeItems(set("list[k=a]")).value).toStrictEqual({ list: [{ k: "b" }] })
    expect(withDuplicates(value).removeItems(set("list[k=a].v")).value).toStrictEqual({
      list: [{ k: "a" }, { k: "b" }, { k: "a" }],
    })
  })

  it.each(inheritedKeys)("the key %s as an ordinary key", key => {
    const strings = typeOf(mapOf(mapOf(text)))
    const without = (given: string, items: string) =>
      writeJson(typed(json(given), strings).removeItems(set(items)).value)
    expect(without(`{"${key}":{"a":"1"},"x":{}}`, key)).toBe('{"x":{}}')
    expect(without(`{"${key}":{"a":"1","b":"2"},"x":{}}`, `${key}.a`)).toBe(`{"${key}":{"b":"2"},"x":{}}`)
    expect(without(`{"${key}":{"a":"1"},"x":{}}`, "x")).toBe(`{"${key}":{"a":"1"}}`)
    expect(without('{"x":{}}', key)).toBe('{"x":{}}')
  })

  it("and shares everything that the set does not reach", () => {
    const value = {
      in: { s: "a", n: 1 },
      map: { a: "1" },
      list: [
        { k: "a", v: 1 },
        { k: "b", v: 1 },
      ],
    }
    const result = typed(value).removeItems(set("in.n list[k=a].v")).value as typeof value
    expect(result).toStrictEqual({ in: { s: "a" }, map: { a: "1" }, list: [{ k: "a" }, { k: "b", v: 1 }] })
    expect([result.map === value.map, result.list[1] === value.list[1]]).toEqual([true, true])
  })
})

const extractions: Row[] = [
  ["nothing as null", { s: "a" }, "", null],
  ["fields that the value does not have as null", { s: "a" }, "n map.a", null],
  ["a scalar", { s: "a", n: 1 }, "s", { s: "a" }],
  ["a null", { s: null, n: 1 }, "s", { s: null }],
  ["a field with its struct", { in: { s: "a", n: 1 }, n: 2 }, "in.s", { in: { s: "a" } }],
  ["a key with its map", { map: { a: "1", b: "2" } }, "map.a", { map: { a: "1" } }],
  [
    "fields of an item, without its keys",
    {
      list: [
        { k: "a", v: 1 },
        { k: "b", v: 1 },
      ],
    },
    "list[k=a].v",
    { list: [{ v: 1 }] },
  ],
  ["an item as a whole", { list: [{ k: "a", v: 1 }, { k: "b" }] }, "list[k=a]", { list: [{ k: "a", v: 1 }] }],
  ["an item with some of its fields", { list: [{ k: "a", v: 1 }] }, "list[k=a] list[k=a].k", { list: [{ k: "a" }] }],
  ["items of a set", { tags: ["a", "b", "c"] }, "tags[=c] tags[=a]", { tags: ["a", "c"] }],
  ["an atomic map", { frozen: { x: "1", y: "2" } }, "frozen", { frozen: { x: "1", y: "2" } }],
  [
    "an atomic map as a whole if the set has something in it",
    { frozen: { x: "1", y: "2" } },
    "frozen.x",
    { frozen: { x: "1", y: "2" } },
  ],
  ["an atomic list as a whole if the set has something in it", { args: ["a", "b"] }, "args[0]", { args: ["a", "b"] }],
  ["an empty map", { map: {}, n: 1 }, "map", { map: {} }],
  ["an empty list", { tags: [], n: 1 }, "tags", { tags: [] }],
  ["an empty map if the set has something in it", { map: {}, n: 1 }, "map.a", { map: {} }],
  ["a map without any of its keys as null", { map: { a: "1" }, n: 1 }, "map.b n", { map: null, n: 1 }],
  ["a list without any of its items as null", { tags: ["a"], n: 1 }, "tags[=b] n", { tags: null, n: 1 }],
  [
    "a map that is a member, with the members at the top of the set",
    { map: { a: "1", map: "2" } },
    "map",
    { map: { map: "2" } },
  ],
  ["keys without a schema", { free: { a: { b: 1, c: 2 }, d: 1 } }, "free.a.c", { free: { a: { c: 2 } } }],
]

describe("extractItems extracts", () => {
  it.each(extractions)("%s", (_, value, items, result) => {
    expect(typed(value).extractItems(set(items)).value).toStrictEqual(result)
  })

  it("all fields of a value as the same object", () => {
    const given = typed({ s: "a", in: { n: 1 }, list: [{ k: "a", v: 1 }], tags: ["x"], frozen: { x: "1" } })
    expect(given.extractItems(given.toFieldSet())).toBe(given)
  })

  it("and shares the parts that it takes whole", () => {
    const value = { in: { s: "a" }, frozen: { x: "1" }, list: [{ k: "a" }, { k: "b" }], n: 1 }
    const result = typed(value).extractItems(set("in.s frozen list[k=b]")).value as typeof value
    expect([result.in === value.in, result.frozen === value.frozen, result.list[0] === value.list[1]]).toEqual([
      true,
      true,
      true,
    ])
  })

  it.each(inheritedKeys)("the key %s as an ordinary key", key => {
    const strings = typeOf(mapOf(mapOf(text)))
    const extracted = (given: string, items: string) =>
      writeJson(typed(json(given), strings).extractItems(set(items)).value)
    expect(extracted(`{"${key}":{"a":"1","b":"2"},"x":{}}`, `${key}.a`)).toBe(`{"${key}":{"a":"1"}}`)
    expect(extracted('{"x":{}}', key)).toBe("null")
  })
})

describe("extractItems with key fields", () => {
  const keyed: Row[] = [
    [
      "adds the keys of an item to its fields",
      { list: [{ k: "a", v: 1, tags: ["x"] }] },
      "list[k=a].v",
      { list: [{ k: "a", v: 1 }] },
    ],
    [
      "adds the keys of every item on the way",
      { list: [{ k: "a", v: 1, list: [{ k: "b", v: 2 }] }] },
      "list[k=a].list[k=b].v",
      { list: [{ k: "a", list: [{ k: "b", v: 2 }] }] },
    ],
    [
      "adds all keys of an item",
      { ports: [{ port: 1, protocol: "UDP", name: "a" }] },
      "ports[port=1,protocol=UDP].name",
      { ports: [{ port: 1, protocol: "UDP", name: "a" }] },
    ],
    [
      "does not add a key that has its default",
      { ports: [{ port: 1, name: "a" }] },
      "ports[port=1,protocol=TCP].name",
      { ports: [{ port: 1, name: "a" }] },
    ],
    [
      "adds nothing for fields that the value does not have",
      { list: [{ k: "a", v: 1 }], n: 1 },
      "list[k=a].tags n",
      { list: [null], n: 1 },
    ],
    ["adds nothing without items", { map: { a: "1", b: "2" } }, "map.a", { map: { a: "1" } }],
  ]
  it.each(keyed)("%s", (_, value, items, result) => {
    expect(typed(value).extractItems(set(items), { appendKeyFields: true }).value).toStrictEqual(result)
  })

  it("does not change the set if the value has no field set", () => {
    const value = { list: [{ k: "a", v: 1 }], q: 1 }
    expect(unchecked(value).extractItems(set("list[k=a].v"), { appendKeyFields: true }).value).toStrictEqual({
      list: [{ v: 1 }],
    })
  })
})

describe("sets of many items", () => {
  /** Twelve items, written as the letters of their keys. The set contains all but the third and the last. */
  const letters = [..."abcdefghijkl"]
  const isNamed = (_: unknown, i: number) => i !== 2 && i !== 11
  const scalars: Value[] = [..."abcdef", 1, 2.5, 3n, true, false, 2n ** 60n]
  const lists: [title: string, type: Type, items: Value[], paths: string[]][] = [
    ["a set of strings", typeOf(setOf(text)), letters, letters.map(k => `[=${k}]`)],
    ["a set of any scalars", typeOf(setOf(scalar)), scalars, scalars.map(value => `[=${value}]`)],
    ["items with a string key", keyed(["k"]), letters.map(k => ({ k })), letters.map(k => `[k=${k}]`)],
    ["items with a key of any kind", keyed(["k"]), scalars.map(k => ({ k })), scalars.map(k => `[k=${k}]`)],
    [
      "items with a key by default",
      keyed(["k"], { k: "a" }),
      [{}, ...letters.slice(1).map(k => ({ k }))],
      letters.map(k => `[k=${k}]`),
    ],
    [
      "items with two keys",
      keyed(["k", "n"]),
      letters.map((k, n) => ({ k, n })),
      letters.map((k, n) => `[k=${k},n=${n}]`),
    ],
  ]

  function keyed(keys: string[], defaults: Readonly<Record<string, Value>> = {}): Type {
    return typeOf(listBy(keys, struct({ k: scalar, n: number, s: text, v: number }, undefined, defaults)))
  }

  it.each(lists)("are removed from %s, and nothing else", (_, type, items, paths) => {
    const named = set(paths.filter(isNamed).join(" "))
    expect(typed(items, type).removeItems(named).value).toStrictEqual([items[2], items[11]])
    expect(typed(items, type).removeItems(set(paths.join(" "))).value).toBeNull()
  })

  it.each(lists)("are extracted from %s, and nothing else", (_, type, items, paths) => {
    const named = set(paths.filter(isNamed).join(" "))
    expect(typed(items, type).extractItems(named).value).toStrictEqual(items.filter(isNamed))
    expect(typed(items, type).extractItems(set(paths.join(" "))).value).toBe(items)
  })

  it.each(lists.slice(2))("lose the members below them: %s", (_, type, items, paths) => {
    const rest = items.map(item => ({ ...(item as MapValue), s: "x" }))
    const full = rest.map(item => ({ ...item, v: 1 }))
    const below = set(
      paths
        .filter(isNamed)
        .map(path => `${path}.v`)
        .join(" "),
    )
    expect(typed(full, type).removeItems(below).value).toStrictEqual(
      full.map((item, i) => (isNamed(item, i) ? rest[i] : item)),
    )
  })

  it.each<[title: string, type: Type, items: Value[], path: (letter: string) => string]>([
    ["elements of items with keys in a set", typeOf(setOf(text)), letters, k => `[k=${k}]`],
    ["names in a set", typeOf(setOf(text)), letters, k => k],
    ["elements of a set among items with keys", keyed(["k"]), letters.map(k => ({ k })), k => `[=${k}]`],
    ["another key", keyed(["k"]), letters.map(k => ({ k })), k => `[n=${k}]`],
    ["a key more", keyed(["k"]), letters.map(k => ({ k })), k => `[k=${k},n=1]`],
    ["a key less", keyed(["k", "n"]), letters.map(k => ({ k, n: 1 })), k => `[k=${k}]`],
  ])("find no items by %s", (_, type, items, path) => {
    const given = typed(items, type)
    expect(given.removeItems(set(letters.map(path).join(" ")))).toBe(given)
    expect(given.extractItems(set(letters.map(path).join(" "))).value).toBeNull()
  })

  it("remove the items of a list that is shorter than the set", () => {
    const some = typed(["c", "z"], typeOf(setOf(text)))
    expect(some.removeItems(set(letters.map(k => `[=${k}]`).join(" "))).value).toStrictEqual(["z"])
  })
})

describe("unvalidated values", () => {
  const invalid: [title: string, value: Value, removed: Value, extracted: Value][] = [
    ["a list where a map should be", { map: ["a"] }, { map: null }, { map: null }],
    ["a map where a list should be", { tags: { a: 1 } }, { tags: null }, { tags: null }],
    ["a field that is not declared", { q: { a: 1 } }, { q: null }, { q: null }],
  ]
  it.each(invalid)("become null if the set has something in them: %s", (_, value, removed, extracted) => {
    const items = set("map.a tags[=a] q.a")
    expect(unchecked(value).removeItems(items).value).toStrictEqual(removed)
    expect(unchecked(value).extractItems(items).value).toStrictEqual(extracted)
  })

  it("keep items that have no element", () => {
    const value = { list: [null, { k: "a" }, 1] }
    expect(unchecked(value).removeItems(set("list[k=a]")).value).toStrictEqual({ list: [null, 1] })
    expect(unchecked(value).extractItems(set("list[k=a]")).value).toStrictEqual({ list: [{ k: "a" }] })
  })

  it("have no items in a list that is neither atomic nor associative", () => {
    const type = typeOf({ list: { elementType: text } })
    expect(unchecked(["a"], type).removeItems(set("[0]")).value).toStrictEqual(["a"])
  })

  it.each([
    ["nests far too deep", () => nestedMap(100_000)],
    ["contains itself", cyclicMap],
  ])("do not change below the members of the set: a value that %s", (_, make) => {
    const free = things.type("__untyped_deduced_")
    const value = unchecked(make(), free)
    expect(value.removeItems(set("a.b"))).toBe(value)
    expect(() => value.extractItems(set("a a.a"))).toThrow(StructuredMergeError)
  })
})
