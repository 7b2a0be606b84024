import { describe, expect, it } from "vitest"
import { ParseError } from "../../../src/errors.js"
import { fieldElement, keyElement } from "../../../src/fieldpath/create-element.js"
import { formatElement, formatFieldsV1Key, type PathElement } from "../../../src/fieldpath/element.js"
import { parseFieldsV1Key } from "../../../src/fieldpath/fieldsv1/key.js"
import { decodeFields } from "../../../src/fieldpath/fieldsv1/object.js"
import { formatFieldsV1, parseFieldsV1 } from "../../../src/fieldpath/fieldsv1/text.js"
import { FieldSet } from "../../../src/fieldpath/set.js"

// Keys of FieldsV1, how they are written again, and how paths show them.
const elements: readonly [text: string, written: string][] = [
  ["f:a", "f:a .a"],
  ["f:", "f: ."],
  ["f:a:b", "f:a:b .a:b"],
  ["k:{}", "k:{} []"],
  ['k:{"name":"x"}', 'k:{"name":"x"} [name="x"]'],
  ['k:{"b":1,"a":"y"}', 'k:{"a":"y","b":1} [a="y",b=1]'],
  ['k: { "a" : [1,{"y":2,"x":1}] } ', 'k:{"a":[1,{"x":1,"y":2}]} [a=[1,x=1y=2]]'],
  ["v:1", "v:1 [=1]"],
  ["v:1.50", "v:1.5 [=1.5]"],
  ['v:"s"', 'v:"s" [="s"]'],
  ["v:true", "v:true [=true]"],
  ["v:null", "v:null [=null]"],
  ["v:2147483648", "v:2147483648 [=2.147483648e+09]"],
  ["v:100000000000000000000000", "v:1e+23 [=1e+23]"],
  ['k:{"n":9007199254740993}', 'k:{"n":9007199254740992} [n=9.007199254740992e+15]'],
  ["i:0", "i:0 [0]"],
  ["i:-3", "i:-3 [-3]"],
  ["i:+7", "i:7 [7]"],
  ['v:"<"', 'v:"\\u003c" [="<"]'],
]

const elementFaults: readonly [text: string, message: string][] = [
  ["", "key must be 2 characters long:"],
  ["f", "key must be 2 characters long:"],
  ["é", "missing colon: é"],
  ["fa", "missing colon: fa"],
  ["é:x", "missing colon: é:x"],
  ["i:", 'strconv.Atoi: parsing "": invalid syntax'],
  ["i:1x", 'strconv.Atoi: parsing "1x": invalid syntax'],
  ["i:9223372036854775808", 'strconv.Atoi: parsing "9223372036854775808": value out of range'],
  ["v:", "Read: unexpected value type: 0, error found in #0 byte of ...||..., bigger context ...||..."],
  ["v:x", "Read: unexpected value type: 0, error found in #0 byte of ...|x|..., bigger context ...|x|..."],
  [
    "v:1 1",
    "managedFields parsing: unexpected trailing data after JSON object, error found in #2 byte of ...|1 1|..., bigger context ...|1 1|...",
  ],
  ["k:", "ReadObjectCB: expect { or n, but found \u0000, error found in #0 byte of ...||..., bigger context ...||..."],
  ["k:1", "ReadObjectCB: expect { or n, but found 1, error found in #1 byte of ...|1|..., bigger context ...|1|..."],
  [
    "k:{",
    'ReadObjectCB: expect " after {, but found \u0000, error found in #1 byte of ...|{|..., bigger context ...|{|...',
  ],
  [
    'k:{"a":}',
    'Read: unexpected value type: 0, error found in #5 byte of ...|{"a":}|..., bigger context ...|{"a":}|...',
  ],
  [
    'k:{"a":1}}',
    'managedFields parsing: unexpected trailing data after JSON object, error found in #7 byte of ...|{"a":1}}|..., bigger context ...|{"a":1}}|...',
  ],
]

