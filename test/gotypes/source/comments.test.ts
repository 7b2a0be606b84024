/** Assigns comments to declarations. */
import { describe, expect, it } from "vitest"
import { Comments } from "../../../src/gotypes/source/comments.js"
import { scanGo } from "../../../src/gotypes/source/scan.js"

function commentsOf(text: string): Comments {
  const lines = text.split("\n")
  return new Comments(scanGo(text).comments, line => (lines[line - 1] ?? "x").trim() === "")
}

const texts = (lines: readonly { readonly text: string; readonly line: number }[]) =>
  lines.map(({ text, line }) => `${line} ${text}`)

describe("the comment above a line", () => {
  it.each<[string, string, string[], string[]]>([
    ["is the group that ends there", "// a\n// b\nX", ["1 a", "2 b"], []],
    ["ends at a blank line", "// a\n\n// b\nX", ["3 b"], ["1 a"]],
    ["is missing behind a blank line", "// a\n\nX", [], ["1 a"]],
    ["is missing behind two blank lines", "// a\n\n\nX", [], []],
    ["has one above it that one blank line separates, no further one", "// a\n\n// b\n\n// c\nX", ["5 c"], ["3 b"]],
    ["is missing behind code", "// a\nY\nX", [], []],
    ["has no other above it behind code", "// a\nY\n// b\nX", ["3 b"], []],
    ["is not behind code", "Y // a\nX", [], []],
    ["does not continue one behind code", "Y // a\n// b\nX", ["2 b"], []],
    ["joins blocks and lines", "/* a\nb */\n// c\n/* d */\nX", ["1  a", "2 b", "3 c", "4  d"], []],
    ["joins comments of one line", "/* a */ // b\n// c\nX", ["2 c"], []],
    ["is one on the first line", "// a\nX", ["1 a"], []],
    ["is missing at the first line", "X", [], []],
    ["may follow a blank first line", "\nX", [], []],
    ["may be separated by a line of spaces", "// a\n \t\n// b\nX", ["3 b"], ["1 a"]],
  ])("%s", (_, text, doc, detached) => {
    const comments = commentsOf(text)
    const line = text.split("\n").indexOf("X") + 1
    expect([texts(comments.doc(line)), texts(comments.detached(line))]).toEqual([doc, detached])
  })
})

it("a comment behind code is found by its line", () => {
  const comments = commentsOf("A // a\nB /* b */\n// c\nC")
  expect([1, 2, 3, 4].map(line => texts(comments.trailing(line)))).toEqual([["1 a"], ["2  b"], [], []])
})

it("the comments before a line have each line once", () => {
  expect(texts(commentsOf("// a\n// b\n// c\n\n// d\nX").before(6))).toEqual(["1 a", "2 b", "3 c", "5 d"])
})

it("the comments before a line are all that end there or above, but those behind code", () => {
  const comments = commentsOf("// a\n\n/* b\n*/\nA // c\n// d\nB\n// e")
  expect(texts(comments.before(7))).toEqual(["1 a", "3  b", "4 ", "6 d"])
  expect(texts(comments.before(4))).toEqual(["1 a"])
  expect(texts(comments.before(5))).toEqual(["1 a", "3  b", "4 "])
})

it.each([
  ["// a", ["a"]],
  ["//a", ["a"]],
  ["//  a ", [" a"]],
  ["//\ta", ["\ta"]],
  ["//", [""]],
  ["//go:generate x", []],
  ["//nolint:all", []],
  ["//a1:b", []],
  ["// go:generate x", ["go:generate x"]],
  ["//go: generate", ["go: generate"]],
  ["//Go:generate", ["Go:generate"]],
  ["//+kubebuilder:x", ["+kubebuilder:x"]],
  ["/* a */", [" a"]],
  ["/*a\n  b  \n*/", ["a", "  b", ""]],
  ["/* a", [" a"]],
])("%j has the lines %j", (comment, expected) => {
  expect(
    new Comments([{ text: comment, line: 1, trailing: true }], () => false).trailing(1).map(({ text }) => text),
  ).toEqual(expected)
})
