import { describe, expect, it } from "vitest"
import { ParseError, ValidationError } from "../../src/errors.js"
import { formatGoJson, formatJson, parseJson, parseJsonFloats, tryParseJson, writeJson } from "../../src/json/json.js"
import { formatNumberAsJson, parseInteger } from "../../src/json/number.js"
import { quoteJson, quotePlainJson } from "../../src/json/quote.js"
import { formatFloat, formatNumber } from "../../src/value/number.js"
import { quoteGo } from "../../src/value/quote.js"
import type { Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"

// Text and what json-iterator v1.1.12 says about it.
const faults: readonly [text: string, message: string][] = [
  ["", "Read: unexpected value type: 0, error found in #0 byte of ...||..., bigger context ...||..."],
  ["\n \t", "Read: unexpected value type: 0, error found in #3 byte of ...|\n \t|..., bigger context ...|\n \t|..."],
  ["nope", "skipFourBytes: expect null, error found in #2 byte of ...|nope|..., bigger context ...|nope|..."],
  ["nul", "skipFourBytes: expect null, error found in #3 byte of ...|nul|..., bigger context ...|nul|..."],
  ["nulL", "skipFourBytes: expect null, error found in #4 byte of ...|nulL|..., bigger context ...|nulL|..."],
  ["tru ", "skipThreeBytes: expect rue, error found in #4 byte of ...|tru |..., bigger context ...|tru |..."],
  ["fALSE", "skipFourBytes: expect alse, error found in #2 byte of ...|fALSE|..., bigger context ...|fALSE|..."],
  ["{", 'ReadMapCB: expect " after {, but found \u0000, error found in #1 byte of ...|{|..., bigger context ...|{|...'],
  ["}", "Read: unexpected value type: 0, error found in #0 byte of ...|}|..., bigger context ...|}|..."],
  ["[", "Read: unexpected value type: 0, error found in #1 byte of ...|[|..., bigger context ...|[|..."],
  ["]", "Read: unexpected value type: 0, error found in #0 byte of ...|]|..., bigger context ...|]|..."],
  [",", "Read: unexpected value type: 0, error found in #0 byte of ...|,|..., bigger context ...|,|..."],
  ["{]", 'ReadMapCB: expect " after {, but found ], error found in #2 byte of ...|{]|..., bigger context ...|{]|...'],
  ["[}", "Read: unexpected value type: 0, error found in #1 byte of ...|[}|..., bigger context ...|[}|..."],
  [
    '{"k"',
    'ReadMapCB: expect : after object field, but found ", error found in #4 byte of ...|{"k"|..., bigger context ...|{"k"|...',
  ],
  [
    '{"k" 5}',
    'ReadMapCB: expect : after object field, but found ", error found in #6 byte of ...|{"k" 5}|..., bigger context ...|{"k" 5}|...',
  ],
  ['{"k":', 'Read: unexpected value type: 0, error found in #5 byte of ...|{"k":|..., bigger context ...|{"k":|...'],
  [
    '{"k":5',
    'ReadMapCB: object not ended with }, error found in #6 byte of ...|{"k":5|..., bigger context ...|{"k":5|...',
  ],
  [
    '{"k":5,',
    'ReadString: expects " or n, but found \u0000, error found in #7 byte of ...|{"k":5,|..., bigger context ...|{"k":5,|...',
  ],
  [
    '{"k":5,}',
    'ReadString: expects " or n, but found }, error found in #8 byte of ...|{"k":5,}|..., bigger context ...|{"k":5,}|...',
  ],
  [
    '{"k":5 6}',
    'ReadMapCB: object not ended with }, error found in #8 byte of ...|{"k":5 6}|..., bigger context ...|{"k":5 6}|...',
  ],
  [
    "{k:5}",
    'ReadMapCB: expect " after {, but found k, error found in #2 byte of ...|{k:5}|..., bigger context ...|{k:5}|...',
  ],
  [
    '{"k":5,n:6}',
    'skipThreeBytes: expect ull, error found in #9 byte of ...|{"k":5,n:6}|..., bigger context ...|{"k":5,n:6}|...',
  ],
  [
    "[5",
    "ReadArrayCB: expect ] in the end, but found \u0000, error found in #2 byte of ...|[5|..., bigger context ...|[5|...",
  ],
  ["[5,", "Read: unexpected value type: 0, error found in #3 byte of ...|[5,|..., bigger context ...|[5,|..."],
  [
    "[5 6]",
    "ReadArrayCB: expect ] in the end, but found 6, error found in #4 byte of ...|[5 6]|..., bigger context ...|[5 6]|...",
  ],
  ["[,]", "Read: unexpected value type: 0, error found in #1 byte of ...|[,]|..., bigger context ...|[,]|..."],
  ["[5,]", "Read: unexpected value type: 0, error found in #3 byte of ...|[5,]|..., bigger context ...|[5,]|..."],
  [
    '"open',
    'readStringSlowPath: unexpected end of input, error found in #5 byte of ...|"open|..., bigger context ...|"open|...',
  ],
  [
    '"esc\\',
    'readEscapedChar: invalid escape char after \\, error found in #5 byte of ...|"esc\\|..., bigger context ...|"esc\\|...',
  ],
  [
    '"\\q"',
    'readEscapedChar: invalid escape char after \\, error found in #3 byte of ...|"\\q"|..., bigger context ...|"\\q"|...',
  ],
  [
    '"\\u12"',
    'readU4: expects 0~9 or a~f, but found ", error found in #6 byte of ...|"\\u12"|..., bigger context ...|"\\u12"|...',
  ],
  [
    '"\\u12g4"',
    'readU4: expects 0~9 or a~f, but found g, error found in #6 byte of ...|"\\u12g4"|..., bigger context ...|"\\u12g4"|...',
  ],
  [
    '"tab\there"',
    'ReadString: invalid control character found: 9, error found in #1 byte of ...|"tab\there"|..., bigger context ...|"tab\there"|...',
  ],
  [
    '"é\u0001"',
    'ReadString: invalid control character found: 1, error found in #1 byte of ...|"é\u0001"|..., bigger context ...|"é\u0001"|...',
  ],
  [
    '"\\u00',
    'readStringSlowPath: unexpected end of input, error found in #5 byte of ...|"\\u00|..., bigger context ...|"\\u00|...',
  ],
  ["-", "readNumberAsString: invalid number, error found in #1 byte of ...|-|..., bigger context ...|-|..."],
  ["--5", "readFloat64SlowPath: -- is not valid, error found in #3 byte of ...|--5|..., bigger context ...|--5|..."],
  ["-x", "readNumberAsString: invalid number, error found in #1 byte of ...|-x|..., bigger context ...|-x|..."],
  ["05", "readFloat64: leading zero is invalid, error found in #0 byte of ...|05|..., bigger context ...|05|..."],
  ["-05", "readFloat64: leading zero is invalid, error found in #1 byte of ...|-05|..., bigger context ...|-05|..."],
  [
    "5.",
    "readFloat64SlowPath: dot can not be last character, error found in #2 byte of ...|5.|..., bigger context ...|5.|...",
  ],
  [
    "5.x",
    "readFloat64SlowPath: dot can not be last character, error found in #2 byte of ...|5.x|..., bigger context ...|5.x|...",
  ],
  ["5.5.5", 'strconv.ParseFloat: parsing "5.5.5": invalid syntax'],
  ["5e", 'strconv.ParseFloat: parsing "5e": invalid syntax'],
  ["5e+", 'strconv.ParseFloat: parsing "5e+": invalid syntax'],
  ["5ee5", 'strconv.ParseFloat: parsing "5ee5": invalid syntax'],
  ["1e999", 'strconv.ParseFloat: parsing "1e999": value out of range'],
  ["-1e999", 'strconv.ParseFloat: parsing "1e999": value out of range'],
  [".5", "Read: unexpected value type: 0, error found in #0 byte of ...|.5|..., bigger context ...|.5|..."],
  ["+5", "Read: unexpected value type: 0, error found in #0 byte of ...|+5|..., bigger context ...|+5|..."],
  [
    "5 5",
    "managedFields parsing: unexpected trailing data after JSON object, error found in #2 byte of ...|5 5|..., bigger context ...|5 5|...",
  ],
  [
    "{} {}",
    "managedFields parsing: unexpected trailing data after JSON object, error found in #3 byte of ...|{} {}|..., bigger context ...|{} {}|...",
  ],
  [
    "null null",
    "managedFields parsing: unexpected trailing data after JSON object, error found in #5 byte of ...|null null|..., bigger context ...|null null|...",
  ],
  [
    '["日本語日本語日本語" "x"]',
    'ReadArrayCB: expect ] in the end, but found ", error found in #10 byte of ...|�本語" "x"]|..., bigger context ...|["日本語日本語日本語" "x"]|...',
  ],
  ["日本", "Read: unexpected value type: 0, error found in #0 byte of ...|日本|..., bigger context ...|日本|..."],
  [
    '{"日本語日本語日本語日本語":}',
    'Read: unexpected value type: 0, error found in #10 byte of ...|��本語":}|..., bigger context ...|{"日本語日本語日本語日本語":}|...',
  ],
  [
    "[true,false,nil]",
    "skipFourBytes: expect null, error found in #10 byte of ...|e,false,nil]|..., bigger context ...|[true,false,nil]|...",
  ],
  [
    "/* c */5",
    "Read: unexpected value type: 0, error found in #0 byte of ...|/* c */5|..., bigger context ...|/* c */5|...",
  ],
  ["'a'", "Read: unexpected value type: 0, error found in #0 byte of ...|'a'|..., bigger context ...|'a'|..."],
  ["NaN", "Read: unexpected value type: 0, error found in #0 byte of ...|NaN|..., bigger context ...|NaN|..."],
  [
    "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25 26,27,28,29,30,31,32,33,34,35,36,37,38,39,40]",
    "ReadArrayCB: expect ] in the end, but found 2, error found in #10 byte of ...|23,24,25 26,27,28,29|..., bigger context ...|,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25 26,27,28,29,30,31,32,33,34,35,36,37,38,39,40]|...",
  ],
]

// Text and how it is written again, by the same library.
const readings: readonly [text: string, written: string][] = [
  ['{"a":1,null:2}', '{"":2,"a":1}'],
  ["-+5", "-5"],
  ['"\\ud83d\\ude00"', '"😀"'],
  ['"\\ud83d"', '"�"'],
  ['"\\ude00\\ud83d"', '"��"'],
  ['"\\ud83d\\ud83d\\ude00"', '"���"'],
  ['"\\ud83dx"', '"�x"'],
  ['"\\ud83d\\n"', '"�\\n"'],
  ['"\\n\u0001raw"', '"\\n\\u0001raw"'],
  ["[0.1,1e2,1E-7,-0.5,123456789012345678901234567890]", "[0.1,100,1e-07,-0.5,1.2345678901234568e+29]"],
  ['{"b":1,"a":{"d":[],"c":{}}}', '{"a":{"c":{},"d":[]},"b":1}'],
  ['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041"', '"\\"\\\\/\\u0008\\u000c\\n\\r\\tA"'],
  ['"<&>\u2028"', '"\\u003c\\u0026\\u003e\\u2028"'],
  ["  [ 1 , 2 ]\r\n", "[1,2]"],
  ["1e308", "1e+308"],
  ['{"":{"":""}}', '{"":{"":""}}'],
]

describe("parseJson", () => {
  it.each(faults)("refuses %j", (text, message) => {
    expect(() => parseJson(text)).toThrow(new ParseError(message))
  })

  // Go has floats only: the integers here are small, or so large that they are floats for us as well.
  it.each(readings)("reads %j as Go does", (text, written) => {
    expect(formatJson(parseJson(text))).toBe(written)
  })

  it.each([
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["-9007199254740993", -9007199254740993n],
    ["9223372036854775807", 9223372036854775807n],
    ["-9223372036854775808", -9223372036854775808n],
    ["9223372036854775808", 2 ** 63],
    ["9007199254740993.0", 2 ** 53],
    ["1e3", 1000],
    ["-0", 0],
    ["-0.0", -0],
  ])("reads the number %s", (text, value) => {
    expect(parseJson(text)).toBe(value)
    expect(parseJson(`{"a":[${text}]}`)).toEqual({ a: [value] })
    const around = [`[1,${text}]`, `{"b":0,"a":${text}}`, `{"a" :\t${text}\n}`, `[\r\n${text},1]`, ` ${text} `]
    for (const json of around) expect(formatJson(parseJson(json))).toContain(formatJson(value))
    const [[inside]] = [parseJson(`[${text}]`) as Value[]]
    expect(Object.is(inside, value)).toBe(true)
  })

  it.each(["web-0", "2e271", "1234567890123456789", ": -0", ",1e999", "\ud83d\ude00"])(
    "reads %j within a text",
    text => {
      expect(parseJson(JSON.stringify({ [text]: [text] }))).toEqual({ [text]: [text] })
    },
  )

  it("uses the last of equal keys in both readers", () => {
    expect(parseJson('{"a":1,"b":2,"a":3}')).toEqual({ a: 3, b: 2 })
    expect(parseJson('{"a":1,"b":9007199254740993,"a":3}')).toEqual({ a: 3, b: 9007199254740993n })
  })

  it.each(['{"__proto__":{"x":1}}', '{"__proto__":{"x":9007199254740993}}'])("keeps __proto__ a key in %s", text => {
    const value = parseJson(text) as Record<string, Value>
    expect(Object.keys(value)).toEqual(["__proto__"])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(formatJson(value)).toBe(text)
  })

  it("nests 10,000 deep and no deeper, without overflowing the stack", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth)
    expect(formatJson(parseJson(nested(10_000)))).toBe(nested(10_000))
    const text = `{"big":9007199254740993,"deep":${nested(9_999)}}`
    expect(formatJson(parseJson(text))).toBe(text)
    for (const depth of [10_001, 1_000_000]) {
      expect(() => parseJson(nested(depth))).toThrow(/^incrementDepth: exceeded max depth, error found in #10 byte/)
    }
  })

  it.each(["[]", "{}", "[1]", '{"a":1}', "[[],{}]", '{"a":{},"b":[]}'])(
    "does not count %s as open when it is done",
    done => {
      const text = `[9007199254740993,${`${done},`.repeat(10_001)}"last"]`
      expect(parseJson(text)).toHaveLength(10_003)
      const nested = `${"[".repeat(9_999)}9007199254740993${"]".repeat(9_999)}`
      expect(formatJson(parseJson(`[${done},${nested}]`))).toBe(`[${done},${nested}]`)
      expect(() => parseJson(`[${done},[${nested}]]`)).toThrow("exceeded max depth")
    },
  )

  it.each([
    ["maps", '{"a":', "1", "}"],
    ["lists that have items", "[1,", "1", "]"],
  ])("counts %s as nesting in a text that JSON.parse would read", (_, open, inside, close) => {
    const nested = (depth: number): string => open.repeat(depth) + inside + close.repeat(depth)
    expect(formatJson(parseJson(nested(10_000)))).toBe(nested(10_000))
    expect(() => parseJson(nested(10_001))).toThrow("exceeded max depth")
  })

  it("does not take brackets in strings for nesting", () => {
    const text = JSON.stringify(["[".repeat(30_000), '\\"[', "{".repeat(20_000)])
    expect(formatJson(parseJson(text))).toBe(text)
  })
})

