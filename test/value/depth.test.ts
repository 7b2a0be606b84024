import { describe, expect, it } from "vitest"
import { StructuredMergeError } from "../../src/errors.js"
import { compareValues } from "../../src/value/compare.js"
import { maxDepth, maxParts, tooDeep, tooLarge } from "../../src/value/depth.js"
import { equalValues } from "../../src/value/equal.js"
import { nestedList } from "./samples.js"

describe("maxDepth", () => {
  it("is deep enough for every real object", () => {
    expect(maxDepth).toBeGreaterThanOrEqual(500)
  })

  it("is the depth at which comparing still works, one more is not", () => {
    expect(equalValues(nestedList(maxDepth), nestedList(maxDepth))).toBe(true)
    expect(compareValues(nestedList(maxDepth), nestedList(maxDepth, 2))).toBe(-1)
    expect(() => equalValues(nestedList(maxDepth + 1), nestedList(maxDepth + 1))).toThrow(tooDeep().message)
  })
})

describe("tooLarge", () => {
  it("is an error of the package that names the limit", () => {
    expect(tooLarge()).toBeInstanceOf(StructuredMergeError)
    expect(tooLarge().code).toBe("invalid-value")
    expect(tooLarge().message).toContain(`more than ${maxParts} parts`)
  })
})

describe("tooDeep", () => {
  it("is an error of the package that names the limit", () => {
    expect(tooDeep()).toBeInstanceOf(StructuredMergeError)
    expect(tooDeep().code).toBe("invalid-value")
    expect(tooDeep().message).toContain(String(maxDepth))
  })
})
