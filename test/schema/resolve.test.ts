import { describe, expect, it } from "vitest"
import { isEmptyRef } from "../../src/schema/resolve.js"

describe("references to types", () => {
  it.each([
    [{}, true],
    [{ namedType: "" }, false],
    [{ nullable: true }, false],
    [{ elementRelationship: "atomic" as const }, false],
    [{ scalar: "string" as const }, false],
    [{ list: {} }, false],
    [{ map: {} }, false],
  ])("are empty or not: %j %s", (ref, empty) => {
    expect(isEmptyRef(ref)).toBe(empty)
  })
})
