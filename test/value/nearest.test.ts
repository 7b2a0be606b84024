import { describe, expect, it } from "vitest"
import { didYouMean, nearest } from "../../src/value/nearest.js"

const names = ["replicas", "selector", "strategy", "min"]

describe("nearest", () => {
  it("finds the nearest name, if one is near", () => {
    expect(nearest("replica", names)).toBe("replicas")
    expect(nearest("Selektor", names)).toBe("selector")
    expect(nearest("mix", names)).toBe("min")
    expect(nearest("imn", names)).toBe("min")
    expect(nearest("zone", names)).toBeUndefined()
    expect(nearest("x", [])).toBeUndefined()
  })
})

describe("didYouMean", () => {
  it("suggests only a similar name", () => {
    expect(didYouMean("replica", names)).toBe("; did you mean replicas?")
    expect(didYouMean("zone", names)).toBe("")
  })
})
