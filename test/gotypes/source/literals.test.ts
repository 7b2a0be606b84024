/** String literals and struct tags of Go. */
import { describe, expect, it } from "vitest"
import { structTags, unquote } from "../../../src/gotypes/source/literals.js"

describe("unquote", () => {
  it.each([
    ['""', ""],
    ['"a b"', "a b"],
    ["``", ""],
    ["`a\\n\"b'`", "a\\n\"b'"],
    ["`a\r\nb\r`", "a\nb"],
    [String.raw`"\a\b\f\n\r\t\v\\\'\""`, "\u0007\b\f\n\r\t\v\\'\""],
    [String.raw`"\x41\x62c"`, "Abc"],
    [String.raw`"\101\060\0601"`, "A001"],
    [String.raw`"\xc3\xa9\303\251é"`, "ééé"],
    [String.raw`"\xe2\x82\xac\xf0\x9f\x98\x80"`, "€😀"],
    [String.raw`"\xff"`, "\ufffd"],
    [String.raw`"\377\x41"`, "\ufffdA"],
    [String.raw`"\u00e9\u20AC"`, "é€"],
    [String.raw`"\U0001F600\U0010FFFF"`, "😀\u{10ffff}"],
    [String.raw`"\U00110000"`, "\ufffd"],
    [String.raw`"\ud7ff\ud800\udfff\ue000"`, "\ud7ff\ufffd\ufffd\ue000"],
    [String.raw`"\\x41\\u0041"`, "\\x41\\u0041"],
  ])("%s", (literal, expected) => {
    expect(unquote(literal)).toBe(expected)
  })
})

describe("structTags", () => {
  it.each<[string, [string, string][]]>([
    ["", []],
    ["  ", []],
    ['json:"a,omitempty"', [["json", "a,omitempty"]]],
    [
      '  json:"a" protobuf:"bytes,1"  x:"" ',
      [
        ["json", "a"],
        ["protobuf", "bytes,1"],
        ["x", ""],
      ],
    ],
    [
      'a:"1"b:"2"',
      [
        ["a", "1"],
        ["b", "2"],
      ],
    ],
    [
      String.raw`a:"x\"y\\" b:"z"`,
      [
        ["a", 'x"y\\'],
        ["b", "z"],
      ],
    ],
    ['json:"first" json:"second"', [["json", "first"]]],
    ['a-b.c/d:"x"', [["a-b.c/d", "x"]]],
  ])("%j", (tag, expected) => {
    expect([...(structTags(tag) ?? [])]).toEqual(expected)
  })

  it.each([
    "json",
    "json:",
    "json:a",
    'json:"a',
    ':"a"',
    'a b:"c"',
    'a :"b"',
    'a: "b"',
    'a:"b" c',
    String.raw`a:"b\"`,
    "a:`b`",
  ])("%j is malformed", tag => {
    expect(structTags(tag)).toBeUndefined()
  })
})
