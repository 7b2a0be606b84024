import { describe, expect, it } from "vitest"
import { StructuredMergeError } from "../../src/errors.js"
import { formatFieldsV1 } from "../../src/fieldpath/fieldsv1/text.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import type { Value } from "../../src/value/value.js"
import { set, show } from "../fieldpath/notation.js"
import { cyclicMap, inheritedKeys, json, nestedMap } from "../value/samples.js"
import {
  issuesOf,
  listBy,
  mapOf,
  named,
  setOf,
  struct,
  text,
  thing,
  things,
  typed,
  typeOf,
  unchecked,
  withDuplicates,
} from "./notation.js"

const rows: [title: string, value: Value, set: string][] = [
  ["nothing for null", null, ""],
  ["nothing for an empty struct", {}, ""],
  ["the fields that are scalars", { s: "x", n: 0, b: false, u: "" }, "b n s u"],
  [
    "fields that are null",
    { s: null, list: null, map: null, in: null, frozen: null, args: null },
    "args frozen in list map s",
  ],
  ["an empty map, but not an empty list", { map: {}, in: {}, list: [], tags: [] }, "in map"],
  ["atomic lists that are empty", { args: [], frozen: {}, whole: [] }, "args frozen whole"],
  ["atomic values as a whole", { args: ["a", "b"], frozen: { x: "1" }, whole: [{ k: "a" }] }, "args frozen whole"],
  ["the keys of a map", { map: { a: "1", b: "2" } }, "map.a map.b"],
  ["keys of a map and the members below them", { maps: { a: { x: "1" } } }, "maps.a maps.a.x"],
  ["keys of a map without members below them", { maps: { a: {}, b: null } }, "maps.a maps.b"],
  ["fields of a struct, without the struct", { in: { in: { s: "x" } } }, "in.in.s"],
  ["items of a set", { tags: ["b", "a"] }, "tags[=a] tags[=b]"],
  ["items with keys, and their fields", { list: [{ k: "a", v: 1 }] }, "list[k=a] list[k=a].k list[k=a].v"],
  [
    "items in items",
    { list: [{ k: "a", list: [{ k: "b" }] }] },
    "list[k=a] list[k=a].k list[k=a].list[k=b] list[k=a].list[k=b].k",
  ],
  [
    "items with the default of an absent key",
    { ports: [{ port: 80 }] },
    "ports[port=80,protocol=TCP] ports[port=80,protocol=TCP].port",
  ],
  ["an empty list in an item as nothing", { list: [{ k: "a", tags: [] }] }, "list[k=a] list[k=a].k"],
  [
    "maps without a schema down to their leaves",
    { free: { a: { b: 1 }, c: [{ d: 1 }], e: {} } },
    "free.a free.a.b free.c free.e",
  ],
  ["untyped atomic values as a whole", { raw: { a: { b: 1 } } }, "raw"],
  ["a value of several alternatives by its kind", { either: { a: 1 } }, "either.a"],
  ["a list of several alternatives by its kind", { either: ["a"] }, "either[=a]"],
  ["a scalar of several alternatives by its kind", { either: 1 }, "either"],
]

describe("toFieldSet has", () => {
  it.each(rows)("%s", (_, value, expected) => {
    const found = typed(value).toFieldSet()
    expect(show(found)).toBe(show(set(expected)))
    expect(found.equals(set(expected))).toBe(true)
  })

  it("a key without a name", () => {
    expect(formatFieldsV1(typed({ map: { "": "x" } }).toFieldSet())).toBe('{"f:map":{"f:":{}}}')
  })
})

