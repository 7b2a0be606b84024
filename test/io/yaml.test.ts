import { describe, expect, it } from "vitest"
import { ParseError, ValidationError } from "../../src/errors.js"
import {
  applyTextEdits,
  formatJson,
  formatYaml,
  parseJson,
  parseYaml,
  parseYamlDocuments,
  parseYamlWithPositions,
} from "../../src/io/index.js"
import type { Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"

// Recorded from sigs.k8s.io/yaml v1.6.0, which reads with yaml.v2 and gives JSON: plain scalars, scalars as keys, documents.
const scalars: readonly [text: string, json: string][] = [
  ["y", "true"],
  ["Y", "true"],
  ["yes", "true"],
  ["Yes", "true"],
  ["YES", "true"],
  ["yEs", '"yEs"'],
  ["on", "true"],
  ["ON", "true"],
  ["true", "true"],
  ["True", "true"],
  ["TRUE", "true"],
  ["tRUE", '"tRUE"'],
  ["n", "false"],
  ["N", "false"],
  ["no", "false"],
  ["No", "false"],
  ["off", "false"],
  ["OFF", "false"],
  ["false", "false"],
  ["~", "null"],
  ["null", "null"],
  ["Null", "null"],
  ["NULL", "null"],
  ["nULL", '"nULL"'],
  ["0", "0"],
  ["-0", "0"],
  ["+1", "1"],
  ["010", "8"],
  ["08", "8"],
  ["0o17", "15"],
  ["0O17", "15"],
  ["0x1F", "31"],
  ["-0x1f", "-31"],
  ["0X1F", "31"],
  ["0b101", "5"],
  ["-0b101", "-5"],
  ["0b102", '"0b102"'],
  ["1_000", "1000"],
  ["_1", '"_1"'],
  ["1_", "1"],
  ["1__0", "10"],
  ["0x_1", "1"],
  ["1.5", "1.5"],
  ["1.", "1"],
  [".5", "0.5"],
  ["-.5", "-0.5"],
  ["+.5", "0.5"],
  [".5e3", "500"],
  [".1_0", "0.1"],
  ["._5", '"._5"'],
  ["1_0.5", "10.5"],
  ["1e3", "1000"],
  ["1E+3", "1000"],
  ["1.5e-7", "1.5e-7"],
  ["1e400", '"1e400"'],
  ["-1e400", '"-1e400"'],
  ["12e", '"12e"'],
  ["1:30", '"1:30"'],
  ["190:20:30", '"190:20:30"'],
  ["12:30:45.5", '"12:30:45.5"'],
  ["2024-01-31", '"2024-01-31"'],
  ["2001-12-14t21:59:43.10-05:00", '"2001-12-14t21:59:43.10-05:00"'],
  ["9007199254740991", "9007199254740991"],
  ["9007199254740993", "9007199254740993"],
  ["9223372036854775807", "9223372036854775807"],
  ["-9223372036854775808", "-9223372036854775808"],
  ["-9223372036854775809", "-9223372036854776000"],
  ["18446744073709551616", "18446744073709552000"],
  ["+9223372036854775808", "9223372036854776000"],
  ["9223372036854775808.0", "9223372036854776000"],
  ["0x7fffffffffffffff", "9223372036854775807"],
  ["0x1ffffffffffffffff", '"0x1ffffffffffffffff"'],
  [".", '"."'],
  ["-", "[null]"],
  ["..", '".."'],
  ["1,000", '"1,000"'],
  ["a", '"a"'],
  ["é", '"é"'],
  ["😀", '"😀"'],
  ["<<", '"\\u003c\\u003c"'],
  ["=", '"="'],
  ["foo#bar", '"foo#bar"'],
  ["a:b", '"a:b"'],
]
const keys: readonly [text: string, key: string][] = [
  ["a", "a"],
  ["1", "1"],
  ["010", "8"],
  ["0x10", "16"],
  ["1.5", "1.5"],
  ["0.1", "0.1"],
  ["1e3", "1000"],
  ["1e10", "1e+10"],
  ["123456789.5", "1.2345679e+08"],
  ["true", "true"],
  ["yes", "true"],
  ["on", "true"],
  ["off", "false"],
  ["2024-01-31", "2024-01-31"],
  ["9007199254740993", "9007199254740993"],
  [".inf", ".inf"],
  ["-.5", "-0.5"],
  ["-0.0", "-0"],
  ["'1'", "1"],
  ['"yes"', "yes"],
  ["a:b", "a:b"],
  ["a b", "a b"],
  ["!!str 1", "1"],
  ["!!binary aGk=", "hi"],
]
const documents: readonly [text: string, json: string][] = [
  ["", "null"],
  ["# nothing", "null"],
  ["---", "null"],
  ["--- a", '"a"'],
  ["%YAML 1.1\n---\na: yes", '{"a":true}'],
  ["a: 1\n...\n", '{"a":1}'],
  ["\ufeffa: 1", '{"a":1}'],
  ["a: |\n  x\n  y\n", '{"a":"x\\ny\\n"}'],
  ["a: |-\n  x\n\n", '{"a":"x"}'],
  ["a: |+\n  x\n\n", '{"a":"x\\n\\n"}'],
  ["a: |2\n    x\n", '{"a":"  x\\n"}'],
  ["a: |\n  x", '{"a":"x"}'],
  ["a: >\n  x\n  y\n\n  z\n", '{"a":"x y\\nz\\n"}'],
  ["a: >-\n  x\n   y\n  z\n", '{"a":"x\\n y\\nz"}'],
  ["a: 'it''s'", '{"a":"it\'s"}'],
  ['a: "x\\ty\\x41\\u00e9\\U0001F600"', '{"a":"x\\tyAé😀"}'],
  ['a: "x\\\n   y"', '{"a":"xy"}'],
  ["a: x\n  y\n\n  z", '{"a":"x y\\nz"}'],
  ["a: [1, b, {c: d}, [e]]", '{"a":[1,"b",{"c":"d"},["e"]]}'],
  ["a: {b, c: , d: 1}", '{"a":{"b":null,"c":null,"d":1}}'],
  ["[a: 1, b: 2]", '[{"a":1},{"b":2}]'],
  ["? a\n: b", '{"a":"b"}'],
  ["? a", '{"a":null}'],
  ["a:\n- 1\n- 2\nb: 3", '{"a":[1,2],"b":3}'],
  ["- - a\n  - b\n- c: 1\n  d: 2", '[["a","b"],{"c":1,"d":2}]'],
  ["a: !!str 1", '{"a":"1"}'],
  ["a: !!int 0x10", '{"a":16}'],
  ["a: !!float 1", '{"a":1}'],
  ["a: !!bool yes", '{"a":true}'],
  ["a: !!null ~", '{"a":null}'],
  ["a: !!binary aGVsbG8=", '{"a":"hello"}'],
  ["a: !!timestamp 2001-01-01", '{"a":"2001-01-01"}'],
  ["a: !custom 1", '{"a":"1"}'],
  ["a: ! 12", '{"a":"12"}'],
  ["a: !!map {b: 1}", '{"a":{"b":1}}'],
  ["a: &x 1\nb: *x\nc: &x 2\nd: *x", '{"a":1,"b":1,"c":2,"d":2}'],
  ["- &a {x: [1]}\n- *a", '[{"x":[1]},{"x":[1]}]'],
  ["&k key: *k", '{"key":"key"}'],
  ["a: &x {p: 1}\nb: {<<: *x, q: 2}", '{"a":{"p":1},"b":{"p":1,"q":2}}'],
  ["b: {<<: {p: 1, q: 1}, q: 2}", '{"b":{"p":1,"q":2}}'],
  ["b: {q: 2, <<: {p: 1, q: 1}}", '{"b":{"p":1,"q":1}}'],
  ["b: {<<: [{p: 1}, {p: 2, q: 3}]}", '{"b":{"p":1,"q":3}}'],
  ["b: {'<<': 1}", '{"b":{"\\u003c\\u003c":1}}'],
  ["a: # c\n  b # d\n", '{"a":"b"}'],
  ["a: b#c", '{"a":"b#c"}'],
  ["a:\tb", '{"a":"b"}'],
  ['{"a":1,"b":[true,null]}', '{"a":1,"b":[true,null]}'],
  ['"a": 1', '{"a":1}'],
  ["a: -1", '{"a":-1}'],
]

// Errors that we name ourselves, and syntax errors, which the yaml package names.
const faults: readonly [text: string, message: string][] = [
  ["a: *x", "line 1, column 4: unknown anchor 'x' referenced"],
  ["a: &a [*a]", "line 1, column 8: anchor 'a' value contains itself"],
  ["a: &a\n  b: *a", "line 2, column 6: anchor 'a' value contains itself"],
  ["[1]: a", "line 1, column 1: only scalars can be keys of a map"],
  ["{a: 1}: b", "line 1, column 1: only scalars can be keys of a map"],
  ["? [a]\n: b", "line 1, column 3: only scalars can be keys of a map"],
  ["~: a", "line 1, column 1: only strings, numbers and booleans can be keys of a map"],
  ["a: !!int x", "line 1, column 10: cannot decode !!str `x` as a !!int"],
  ["a: !!float x", "line 1, column 12: cannot decode !!str `x` as a !!float"],
  ["a: !!bool 1", "line 1, column 11: cannot decode !!int `1` as a !!bool"],
  ["a: !!null x", "line 1, column 11: cannot decode !!str `x` as a !!null"],
  ["a: !!binary x", "line 1, column 13: !!binary value contains invalid base64 data"],
  ["a: !!timestamp x", "line 1, column 16: cannot decode !!str `x` as a !!timestamp"],
  ["a: \u0001", "line 1, column 4: control characters are not allowed"],
  ["{<<}", "line 1, column 2: map merge requires map or sequence of maps as the value"],
  ["? <<\n", "line 1, column 3: map merge requires map or sequence of maps as the value"],
  ["a: {<<: }", "line 1, column 9: map merge requires map or sequence of maps as the value"],
  ["a: 9223372036854775808", "line 1, column 4: integer does not fit into 64 bits with a sign: 9223372036854775808"],
  ["- 0xffffffffffffffff", "line 1, column 3: integer does not fit into 64 bits with a sign: 0xffffffffffffffff"],
  ["18446744073709551615: a", "line 1, column 1: integer does not fit into 64 bits with a sign: 18446744073709551615"],
  ["!!int 9223372036854775808", "line 1, column 7: integer does not fit into 64 bits with a sign: 9223372036854775808"],
  ["!!float 9223372036854775808", "line 1, column 9: cannot decode !!int `9223372036854775808` as a !!float"],
  ["b:\n  <<: 1", "line 2, column 7: map merge requires map or sequence of maps as the value"],
  ["b:\n  <<: [1]", "line 2, column 8: map merge requires map or sequence of maps as the value"],
  ["a: \u0007b", "line 1, column 4: control characters are not allowed"],
  ["a: 1\nb:\n  c: 1\n  'c': 2", 'line 4, column 3: key "c" already set in map'],
  ["1: a\n'1': b", 'line 2, column 1: key "1" already set in map'],
  ["on: a\nyes: b", 'line 2, column 1: key "true" already set in map; YAML 1.1 reads `yes` as `true`'],
  ["{8: a, 010: b}", 'line 1, column 8: key "8" already set in map; YAML 1.1 reads `010` as `8`'],
  ["a:\n- .nan", "line 2, column 3: number is not finite: .nan"],
  ["a: {b: -.inf}", "line 1, column 8: number is not finite: -.inf"],
  ["a: 1\n---\nb: 2", "line 3, column 1: expected one document, found another"],
]
const faultsOfForm: readonly [text: string, place: string][] = [
  ["a: b: c", "line 1, column 4"],
  ["a: 'x", "line 1, column 6"],
  ['a: "x', "line 1, column 6"],
  ["a: [1", "line 1, column 6"],
  ["a: {b: 1", "line 1, column 9"],
  ["]", "line 1, column 1"],
  ["a: b\nc", "line 2, column 1"],
  ["a:\n\tb: 1", "line 2, column 1"],
  ["a: @b", "line 1, column 4"],
  ["a: `b", "line 1, column 4"],
  ["a: %b", "line 1, column 4"],
  ["a: - b", "line 1, column 4"],
  ["- a\nb: 1", "line 2, column 1"],
  ['a: "\\q"', "line 1, column 5"],
  ["a: 'b' c", "line 1, column 8"],
  ["a: [b] c", "line 1, column 8"],
  ["%FOO\n", "line 1, column 1"],
  ["{a: 1}}", "line 1, column 7"],
  ["[1] [2]", "line 1, column 5"],
]

/** Returns the value as JSON, which tells 1n and 1 from "1". */
const asJson = (text: string): string => formatJson(parseYaml(text))

describe("parseYaml", () => {
  it.each(scalars)("reads the plain scalar %s", (text, json) => {
    expect(asJson(`- ${text}`)).toBe(formatJson(parseJson(`[${json}]`)))
    if (text !== "-") expect(asJson(`a: ${text} # comment`)).toBe(formatJson(parseJson(`{"a":${json}}`)))
  })

  it.each(keys)("reads the key %s", (text, key) => {
    expect(parseYaml(`${text}: x`)).toEqual({ [key]: "x" })
  })

  it.each(documents)("reads %j", (text, json) => {
    expect(asJson(text)).toBe(formatJson(parseJson(json)))
  })

  it.each(faults)("refuses %j", (text, message) => {
    expect(() => parseYaml(text)).toThrow(new ParseError(message))
  })

  it.each(faultsOfForm)("refuses %j at %s", (text, place) => {
    const error = thrownBy(() => parseYaml(text))
    expect(error).toBeInstanceOf(ParseError)
    expect((error as ParseError).message).toMatch(new RegExp(`^${place}: .`))
  })

  it("keeps the digits of 64-bit integers", () => {
    expect(parseYaml("[9007199254740993, -9223372036854775808, 0x7fffffffffffffff]")).toEqual([
      9007199254740993n,
      -9223372036854775808n,
      9223372036854775807n,
    ])
  })

  it("keeps __proto__ and the like ordinary keys", () => {
    const value = parseYaml("__proto__: {x: 1}\nconstructor: 2\ntoString: 3") as Record<string, Value>
    expect(Object.keys(value)).toEqual(["__proto__", "constructor", "toString"])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(() => parseYaml("__proto__: 1\n__proto__: 2")).toThrow("line 2, column 1")
  })

  it("keeps the order of keys and shares what is aliased", () => {
    const value = parseYaml("b: &x {c: 1}\na: *x") as Record<string, Value>
    expect(Object.keys(value)).toEqual(["b", "a"])
    expect(value.a).toBe(value.b)
  })

  it("ignores documents without content that follow", () => {
    expect(parseYaml("# nothing\n---\na: 1\n---\n# nothing\n---\n")).toEqual({ a: 1 })
  })

  it.each(["---\n---\na: 1", "---\n# nothing\n---\na: 1", "---\n...\na: 1"])(
    "refuses %j, of which Go reads the empty document alone",
    text => {
      expect(() => parseYaml(text)).toThrow(/^line [34], column 1: expected one document, found another$/)
      expect(parseYaml(text, { lenient: true })).toBe(null)
      expect(parseYamlDocuments(text)).toEqual([{ a: 1 }])
    },
  )

  it.each([
    ["a: 1\na: 2", { a: 2 }],
    ["{a: 1}}", { a: 1 }],
    ["'a' b", "a"],
    ["a: 1\n---\nb: 2\nb: 3", { a: 1 }],
    ["", null],
  ])("reads %j when lenient", (text, value) => {
    expect(parseYaml(text, { lenient: true })).toEqual(value)
  })

  it("allows aliases within measure", () => {
    const text = `a: &a {x: 1, y: [1, 2]}\nlist:\n${"- *a\n".repeat(1_000)}`
    expect((parseYaml(text) as { list: Value[] }).list).toHaveLength(1_000)
  })

  it("refuses aliases that expand without measure", () => {
    const levels = Array.from({ length: 30 }, (_, i) => {
      const items = i === 0 ? "x,".repeat(9) : `*a${i - 1},`.repeat(9)
      return `a${i}: &a${i} [${items}]`
    })
    expect(() => parseYaml(levels.join("\n"))).toThrow(/^line 4, column \d+: document contains excessive aliasing$/)
  })

  it.each([
    ["lists in brackets", "[", "1", "]"],
    ["maps in brackets", "{a: ", "1", "}"],
    ["lists", "- ", "1", ""],
    ["unclosed brackets", "[", "", ""],
  ])("refuses %s that nest without end", (_, open, inner, close) => {
    const text = open.repeat(20_000) + inner + close.repeat(20_000)
    expect(() => parseYaml(text)).toThrow(ParseError)
  })

  it("reads five hundred levels", () => {
    expect(asJson("- ".repeat(500) + 1)).toBe(`${"[".repeat(500)}1${"]".repeat(500)}`)
    const indented = Array.from({ length: 500 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")
    expect(asJson(indented)).toBe(`${'{"a":'.repeat(500)}null${"}".repeat(500)}`)
  })
})

describe("parseYamlDocuments", () => {
  it("reads every document that has content", () => {
    expect(parseYamlDocuments("a: 1\n---\n# nothing\n---\n[2]\n...\n---\n- 3")).toEqual([{ a: 1 }, [2], [3]])
    expect(parseYamlDocuments("")).toEqual([])
  })

  it("knows the anchors of one document only", () => {
    expect(() => parseYamlDocuments("a: &x 1\n---\nb: *x")).toThrow("line 3, column 4: unknown anchor 'x' referenced")
  })
})

describe("parseYamlWithPositions", () => {
  const text = `# about
a: 1
spec:
  ports:
  - name: x
    port: 80
  - &p {name: y, "8080": z}
  - *p
  base: &b
    q: 1
  made:
    <<: *b
    r: 2
  many: {<<: [{s: 1}, *b], t: 3}
  010: octal
---
z: [1,
  {x: 2}]
`
  const [first, second] = parseYamlWithPositions(text)

  it.each([
    [[], "2:1"],
    [["a"], "2:1"],
    [["spec", "ports"], "4:3"],
    [["spec", "ports", 0], "5:5"],
    [["spec", "ports", 0, "port"], "6:5"],
    [["spec", "ports", 1, "8080"], "7:18"],
    [["spec", "ports", 2], "8:5"],
    [["spec", "ports", 2, "name"], "7:9"],
    [["spec", "made", "q"], "10:5"],
    [["spec", "made", "r"], "13:5"],
    [["spec", "many", "s"], "14:16"],
    [["spec", "many", "q"], "10:5"],
    [["spec", "8"], "15:3"],
  ])("knows where %j is", (path, place) => {
    const position = first?.positionOf(path)
    expect(`${position?.line}:${position?.column}`).toBe(place)
  })

  it.each([[["b"]], [["a", "b"]], [["spec", "ports", 9]], [["spec", 0]], [["spec", "ports", "x"]]])(
    "knows no place for %j",
    path => {
      expect(first?.positionOf(path)).toBeUndefined()
    },
  )

  it("counts lines through all documents", () => {
    expect(second?.value).toEqual({ z: [1, { x: 2 }] })
    expect(second?.positionOf(["z", 1, "x"])).toEqual({ line: 18, column: 4 })
  })

  it("counts every line break of YAML 1.1", () => {
    const [document] = parseYamlWithPositions("a: 1\rb:\x85  - x\r\n  - z\n")
    expect(document?.value).toEqual({ a: 1, b: ["x", "z"] })
    expect(document?.positionOf(["b", 0])).toEqual({ line: 3, column: 5 })
    expect(document?.positionOf(["b", 1])).toEqual({ line: 4, column: 5 })
    const text = "a: {b:, c: 1}\rd: 2\r"
    const [edited] = parseYamlWithPositions(text)
    const { edits = [] } = edited?.editsFor([{ steps: ["a", "c"], value: 3 }]) ?? {}
    expect(applyTextEdits(text, edits)).toBe("a: {b:, c: 3}\rd: 2\r")
  })

  it("lists keys that occur twice if they are accepted, and finds the last", () => {
    const text = "a: 1\n---\nb:\n- {c: 1}\n- c: 1\n  d: x\n  c: 2\n"
    expect(() => parseYamlWithPositions(text)).toThrow('line 7, column 3: key "c" already set in map')
    const [first, second] = parseYamlWithPositions(text, { acceptRepeatedKeys: true })
    expect([first?.value, first?.repeatedKeys]).toEqual([{ a: 1 }, []])
    expect(second?.value).toEqual({ b: [{ c: 1 }, { c: 2, d: "x" }] })
    expect(second?.repeatedKeys).toEqual([{ key: '"c"', steps: ["b", 1, "c"], firstLine: 5, line: 7 }])
    expect(second?.positionOf(["b", 1, "c"])).toEqual({ line: 7, column: 3 })
    const edits = second?.editsFor([{ steps: ["b", 1, "c"], value: undefined }])
    expect(edits).toEqual({ impossible: "the document has a key twice" })
    expect(second?.editsForEach([[]])).toEqual([edits])
  })

  it("has no value for a document without content", () => {
    expect(parseYamlWithPositions("---\n---\na: 1").map(({ value }) => value)).toEqual([undefined, { a: 1 }])
    expect(parseYamlWithPositions("# nothing")).toEqual([])
  })
})

describe("formatYaml", () => {
  it.each(["x", "x:", "1"])("writes %j a few million times", text => {
    const long = text.repeat(9_000_000 / text.length)
    expect(parseYaml(formatYaml({ a: [long] })) as unknown).toSatisfy(read => read.a[0] === long)
  })

  it("writes block style with quotes where needed", () => {
    const value: Value = {
      kind: "Pod",
      metadata: { name: "x", labels: { on: "yes", y: "n", "8080": "010", "": "" } },
      args: [
        "-v",
        "--x=1",
        "- a",
        "a: b",
        "a #b",
        "#a",
        "*a",
        " a",
        "a ",
        "it's",
        "'a'",
        "@a",
        "{a}",
        "[a",
        "a, b",
        "a:b",
        "a:",
      ],
      numbers: [1, -0, 1.5, 1e21, 1e-7, 9007199254740993n],
      strings: [
        "1",
        "1e3",
        "0o17",
        "0x1F",
        "1_000",
        "12:30",
        "2024-01-31",
        "~",
        "null",
        ".inf",
        "<<",
        "=",
        "---",
        "-",
        "?",
        ":a",
      ],
      texts: [
        "a\nb",
        "a\nb\n",
        "a\n\nb\n\n",
        " a\nb",
        "\na",
        "a\tb",
        "a\r\nb",
        "\u0007",
        "\u2028",
        "é😀",
        "\u007f",
        "\ufeff",
      ],
      empty: [[], {}, null, true, [[1, [2]], { a: [{ b: 1, c: [] }] }]],
    }
    expect(formatYaml(deepFreeze(value))).toMatchInlineSnapshot(`
      "kind: Pod
      metadata:
        name: x
        labels:
          "8080": "010"
          "on": "yes"
          "y": "n"
          "": ""
      args:
      - -v
      - --x=1
      - '- a'
      - 'a: b'
      - 'a #b'
      - '#a'
      - '*a'
      - ' a'
      - 'a '
      - it's
      - '''a'''
      - '@a'
      - '{a}'
      - '[a'
      - a, b
      - a:b
      - 'a:'
      numbers:
      - 1
      - -0.0
      - 1.5
      - 1e+21
      - 1e-07
      - 9007199254740993
      strings:
      - "1"
      - "1e3"
      - "0o17"
      - "0x1F"
      - "1_000"
      - "12:30"
      - "2024-01-31"
      - "~"
      - "null"
      - ".inf"
      - "<<"
      - "="
      - "---"
      - '-'
      - '?'
      - :a
      texts:
      - |-
        a
        b
      - |
        a
        b
      - |+
        a

        b

      - " a\\nb"
      - "\\na"
      - "a\\tb"
      - "a\\r\\nb"
      - "\\u0007"
      - "\\u2028"
      - é😀
      - "\\u007f"
      - "\\ufeff"
      empty:
      - []
      - {}
      - null
      - true
      - - - 1
          - - 2
        - a:
          - b: 1
            c: []
      "
    `)
    expect(parseYaml(formatYaml(value))).toEqual(value)
  })

  it.each<[Value, string]>([
    [null, "null\n"],
    ["a\nb", "|-\n  a\n  b\n"],
    [[], "[]\n"],
    [{}, "{}\n"],
    [1n, "1\n"],
  ])("writes a root %#", (value, text) => {
    expect(formatYaml(value)).toBe(text)
    expect(parseYaml(text)).toEqual(value === 1n ? 1 : value)
  })

  it("announces long keys", () => {
    const value = { ["x".repeat(2_000)]: { a: 1 }, [`${"y".repeat(1_500)}: `]: "b" }
    expect(parseYaml(formatYaml([value]))).toEqual([value])
  })

  it.each([...scalars.map(([text]) => text), ...documents.map(([text]) => text)])(
    "writes %j so that it is read again",
    text => {
      expect(parseYaml(formatYaml({ [text]: [text, { a: text }] }))).toEqual({ [text]: [text, { a: text }] })
    },
  )

  it("refuses what YAML has no text for, and what contains itself", () => {
    expect(() => formatYaml([Number.NaN])).toThrow(ValidationError)
    const loop: Value[] = []
    loop.push(loop)
    expect(() => formatYaml(loop)).toThrow(/nests deeper/)
  })
})

function thrownBy(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}