describe("path elements", () => {
  it.each(elements)("reads %s", (text, expected) => {
    const element = parseFieldsV1Key(text) as PathElement
    expect(`${formatFieldsV1Key(element)} ${formatElement(element)}`).toBe(expected)
  })

  it.each(elementFaults)("refuses %j", (text, message) => {
    expect(() => parseFieldsV1Key(text)).toThrow(new ParseError(message))
  })

  it.each(["x:a", "F:a", " :a", "::"])("does not know %j", text => {
    expect(parseFieldsV1Key(text)).toBeUndefined()
  })
})

// Texts of sets and what upstream v6.4.2 says about them.
const faults: readonly [text: string, message: string][] = [
  ["", "ReadMapCB: expect { or n, but found \u0000, error found in #0 byte of ...||..., bigger context ...||..."],
  ["  ", "ReadMapCB: expect { or n, but found \u0000, error found in #0 byte of ...|  |..., bigger context ...|  |..."],
  ["nul", "skipThreeBytes: expect ull, error found in #3 byte of ...|nul|..., bigger context ...|nul|..."],
  ["5", "ReadMapCB: expect { or n, but found 5, error found in #1 byte of ...|5|..., bigger context ...|5|..."],
  ["[]", "ReadMapCB: expect { or n, but found [, error found in #1 byte of ...|[]|..., bigger context ...|[]|..."],
  ['"x"', 'ReadMapCB: expect { or n, but found ", error found in #1 byte of ...|"x"|..., bigger context ...|"x"|...'],
  ["{", 'ReadMapCB: expect " after {, but found \u0000, error found in #1 byte of ...|{|..., bigger context ...|{|...'],
  [
    "{}}",
    "managedFields parsing: unexpected trailing data after JSON object, error found in #2 byte of ...|{}}|..., bigger context ...|{}}|...",
  ],
  [
    "{} {}",
    "managedFields parsing: unexpected trailing data after JSON object, error found in #3 byte of ...|{} {}|..., bigger context ...|{} {}|...",
  ],
  [
    '{"f:a"}',
    'ReadMapCB: expect : after object field, but found ", error found in #7 byte of ...|{"f:a"}|..., bigger context ...|{"f:a"}|...',
  ],
  [
    '{"f:a":}',
    'ReadMapCB: expect { or n, but found }, error found in #8 byte of ...|{"f:a":}|..., bigger context ...|{"f:a":}|...',
  ],
  [
    '{"f:a":1}',
    'ReadMapCB: expect { or n, but found 1, error found in #8 byte of ...|{"f:a":1}|..., bigger context ...|{"f:a":1}|...',
  ],
  [
    '{"f:a":{}',
    'ReadMapCB: object not ended with }, error found in #9 byte of ...|{"f:a":{}|..., bigger context ...|{"f:a":{}|...',
  ],
  [
    '{"f:a":{},',
    'ReadString: expects " or n, but found \u0000, error found in #10 byte of ...|{"f:a":{},|..., bigger context ...|{"f:a":{},|...',
  ],
  [
    '{"f:a":{},}',
    'ReadString: expects " or n, but found }, error found in #10 byte of ...|"f:a":{},}|..., bigger context ...|{"f:a":{},}|...',
  ],
  [
    '{"f:a"x{}}',
    'ReadMapCB: expect : after object field, but found ", error found in #7 byte of ...|{"f:a"x{}}|..., bigger context ...|{"f:a"x{}}|...',
  ],
  [
    '{"f:a":{} "f:b":{}}',
    'ReadMapCB: object not ended with }, error found in #10 byte of ...|"f:a":{} "f:b":{}}|..., bigger context ...|{"f:a":{} "f:b":{}}|...',
  ],
  [
    "{f:a}",
    'ReadMapCB: expect " after {, but found f, error found in #2 byte of ...|{f:a}|..., bigger context ...|{f:a}|...',
  ],
  [
    '{"f:a":{"f:b":[]}}',
    'ReadMapCB: expect { or n, but found [, error found in #10 byte of ...|":{"f:b":[]}}|..., bigger context ...|{"f:a":{"f:b":[]}}|...',
  ],
  [
    '{"":{}}',
    'parsing key as path element: key must be 2 characters long:, error found in #4 byte of ...|{"":{}}|..., bigger context ...|{"":{}}|...',
  ],
  [
    '{"a":{}}',
    'parsing key as path element: key must be 2 characters long:, error found in #5 byte of ...|{"a":{}}|..., bigger context ...|{"a":{}}|...',
  ],
  [
    '{"ab":{}}',
    'parsing key as path element: missing colon: ab, error found in #6 byte of ...|{"ab":{}}|..., bigger context ...|{"ab":{}}|...',
  ],
  [
    '{"é:":{}}',
    'parsing key as path element: missing colon: é:, error found in #7 byte of ...|{"é:":{}}|..., bigger context ...|{"é:":{}}|...',
  ],
  [
    '{"é":{}}',
    'parsing key as path element: missing colon: é, error found in #6 byte of ...|{"é":{}}|..., bigger context ...|{"é":{}}|...',
  ],
  [
    '{"i:x":{}}',
    'parsing key as path element: strconv.Atoi: parsing "x": invalid syntax, error found in #7 byte of ...|{"i:x":{}}|..., bigger context ...|{"i:x":{}}|...',
  ],
  [
    '{"i:99999999999999999999":{}}',
    'parsing key as path element: strconv.Atoi: parsing "99999999999999999999": value out of range, error found in #10 byte of ...|99999999":{}}|..., bigger context ...|{"i:99999999999999999999":{}}|...',
  ],
  [
    '{"v:":{}}',
    'parsing key as path element: Read: unexpected value type: 0, error found in #0 byte of ...||..., bigger context ...||..., error found in #6 byte of ...|{"v:":{}}|..., bigger context ...|{"v:":{}}|...',
  ],
  [
    '{"v:nope":{}}',
    'parsing key as path element: skipFourBytes: expect null, error found in #2 byte of ...|nope|..., bigger context ...|nope|..., error found in #10 byte of ...|{"v:nope":{}}|..., bigger context ...|{"v:nope":{}}|...',
  ],
  [
    '{"v:1 2":{}}',
    'parsing key as path element: managedFields parsing: unexpected trailing data after JSON object, error found in #2 byte of ...|1 2|..., bigger context ...|1 2|..., error found in #9 byte of ...|{"v:1 2":{}}|..., bigger context ...|{"v:1 2":{}}|...',
  ],
  [
    '{"k:{":{}}',
    'parsing key as path element: ReadObjectCB: expect " after {, but found \u0000, error found in #1 byte of ...|{|..., bigger context ...|{|..., error found in #7 byte of ...|{"k:{":{}}|..., bigger context ...|{"k:{":{}}|...',
  ],
  [
    '{"k:[1]":{}}',
    'parsing key as path element: ReadObjectCB: expect { or n, but found [, error found in #1 byte of ...|[1]|..., bigger context ...|[1]|..., error found in #9 byte of ...|{"k:[1]":{}}|..., bigger context ...|{"k:[1]":{}}|...',
  ],
  [
    '{"k:{\\"a\\":1}x":{}}',
    'parsing key as path element: managedFields parsing: unexpected trailing data after JSON object, error found in #7 byte of ...|{"a":1}x|..., bigger context ...|{"a":1}x|..., error found in #10 byte of ...|"a\\":1}x":{}}|..., bigger context ...|{"k:{\\"a\\":1}x":{}}|...',
  ],
  [
    '{"k:{\\"a\\" 1}":{}}',
    'parsing key as path element: ReadObject: expect : after object field, but found 1, error found in #6 byte of ...|{"a" 1}|..., bigger context ...|{"a" 1}|..., error found in #10 byte of ...|\\"a\\" 1}":{}}|..., bigger context ...|{"k:{\\"a\\" 1}":{}}|...',
  ],
  [
    '{"k:{a:1}":{}}',
    'parsing key as path element: ReadObjectCB: expect " after {, but found a, error found in #2 byte of ...|{a:1}|..., bigger context ...|{a:1}|..., error found in #10 byte of ...|"k:{a:1}":{}}|..., bigger context ...|{"k:{a:1}":{}}|...',
  ],
  [
    '{"k:{\\"a\\":1,}":{}}',
    'parsing key as path element: ReadString: expects " or n, but found }, error found in #8 byte of ...|{"a":1,}|..., bigger context ...|{"a":1,}|..., error found in #10 byte of ...|"a\\":1,}":{}}|..., bigger context ...|{"k:{\\"a\\":1,}":{}}|...',
  ],
  [
    '{"x:a":nope}',
    'skipThreeBytes: expect ull, error found in #9 byte of ...|{"x:a":nope}|..., bigger context ...|{"x:a":nope}|...',
  ],
  [
    '{"x:a":[1,}',
    'Skip: do not know how to skip: 125, error found in #10 byte of ...|"x:a":[1,}|..., bigger context ...|{"x:a":[1,}|...',
  ],
  [
    '{"x:a":{"b" 1}}',
    'ReadObject: expect : after object field, but found 1, error found in #10 byte of ...|:a":{"b" 1}}|..., bigger context ...|{"x:a":{"b" 1}}|...',
  ],
  [
    '{"x:a":{"b":1 }',
    'ReadMapCB: object not ended with }, error found in #10 byte of ...|":{"b":1 }|..., bigger context ...|{"x:a":{"b":1 }|...',
  ],
  [
    '{".":01}',
    'readFloat32: leading zero is invalid, error found in #5 byte of ...|{".":01}|..., bigger context ...|{".":01}|...',
  ],
  [
    '{xf:a":{}}',
    'ReadMapCB: expect " after {, but found x, error found in #2 byte of ...|{xf:a":{}}|..., bigger context ...|{xf:a":{}}|...',
  ],
  [
    '{"f:a":{},xf:b":{}}',
    'ReadString: expects " or n, but found x, error found in #10 byte of ...|"f:a":{},xf:b":{}}|..., bigger context ...|{"f:a":{},xf:b":{}}|...',
  ],
  [
    '{".":-}',
    'readNumberAsString: invalid number, error found in #6 byte of ...|{".":-}|..., bigger context ...|{".":-}|...',
  ],
  [
    '{".":-e}',
    'readNumberAsString: invalid number, error found in #7 byte of ...|{".":-e}|..., bigger context ...|{".":-e}|...',
  ],
  [
    '{".":1e400,"f:a":{}}',
    'readNumberAsString: invalid number, error found in #10 byte of ...|{".":1e400,"f:a":{}}|..., bigger context ...|{".":1e400,"f:a":{}}|...',
  ],
  ['{".":0.1e40}', 'strconv.ParseFloat: parsing "0.1e40": value out of range'],
  [
    '{".":1.25.5,"f:a":{}}',
    'validateNumber: more than one dot found in number, error found in #6 byte of ...|{".":1.25.5,"f:a|..., bigger context ...|{".":1.25.5,"f:a":{}}|...',
  ],
  [
    '{".":1.}',
    'validateNumber: missing digit after dot, error found in #6 byte of ...|{".":1.}|..., bigger context ...|{".":1.}|...',
  ],
  [
    '{".":1..2}',
    'validateNumber: missing digit after dot, error found in #6 byte of ...|{".":1..2}|..., bigger context ...|{".":1..2}|...',
  ],
  [
    '{".":1.x}',
    'validateNumber: missing digit after dot, error found in #6 byte of ...|{".":1.x}|..., bigger context ...|{".":1.x}|...',
  ],
  [
    '{".":"\u0001"}',
    'trySkipString: invalid control character found: 1, error found in #6 byte of ...|{".":"\u0001"}|..., bigger context ...|{".":"\u0001"}|...',
  ],
  [
    '{".":12',
    'ReadMapCB: object not ended with }, error found in #6 byte of ...|{".":12|..., bigger context ...|{".":12|...',
  ],
  [
    '{".":1e5',
    'ReadMapCB: object not ended with }, error found in #6 byte of ...|{".":1e5|..., bigger context ...|{".":1e5|...',
  ],
  [
    '{"f:\\q":{}}',
    'readEscapedChar: invalid escape char after \\, error found in #6 byte of ...|{"f:\\q":{}}|..., bigger context ...|{"f:\\q":{}}|...',
  ],
  [
    '{"f:\\u00',
    'readStringSlowPath: unexpected end of input, error found in #8 byte of ...|{"f:\\u00|..., bigger context ...|{"f:\\u00|...',
  ],
  [
    '{"f:a',
    'readStringSlowPath: unexpected end of input, error found in #5 byte of ...|{"f:a|..., bigger context ...|{"f:a|...',
  ],
  [
    '{"f:\u0001":{}}',
    'ReadString: invalid control character found: 1, error found in #2 byte of ...|{"f:\u0001":{}}|..., bigger context ...|{"f:\u0001":{}}|...',
  ],
  [
    '{"f:日本語日本語":x}',
    'ReadMapCB: expect { or n, but found x, error found in #10 byte of ...|�本語":x}|..., bigger context ...|{"f:日本語日本語":x}|...',
  ],
  [
    '{"f:a":{},null:{}}',
    'parsing key as path element: key must be 2 characters long:, error found in #10 byte of ...|":{},null:{}}|..., bigger context ...|{"f:a":{},null:{}}|...',
  ],
]

