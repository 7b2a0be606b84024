import { describe, expect, it } from "vitest"
import {
  alignColumns,
  defineTerms,
  foldLines,
  harmless,
  indent,
  printable,
  printableJson,
  wrap,
} from "../../../src/cli/terminal/layout.js"

describe("layout", () => {
  it("writes control characters as escapes", () => {
    expect(printable("a\x1b[31m\tb\u{1f600}")).toBe("a\\x1b[31m\\x09b\u{1f600}")
  })

  it("escapes marks that change the direction of writing, and keeps marks between letters", () => {
    expect(printable("a\u202eb\u2066\u061c\u2028")).toBe("a\\u202eb\\u2066\\u061c\\u2028")
    expect(printable("\u{1f469}\u200d\u{1f680}")).toBe("\u{1f469}\u200d\u{1f680}")
  })

  it("keeps lines, tabs and our own colours in formatted text", () => {
    expect(harmless("a\n\tb\r\x1b[31mred\x1b[39m\x1b[2J", true)).toBe("a\n\tb\\x0d\x1b[31mred\x1b[39m\\x1b[2J")
    expect(harmless("\x1b[31mred\x9b1m\x07[1m", false)).toBe("\\x1b[31mred\\x9b1m\\x07[1m")
  })

  it("writes them as JSON escapes inside JSON", () => {
    expect(JSON.parse(printableJson('{\n"a\u009b":"\u202e"}'))).toEqual({ "a\u009b": "\u202e" })
    expect(printableJson('{\n"\u009b"}')).toBe('{\n"\\u009b"}')
  })

  it("aligns columns without trailing blanks", () => {
    expect(alignColumns([["a", "long", "x"], ["\u{1f600}bc", "d"], []])).toEqual([
      "a     long  x",
      "\u{1f600}bc  d",
      "",
    ])
  })

  it("wraps between words, and cuts words that are too long for a line", () => {
    expect(wrap("one two three", 7)).toEqual(["one two", "three"])
    expect(wrap("one\ntwo  extraordinary a b", 5)).toEqual(["one", "two", "ex…ry", "a b"])
    expect(wrap("", 5)).toEqual([""])
    expect(wrap("! extraordinary a", 6)).toEqual(["! e…ry", "a"])
  })

  it("folds messages at spaces, and leaves words whole for those who copy them", () => {
    expect(foldLines("a.yaml:1:2: one two\nthree\n", 15)).toBe("a.yaml:1:2: one\n    two\nthree\n")
    expect(foldLines("  a  b  c.d.e.f.g.h.i.j k", 8)).toBe("  a  b\n    c.d.e.f.g.h.i.j\n    k")
    expect(foldLines("one two", Number.POSITIVE_INFINITY)).toBe("one two")
  })

  it("wraps the meanings of terms next to the terms", () => {
    const rows = [
      ["--all", "everything there is"],
      ["-n", "none"],
    ] as const
    expect(defineTerms(rows, 17)).toEqual(["--all  everything", "       there is", "-n     none"])
  })

  it("indents lines that have content", () => {
    expect(indent("a\n\nb\n", 2)).toBe("  a\n\n  b\n")
  })
})
