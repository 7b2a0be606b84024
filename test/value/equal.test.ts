import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { StructuredMergeError } from "../../src/errors.js"
import { compareValues } from "../../src/value/compare.js"
import { equalAnyValues, equalIfPresent, equalValues, identicalValues } from "../../src/value/equal.js"
import type { Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { cyclicList, cyclicMap, inheritedKeys, json, nestedList, nestedMap } from "./samples.js"

const rows: [title: string, a: Value, b: Value, equal: boolean][] = [
  ["null and null", null, null, true],
  ["null and false", null, false, false],
  ["null and 0", null, 0, false],
  ["null and an empty map", null, {}, false],
  ["null and an empty list", null, [], false],
  ["an empty map and an empty list", {}, [], false],
  ["an empty list and an empty map", [], {}, false],
  ["a number and the string of its digits", 1, "1", false],
  ["true and 1", true, 1, false],
  ["a bigint and a string", 1n, "1", false],
  ["a bigint and a boolean", 1n, true, false],
  ["a bigint and null", 1n, null, false],
  ["bigints that are one float", 2n ** 53n, 2n ** 53n + 1n, false],
  ["equal bigints", 2n ** 60n, 2n ** 60n, true],
  ["lists of the same items", [1, "a", [null]], [1, "a", [null]], true],
  ["lists in another order", [1, 2], [2, 1], false],
  ["a list and its beginning", [1, 2], [1], false],
  ["maps with keys in another order", { a: 1, b: { c: [] } }, { b: { c: [] }, a: 1 }, true],
  ["a map and one with a key more", { a: 1 }, { a: 1, b: 1 }, false],
  ["a map and one with a key less", { a: 1, b: 1 }, { a: 1 }, false],
  ["maps with other keys", { a: 1 }, { b: 1 }, false],
  ["a key that is null and one that is absent", { a: null }, {}, false],
  ["values that differ far down", { a: [{ b: [{ c: 1 }] }] }, { a: [{ b: [{ c: 2 }] }] }, false],
  ["maps with and without prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }, true],
  ["composed and decomposed characters", "\u00e9", "e\u0301", false],
]

describe.each([
  ["equalValues", equalValues],
  ["equalAnyValues", equalAnyValues],
  ["identicalValues", identicalValues],
])("%s", (_, equal) => {
  it.each(rows)("of %s", (_, a, b, expected) => {
    deepFreeze([a, b])
    expect([equal(a, b), equal(b, a)]).toEqual([expected, expected])
  })

  it.each(inheritedKeys)("treats %s as an ordinary key", key => {
    const one = json(`{"${key}": {"a": 1}}`)
    expect(equal(one, json(`{"${key}": {"a": 1}}`))).toBe(true)
    expect(equal(one, json(`{"${key}": {"a": 2}}`))).toBe(false)
    expect([equal(one, json('{"b": {"a": 1}}')), equal(json('{"b": {"a": 1}}'), one)]).toEqual([false, false])
    expect([equal(one, {}), equal({}, one)]).toEqual([false, false])
  })

  it("compares values that nest deep", () => {
    expect(equal(nestedList(400), nestedList(400))).toBe(true)
    expect(equal(nestedMap(400), nestedMap(400, 2))).toBe(false)
  })

  it.each([
    ["lists that nest too deep", () => nestedList(2_000)],
    ["maps that nest too deep", () => nestedMap(2_000)],
    ["lists that contain themselves", cyclicList],
    ["maps that contain themselves", cyclicMap],
  ])("refuses %s", (_, make) => {
    expect(() => equal(make(), make())).toThrow(StructuredMergeError)
  })

  it("needs no look into a value that is compared with itself", () => {
    const cyclic = cyclicMap()
    expect(equal(cyclic, cyclic)).toBe(true)
  })
})

describe("a number and a bigint of the same value", () => {
  it("are equal", () => {
    expect(equalValues(deepFreeze({ a: [1] }), deepFreeze({ a: [1n] }))).toBe(true)
    expect([equalValues(1.0, 1n), equalValues(1n, 1.0)]).toEqual([true, true])
    expect(equalValues(1.5, 1n)).toBe(false)
  })

  it("are not identical", () => {
    expect(identicalValues(deepFreeze({ a: [1] }), deepFreeze({ a: [1n] }))).toBe(false)
    expect(identicalValues(1n, 1)).toBe(false)
  })
})

describe("zeros of both signs", () => {
  const pairs: [Value, Value][] = [
    [0, -0],
    [
      [1, 0],
      [1, -0],
    ],
    [{ a: { b: 0 } }, { a: { b: -0 } }],
  ]

  it.each(pairs)("are equal, but not identical: %j", (a, b) => {
    expect([equalValues(a, b), equalAnyValues(a, b), identicalValues(a, b)]).toEqual([true, true, false])
    expect([identicalValues(b, a), identicalValues(b, structuredClone(b))]).toEqual([false, true])
  })
})

describe("equalAnyValues of objects that inherit keys", () => {
  class WithGetter {
    readonly y = 2
    readonly z = 3
    get x() {
      return 1
    }
  }
  const hidden = Object.defineProperty({ y: 2, z: 3 }, "x", { value: 1, enumerable: false })
  const objects: readonly Value[] = [
    {},
    { x: 1 },
    { x: 1, y: 2 },
    { y: 2, z: 3 },
    Object.create({ x: 1 }),
    Object.create(Object.create({ x: 1 })),
    Object.assign(Object.create(Object.assign(Object.create(null), { x: 1 })), { y: 2 }),
    new WithGetter() as unknown as Value,
    hidden,
    runInNewContext("({})"),
    runInNewContext("({ x: 1, y: 2 })"),
    runInNewContext("JSON.parse('{\"__proto__\": {}}')"),
    json('{"__proto__": {}}'),
    json('{"__proto__": {"x": 1}}'),
  ]
  /** Returns the parts of each object that count: its own enumerable keys, in a map without a prototype. */
  const plain = objects.map(value => Object.assign(Object.create(null), { ...(value as object) }) as Value)

  it("depends on their own keys only, in either order", () => {
    objects.forEach((a, i) => {
      objects.forEach((b, j) => {
        const expected = equalValues(plain[i] as Value, plain[j] as Value)
        expect([i, j, equalAnyValues(a, b), equalAnyValues([a], [b])]).toEqual([i, j, expected, expected])
        expect([i, j, compareValues(a, b) === 0]).toEqual([i, j, expected])
      })
    })
  })
})

it.each<[Value | undefined, Value | undefined, boolean]>([
  [undefined, undefined, true],
  [undefined, null, false],
  [null, undefined, false],
  [[1], [1], true],
  [[1], [2], false],
])("equalIfPresent(%j, %j) is %s", (a, b, expected) => {
  expect(equalIfPresent(a, b)).toBe(expected)
})

it("identicalValues returns false if both have more lists and maps than the limit", () => {
  const rows = (count: number): Value => [{ row: Array.from({ length: count }, () => []) }]
  expect([10, 11].map(count => identicalValues(rows(count), rows(count), 13))).toEqual([true, false])
  expect(identicalValues(1, 1, 0)).toBe(true)
})

it("a comparison that a getter starts in the middle of another does not disturb it", () => {
  const large = () => Array.from({ length: 100 }, () => ({}))
  const row = (): Value => ({
    get first() {
      return identicalValues(large(), large(), 10) ? 1 : 0
    },
    second: large(),
  })
  expect(equalValues(row(), row())).toBe(true)
  expect(identicalValues([row(), row()], [row(), row()], 1000)).toBe(true)
})
