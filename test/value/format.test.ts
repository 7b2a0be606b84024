import { describe, expect, it } from "vitest"
import { formatJson, parseJson } from "../../src/json/json.js"
import { maxDepth, tooDeep } from "../../src/value/depth.js"
import { formatFloats, formatValue, goPrint, goSyntax, goTypeName } from "../../src/value/format.js"
import type { Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { cyclicList, cyclicMap, nestedList, nestedMap } from "./samples.js"

// JSON texts, and their forms in Go: value.ToString; %v, %#v and %T of what the value wraps; value.ToJSON.
const rows: readonly [json: string, text: string, v: string, sharp: string, type: string, json: string][] = [
  ["null", "null", "<nil>", "interface {}(nil)", "<nil>", "null"],
  ["true", "true", "true", "true", "bool", "true"],
  ["0", "0", "0", "0", "int64", "0"],
  ["-1", "-1", "-1", "-1", "int64", "-1"],
  ["1.5", "1.5", "1.5", "1.5", "float64", "1.5"],
  ["-0.25", "-0.25", "-0.25", "-0.25", "float64", "-0.25"],
  ["100000", "100000", "100000", "100000", "int64", "100000"],
  ["999999.5", "999999.5", "999999.5", "999999.5", "float64", "999999.5"],
  ["1234567.5", "1.2345675e+06", "1.2345675e+06", "1.2345675e+06", "float64", "1234567.5"],
  ["1e21", "1e+21", "1e+21", "1e+21", "float64", "1e+21"],
  ["1e20", "1e+20", "1e+20", "1e+20", "float64", "100000000000000000000"],
  ["1e-4", "0.0001", "0.0001", "0.0001", "float64", "0.0001"],
  ["0.00001", "1e-05", "1e-05", "1e-05", "float64", "0.00001"],
  ["123456789012", "123456789012", "123456789012", "123456789012", "int64", "123456789012"],
  ["9007199254740993", "9007199254740993", "9007199254740993", "9007199254740993", "int64", "9007199254740993"],
  [
    "-9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775808",
    "int64",
    "-9223372036854775808",
  ],
  ['""', '""', "", '""', "string", '""'],
  ['"a b"', '"a b"', "a b", '"a b"', "string", '"a b"'],
  ['"q\\"b\\\\"', '"q\\"b\\\\"', 'q"b\\', '"q\\"b\\\\"', "string", '"q\\"b\\\\"'],
  [
    '"\\n\\t\\r\\u0007\\b\\f\\u000b\\u0000\\u001f\\u007f"',
    '"\\n\\t\\r\\a\\b\\f\\v\\x00\\x1f\\x7f"',
    "\n\t\r\u0007\b\f\u000b\u0000\u001f\u007f",
    '"\\n\\t\\r\\a\\b\\f\\v\\x00\\x1f\\x7f"',
    "string",
    '"\\n\\t\\r\\u0007\\u0008\\u000c\\u000b\\u0000\\u001f\u007f"',
  ],
  ['"é日本😀"', '"é日本😀"', "é日本😀", '"é日本😀"', "string", '"é日本😀"'],
  [
    '"\\u00a0\\u00ad\\u200b\\u2028\\ufeff\\ue000"',
    '"\\u00a0\\u00ad\\u200b\\u2028\\ufeff\\ue000"',
    " ­\u200b\u2028\ufeff",
    '"\\u00a0\\u00ad\\u200b\\u2028\\ufeff\\ue000"',
    "string",
    '" ­\u200b\\u2028\ufeff"',
  ],
  ['"\\udb40\\udc01"', '"\\U000e0001"', "󠀁", '"\\U000e0001"', "string", '"󠀁"'],
  ['"<&>"', '"<&>"', "<&>", '"<&>"', "string", '"\\u003c\\u0026\\u003e"'],
  ["[]", "[]", "[]", "[]interface {}{}", "[]interface {}", "[]"],
  [
    '[1,"a",null,[true,[]]]',
    '[1,"a",null,[true,[]]]',
    "[1 a <nil> [true []]]",
    '[]interface {}{1, "a", interface {}(nil), []interface {}{true, []interface {}{}}}',
    "[]interface {}",
    '[1,"a",null,[true,[]]]',
  ],
  ["{}", "", "map[]", "map[string]interface {}{}", "map[string]interface {}", "{}"],
  ['{"a":1}', "a=1", "map[a:1]", 'map[string]interface {}{"a":1}', "map[string]interface {}", '{"a":1}'],
  [
    '{"k":"x","l":[{}]}',
    'k="x"l=[]',
    "map[k:x l:[map[]]]",
    'map[string]interface {}{"k":"x", "l":[]interface {}{map[string]interface {}{}}}',
    "map[string]interface {}",
    '{"k":"x","l":[{}]}',
  ],
  [
    '{"a":{"b":{"c":null}}}',
    "a=b=c=null",
    "map[a:map[b:map[c:<nil>]]]",
    'map[string]interface {}{"a":map[string]interface {}{"b":map[string]interface {}{"c":interface {}(nil)}}}',
    "map[string]interface {}",
    '{"a":{"b":{"c":null}}}',
  ],
  [
    '[{"n":1.5},{"n":1e-7}]',
    "[n=1.5,n=1e-07]",
    "[map[n:1.5] map[n:1e-07]]",
    '[]interface {}{map[string]interface {}{"n":1.5}, map[string]interface {}{"n":1e-07}}',
    "[]interface {}",
    '[{"n":1.5},{"n":1e-07}]',
  ],
]

describe("values as text", () => {
  it.each(rows)("%s", (json, text, printed, syntax, type, written) => {
    const value = deepFreeze(parseJson(json))
    expect(formatValue(value)).toBe(text)
    expect(goPrint(value)).toBe(printed)
    expect(goSyntax(value)).toBe(syntax)
    expect(goTypeName(value)).toBe(type)
    expect(formatJson(value)).toBe(written)
  })

  it("joins the entries of a map sorted by key", () => {
    const value = deepFreeze(parseJson('{"b":1.5,"é":null,"a":["x"],"":{"y":true}}'))
    expect(formatValue(value)).toBe('=y=truea=["x"]b=1.5é=null')
    expect(goPrint(value)).toBe("map[:map[y:true] a:[x] b:1.5 é:<nil>]")
  })

  it.each<(value: Value) => string>([formatValue, formatFloats, goPrint, goSyntax])(
    "%o accepts values up to the maximum depth",
    format => {
      for (const nested of [nestedList, nestedMap]) {
        expect(format(nested(maxDepth, "x"))).toContain("x")
        expect(() => format(nested(maxDepth + 1))).toThrow(tooDeep())
      }
    },
  )

  it("prints the key type of the document's reader", () => {
    const value = deepFreeze(parseJson('{"a":[{"b":null}],"c":"x"}'))
    expect(goSyntax(value, "interface {}")).toBe(
      'map[interface {}]interface {}{"a":[]interface {}{map[interface {}]interface {}{"b":interface {}(nil)}}, "c":"x"}',
    )
  })

  it.each<(value: Value) => string>([formatValue, goPrint, goSyntax])(
    "%o refuses values that contain themselves",
    format => {
      expect(() => format(cyclicList())).toThrow(/nests deeper/)
      expect(() => format(cyclicMap())).toThrow(/nests deeper/)
    },
  )
})
