import { describe, expect, it } from "vitest"
import { deducedSchema, deducedType } from "../../src/typed/deduced.js"
import { parseSchema } from "../../src/typed/parser.js"
import type { Value } from "../../src/value/value.js"
import { show } from "../fieldpath/notation.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { inheritedKeys, json } from "../value/samples.js"
import { typed } from "./notation.js"

describe("the type of values without a schema", () => {
  const type = deducedType()

  it.each<[title: string, value: Value, set: string]>([
    ["null", null, ""],
    ["a scalar", 1, ""],
    ["a list", [1, [2], { a: 3 }], ""],
    ["a map", { a: 1, b: null, c: {} }, "a b c"],
    ["maps in maps", { a: { b: { c: 1 } } }, "a a.b a.b.c"],
    ["lists in maps", { a: [{ b: 1 }, [2]] }, "a"],
  ])("accepts %s", (_, value, set) => {
    expect(show(typed(value, type).toFieldSet())).toBe(set)
  })

  it.each(inheritedKeys)("accepts the key %s", key => {
    expect(show(typed(json(`{"${key}": {"${key}": 1}}`), type).toFieldSet())).toBe(`${key} ${key}.${key}`)
  })

  it("merges maps and replaces lists", () => {
    const live = typed({ a: { b: 1, l: [1, 2] } }, type)
    expect(live.merge(typed({ a: { c: 2, l: [3] } }, type)).value).toStrictEqual({ a: { b: 1, c: 2, l: [3] } })
  })

  it("is the same object each time", () => {
    expect(deducedType()).toBe(type)
    expect(type.name).toBe("__untyped_deduced_")
  })

  it("has a schema that is a valid document", () => {
    expect(parseSchema(deepFreeze(structuredClone(deducedSchema)) as unknown as Value)).toEqual(deducedSchema)
  })
})