const longFaults = [
  'ReadString: expects " or n, but found ,, error found in #10 byte of ...|0259":{},,}|..., bigger context ...|:field0257":{},"f:field0258":{},"f:field0259":{},,}|...',
  'ReadMapCB: object not ended with }, error found in #10 byte of ...|0239":{} x|..., bigger context ...|:field0237":{},"f:field0238":{},"f:field0239":{} x|...',
]

// Texts of sets, and how upstream writes them again.
const readings: readonly [text: string, written: string][] = [
  ["{}", "{}"],
  ["null", "{}"],
  [" {\n} ", "{}"],
  ['{"f:a":{}}', '{"f:a":{}}'],
  ['{"f:a":null}', '{"f:a":{}}'],
  ['{"f:a":{".":{}}}', '{"f:a":{}}'],
  ['{".":{}}', "{}"],
  ['{".":{"x":[1,2]},"f:a":{}}', '{"f:a":{}}'],
  ['{"f:b":{},"f:a":{}}', '{"f:a":{},"f:b":{}}'],
  ['{"f:a":{},"f:a":{"f:b":{}}}', '{"f:a":{".":{},"f:b":{}}}'],
  ['{"f:a":{"f:b":{}},"f:a":{}}', '{"f:a":{".":{},"f:b":{}}}'],
  ['{"f:a":{"f:b":{}},"f:a":{"f:c":{}}}', '{"f:a":{"f:c":{}}}'],
  ['{"f:a":{"f:b":{}},"f:0":{},"f:a":{"f:c":{}}}', '{"f:0":{},"f:a":{"f:c":{}}}'],
  ['{"f:a":{".":{},"f:b":{}},"f:a":{"f:c":{}}}', '{"f:a":{".":{},"f:c":{}}}'],
  ['{"x:a":{"f:b":{}},"f:a":{}}', '{"f:a":{}}'],
  ['{"f:a":{"x:b":{}}}', '{"f:a":{}}'],
  ['{"f:a":{"x:b":[1,{"c":"\\n"},-1.5,true,false,null,"s"],".":0}}', '{"f:a":{}}'],
  ['{"i:1":{},"v:1":{},"k:{\\"a\\":1}":{},"f:a":{}}', '{"f:a":{},"k:{\\"a\\":1}":{},"v:1":{},"i:1":{}}'],
  ['{"v:1.0":{},"v:1":{}}', '{"v:1":{}}'],
  ['{"v:1e-7":{},"v:1e21":{},"v:-0":{}}', '{"v:-0":{},"v:1e-07":{},"v:1e+21":{}}'],
  ['{"k:{\\"b\\":\\"<\\",\\"a\\":true}":{}}', '{"k:{\\"a\\":true,\\"b\\":\\"\\\\u003c\\"}":{}}'],
  ['{"k:{}":{},"k:null":{}}', '{"k:{}":{}}'],
  ['{"k:{\\"a\\":1,\\"a\\":2}":{}}', '{"k:{\\"a\\":1,\\"a\\":2}":{}}'],
  [
    '{"f:<&>":{},"v:\\"<&>\\"":{},"k:{\\"<\\":\\"\u2028\\"}":{},"f:\u2028":{}}',
    '{"f:<&>":{},"f:\u2028":{},"k:{\\"<\\":\\"\\\\u2028\\"}":{},"v:\\"\\\\u003c\\\\u0026\\\\u003e\\"":{}}',
  ],
  ['{"f:\\u0041":{},"\\u0066:B":{}}', '{"f:A":{},"f:B":{}}'],
  [
    '{"f:":{},"f:.":{},"f:a.b":{},"f:\\"q\\"":{},"f:a\\\\b":{},"f:\\n":{}}',
    '{"f:":{},"f:\\n":{},"f:\\"q\\"":{},"f:.":{},"f:a.b":{},"f:a\\\\b":{}}',
  ],
  ['{"f:😀":{},"f:＀":{},"f:\\ud83d\\ude00x":{},"f:\\ud83d":{}}', '{"f:＀":{},"f:�":{},"f:😀":{},"f:😀x":{}}'],
  ['{"i:007":{},"i:-1":{},"i:+5":{}}', '{"i:-1":{},"i:5":{},"i:7":{}}'],
  ['{"v:[1,{\\"b\\":1,\\"a\\":2}]":{},"v:null":{}}', '{"v:[1,{\\"a\\":2,\\"b\\":1}]":{},"v:null":{}}'],
  ['{"f:__proto__":{"f:constructor":{}}}', '{"f:__proto__":{"f:constructor":{}}}'],
  [' \t{ "f:a" : { "." : { } , "f:b" : { } } , "f:c":{}\r\n} \n', '{"f:a":{".":{},"f:b":{}},"f:c":{}}'],
  ['{".":-01,"f:a":{}}', '{"f:a":{}}'],
  ['{".":0.1e30,"f:a":{}}', '{"f:a":{}}'],
  ['{".":1.25,"f:a":{}}', '{"f:a":{}}'],
  ['{".":-12,"f:a":{}}', '{"f:a":{}}'],
  ['{".":-.5,"f:a":{}}', '{"f:a":{}}'],
]

