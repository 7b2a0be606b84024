import { describe, expect, it } from "vitest"
import { Issues } from "../../src/typed/walk.js"
import { element } from "../fieldpath/notation.js"

describe("Issues", () => {
  it("get their paths step by step, from the innermost outwards", () => {
    const issues = new Issues()
    issues.add("first")
    const before = issues.count
    issues.add("second")
    issues.prefix(element("[k=a]"), before)
    issues.add("third")
    issues.prefix(element("list"), before)
    expect(issues.toArray()).toEqual([
      { path: "", message: "first" },
      { path: '.list[k="a"]', message: "second" },
      { path: ".list", message: "third" },
    ])
  })
})
