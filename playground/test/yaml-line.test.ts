import { describe, expect, it } from "vitest"
import { partsOfLine } from "../../src/tools/view/yaml-line.js"
import { indentAfter } from "../src/yaml-colors.js"

describe("the parts of a line", () => {
  it.each([
    ["spec:", "|spec|:||"],
    ["  replicas: 3", "  |replicas|: |3|"],
    ["  - name: web # the first", "  - |name|: |web| # the first"],
    ["- a", "- |||a|"],
    ["-", "-||||"],
    ["-5", "|||-5|"],
    ["# nothing", "||||# nothing"],
    ['"a: b": c', '|"a: b"|: |c|'],
    ["url: https://example.com/#top", "|url|: |https://example.com/#top|"],
    ['note: "a # b" # c', '|note|: |"a # b"| # c'],
    ["{a: 1}", "|||{a: 1}|"],
    ["", "||||"],
  ])("%j", (text, expected) => {
    const { before, key, colon, value, comment } = partsOfLine(text)
    expect([before, key, colon, value, comment].join("|")).toBe(expected)
    expect(before + key + colon + value + comment).toBe(text)
  })

  it("says where the next line begins", () => {
    expect(["spec:", "  a: 1", "  - name: web", "  - ports:", ""].map(indentAfter)).toEqual([2, 2, 4, 6, 0])
  })
})