/** Returns `{"f:field0000":{},…` with this many fields. */
function longSet(fields: number): string {
  const names = Array.from({ length: fields }, (_, i) => `"f:field${String(i).padStart(4, "0")}":{}`)
  return `{${names.join(",")}`
}

describe("parseFieldsV1", () => {
  it.each(faults)("refuses %j", (text, message) => {
    expect(() => parseFieldsV1(text)).toThrow(new ParseError(message))
  })

  it("quotes only the contents of upstream's buffer", () => {
    const texts = [`${longSet(260)},,}`, `${longSet(240)} x`]
    expect(texts.map(text => messageOf(() => parseFieldsV1(text)))).toEqual(longFaults)
  })

  it.each(readings)("reads %j", (text, written) => {
    expect(formatFieldsV1(parseFieldsV1(text))).toBe(written)
  })

  it.each(["f:a", 'k:{"n":80,"p":"TCP"}', "v:1.5", "i:3"])("finds the element of the key %s again", key => {
    const text = JSON.stringify({ [key]: {} })
    const [first, second] = [parseFieldsV1(text), parseFieldsV1(text)].map(set => set.entries[0]?.element)
    expect(first?.kind).toBeDefined()
    expect(second).toBe(first)
  })

  it("shares the fields of items that have the same ones", () => {
    const item = (name: string, fields: string): string => `"k:{\\"name\\":\\"${name}\\"}":{".":{},${fields}}`
    const both = '"f:image":{},"f:name":{}'
    const set = parseFieldsV1(`{"f:l":{${item("a", both)},${item("b", both)},${item("c", '"f:name":{}')}}}`)
    const items = set.withPrefix(fieldElement("l"))
    const [a, b, c] = ["a", "b", "c"].map(name => items.withPrefix(keyElement({ name })))
    expect([a, b, c].map(String)).toEqual([".image\n.name", ".image\n.name", ".name"])
    expect(b).toBe(a)
  })

  it("reads the same whether the text is usual or not", () => {
    const text = '{"f:a":{"f:b":{".":{},"k:{\\"n\\":\\"é\\"}":{"f:c":{}}}}}'
    const unusual = text.replace('{".":{},', '{".":null,"x:skipped":[],')
    expect(parseFieldsV1(unusual).equals(parseFieldsV1(text))).toBe(true)
  })

  it("reads a million paths, in any order", () => {
    const forward = Array.from({ length: 100_000 }, (_, i) => `"f:n${i}":{}`)
    const sorted = parseFieldsV1(`{${[...forward].sort().join(",")}}`)
    expect(sorted.size).toBe(100_000)
    expect(parseFieldsV1(`{${forward.reverse().join(",")}}`).equals(sorted)).toBe(true)
    const row = forward.slice(0, 1_000).sort().join(",")
    const rows = Array.from({ length: 1_000 }, (_, i) => `"f:a${i}":{${row}}`)
    expect(parseFieldsV1(`{${rows.join(",")}}`).size).toBe(1_000_000)
  })

  it("nests 1000 deep and no deeper, without overflowing the stack", () => {
    const nested = (depth: number): string => `${'{"f:a":'.repeat(depth)}{}${"}".repeat(depth)}`
    for (const depth of [999, 1000]) expect(formatFieldsV1(parseFieldsV1(nested(depth)))).toBe(nested(depth))
    expect(() => parseFieldsV1(nested(1001))).toThrow(new ParseError("field set nests deeper than 1000 levels"))
    for (const depth of [10_001, 200_000])
      expect(() => parseFieldsV1(nested(depth))).toThrow(/^incrementDepth: exceeded max depth/)
    expect(() => parseFieldsV1(`{"x:a":${"[".repeat(200_000)}`)).toThrow(/^incrementDepth: exceeded max depth/)
  })

  it("reads keys longer and more numerous than it remembers", () => {
    const long = "x".repeat(5_000)
    expect(formatFieldsV1(parseFieldsV1(`{"f:${long}":{}}`))).toBe(`{"f:${long}":{}}`)
    const keys = Array.from({ length: 40_000 }, (_, i) => `"k:{\\"name\\":\\"item-${100_000 + i}\\"}":{}`)
    const text = `{${keys.join(",")}}`
    expect(formatFieldsV1(parseFieldsV1(text))).toBe(text)
    expect(formatFieldsV1(parseFieldsV1(text))).toBe(text)
  })
})

