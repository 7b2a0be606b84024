import { describe, expect, it } from "vitest"
import { SchemaError, ValidationError } from "../../src/errors.js"
import type { TypeRef } from "../../src/schema/schema.js"
import { deducedType } from "../../src/typed/deduced.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { set, show } from "../fieldpath/notation.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { issuesOf, setOf, struct, text, thing, things, typed, typeOf, unchecked, withDuplicates } from "./notation.js"

describe("TypedValue", () => {
  it("shares the value it is made of", () => {
    const value = deepFreeze({ s: "a" })
    expect([TypedValue.of(value, thing).value, TypedValue.unvalidated(value, thing).value]).toEqual([value, value])
    expect(TypedValue.of(value, thing).value).toBe(value)
    expect(TypedValue.of(value, thing).type).toBe(thing)
  })

  it("is checked when it is made, unless that is waived", () => {
    expect(() => TypedValue.of({ q: 1 }, thing)).toThrow(ValidationError)
    expect(TypedValue.unvalidated({ q: 1 }, thing).value).toEqual({ q: 1 })
  })

  it("allows duplicates on request", () => {
    const twice = deepFreeze({ tags: ["a", "a"] })
    expect(issuesOf(() => TypedValue.of(twice, thing))).toHaveLength(1)
    expect(issuesOf(() => TypedValue.of(twice, thing, { allowDuplicates: false }))).toHaveLength(1)
    expect(issuesOf(() => TypedValue.of(twice, thing, { allowDuplicates: true }))).toEqual([])
  })

  it("can be checked later", () => {
    const twice = unchecked({ tags: ["a", "a"] })
    expect(issuesOf(() => twice.validate())).toHaveLength(1)
    expect(issuesOf(() => twice.validate({ allowDuplicates: true }))).toEqual([])
  })
})

describe("operations on two values", () => {
  const strings = typeOf(setOf(text))
  const rows: [title: string, other: TypedValue, message: string][] = [
    ["types of other schemas", typed({}, deducedType()), "expected objects with types from the same schema"],
    [
      "other types of the schema",
      typed([], things.type("items")),
      "expected objects of the same type, but got thing and items",
    ],
    [
      "types written in place",
      typed([], things.typeOf(deepFreeze(setOf(text)))),
      "expected objects of the same type, but got thing and an inlined type",
    ],
  ]

  it.each(rows)("refuse %s", (_, other, message) => {
    expect(() => typed({}).merge(other)).toThrow(new SchemaError(message))
    expect(() => typed({}).compare(other)).toThrow(new SchemaError(message))
  })

  it("take values whose types are equal references in one schema", () => {
    const left = typed(["a"], strings)
    const right = typed(["b"], strings.schema.typeOf(deepFreeze(setOf(text))))
    expect(left.merge(right).value).toEqual(["a", "b"])
  })
})

describe("the trust in a result", () => {
  it("is that of the left if the right is valid", () => {
    const merged = typed({ s: "a" }).merge(typed({ n: 1 }))
    expect([merged.isValidated, merged.mayRepeatItems]).toEqual([true, false])
    expect(merged.merge(typed({ tags: ["a"] })).value).toEqual({ s: "a", n: 1, tags: ["a"] })
  })

  it("does not hide duplicates that are left over", () => {
    const live = withDuplicates({ tags: ["a", "a", "b"] })
    const merged = live.merge(typed({ s: "x" }))
    expect(merged.value).toEqual({ tags: ["a", "a", "b"], s: "x" })
    expect(issuesOf(() => typed({}).merge(merged))).toEqual(['.tags: duplicate entries for key [="a"]'])
    expect(issuesOf(() => typed({}).merge(merged.removeItems(set("s"))))).toEqual([
      '.tags: duplicate entries for key [="a"]',
    ])
    expect(issuesOf(() => typed({}).merge(merged.extractItems(set("tags[=a]"))))).toEqual([
      '.tags: duplicate entries for key [="a"]',
    ])
  })

  it("is false if the right was not validated", () => {
    const merged = typed({}).merge(unchecked({ n: "x" }))
    expect(merged.value).toEqual({ n: "x" })
    expect(issuesOf(() => typed({ n: 1 }).merge(merged))).toEqual([])
    expect(issuesOf(() => merged.merge(unchecked({ n: "y" })))).toHaveLength(2)
  })
})

describe("mayRepeatItems", () => {
  it.each<[title: string, value: TypedValue, may: boolean]>([
    ["a value without repeated items", typed({ tags: ["a"] }), false],
    ["one that might have had some", withDuplicates({ tags: ["a"] }), false],
    ["one that has some", withDuplicates({ tags: ["a", "a"] }), true],
    ["one that was not checked", unchecked({ tags: ["a"] }), true],
    ["what is merged from valid values", typed({ tags: ["a"] }).merge(typed({ tags: ["b"] })), false],
    [
      "what is merged with a value that was not checked",
      typed({})
        .merge(unchecked({}))
        .merge(unchecked({ s: "a" })),
      true,
    ],
    ["what is left of a valid value", typed({ list: [{ k: "a", v: 1 }] }).removeItems(set("list[k=a].v")), false],
    ["items that have lost their keys", typed({ list: [{ k: "a", v: 1 }] }).removeItems(set("list[k=a].k")), true],
    ["all of a valid value, extracted", typed({ tags: ["a"] }).extractItems(set("tags[=a]")), false],
    ["a part of a valid value, extracted", typed({ list: [{ k: "a", v: 1 }] }).extractItems(set("list[k=a].v")), true],
  ])("of %s", (_, value, may) => {
    expect(value.mayRepeatItems).toBe(may)
  })
})

it("knows of a value that was checked whether its unions are settled", () => {
  const union: TypeRef = {
    map: {
      fields: ["d", "a", "b"].map(name => ({ name, type: text })),
      unions: [{ discriminator: "d", fields: [{ fieldName: "a", discriminatorValue: "A" }] }],
    },
  }
  const type = typeOf(struct({ u: union, s: text }))
  const settled = typed({ u: { d: "A", a: "x" } }, type)
  expect([settled.settledUnions, typed({ u: { a: "x" } }, type).settledUnions]).toEqual([true, false])
  expect(unchecked(settled.value, type).settledUnions).toBe(false)
  expect(settled.merge(typed({ s: "x" }, type)).settledUnions).toBe(false)
})

describe("lists that are neither atomic nor associative", () => {
  const unfit = typeOf({ list: { elementType: text } })

  it("are valid by themselves", () => {
    expect(show(typed([], unfit).toFieldSet())).toBe("")
    expect(typed(["a", "a"], unfit).value).toEqual(["a", "a"])
  })

  it("can't be merged or compared", () => {
    const problem = ": element 0: invalid indexing of non-associative list"
    expect(issuesOf(() => typed(["a"], unfit).merge(typed(["a"], unfit)))).toEqual([problem, problem])
    expect(issuesOf(() => typed(["a"], unfit).compare(typed(["a"], unfit)))).toEqual([problem, problem])
  })
})
