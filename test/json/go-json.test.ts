import { describe, expect, it } from "vitest"
import { formatGoJson } from "../../src/json/go-json.js"
import type { Value } from "../../src/value/value.js"

describe("formatGoJson", () => {
  it.each<[string, Value, string]>([
    ["keys sorted", { b: 1, a: { d: null, c: [true, "x"] } }, '{"a":{"c":[true,"x"],"d":null},"b":1}'],
    ["escapes for HTML", "<a> & \u2028", '"\\u003ca\\u003e \\u0026 \\u2028"'],
    ["escapes of control characters", "\b\f\n\t\u0001\\b", '"\\b\\f\\n\\t\\u0001\\\\b"'],
    ["a text that looks like an escape", "\\u0008", '"\\\\u0008"'],
    ["other characters as they are", "é\u{1f600}", '"é\u{1f600}"'],
    ["numbers", [1e-7, 1e21, -0, 1.5, 12345678901234567890n], "[1e-7,1e+21,-0,1.5,12345678901234567890]"],
    [
      "keys in the order of their bytes",
      { ü: 1, z: 1, "\u{1f600}": 1, "\uffff": 1 },
      '{"z":1,"ü":1,"\uffff":1,"\u{1f600}":1}',
    ],
  ])("writes %s", (_, value, text) => {
    expect(formatGoJson(value)).toBe(text)
  })

  it("refuses what contains itself", () => {
    const map: Record<string, Value> = {}
    map.map = map
    expect(() => formatGoJson(map)).toThrow("nests deeper")
  })
})
