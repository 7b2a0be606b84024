import { describe, expect, it } from "vitest"
import { ParseError } from "../../src/errors.js"
import { fieldElement, indexElement, keyElement, valueElement } from "../../src/fieldpath/element.js"
import { parseFieldsV1Key } from "../../src/fieldpath/fieldsv1/key.js"
import { parsePath } from "../../src/fieldpath/parse-path.js"
import { equalPaths, formatPath, type Path, pathOf, rootPath } from "../../src/fieldpath/path.js"

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
  ])("reads %s, as it is printed", (text, path) => {
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
  ])("reads %s, which nothing prints", (text, path) => {
    expect(equalPaths(parsePath(text), path)).toBe(true)
  })

  it("reads numbers as those of FieldsV1 are printed", () => {
    const element = parseFieldsV1Key('k:{"port":2147483648}')
    expect(element).toBeDefined()
    expect(formatPath([element ?? indexElement(0)])).toBe("[port=2.147483648e+09]")
    expect(equalPaths(parsePath("[port=2.147483648e+09]"), pathOf({ port: 2147483648 }))).toBe(true)
  })

  it("ends names at dots and brackets, which are not told from those of names", () => {
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
    ["[=[1,2]]", "a string in quotes, a number, true, false or null", 2, '"["'],
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
