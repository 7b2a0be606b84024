import { describe, expect, it } from "vitest"
import { StructuredMergeError } from "../../src/errors.js"
import { formatFieldsV1 } from "../../src/fieldpath/fieldsv1/text.js"
import { excludeFilter } from "../../src/fieldpath/matcher.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import { Comparison } from "../../src/typed/comparison.js"
import type { TypedValue } from "../../src/typed/typed-value.js"
import type { Value } from "../../src/value/value.js"
import { set, show } from "../fieldpath/notation.js"
import { cyclicMap, inheritedKeys, json, nestedMap } from "../value/samples.js"
import { issuesOf, mapOf, named, struct, text, things, typed, typeOf, unchecked, withDuplicates } from "./notation.js"

/** Writes a comparison as text: paths with `~` (modified), `+` (added) or `-` (removed) in front. */
function changes({ modified, added, removed }: Comparison): string {
  return [...kind("~", modified), ...kind("+", added), ...kind("-", removed)].join(" ")
}

function kind(sign: string, fields: FieldSet): string[] {
  return show(fields)
    .split(" ")
    .filter(Boolean)
    .map(path => sign + path)
}

/** Returns the changes in the other direction. */
function reversed(text: string): string {
  const sign = (wanted: string) =>
    text
      .split(" ")
      .filter(change => change.startsWith(wanted))
      .map(change => change.slice(1))
  return [
    ...sign("~").map(path => `~${path}`),
    ...sign("-").map(path => `+${path}`),
    ...sign("+").map(path => `-${path}`),
  ].join(" ")
}

const rows: [title: string, lhs: Value, rhs: Value, changes: string][] = [
  ["nothing between nulls", null, null, ""],
  ["nothing between equal values", { s: "a", list: [{ k: "a" }] }, { s: "a", list: [{ k: "a" }] }, ""],
  ["nothing between null and an empty struct's fields", {}, {}, ""],
  ["nothing between equal numbers of different types", { n: 1, nums: [2] }, { n: 1n, nums: [2n] }, ""],
  [
    "nothing if only the order of a list differs",
    { tags: ["a", "b"], list: [{ k: "a" }, { k: "b" }] },
    { tags: ["b", "a"], list: [{ k: "b" }, { k: "a" }] },
    "",
  ],
  ["a changed scalar", { s: "a" }, { s: "b" }, "~s"],
  ["integers that are the same float", { n: 2n ** 53n }, { n: 2n ** 53n + 1n }, "~n"],
  ["a scalar that becomes null", { s: "a" }, { s: null }, "~s"],
  ["an added scalar", {}, { s: "a" }, "+s"],
  ["an added null", {}, { s: null }, "+s"],
  ["{} against null", { map: {} }, { map: null }, "~map"],
  ["[] against null", { tags: [] }, { tags: null }, "~tags"],
  ["an empty map against one with keys", { map: {} }, { map: { a: "1" } }, "+map.a"],
  ["an empty list against one with items", { tags: null }, { tags: ["a"] }, "+tags[=a]"],
  ["an added empty map", {}, { map: {} }, "+map"],
  ["an added map with everything in it", {}, { maps: { a: { x: "1" } } }, "+maps +maps.a +maps.a.x"],
  [
    "an added struct with everything in it",
    {},
    { in: { in: { s: "a", tags: [] } } },
    "+in +in.in +in.in.s +in.in.tags",
  ],
  ["an added list with everything in it", {}, { list: [{ k: "a" }] }, "+list +list[k=a] +list[k=a].k"],
  [
    "an added item",
    { list: [{ k: "a" }] },
    { list: [{ k: "a" }, { k: "b", v: 1 }] },
    "+list[k=b] +list[k=b].k +list[k=b].v",
  ],
  ["a changed item", { list: [{ k: "a", v: 1 }] }, { list: [{ k: "a", v: 2 }] }, "~list[k=a].v"],
  [
    "an item with a key that was its default",
    { ports: [{ port: 1 }] },
    { ports: [{ port: 1, protocol: "TCP" }] },
    "+ports[port=1,protocol=TCP].protocol",
  ],
  [
    "a changed item in an item",
    { list: [{ k: "a", list: [{ k: "b", v: 1 }] }] },
    { list: [{ k: "a", list: [{ k: "b" }] }] },
    "-list[k=a].list[k=b].v",
  ],
  ["an item of a set", { tags: ["a", "b"] }, { tags: ["b", "c"] }, "+tags[=c] -tags[=a]"],
  ["an atomic list, as a whole", { args: ["a", "b"] }, { args: ["b", "a"] }, "~args"],
  ["an atomic map, as a whole", { frozen: { x: "1" } }, { frozen: { x: "2", y: "3" } }, "~frozen"],
  [
    "an added atomic value, as a whole",
    {},
    { frozen: { x: "1" }, args: ["a"], whole: [{ k: "a" }] },
    "+args +frozen +whole",
  ],
  ["keys of a map", { map: { a: "1", b: "2" } }, { map: { b: "3", c: "4" } }, "~map.b +map.c -map.a"],
  ["everything below a map that becomes null", { map: { a: "1" } }, { map: null }, "-map.a"],
  ["maps without a schema", { free: { a: { b: 1 } } }, { free: { a: { b: 2, c: [1] } } }, "~free.a.b +free.a.c"],
  [
    "a scalar that becomes a map, and the fields in it",
    { free: { a: 1 } },
    { free: { a: { b: 1 } } },
    "~free.a +free.a.b",
  ],
  ["one alternative that becomes another", { either: ["a"] }, { either: { b: 1 } }, "+either.b -either[=a]"],
]