describe("formatFieldsV1", () => {
  it("writes the empty set", () => {
    expect(formatFieldsV1(FieldSet.empty)).toBe("{}")
  })

  it("writes members with and without children, in order", () => {
    const ports = fieldElement("ports")
    const port = keyElement({ port: 80, name: "<a>" })
    const set = FieldSet.of([
      [ports, port, fieldElement("port")],
      [ports, port],
      [fieldElement("é")],
      [fieldElement("a")],
    ])
    expect(formatFieldsV1(set)).toBe(
      '{"f:a":{},"f:ports":{"k:{\\"name\\":\\"\\\\u003ca\\\\u003e\\",\\"port\\":80}":{".":{},"f:port":{}}},"f:é":{}}',
    )
  })

  it("keeps the digits of 64-bit integers", () => {
    const set = FieldSet.of([[keyElement({ id: 9007199254740993n })]])
    expect(formatFieldsV1(set)).toBe('{"k:{\\"id\\":9007199254740993}":{}}')
  })
})

// Keys of FieldsV1, and how v6 and v7 of the Go module write them. test/vectors/v7-bytes.jsonl has v7's answers to more.
const spellings: readonly [text: string, v6: string, v7: string][] = [
  ["f:<", "f:<", "f:<"],
  ['v:"<&>\u2028"', 'v:"\\u003c\\u0026\\u003e\\u2028"', 'v:"<&>\u2028"'],
  ['v:"\\b\\u0001"', 'v:"\\u0008\\u0001"', 'v:"\\b\\u0001"'],
  ['k:{"<":"<"}', 'k:{"<":"\\u003c"}', 'k:{"<":"<"}'],
  ["v:1e-7", "v:1e-07", "v:1e-7"],
  ["v:1e-10", "v:1e-10", "v:1e-10"],
  ['v:"e-07"', 'v:"e-07"', 'v:"e-07"'],
]

