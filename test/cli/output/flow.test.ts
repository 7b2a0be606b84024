import { describe, expect, it } from "vitest"
import { showBoth, showChange, showFlow, showValue } from "../../../src/cli/output/flow.js"

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
    expect(showFlow("registry.example.com/web:1.2", 15)).toBe("registr…web:1.2")
    expect(showFlow(undefined, 60)).toBe("(absent)")
  })

  it("are shown with an arrow if there is room", () => {
    expect(showChange("web:1", "web:2", 14)).toBe("web:1 -> web:2")
    expect(showChange("web:1", "web:2", 13)).toBeUndefined()
  })

  it("show where they differ, below each other", () => {
    const image = (tag: string) => `registry.example.com/team/project/web:${tag}`
    expect(showBoth(image("v1"), image("v2"), 60)).toEqual([image("v1"), image("v2")])
    expect(showBoth(image("v1"), image("v22"), 20)).toEqual(["…eam/project/web:v1", "…eam/project/web:v22"])
    expect(showBoth(image(`v1-${"a".repeat(30)}`), image("v2"), 20)).toEqual(["…web:v1-aaaaaaaaa...", "…web:v2"])
    expect(showBoth("web", `api${"b".repeat(30)}`, 20)).toEqual(["web", `api${"b".repeat(14)}...`])
    expect(showBoth(undefined, "a".repeat(30), 20)).toEqual(["(absent)", `${"a".repeat(17)}...`])
  })
})