describe("tryParseJson", () => {
  it("returns the value of a JSON text", () => {
    expect([tryParseJson("null"), tryParseJson('{"a":9007199254740993}')]).toEqual([null, { a: 9007199254740993n }])
  })

  it.each(faults.slice(0, 3))("returns undefined for %j", text => {
    expect(tryParseJson(text)).toBeUndefined()
  })

  it("throws for an argument that is not a text", () => {
    expect(() => tryParseJson(1 as unknown as string)).toThrow(TypeError)
  })
})

describe("parseJsonFloats", () => {
  it("reads every number as a float, and refuses those that no float can hold", () => {
    expect(parseJsonFloats("[9007199254740993, -0, 1e2]")).toEqual([9007199254740992, -0, 100])
    for (const large of ["9".repeat(400), `1${"0".repeat(309)}`, "1e999"]) {
      expect(() => parseJsonFloats(large)).toThrow(`strconv.ParseFloat: parsing "${large}": value out of range`)
    }
  })
})

describe("formatJson", () => {
  it.each<[Value, string]>([
    [{ b: 1, a: [true, null], "": "x" }, '{"":"x","a":[true,null],"b":1}'],
    [{ "\u{1f600}": 1, "\uff00": 2 }, '{"\uff00":2,"\u{1f600}":1}'],
    [[1e21, 1e-7, 1e20, 1e-6, -0, 5e-324], "[1e+21,1e-07,100000000000000000000,0.000001,-0,5e-324]"],
    [[9007199254740993n, -9223372036854775808n], "[9007199254740993,-9223372036854775808]"],
    [{ "<": "&" }, '{"\\u003c":"\\u0026"}'],
    ["\u2028\u2029\u007f", '"\\u2028\\u2029\u007f"'],
    ["\ud83d \ude00 \u{1f600}", '"\ufffd \ufffd \u{1f600}"'],
    ["\b\f\v\0", '"\\u0008\\u000c\\u000b\\u0000"'],
    [[], "[]"],
    [{}, "{}"],
    [[[], {}], "[[],{}]"],
  ])("writes %#: %o", (value, text) => {
    expect(formatJson(deepFreeze(value))).toBe(text)
  })

  it.each([
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "+Inf"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
    [undefined, "undefined"],
    [() => 1, "function"],
  ])("refuses %s", (value, name) => {
    const error = new ValidationError([{ path: "", message: `unsupported value: ${name}` }])
    expect(() => formatJson(value as Value)).toThrow(error)
    expect(() => formatJson({ a: [value as Value] })).toThrow(error)
  })

  it("refuses values that contain themselves", () => {
    const loop: Value[] = []
    loop.push(loop)
    expect(() => formatJson(loop)).toThrow(new ValidationError([{ path: "", message: "exceeded max depth" }]))
  })
})

