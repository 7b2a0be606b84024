/** Scans tokens and comments of Go source. */
import { describe, expect, it } from "vitest"
import { scanGo } from "../../../src/gotypes/source/scan.js"

/** Joins the texts of the tokens with bars, without the last token. A semicolon that stands for the end of a line is written as ↵. */
function texts(source: string): string {
  const { tokens } = scanGo(source)
  return tokens
    .slice(0, -1)
    .map(({ text, from }) => (text === ";" && source.charAt(from) !== ";" ? "↵" : text))
    .join("|")
}

const kindsOf = (source: string) => scanGo(source).tokens.map(({ kind }) => kind)

describe("tokens", () => {
  it.each([
    ["names", "a _ a1 _b2 Größe π٣ été", "name"],
    [
      "keywords",
      "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var",
      "keyword",
    ],
    [
      "numbers",
      "0 7 42 1_000 017 0o17 0O17 0b101 0B1_0 0xBad_Face 0XF 1.5 1. .5 1_0.2_5 1e9 1E9 1e+9 2.5e-10 .5e1_0 0x1p-2 0X1.8P+3 0x_1p4 2i 1.5i 0b1i 0x1Fi 1e3i",
      "number",
    ],
    ["runes", String.raw`'a' '"' '本' '😀' '\'' '\\' '\n' '\x41' '\101' '\u00e9' '\U0001F600'`, "rune"],
    ["strings", '"" "a" "\'" "\\"" "\\\\" "a\\tb" `` `\\` `"`', "string"],
    [
      "operators",
      "+ - * / % & | ^ << >> &^ += -= *= /= %= &= |= ^= <<= >>= &^= && || <- ++ -- == < > = ! ~ != <= >= := ... ( [ { ) ] } , ; . :",
      "operator",
    ],
    ["text that Go does not have", "# $ ? @ \\ § 😀 ' \u0000", "illegal"],
  ])("%s", (_, source, kind) => {
    const found = scanGo(source).tokens.filter(({ text, from }) => text !== ";" || source.charAt(from) === ";")
    expect(found.slice(0, -1).map(({ text }) => text)).toEqual(source.split(" "))
    expect(new Set(found.slice(0, -1).map(token => token.kind))).toEqual(new Set([kind]))
    expect(found.at(-1)).toMatchObject({ kind: "end", text: "" })
  })

  it.each([
    ["a+b", "a|+|b|↵"],
    ["a<-b", "a|<-|b|↵"],
    ["x.y.z", "x|.|y|.|z|↵"],
    ["f(a...)", "f|(|a|...|)|↵"],
    ["a&^b", "a|&^|b|↵"],
    ["1..2", "1.|.2|↵"],
    ["1a", "1|a|↵"],
    ["0x", "0|x|↵"],
    ["1e", "1|e|↵"],
    ["0b2", "0b2|↵"],
    ["'a", "'|a|↵"],
    ["''", "'|'|↵"],
    ["'a\nb'", "'|a|↵|b|'|↵"],
    ["a\t\r b", "a|b|↵"],
    ["a/b", "a|/|b|↵"],
    ["\uFEFFa", "a|↵"],
    ["a\uFEFF", "a|\uFEFF|↵"],
    ["", ""],
    ["\n\n", ""],
  ])("of %j", (source, expected) => {
    expect(texts(source)).toBe(expected)
  })

  it.each(["a", "1", "'a'", '"a"', "`a`", "break", "continue", "fallthrough", "return", "++", "--", ")", "]", "}"])(
    "a line that ends with %s ends a statement",
    last => {
      expect(texts(`${last}\nb`)).toBe(`${last}|↵|b|↵`)
      expect(texts(`${last} // c\nb`)).toBe(`${last}|↵|b|↵`)
      expect(texts(`${last} /* c\nd */ b`)).toBe(`${last}|↵|b|↵`)
      expect(texts(`${last} /* c */ b`)).toBe(`${last}|b|↵`)
      expect(texts(last)).toBe(`${last}|↵`)
    },
  )

  it.each(["if", "func", "+", ",", "(", "[", "{", "=", ".", "*", "type", "else"])(
    "a line that ends with %s goes on",
    last => {
      expect(texts(`${last}\n\nb`)).toBe(`${last}|b|↵`)
      expect(texts(last)).toBe(last)
    },
  )

  it("have offsets and lines, over strings and comments of several lines", () => {
    const source = "a `x\ny` /* c\nd\n*/ b\nc"
    const { tokens } = scanGo(source)
    expect(tokens.map(({ text, from, line, lastLine }) => [text, from, line, lastLine])).toEqual([
      ["a", 0, 1, 1],
      ["`x\ny`", 2, 1, 2],
      [";", 8, 2, 2],
      ["b", 18, 4, 4],
      [";", 19, 4, 4],
      ["c", 20, 5, 5],
      [";", 21, 5, 5],
      ["", 21, 5, 5],
    ])
  })

  it("in quotes end with their line", () => {
    expect(texts('"a\nb"')).toBe('"a|↵|b|"|↵')
    expect(kindsOf('"a\\\n"')).toEqual(["illegal", "operator", "illegal", "operator", "end"])
    expect(kindsOf('"a\\"')).toEqual(["illegal", "operator", "end"])
    expect(texts('"a')).toBe('"a|↵')
  })
})

describe("comments", () => {
  const commentsOf = (source: string) => scanGo(source).comments

  it("have their text, their first line, and whether code stands before them", () => {
    const source = "// one\r\n\n  // two\na // three\n/* four\r\n   five */ b /* six */ // seven\n`\n` // eight\n\t/**/"
    expect(commentsOf(source)).toEqual([
      { text: "// one", line: 1, trailing: false },
      { text: "// two", line: 3, trailing: false },
      { text: "// three", line: 4, trailing: true },
      { text: "/* four\n   five */", line: 5, trailing: false },
      { text: "/* six */", line: 6, trailing: true },
      { text: "// seven", line: 6, trailing: true },
      { text: "// eight", line: 8, trailing: true },
      { text: "/**/", line: 9, trailing: false },
    ])
  })

  it("inside strings are text, and so are strings inside comments", () => {
    expect(commentsOf('"// a" `/* b` /* "c */ // `')).toMatchObject([{ text: '/* "c */' }, { text: "// `" }])
  })

  it("end with the file", () => {
    expect(commentsOf("a\n// b")).toEqual([{ text: "// b", line: 2, trailing: false }])
  })
})

describe("what is open at the end of the file", () => {
  it.each([
    ["a\n`b\nc", { what: "string", line: 2 }],
    ["a\n\n/* b\nc", { what: "comment", line: 3 }],
    ["`", { what: "string", line: 1 }],
    ["/*/", { what: "comment", line: 1 }],
    ["`a` /* b */", undefined],
    ["``", undefined],
    ["/**/", undefined],
  ])("%j", (source, open) => {
    expect(scanGo(source).open).toEqual(open)
  })

  it("takes in the rest of the file", () => {
    expect(texts("a `b\nc")).toBe("a|`b\nc|↵")
    expect(scanGo("a /* b\nc").comments).toEqual([{ text: "/* b\nc", line: 1, trailing: true }])
  })
})
