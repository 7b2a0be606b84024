import { describe, expect, it } from "vitest"
import { isSame } from "../../../src/kinds/rules/types.js"

describe("isSame", () => {
  it.each<[unknown, unknown, boolean]>([
    [1n, 1n, true],
    [1n, 1, true],
    [1n, 1.5, false],
    ["1", 1n, false],
    [1n, "1", false],
    [null, 0n, false],
    [new Uint8Array([1, 2]), new Uint8Array([1, 2]), true],
    [new Uint8Array([1, 2]), new Uint8Array([2, 1]), false],
    [[1n, "a"], [1, "a"], true],
    [[1n, 2n], [2n, 1n], false],
    [[1n], [1n, 2n], false],
    [new Map([["a", 1n]]), new Map([["a", 1]]), true],
    [new Map([["a", 1n]]), new Map([["b", 1n]]), false],
    [new Map([["a", 1n]]), new Map(), false],
    [new Date(5), new Date(5), true],
    [new Date(5), new Date(6), false],
  ])("%s and %s", (a, b, expected) => {
    expect([isSame(a, b), isSame(b, a)]).toEqual([expected, expected])
  })
})
