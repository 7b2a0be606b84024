import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ParseError } from "../../src/errors.js"
import { fieldElement, indexElement, keyElement, valueElement } from "../../src/fieldpath/create-element.js"
import type { PathElement } from "../../src/fieldpath/element.js"
import { parseFieldsV1Key } from "../../src/fieldpath/fieldsv1/key.js"
import { parsePath } from "../../src/fieldpath/parse-path.js"
import {
  equalPaths,
  formatGoPath,
  formatPath,
  formatQuotedPath,
  type Path,
  pathOf,
  rootPath,
} from "../../src/fieldpath/path.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import type { Value } from "../../src/value/value.js"
import { arbitraryKey, arbitraryScalar, arbitraryValue } from "../property/arbitraries.js"
import { runs } from "../support/budget.js"

const entries = { a: 1, enabled: true, exact: null, list: [], n: 1.5e-7, s: "]" }

describe("parsePath", () => {
  it.each<[text: string, path: Path]>([
    ["", rootPath],
    [".spec.replicas", pathOf("spec", "replicas")],
    ['.spec.containers[name="web"].image', pathOf("spec", "containers", { name: "web" }, "image")],
    ['.ports[port=80,protocol="TCP"]', pathOf("ports", { port: 80, protocol: "TCP" })],
    [".a[k=true,l=false,m=null]", [fieldElement("a"), keyElement({ k: true, l: false, m: null })]],
    [".a[a.b[c=1]", pathOf("a", { "a.b[c": 1 })],
    ['[="v"]', [valueElement("v")]],
    ["[=null][=true][=-1.5]", [null, true, -1.5].map(valueElement)],
    ["[0][-3]", [indexElement(0), indexElement(-3)]],
    [".a]b=c,d e", pathOf("a]b=c,d e")],
    ['[="],[\\"\\\\"].x', [valueElement('],["\\'), fieldElement("x")]],
    [
      '[="\\a\\b\\f\\n\\r\\t\\v\\x01\\u2028\\U000e0001é\u{1f600}"]',
      [valueElement("\u0007\b\f\n\r\t\v\u0001\u2028\u{e0001}é\u{1f600}")],
    ],
    ["[n=9007199254740993]", pathOf({ n: 9007199254740993n })],
    ["[=[]]", [valueElement([])]],
    ['[=[1,"a",[true,null]]]', [valueElement([1, "a", [true, null]])]],
    ["[={}]", [valueElement({})]],
    ["[=[{}]]", [valueElement([{}])]],
    ["[=[{},[]]]", [valueElement([{}, []])]],
    ["[=a=1]", [valueElement({ a: 1 })]],
    ['[=[1,a="b"]]', [valueElement([1, { a: "b" }])]],
    ['[=a=1enabled=trueexact=nulllist=[]n=1.5e-07s="]"]', [valueElement(entries)]],
    ["[=trueb=1]", [valueElement({ trueb: 1 })]],
    ["[=__proto__=1]", [valueElement(JSON.parse('{"__proto__":1}') as Value)]],
    ['[={"a":a=1}]', [valueElement({ a: { a: 1 } })]],
    ['[={"a":{},"b":1}]', [valueElement({ a: {}, b: 1 })]],
    ['[={"a":1,"e5":2}]', [valueElement({ a: 1, e5: 2 })]],
    ['[={"":1,"2":3,"a=b":4}]', [valueElement({ "": 1, 2: 3, "a=b": 4 })]],
    ['[k=a=1,l={}].x[a="b"]', pathOf({ k: { a: 1 }, l: {} }, "x", { a: "b" })],
  ])("reads %s, and formatPath prints it", (text, path) => {
    const read = parsePath(text)
    expect(equalPaths(read, path)).toBe(true)
    expect(formatPath(read)).toBe(text)
  })

  it.each<[text: string, path: Path]>([
    ['.labels["app.kubernetes.io/name"]', pathOf("labels", "app.kubernetes.io/name")],
    ['["a"]["b[0]"].c', pathOf("a", "b[0]", "c")],
    ['[""]', [fieldElement("")]],
    ["[b=2,a=1]", pathOf({ a: 1, b: 2 })],
    ["[=1e+06]", [valueElement(1_000_000)]],
    ["[=1.0]", [valueElement(1)]],
    ['[={"a":1}]', [valueElement({ a: 1 })]],
    ['["a=b"=1,c=2]', [keyElement({ "a=b": 1, c: 2 })]],
  ])("reads %s, which formatPath never prints", (text, path) => {
    expect(equalPaths(parsePath(text), path)).toBe(true)
  })

  const name = fc.oneof(
    arbitraryKey,
    fc.string({
      unit: fc.constantFrom("a", "e", "1", "-", "=", ".", "[", "]", "{", "}", '"', ",", "\\"),
      maxLength: 4,
    }),
  )
  const value = fc.oneof(
    arbitraryValue,
    fc.dictionary(name, fc.oneof(arbitraryValue, fc.dictionary(name, arbitraryScalar, { maxKeys: 2 })), { maxKeys: 3 }),
  )
  const element = fc.oneof(
    name.map(fieldElement),
    fc.dictionary(name, value, { minKeys: 1, maxKeys: 2 }).map(keyElement),
    value.map(valueElement),
    fc.integer().map(indexElement),
  )

  it("reads every path from formatQuotedPath", () => {
    const check = (path: Path) => equalPaths(parsePath(formatQuotedPath(path)), path)
    fc.assert(fc.property(fc.array(element, { maxLength: 3 }), check), runs(2_000))
  })

  it("reads every value that formatPath prints", () => {
    const check = (value: Value) => equalPaths(parsePath(formatPath([valueElement(value)])), [valueElement(value)])
    fc.assert(fc.property(value, check), runs(2_000))
  })

  it.each([1000, 1001])("reads values of at most 1000 levels: %d", depth => {
    const text = `[=${"[".repeat(depth)}${"]".repeat(depth)}]`
    if (depth === 1000) expect(formatPath(parsePath(text))).toBe(text)
    else expect(() => parsePath(text)).toThrow("expected a value that nests no more than 1000 levels at position 1003")
  })

  it("distinguishes items that upstream prints alike", () => {
    const paths = ["v:[]", "v:[{}]", "v:{}"].map(text => [parseFieldsV1Key(text) as PathElement])
    expect(paths.map(formatGoPath)).toEqual(["[=[]]", "[=[]]", "[=]"])
    expect(paths.map(formatPath)).toEqual(["[=[]]", "[=[{}]]", "[={}]"])
    expect(FieldSet.of(paths).toString()).toBe("[=[]]\n[=[]]\n[=]")
  })

  it("reads the floats of FieldsV1", () => {
    const element = parseFieldsV1Key('k:{"port":2147483648}')
    expect(element).toBeDefined()
    expect(formatPath([element ?? indexElement(0)])).toBe("[port=2.147483648e+09]")
    expect(equalPaths(parsePath("[port=2.147483648e+09]"), pathOf({ port: 2147483648 }))).toBe(true)
  })

  it("ends names at dots and brackets, even those of the name itself", () => {
    expect(formatPath(pathOf("a.b"))).toBe(".a.b")
    expect(parsePath(".a.b")).toEqual(pathOf("a", "b"))
    expect(parsePath(".a[0]")).toEqual(pathOf("a", 0))
  })

  it.each([
    ["spec", '"." or "["', 0, '"s"'],
    ["[0]x", '"." or "["', 3, '"x"'],
    [".", 'the name of a field (an empty one is [""])', 1, "the end"],
    [".a..b", 'the name of a field (an empty one is [""])', 3, '"."'],
    [".a.[0]", 'the name of a field (an empty one is [""])', 3, '"["'],
    ["[", 'an index, a key and "=", "=", or a name in quotes', 1, "the end"],
    ["[]", 'an index, a key and "=", "=", or a name in quotes', 1, '"]"'],
    ["[web]", 'an index, a key and "=", "=", or a name in quotes', 1, '"w"'],
    ["[1.5]", 'an index, a key and "=", "=", or a name in quotes', 1, '"1"'],
    ["[0", 'an index, a key and "=", "=", or a name in quotes', 1, '"0"'],
    ["[9223372036854775808]", "an index of no more than 64 bits", 1, '"9"'],
    ["[=]", "a string in quotes, a number, true, false or null", 2, '"]"'],
    ["[a=web]", "a string in quotes, a number, true, false or null", 3, '"w"'],
    ["[a=truest]", "a string in quotes, a number, true, false or null", 3, '"t"'],
    ["[=[1,2]", '"]"', 7, "the end"],
    ["[=[1,]]", "a string in quotes, a number, true, false or null", 5, '"]"'],
    ['[={"a":1]', '"}"', 8, '"]"'],
    ["[={a:1}]", "a key in quotes", 3, '"a"'],
    ['[={"a"=1}]', '":"', 6, '"="'],
    ['[={"a":1,"a":2}]', 'a key other than "a"', 9, '"\\""'],
    ["[=a=1b=2a=3]", 'a key other than "a"', 8, '"a"'],
    ["[=a=b=1]", "a string in quotes, a number, true, false or null", 4, '"b"'],
    ["[=1b=2]", "a string in quotes, a number, true, false or null", 2, '"1"'],
    ['[a="x"', '"," or "]"', 6, "the end"],
    ['[a="x"}', '"," or "]"', 6, '"}"'],
    ['[a="x",]', 'a key and "="', 7, '"]"'],
    ["[a=1,a=2]", 'a key other than "a"', 5, '"a"'],
    ['[="x",a=1]', '"]"', 5, '","'],
    ['["a', "a closing quote", 3, "the end"],
    ['[="a\\"]', "a closing quote", 7, "the end"],
    ['[="a\\q"]', "an escape of Go instead of \\q", 4, '"\\\\"'],
    ['[="\\xff"]', "an escape of Go instead of \\xff", 3, '"\\\\"'],
    ['[="\\U00110000"]', "an escape of Go instead of \\U00110000", 3, '"\\\\"'],
    [".\u{1f600}[\u{1f600}", 'an index, a key and "=", "=", or a name in quotes', 4, '"\u{1f600}"'],
  ])("refuses %s", (text, expected, at, found) => {
    const quoted = `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`
    const message = `path ${quoted}: expected ${expected} at position ${at}, found ${found}`
    expect(() => parsePath(text)).toThrow(new ParseError(message))
  })
})
