import { describe, expect, it } from "vitest"
import { StructuredMergeError } from "../../src/errors.js"
import { fieldSetFromValue } from "../../src/fieldpath/from-value.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import type { Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { cyclicList, cyclicMap, inheritedKeys, json, nestedList, nestedMap } from "../value/samples.js"
import { path, set, show } from "./notation.js"

const rows: [title: string, value: Value, leaves: string][] = [
  ["a scalar has none", 1, ""],
  ["null has none", null, ""],
  ["an empty map has none", {}, ""],
  ["empty containers have none", { a: {}, b: [], c: [{}], d: [[]] }, ""],
  ["scalars and nulls are leaves", { a: 1, b: null, c: false, d: "" }, "a b c d"],
  ["containers of leaves are not", { a: { b: { c: 1 } } }, "a.b.c"],
  ["items are found by index", { l: ["x", null, [1, 2]] }, "l[0] l[1] l[2][0] l[2][1]"],
  ["maps with a name are found by it", { l: [{ name: "x", v: 1 }] }, "l[name=x].name l[name=x].v"],
  ["maps with a key are found by it", [{ key: "x", v: 1 }], "[key=x].key [key=x].v"],
  ["maps with an id are found by it", [{ id: 7 }], "[id=7].id"],
  [
    "maps with several of these are found by all of them",
    [{ name: "x", id: 1, key: true }],
    "[id=1,key=true,name=x].id [id=1,key=true,name=x].key [id=1,key=true,name=x].name",
  ],
  ["other maps are found by index", [{ v: 1 }], "[0].v"],
  ["a name that is not a scalar is ignored", [{ name: { a: 1 } }, { name: null }, { name: [] }], "[0].name.a [1].name"],
  [
    "items with the same name are united",
    [
      { name: "x", a: 1 },
      { name: "x", b: 1 },
    ],
    "[name=x].a [name=x].b [name=x].name",
  ],
  [
    "items with equal numbers are united",
    [
      { id: 1, a: 1 },
      { id: 1n, b: 1 },
    ],
    "[id=1].a [id=1].b [id=1].id",
  ],
  ["keys come sorted", { "\u{1f600}": 1, "\uffff": 1, b: 1, a: 1 }, "a b \uffff \u{1f600}"],
]

describe("fieldSetFromValue", () => {
  it.each(rows)("%s", (_, value, leaves) => {
    expect(show(fieldSetFromValue(deepFreeze(value)))).toBe(leaves)
    expect(fieldSetFromValue(value).equals(set(leaves))).toBe(true)
  })

  it("returns the shared empty set if there are no leaves", () => {
    expect(fieldSetFromValue({})).toBe(FieldSet.empty)
  })

  it.each(inheritedKeys)("treats %s as an ordinary key", key => {
    expect(fieldSetFromValue(json(`{"${key}": {"${key}": 1}}`)).has(path(`${key}.${key}`))).toBe(true)
  })

  it.each([
    ["lists that nest too deep", nestedList(2_000)],
    ["maps that nest too deep", nestedMap(2_000)],
    ["a list that contains itself", cyclicList()],
    ["a map that contains itself", cyclicMap()],
  ])("refuses %s", (_, value) => {
    expect(() => fieldSetFromValue(value)).toThrow(StructuredMergeError)
  })
})
