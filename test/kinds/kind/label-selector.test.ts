import { describe, expect, it } from "vitest"
import { labelSelectorText } from "../../../src/kinds/kind/label-selector.js"
import type { Value } from "../../../src/value/value.js"

describe("labelSelectorText", () => {
  it.each<[unknown, string]>([
    ["a=b", "a=b"],
    [{ b: "2", a: "1" }, "a=1,b=2"],
    [{ matchLabels: { b: "2" }, matchExpressions: [{ key: "a", operator: "Exists" }] }, "a,b=2"],
    [{ matchExpressions: [{ key: "a", operator: "DoesNotExist" }] }, "!a"],
    [{ matchExpressions: [{ key: "a", operator: "In", values: ["y", "x"] }, 1] }, "a in (x,y)"],
    [{ matchExpressions: [{ key: "a", operator: "NotIn", values: ["x"] }] }, "a notin (x)"],
    [1, ""],
    [null, ""],
  ])("%j is %s", (selector, text) => {
    expect(labelSelectorText(selector as Value)).toBe(text)
  })
})
