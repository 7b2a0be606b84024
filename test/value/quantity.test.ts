import { describe, expect, it } from "vitest"
import { atExponent, compareQuantities, formatQuantity } from "../../src/value/quantity.js"
import type { Value } from "../../src/value/value.js"

describe("formatQuantity", () => {
  const rows: [value: Value, text: string][] = [
    ["1024Mi", "1Gi"],
    ["1Gi", "1Gi"],
    [0.5, "500m"],
    ["1e3", "1e3"],
    ["1500m", "1500m"],
    ["1000m", "1"],
    ["0.1Ki", "102400m"],
    ["-0.5", "-500m"],
    ["1.1n", "2n"],
    ["8Ei", "9223372036854775807"],
    [12, "12"],
    [9007199254740993n, "9007199254740993"],
  ]
  it.each(rows)("writes %o as %s", (value, text) => {
    expect(formatQuantity(value)).toBe(text)
  })

  it("changes nothing if it is called again", () => {
    for (const [, text] of rows) expect(formatQuantity(text)).toBe(text)
  })

  it.each<Value>(["", "1 Gi", "1ki", "1Gii", "ten", "--1", "1.1.M", null, true])("refuses %o", value => {
    expect(() => formatQuantity(value)).toThrow(RangeError)
  })

  it("refuses texts of more than 1000 characters", () => {
    expect(formatQuantity("1".padEnd(1000, "0"))).toMatch(/^1/)
    expect(() => formatQuantity("1".padEnd(1001, "0"))).toThrow(
      "quantities of more than 1000 characters are not supported",
    )
  })
})

describe("compareQuantities", () => {
  it.each<[a: Value, b: Value]>([
    ["1Ki", "1k"],
    [1, "999m"],
    ["0", "-1"],
    ["-1", "-2"],
    ["1e900", "1e899"],
    ["100", "99.9"],
  ])("finds %o larger than %o", (a, b) => {
    expect(Math.sign(compareQuantities(a, b))).toBe(1)
    expect(Math.sign(compareQuantities(b, a))).toBe(-1)
  })

  it.each<[a: Value, b: Value]>([
    ["1Gi", "1024Mi"],
    [0.5, "500m"],
    ["0", "-0"],
    ["1e3", "1k"],
  ])("finds %o equal to %o", (a, b) => {
    expect(compareQuantities(a, b)).toBe(0)
  })
})

describe("atExponent", () => {
  it("rounds away from zero", () => {
    expect(atExponent({ unscaled: 11n, exponent: -1 }, 0)).toEqual({ unscaled: 2n, exponent: 0 })
    expect(atExponent({ unscaled: -11n, exponent: -1 }, 0)).toEqual({ unscaled: -2n, exponent: 0 })
    expect(atExponent({ unscaled: 1n, exponent: -900 }, -9)).toEqual({ unscaled: 1n, exponent: -9 })
  })

  it("refuses to write out more than 1000 digits", () => {
    expect(() => atExponent({ unscaled: 1n, exponent: 1001 }, 0)).toThrow(
      "exponents of more than 1000 are not supported",
    )
  })
})