describe("writeJson", () => {
  it("keeps the order of keys, and escapes only what is necessary", () => {
    expect(writeJson({ b: "<&>\u2028", a: 9007199254740993n })).toBe('{"b":"<&>\u2028","a":9007199254740993}')
  })

  it("indents", () => {
    expect(writeJson({ b: [1, { c: [] }], a: {} }, { indent: 2 })).toBe(
      '{\n  "b": [\n    1,\n    {\n      "c": []\n    }\n  ],\n  "a": {}\n}',
    )
    expect(writeJson([[1]], { indent: 12 })).toBe(`[\n${" ".repeat(12)}[\n${" ".repeat(24)}1\n${" ".repeat(12)}]\n]`)
  })

  // A bigint keeps JSON.stringify from writing the value.
  it.each<[string, Value, string]>([
    ["control characters", "\b\f\n\r\t\u0001\u007f\\b\\f", '"\\u0008\\u000c\\n\\r\\t\\u0001\u007f\\\\b\\\\f"'],
    ["other characters", '<a> & "\u2028" \u00e9\u{1f600}', '"<a> & \\"\u2028\\" \u00e9\u{1f600}"'],
    ["single surrogates", "a\ud800b\\ud800", '"a\ufffdb\\\\ud800"'],
    ["numbers", [1e-7, -1e-7, 1e-10, 1e-6, 1e21, -0, 0, 1.5], "[1e-07,-1e-07,1e-10,0.000001,1e+21,-0,0,1.5]"],
    ["keys in their own order", { b: 1, a: [{}, { d: null, c: true }] }, '{"b":1,"a":[{},{"d":null,"c":true}]}'],
    ["keys that objects have", parseJson('{"__proto__":1,"toJSON":"a"}'), '{"__proto__":1,"toJSON":"a"}'],
  ])("writes %s", (_, value, text) => {
    expect(writeJson([value])).toBe(`[${text}]`)
    expect(writeJson([value, 2n ** 62n])).toBe(`[${text},4611686018427387904]`)
    expect(writeJson([value], { indent: 1 })).toBe(
      writeJson([value, 2n ** 62n], { indent: 1 }).replace(/,\n 4611.*/, ""),
    )
  })

  it("refuses values that contain themselves or are not JSON", () => {
    const map: Record<string, Value> = {}
    map.map = map
    expect(() => writeJson(map)).toThrow("exceeded max depth")
    for (const value of [Number.NaN, undefined, () => 1, new Date(0)])
      expect(() => writeJson([value as Value])).toThrow(ValidationError)
  })
})