describe("compare finds", () => {
  it.each(rows)("%s", (_, lhs, rhs, expected) => {
    expect(changes(typed(lhs).compare(typed(rhs)))).toBe(expected)
    expect(changes(unchecked(lhs).compare(unchecked(rhs)))).toBe(expected)
  })

  it.each(rows)("%s, and the reverse on the way back", (_, lhs, rhs, expected) => {
    expect(changes(typed(rhs).compare(typed(lhs)))).toBe(reversed(expected))
  })

  it.each(rows)("%s, also deeper down", (_, lhs, rhs, expected) => {
    const deeper = (value: Value): TypedValue => typed({ s: "same", in: { in: value ?? {} } })
    const prefixed = expected
      .split(" ")
      .filter(Boolean)
      .map(change => `${change[0]}in.in.${change.slice(1)}`)
    expect(changes(deeper(lhs).compare(deeper(rhs)))).toBe(prefixed.join(" "))
  })

  it.each(rows)("nothing between a value and itself: %s", (_, lhs, rhs) => {
    for (const value of [lhs, rhs]) {
      expect(typed(value).compare(typed(value)).isSame()).toBe(true)
      expect(
        typed(value)
          .compare(typed(structuredClone(value)))
          .isSame(),
      ).toBe(true)
      expect(unchecked(value).compare(unchecked(value)).isSame()).toBe(true)
    }
  })

  it.each(inheritedKeys)("the key %s as an ordinary key", key => {
    const strings = typeOf(mapOf(mapOf(text)))
    const compared = (lhs: string, rhs: string) => changes(typed(json(lhs), strings).compare(typed(json(rhs), strings)))
    expect(compared("{}", `{"${key}": {"a": "1"}}`)).toBe(`+${key} +${key}.a`)
    expect(compared(`{"${key}": {"a": "1"}}`, "{}")).toBe(`-${key} -${key}.a`)
    expect(compared(`{"${key}": {"a": "1"}}`, `{"${key}": {"a": "2"}}`)).toBe(`~${key}.a`)
    expect(compared(`{"${key}": {"${key}": "1"}}`, `{"${key}": {}}`)).toBe(`-${key}.${key}`)
  })
})

describe("compare with items that share their keys finds", () => {
  type Lists = [title: string, lhs: Value[], rhs: Value[], changes: string]
  const one = { k: "a", v: 1 }
  const two = { k: "a", v: 2 }
  const lists: Lists[] = [
    ["nothing if they stay", [one, two], [one, two], ""],
    ["one leaf if one of them changes", [one, two], [one, { k: "a", v: 3 }], "~[k=a]"],
    ["one leaf if their order changes", [one, two], [two, one], "~[k=a]"],
    ["one leaf if their number changes", [one, two], [one, two, two], "~[k=a]"],
    ["one leaf if they are added", [], [one, two], "+[k=a]"],
    [
      "the leaf, and everything below the single item, if others are added",
      [one],
      [one, two],
      "+[k=a] -[k=a] -[k=a].k -[k=a].v",
    ],
    ["the leaf, and everything below it, if only one stays", [one, two], [two], "+[k=a] +[k=a].k +[k=a].v -[k=a]"],
    ["one leaf if they are removed", [one, two], [], "-[k=a]"],
  ]
  it.each(lists)("%s", (_, lhs, rhs, expected) => {
    const type = things.type("items")
    expect(changes(withDuplicates(lhs, type).compare(withDuplicates(rhs, type)))).toBe(expected)
    expect(changes(unchecked(lhs, type).compare(unchecked(rhs, type)))).toBe(expected)
  })

  it("one leaf inside a list that is added", () => {
    expect(changes(withDuplicates({}).compare(withDuplicates({ list: [one, two] })))).toBe("+list +list[k=a]")
  })
})