describe("the parity", () => {
  it.each(spellings)("chooses between the bytes of v6 and v7 for %s", (text, v6, v7) => {
    const element = parseFieldsV1Key(text) as PathElement
    expect(formatFieldsV1Key(element)).toBe(v6)
    expect(formatFieldsV1Key(element, { parity: "v6" })).toBe(v6)
    expect(formatFieldsV1Key(element, { parity: "v7" })).toBe(v7)
    for (const spelled of [v6, v7]) expect(parseFieldsV1Key(spelled)).toEqual(element)
    const set = FieldSet.of([[element], [element, fieldElement("\b<")]])
    expect(formatFieldsV1(set)).toBe(`{${JSON.stringify(v6)}:{".":{},"f:\\u0008<":{}}}`)
    expect(formatFieldsV1(set, { parity: "v7" })).toBe(`{${JSON.stringify(v7)}:{".":{},"f:\\b<":{}}}`)
  })

  it("chooses the words about malformed text", () => {
    const v7 =
      'json: cannot unmarshal into Go fieldpath.setContentsV1 within "/f:a": parsing value as set: expected object'
    expect(() => parseFieldsV1('{"f:a":[]}', { parity: "v7" })).toThrow(v7)
    expect(() => decodeFields({ "f:a": [] }, { parity: "v7" })).toThrow(v7)
    expect(() => parseFieldsV1('{"f:a":[]}')).toThrow("ReadMapCB: expect { or n, but found [")
    expect(() => parseFieldsV1Key("v:x", { parity: "v7" })).toThrow("jsontext: invalid character 'x' at start of value")
    expect(parseFieldsV1('{"x:a":{},"f:a":null}', { parity: "v7" }).toString()).toBe(".a")
  })

  it("is refused if it is unknown, and not mistaken for the index that map passes", () => {
    expect(() => formatFieldsV1(FieldSet.empty, { parity: "v8" as "v7" })).toThrow(
      'options.parity: expected "v6" or "v7", got "v8"',
    )
    for (const parse of [parseFieldsV1, decodeFields, parseFieldsV1Key]) {
      expect(() => parse("{}", { parity: "v8" as "v7" })).toThrow("options.parity")
    }
    const sets: readonly unknown[] = [FieldSet.empty]
    expect(sets.map(formatFieldsV1 as (set: unknown) => string)).toEqual(["{}"])
  })
})

function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof ParseError) return error.message
  }
  return ""
}