describe("toFieldSet", () => {
  it("has items that share their keys as one member, without their fields", () => {
    const value = {
      list: [
        { k: "a", v: 1 },
        { k: "b", v: 1 },
        { k: "a", v: 2 },
      ],
      tags: ["x", "x"],
    }
    expect(show(withDuplicates(value).toFieldSet())).toBe(
      show(set("list[k=a] list[k=b] list[k=b].k list[k=b].v tags[=x]")),
    )
  })

  it("has items that share a default key as one member", () => {
    expect(
      show(
        withDuplicates({
          ports: [
            { port: 1, name: "x" },
            { port: 1, protocol: "TCP" },
          ],
        }).toFieldSet(),
      ),
    ).toBe("ports[port=1,protocol=TCP]")
  })

  it("sorts names as UTF-8", () => {
    expect(formatFieldsV1(typed({ map: { "\u{1f600}": "1", "\uffff": "2", b: "3" } }).toFieldSet())).toBe(
      '{"f:map":{"f:b":{},"f:\uffff":{},"f:\u{1f600}":{}}}',
    )
  })

  it("keeps the digits of integers in keys and values", () => {
    const value = { nums: [2n ** 53n + 1n, 1], ports: [{ port: 2n ** 60n }] }
    expect(formatFieldsV1(typed(value).toFieldSet())).toBe(
      '{"f:nums":{"v:1":{},"v:9007199254740993":{}},"f:ports":{"k:{\\"port\\":1152921504606846976,\\"protocol\\":\\"TCP\\"}":{".":{},"f:port":{}}}}',
    )
  })

  it.each(inheritedKeys)("treats %s as an ordinary key", key => {
    const strings = typeOf(mapOf(mapOf(text)))
    expect(show(typed(json(`{"${key}": {"${key}": "x"}}`), strings).toFieldSet())).toBe(`${key} ${key}.${key}`)
    const items = typeOf(listBy([key], mapOf(text)))
    expect(show(typed(json(`[{"${key}": "x"}]`), items).toFieldSet())).toBe(`[${key}=x] [${key}=x].${key}`)
    const fields = typeOf(struct({ a: text }))
    expect(typed({}, fields).toFieldSet()).toBe(FieldSet.empty)
  })

  it("returns the shared empty set if there are no members", () => {
    expect(typed({}).toFieldSet()).toBe(FieldSet.empty)
    expect(typed({ in: { tags: [] } }).toFieldSet()).toBe(FieldSet.empty)
  })

  it("reports missing types with their paths", () => {
    const type = typeOf(struct({ a: mapOf(named("missing")), b: setOf(text) }))
    expect(issuesOf(() => unchecked({ a: { x: 1, y: 1 } }, type).toFieldSet())).toEqual([
      ".a.x: schema error: no type found matching: missing",
      ".a.y: schema error: no type found matching: missing",
    ])
  })

  it("reports problems inside items with their paths", () => {
    const type = typeOf(
      struct({ l: listBy(["k"], struct({ k: text, bad: named("missing"), m: mapOf(named("missing")) })) }),
    )
    const value = { l: [{ k: "a" }, { k: "b", bad: 1 }, { k: "c", m: { x: 1 } }] }
    const missing = "schema error: no type found matching: missing"
    expect(issuesOf(() => unchecked(value, type).toFieldSet())).toEqual([
      `.l[k="b"].bad: ${missing}`,
      `.l[k="c"].m.x: ${missing}`,
    ])
  })

  it.each([
    [[0, -0], "-0"],
    [[-0, 0], "0"],
    [[0, -0, 0], "-0"],
    [[-0, 0, -0], "0"],
  ])("uses the second of equal items, of %j as %s", (nums, written) => {
    expect(formatFieldsV1(withDuplicates({ nums }).toFieldSet())).toBe(`{"f:nums":{"v:${written}":{}}}`)
  })

  it.each<[value: Value, bare: boolean]>([
    [{ s: "x", list: [{ k: "a" }], tags: [] }, false],
    [{ in: {} }, true],
    [{ list: [{ k: "a", tags: null }] }, true],
    [{ frozen: {}, args: null }, false],
    [{ s: null }, false],
  ])("reports whether a member stands for a granular list or map without children: %j %s", (value, bare) => {
    expect(typed(value).specified().hasEmptyMembers).toBe(bare)
  })

  it.each([
    ["nests too deep", nestedMap(2_000)],
    ["nests far too deep", nestedMap(100_000)],
    ["contains itself", cyclicMap()],
  ])("refuses a value that %s", (_, value) => {
    expect(() => unchecked(value, things.type("__untyped_deduced_")).toFieldSet()).toThrow(StructuredMergeError)
  })

  it("ignores values of the wrong kind", () => {
    expect(show(unchecked({ s: [1], list: "x", map: [1], frozen: 1 }, thing).toFieldSet())).toBe("frozen s")
  })
})
