import { expect, it } from "vitest"
import type { TypeRef } from "../../src/schema/schema.js"
import type { TypedValue } from "../../src/typed/typed-value.js"
import { normalizeUnions } from "../../src/union/normalize.js"
import { normalizationPlan, type Plan } from "../../src/union/plan.js"
import { unionPolicies } from "../../src/union/policy.js"
import { isSettled } from "../../src/union/settled.js"
import { set } from "../fieldpath/notation.js"
import { struct, text, typed, typeOf, unchecked, withDuplicates } from "../typed/notation.js"

const union: TypeRef = {
  map: {
    fields: ["d", "a", "b"].map(name => ({ name, type: text })),
    unions: [{ discriminator: "d", fields: [{ fieldName: "a", discriminatorValue: "A" }] }],
  },
}
const unions: TypeRef = { map: { elementType: union } }
const list: TypeRef = { list: { elementType: union, elementRelationship: "associative", keys: ["b"] } }
const type = typeOf(struct({ u: union, s: text, all: unions, list }))
const plan = normalizationPlan(unionPolicies.v4, type) as Plan // it has unions
const settled = typed({ u: { d: "A", a: "x" } }, type)
const open = typed({ u: { a: "x" } }, type)

function holds(object: TypedValue, ...made: TypedValue[]): boolean {
  const [alone, compared] = [isSettled(plan, unchecked(object.value, type)), isSettled(plan, object, ...made)]
  expect(compared).toBe(alone)
  return compared
}

it("looks into values that were not checked", () => {
  expect([holds(settled), holds(open)]).toEqual([true, false])
})

it("looks into maps of any keys, and into items", () => {
  expect(holds(unchecked({ all: { x: { d: "A", a: "x" } }, list: [{ b: "1" }] }, type))).toBe(true)
  expect(holds(unchecked({ all: { x: { d: "A" }, y: { a: "x" } } }, type))).toBe(false)
  expect(holds(unchecked({ list: [{ b: "1" }, { b: "2", a: "x" }] }, type))).toBe(false)
})

it("looks at all items with one key, of which normalization settles the first", () => {
  const twice = withDuplicates({ list: [{ b: "1" }, { b: "1", a: "x" }] }, type)
  expect(holds(twice)).toBe(false)
  expect(holds(normalizeUnions(typed({}, type), twice).object)).toBe(false)
})

it("compares a merge with the objects that were merged", () => {
  const other = typed({ s: "x" }, type)
  expect(holds(settled.merge(other), settled, other)).toBe(true)
  expect(holds(open.merge(other), open, other)).toBe(false)
  expect(holds(other.merge(open), other, open)).toBe(false)
  const [a, d] = [unchecked({ list: [{ b: "1", a: "x", d: "A" }] }, type), typed({ list: [{ b: "1", d: "B" }] }, type)]
  expect(holds(a.merge(d), a, d)).toBe(false)
})

it("compares the rest with the object before", () => {
  const left = settled.removeItems(set("u.d"))
  expect(holds(left, settled)).toBe(false)
  expect(holds(settled.removeItems(set("u.d u.a")), settled)).toBe(true)
  expect(holds(open.removeItems(set("u.b")), open)).toBe(false)
})