describe("quoting", () => {
  it.each([
    ["plain", '"plain"', '"plain"', '"plain"'],
    ['"\\', '"\\"\\\\"', '"\\"\\\\"', '"\\"\\\\"'],
    ["<&>", '"\\u003c\\u0026\\u003e"', '"<&>"', '"<&>"'],
    ["\n\u0001", '"\\n\\u0001"', '"\\n\\u0001"', '"\\n\\x01"'],
    ["é\u{1f600}", '"é\u{1f600}"', '"é\u{1f600}"', '"é\u{1f600}"'],
    ["\u2028", '"\\u2028"', '"\u2028"', '"\\u2028"'],
    ["\udc00", '"\ufffd"', '"\ufffd"', '"\ufffd"'],
  ])("%j", (text, json, plain, go) => {
    expect([quoteJson(text), quotePlainJson(text), quoteGo(text)]).toEqual([json, plain, go])
  })
})

describe("numbers", () => {
  it.each([
    [1e6, "1000000", "1e+06", "1000000"],
    [1234567.5, "1.2345675e+06", "1.2345675e+06", "1234567.5"],
    [0.00012, "0.00012", "0.00012", "0.00012"],
    [0.000012, "1.2e-05", "1.2e-05", "0.000012"],
    [1e21, "1e+21", "1e+21", "1e+21"],
    [-0, "-0", "-0", "-0"],
    [0, "0", "0", "0"],
  ])("%d", (value, shown, float, json) => {
    expect([formatNumber(value), formatFloat(value), formatNumberAsJson(value)]).toEqual([shown, float, json])
  })

  it("reads digits exactly within 64 bits", () => {
    expect(["7", "-9007199254740993", "18446744073709551616"].map(parseInteger)).toEqual([
      7,
      -9007199254740993n,
      2 ** 64,
    ])
  })
})

