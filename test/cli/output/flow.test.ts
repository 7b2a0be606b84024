import { describe, expect, it } from "vitest"
import { showChange, showFlow, showValue } from "../../../src/cli/output/flow.js"

describe("values on one line", () => {
  it("are JSON, shortened", () => {
    expect(showValue({ a: [1, 9007199254740993n, null] })).toBe('{"a":[1,9007199254740993,null]}')
    expect(showValue("a".repeat(30), 10)).toBe('"aaaaaa...')
    expect(showValue(undefined)).toBe("(absent)")
    expect(showValue("a\u009bb")).toBe('"a\\x9bb"')
  })

  it("are YAML in flow style, shortened", () => {
    expect(showFlow({ name: "LOG", value: "1", more: ["a,b", null] }, 60)).toBe(
      '{name: LOG, value: "1", more: ["a,b", null]}',
    )
    expect(showFlow(["abcdefgh"], 8)).toBe("[abcd...")
    expect(showFlow(undefined, 60)).toBe("(absent)")
  })

  it("are shown with an arrow if there is room", () => {
    expect(showChange("web:1", "web:2", 14)).toBe("web:1 -> web:2")
    expect(showChange("web:1", "web:2", 13)).toBeUndefined()
  })
})
