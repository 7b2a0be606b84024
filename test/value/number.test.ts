import { expect, it } from "vitest"
import { formatFloat, formatNumber } from "../../src/value/number.js"

it.each<[number: number | bigint, shown: string, asFloat: string]>([
  [0, "0", "0"],
  [-0, "-0", "-0"],
  [-7, "-7", "-7"],
  [100_000, "100000", "100000"],
  [1_000_000, "1000000", "1e+06"],
  [-1_234_567, "-1234567", "-1.234567e+06"],
  [2 ** 53, "9.007199254740992e+15", "9.007199254740992e+15"],
  [0.0001, "0.0001", "0.0001"],
  [-0.00001, "-1e-05", "-1e-05"],
  [999_999.5, "999999.5", "999999.5"],
  [1e100, "1e+100", "1e+100"],
  [Number.NaN, "NaN", "NaN"],
  [Number.POSITIVE_INFINITY, "+Inf", "+Inf"],
  [Number.NEGATIVE_INFINITY, "-Inf", "-Inf"],
])("%d is printed as Go does, as what it is and as a float", (number, shown, asFloat) => {
  expect([formatNumber(number), formatFloat(Number(number))]).toEqual([shown, asFloat])
})

it("bigints are printed digit for digit", () => {
  expect(formatNumber(2n ** 60n)).toBe("1152921504606846976")
})