describe("formatGoJson", () => {
  it.each<[string, Value, string]>([
    ["keys sorted", { b: 1, a: { d: null, c: [true, "x"] } }, '{"a":{"c":[true,"x"],"d":null},"b":1}'],
    ["escapes for HTML", "<a> & \u2028", '"\\u003ca\\u003e \\u0026 \\u2028"'],
    ["escapes of control characters", "\b\f\n\t\u0001\\b", '"\\b\\f\\n\\t\\u0001\\\\b"'],
    ["a text that looks like an escape", "\\u0008", '"\\\\u0008"'],
    ["other characters as they are", "é\u{1f600}", '"é\u{1f600}"'],
    ["numbers", [1e-7, 1e21, -0, 1.5, 12345678901234567890n], "[1e-7,1e+21,-0,1.5,12345678901234567890]"],
    [
      "many keys sorted",
      Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${(i * 7) % 40}`, i])),
      JSON.stringify(
        Object.fromEntries(
          Array.from({ length: 40 }, (_, i) => [`k${(i * 7) % 40}`, i] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
        ),
      ),
    ],
    ["keys like indexes sorted", { 9: 1, 10: 2, a: 3 }, '{"10":2,"9":1,"a":3}'],
    [
      "keys in the order of their bytes",
      { ü: 1, z: 1, "\u{1f600}": 1, "\uffff": 1 },
      '{"z":1,"ü":1,"\uffff":1,"\u{1f600}":1}',
    ],
  ])("writes %s", (_, value, text) => {
    expect(formatGoJson(value)).toBe(text)
  })

  it.each<[string, Value, string]>([
    ["keys in their own order", { b: 1, a: [{ d: 1, c: 1 }] }, '{"b":1,"a":[{"d":1,"c":1}]}'],
    ["escapes for HTML", { "<a>": "&\u2028\u2029<" }, '{"\\u003ca\\u003e":"\\u0026\\u2028\\u2029\\u003c"}'],
    [
      "escapes of control characters",
      ['\b\f\n\r\t\u0001\u007f"\\ud800'],
      '["\\b\\f\\n\\r\\t\\u0001\u007f\\"\\\\ud800"]',
    ],
    ["single surrogates replaced", ["a\ud800b", "\u{1f600}"], '["a\ufffdb","\u{1f600}"]'],
    ["numbers", [1e-7, 1e21, 1.5, -1, true, null], "[1e-7,1e+21,1.5,-1,true,null]"],
    ["-0", { a: [-0] }, '{"a":[-0]}'],
    ["large integers", { a: [12345678901234567890n] }, '{"a":[12345678901234567890]}'],
    ["keys that objects have", parseJson('{"__proto__":1,"toJSON":"a"}'), '{"__proto__":1,"toJSON":"a"}'],
    ["deep values", parseJson("[".repeat(2000) + "]".repeat(2000)), "[".repeat(2000) + "]".repeat(2000)],
  ])("writes %s without sorting", (_, value, text) => {
    expect(formatGoJson(value, { sorted: false })).toBe(text)
  })

  it("refuses values that contain themselves or are not JSON", () => {
    const map: Record<string, Value> = {}
    map.map = map
    for (const sorted of [true, false]) {
      expect(() => formatGoJson(map, { sorted })).toThrow("exceeded max depth")
      for (const value of [Number.NaN, Number.POSITIVE_INFINITY, undefined, () => 1, new Date(0)]) {
        expect(() => formatGoJson({ value: value as Value }, { sorted })).toThrow(ValidationError)
      }
    }
  })
})
