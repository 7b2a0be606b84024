import { describe, expect, it } from "vitest"
import { integer, isList, isMap, type Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"

describe("isList and isMap", () => {
  const rows: [title: string, value: Value | undefined, kind: "list" | "map" | "neither"][] = [
    ["a list", [1], "list"],
    ["an empty list", [], "list"],
    ["a map", { a: 1 }, "map"],
    ["an empty map", {}, "map"],
    ["a map without prototype", Object.create(null), "map"],
    ["null", null, "neither"],
    ["an absent value", undefined, "neither"],
    ["a string", "a", "neither"],
    ["a bigint", 1n, "neither"],
    ["false", false, "neither"],
  ]
  it.each(rows)("recognize %s", (_, value, kind) => {
    deepFreeze(value)
    expect([isList(value), isMap(value)]).toEqual([kind === "list", kind === "map"])
  })
})

describe("integer", () => {
  const rows: [digits: bigint, kept: number | bigint][] = [
    [0n, 0],
    [-1n, -1],
    [2n ** 53n - 1n, 2 ** 53 - 1],
    [2n ** 53n, 2n ** 53n],
    [-(2n ** 53n) + 1n, -(2 ** 53) + 1],
    [-(2n ** 53n), -(2n ** 53n)],
    [2n ** 63n - 1n, 2n ** 63n - 1n],
  ]
  it.each(rows)("keeps %s as a number if that is exact, otherwise as a bigint", (digits, kept) => {
    expect(integer(digits)).toBe(kept)
  })
})
