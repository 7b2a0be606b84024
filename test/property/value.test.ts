import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { formatJson, parseJson, writeJson } from "../../src/json/json.js"
import { compareStrings, compareValues } from "../../src/value/compare.js"
import { equalValues, identicalValues } from "../../src/value/equal.js"
import { runs } from "../support/budget.js"
import { arbitraryValue } from "./arbitraries.js"

describe("strings", () => {
  it("have the order of their UTF-8 bytes", () => {
    const text = fc.string({ unit: "binary" })
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(compareStrings(a, b)).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
      runs(100),
    )
  })
})

describe("values", () => {
  it("have a total order that agrees with equality", () => {
    fc.assert(
      fc.property(arbitraryValue, arbitraryValue, (a, b) => {
        expect(compareValues(a, b) + compareValues(b, a)).toBe(0)
        expect(compareValues(a, b) === 0).toBe(equalValues(a, b))
        expect(equalValues(a, b)).toBe(equalValues(b, a))
      }),
      runs(150),
    )
  })

  it("are equal to their copies", () => {
    fc.assert(
      fc.property(arbitraryValue, value => {
        expect(equalValues(value, structuredClone(value))).toBe(true)
        expect(identicalValues(value, structuredClone(value))).toBe(true)
        expect(compareValues(value, structuredClone(value))).toBe(0)
      }),
      runs(100),
    )
  })

  it("come back from JSON with every digit", () => {
    fc.assert(
      fc.property(arbitraryValue, value => {
        expect(equalValues(parseJson(formatJson(value)), value)).toBe(true)
        expect(equalValues(parseJson(writeJson(value, { indent: 2 })), value)).toBe(true)
        const again = formatJson(parseJson(formatJson(value)))
        expect(formatJson(parseJson(again))).toBe(again)
      }),
      runs(150),
    )
  })
})
