import { describe, expect, it } from "vitest"
import { StructuredMergeError } from "../../src/errors.js"
import { compareNumbers, compareStrings, compareValues } from "../../src/value/compare.js"
import { equalValues } from "../../src/value/equal.js"
import type { Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { cyclicList, cyclicMap, json, nestedList, nestedMap } from "./samples.js"

describe("compareStrings", () => {
  // Each is less than the next.
  const ordered = [
    "",
    "\0",
    "A",
    "a",
    "aa",
    "a\u{1f600}",
    "b",
    "\u007f",
    "é",
    "\ud7ff",
    "\ue000",
    "\uffff",
    "\u{10000}",
    "\u{1f600}",
    "\u{1f600}a",
    "\u{10ffff}",
  ]

  it.each(ordered.slice(1).map((b, i) => [ordered[i] as string, b]))("puts %j before %j", (a, b) => {
    expect([compareStrings(a, b), compareStrings(b, a)]).toEqual([-1, 1])
  })

  it("orders every pair by its UTF-8 bytes", () => {
    for (const a of ordered) {
      for (const b of ordered) expect(compareStrings(a, b)).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }
  })

  it("differs from JavaScript's order beyond the basic plane", () => {
    expect("\uffff" < "\u{10000}").toBe(false)
    expect(compareStrings("\uffff", "\u{10000}")).toBe(-1)
  })
})

describe("compareNumbers", () => {
  const big = 2n ** 53n
  const rows: [title: string, a: number | bigint, b: number | bigint, order: number][] = [
    ["orders by value, not by digits", 9, 10, -1],
    ["finds a number equal to the bigint of its value", 1, 1n, 0],
    ["finds zeros of both signs equal", -0, 0, 0],
    ["orders a fraction after the bigint below it", 1.5, 1n, 1],
    ["orders a bigint before the fraction above it", 1n, 1.5, -1],
    ["distinguishes bigints that are the same float", big + 1n, big, 1],
    ["distinguishes a safe integer from the next bigint", Number.MAX_SAFE_INTEGER, big, -1],
    ["compares a bigint with a float as floats", big + 1n, Number(big), 0],
    ["compares a float with a bigint as floats", Number(big), big + 1n, 0],
    ["orders negative bigints", -big - 1n, -big, -1],
    ["orders a huge float after every bigint", 1e300, 2n ** 63n - 1n, 1],
    ["orders a bigint after a huge negative float", -(2n ** 63n), -1e300, 1],
  ]
  it.each(rows)("%s", (_, a, b, order) => {
    expect([compareNumbers(a, b), compareNumbers(b, a) + 0]).toEqual([order, -order + 0])
  })
})

describe("compareValues", () => {
  // Each is less than the next.
  const ordered: readonly Value[] = deepFreeze([
    -(2n ** 63n),
    -1,
    0,
    0.5,
    1,
    2,
    10,
    2n ** 63n - 1n,
    "",
    "1",
    "10",
    "2",
    "\uffff",
    "\u{1f600}",
    false,
    true,
    [],
    [1],
    [1, 1],
    [1, 2],
    [2],
    ["1"],
    [null],
    {},
    { a: 1 },
    { a: 1, b: 0 },
    { a: 2 },
    { b: 1 },
    null,
  ])

  it.each(ordered.slice(1).map((b, i) => [ordered[i] as Value, b]))("puts %o before %o", (a, b) => {
    expect([compareValues(a, b), compareValues(b, a)]).toEqual([-1, 1])
  })

  it("orders every pair, and returns 0 only for equal values", () => {
    ordered.forEach((a, i) => {
      ordered.forEach((b, j) => {
        expect(compareValues(a, b)).toBe(Math.sign(i - j))
        expect(equalValues(a, b)).toBe(i === j)
      })
    })
  })

  const rows: [title: string, a: Value, b: Value, order: number][] = [
    [
      "compares long lists by their first different item",
      [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1],
      [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0],
      -1,
    ],
    ["ignores the order of keys", { a: 1, b: 2 }, { b: 2, a: 1 }, 0],
    ["finds 1, 1.0 and 1n equal", [1, 1.0, 1n], [1n, 1, 1], 0],
    ["puts the map that first lacks a key after the other", { b: 1 }, { a: 1, b: 1 }, 1],
    ["puts a map before the one that has keys beyond its own", { a: 1 }, { a: 1, b: 1 }, -1],
    ["compares the values of the first key that differs", { a: { x: 1 }, b: 9 }, { a: { x: 2 }, b: 1 }, -1],
    ["treats inherited names as absent keys", json('{"constructor": 1}'), json('{"toString": 1}'), -1],
    ["compares a __proto__ key", json('{"__proto__": 1}'), json('{"__proto__": 2}'), -1],
    ["puts {} before a map with a __proto__ key", {}, json('{"__proto__": {}}'), -1],
  ]
  it.each(rows)("%s", (_, a, b, order) => {
    deepFreeze([a, b])
    expect([compareValues(a, b), compareValues(b, a) + 0]).toEqual([order, -order + 0])
  })

  const endless: [title: string, make: () => Value][] = [
    ["lists that nest too deep", () => nestedList(2_000)],
    ["maps that nest too deep", () => nestedMap(2_000)],
    ["lists that contain themselves", cyclicList],
    ["maps that contain themselves", cyclicMap],
  ]
  it.each(endless)("refuses %s", (_, make) => {
    expect(() => compareValues(make(), make())).toThrow(StructuredMergeError)
  })

  it("does not look into a value that is compared with itself", () => {
    const cyclic = cyclicMap()
    expect(compareValues(cyclic, cyclic)).toBe(0)
  })
})
