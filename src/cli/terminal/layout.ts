// Lays out text for people: columns, wrapped lines, lists of words.

import { cutMiddle, sliceColumns, widthOf } from "./width.js"

/**
 * Returns the text on one line, with escapes for characters that could control a terminal: control characters, line breaks and
 * marks that change the direction of text.
 */
export function printable(text: string): string {
  return text.replace(steering, escapeChar)
}

/** Like `printable`, for text that is already laid out: keeps line breaks, tabs and, if `styled`, our own colours. */
export function harmless(text: string, styled: boolean): string {
  return text.replace(steeringLayout, found => {
    if (found === "\n" || found === "\t") return found
    return styled && found.length > 1 && found.startsWith("\x1b") ? found : escapeChar(found.charAt(0)) + found.slice(1)
  })
}

/** Returns the JSON text with escapes in its strings for the characters that `printable` escapes. */
export function printableJson(json: string): string {
  return json.replace(steering, char => (char === "\n" ? char : `\\u${codeOf(char, 4)}`))
}

const steering = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu
const steeringLayout = /\p{Cc}\[(?:1|2|22|31|32|39)m|[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu

function escapeChar(char: string): string {
  return char <= "\xff" ? `\\x${codeOf(char, 2)}` : `\\u${codeOf(char, 4)}`
}

function codeOf(char: string, digits: number): string {
  return char.charCodeAt(0).toString(16).padStart(digits, "0")
}

/** Cuts the text to `width` columns, with `...` at the end if it was wider. */
export function shorten(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${sliceColumns(text, 0, width - 3)}...`
}

/** Returns each row as a line, in aligned columns two spaces apart. Rows may differ in length. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, widthOf(cell))))
  return rows.map(row => joinCells(row, widths))
}

function joinCells(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, i) => pad(cell, widths[i] ?? 0))
    .join("  ")
    .trimEnd()
}

/** Breaks the text at spaces into lines of at most `width` columns. A longer word gets its own line, with `…` in its middle. */
export function wrap(text: string, width: number): string[] {
  return wrapIndented(text, width, "")
}

/** Like `wrap`, with two spaces before all lines but the first. */
export function wrapHanging(text: string, width: number): string[] {
  return wrapIndented(text, width, "  ")
}

/**
 * Breaks the text into lines of at most `width` columns, with `margin` before all lines but the first. A `!` at the beginning stays with
 * the next word.
 */
function wrapIndented(text: string, width: number, margin: string): string[] {
  const lines: string[] = []
  let line = ""
  for (const whole of text.split(/(?<!^!)\s+/)) {
    const word = cutMiddle(whole, width - margin.length)
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line)
      line = margin + word
    } else line = line === "" ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** Breaks lines of more than `width` columns at spaces, and indents their rest. Keeps all other spaces, and words that are too long. */
export function foldLines(text: string, width: number): string {
  return text
    .split("\n")
    .flatMap(line => folded(line, width))
    .join("\n")
}

function folded(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line]
  const lines: string[] = []
  let current = ""
  for (const word of line.split(/(?<=\S)(?= )/)) {
    if (current.trim() !== "" && widthOf(current) + widthOf(word) > width) {
      lines.push(current)
      current = `    ${word.trimStart()}`
    } else current += word
  }
  return [...lines, current]
}

/** Wraps each text in the columns after the label. */
export function labelled(label: string, texts: readonly string[], width: number): string[] {
  const column = widthOf(label) + 2
  return texts
    .flatMap(text => wrapHanging(text, width - column))
    .map((line, i) => `${pad(i === 0 ? label : "", column)}${line}`)
}

/**
 * Returns lines with terms in one column and their wrapped meanings in a second one, at most `width` columns in all. The first column is
 * as wide as the widest term, or it takes `column` columns, and a wider term gets its own line.
 */
export function defineTerms(
  rows: readonly (readonly [term: string, meaning: string])[],
  width: number,
  column = widestIn(rows, width),
): string[] {
  return rows.flatMap(([term, meaning]) => {
    const lines = wrap(meaning, width - column - 2)
    const isWide = widthOf(term) > column
    return [
      ...(isWide ? [term] : []),
      ...lines.map((line, i) => `${pad(i > 0 || isWide ? "" : term, column)}  ${line}`),
    ]
  })
}

/** Returns the width of the widest term, but at most `most`. */
export function widestIn(rows: readonly (readonly [term: string, meaning: string])[], most: number): number {
  const terms = rows.map(([term]) => term)
  return widest(terms, most)
}

/**
 * Lays out rows in columns of these widths, two spaces apart. A cell that is too wide gets its own line, cut in its middle if that
 * line is too short, and the row continues below it. The last cell of a row is wrapped at spaces.
 */
export function fitColumns(rows: readonly (readonly string[])[], widths: readonly number[]): string[] {
  return rows.flatMap(row => {
    const lines: string[][] = [[]]
    row.forEach((cell, i) => {
      const width = widths[i] ?? 0
      const line = lines[lines.length - 1] as string[]
      if (i === row.length - 1) {
        const [first = "", ...others] = wrap(cell, width)
        line.push(first)
        for (const other of others) lines.push([...row.slice(0, i).map(() => ""), other])
      } else if (widthOf(cell) > width) {
        const room = widths.slice(i).reduce((sum, other) => sum + 2 + other, -2)
        line.push(cutMiddle(cell, room))
        lines.push([...row.slice(0, i + 1).map(() => "")])
      } else line.push(cell)
    })
    return lines.filter((line, i) => i === 0 || line.some(cell => cell !== "")).map(line => joinCells(line, widths))
  })
}

/** Returns the width of the widest text, but at most `most`. */
export function widest(texts: readonly string[], most: number): number {
  return Math.min(most, Math.max(0, ...texts.map(widthOf)))
}

/** Pads the text with spaces to this width. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)))
}

/** Puts both texts on one line of this width, the second at its right end, or on two lines if they don't fit. */
export function spread(left: string, right: string, width: number): string {
  const between = width - widthOf(left) - widthOf(right)
  return between < 2 ? `${left}\n  ${right}` : `${left}${" ".repeat(between)}${right}`
}

/** Indents every line of the text that is not empty. */
export function indent(text: string, spaces: number): string {
  return text.replace(/^(?=.)/gm, " ".repeat(spaces))
}