describe("compare of items that are equal but not identical", () => {
  it.each([
    [[0, -0], "0"],
    [[-0, 0], "-0"],
    [[0, -0, 0], "0"],
  ])("uses the first, of %j as %s", (nums, written) => {
    const added = (before: TypedValue, after: TypedValue) => formatFieldsV1(before.compare(after).added)
    const expected = `{"f:nums":{".":{},"v:${written}":{}}}`
    expect(added(withDuplicates({}), withDuplicates({ nums }))).toBe(expected)
    expect(added(unchecked({}), unchecked({ nums }))).toBe(expected)
    expect(added(withDuplicates({ nums: [] }), withDuplicates({ nums }))).toBe(`{"f:nums":{"v:${written}":{}}}`)
  })
})

describe("comparing unvalidated values", () => {
  it("reports missing types with their paths", () => {
    const type = typeOf(struct({ a: mapOf(named("missing")) }))
    const missing = "schema error: no type found matching: missing"
    expect(issuesOf(() => unchecked({ a: { x: 1 } }, type).compare(unchecked({ a: { x: 2 } }, type)))).toEqual([
      `.a.x: ${missing}`,
    ])
    expect(issuesOf(() => unchecked({ a: {} }, type).compare(unchecked({ a: { x: 2 } }, type)))).toEqual([
      `.a.x: ${missing}`,
    ])
    expect(issuesOf(() => unchecked({}, type).compare(unchecked({ a: { x: 2 } }, type)))).toEqual([`.a.x: ${missing}`])
  })

  it("reports scalars that are invalid on both sides", () => {
    expect(issuesOf(() => unchecked({ n: "x" }).compare(unchecked({ n: "y" })))).toEqual([
      ".n: lhs: expected numeric (int or float), got string",
      ".n: rhs: expected numeric (int or float), got string",
    ])
  })

  it("reports problems inside items with their paths", () => {
    const wrong = (v: string) => unchecked({ list: [{ k: "a" }, { k: "b", v }] })
    for (const other of ["x", "y"]) {
      expect(issuesOf(() => wrong("x").compare(wrong(other)))).toEqual([
        '.list[k="b"].v: lhs: expected numeric (int or float), got string',
        '.list[k="b"].v: rhs: expected numeric (int or float), got string',
      ])
    }
  })

  it("reports items without keys", () => {
    const problem = "element 0: associative list with keys may not have a null element"
    expect(issuesOf(() => unchecked({ list: [null] }).compare(unchecked({ list: [{ k: "a" }] })))).toEqual([
      `.list: ${problem}`,
    ])
    expect(issuesOf(() => unchecked({ list: [] }).compare(unchecked({ list: [null] })))).toEqual([`.list: ${problem}`])
    for (const make of [unchecked, typed]) {
      expect(issuesOf(() => make({}).compare(unchecked({ list: [null] })))).toEqual([`.list: ${problem}`])
      expect(issuesOf(() => unchecked({ list: [null] }).compare(make({})))).toEqual([`.list: ${problem}`])
    }
  })

  it.each([
    ["nests too deep", () => nestedMap(2_000)],
    ["nests far too deep", () => nestedMap(100_000)],
    ["contains itself", cyclicMap],
  ])("refuses a value that %s", (_, make) => {
    const free = things.type("__untyped_deduced_")
    expect(() => unchecked(make(), free).compare(unchecked(make(), free))).toThrow(StructuredMergeError)
    expect(() => unchecked({}, free).compare(unchecked(make(), free))).toThrow(StructuredMergeError)
    expect(() => unchecked({ q: {} }, free).compare(unchecked({ q: make() }, free))).toThrow(StructuredMergeError)
  })
})

describe("Comparison", () => {
  const comparison = typed({ s: "a", n: 1, list: [{ k: "a" }] }).compare(typed({ s: "b", b: true, list: [{ k: "b" }] }))

  it("prints the paths of each kind under a heading", () => {
    expect(String(comparison)).toBe(
      [
        "- Modified Fields:",
        ".s",
        "- Added Fields:",
        ".b",
        '.list[k="b"]',
        '.list[k="b"].k',
        "- Removed Fields:",
        ".n",
        '.list[k="a"]',
        '.list[k="a"].k',
        "",
      ].join("\n"),
    )
    expect(String(typed({}).compare(typed({})))).toBe("")
  })

  it("filters all three sets", () => {
    expect(changes(comparison.filter(excludeFilter(set("s list"))))).toBe("+b -n")
    expect(comparison.filter(excludeFilter(set("s list b n"))).isSame()).toBe(true)
  })

  it("returns itself from a filter if it is empty", () => {
    const same = new Comparison(FieldSet.empty, FieldSet.empty, FieldSet.empty)
    expect(same.filter(excludeFilter(set("s")))).toBe(same)
  })

  it.each([
    ["modified", new Comparison(set("a"), FieldSet.empty, FieldSet.empty)],
    ["added", new Comparison(FieldSet.empty, set("a"), FieldSet.empty)],
    ["removed", new Comparison(FieldSet.empty, FieldSet.empty, set("a"))],
  ])("is not the same if something was %s", (_, different) => {
    expect(different.isSame()).toBe(false)
  })
})
