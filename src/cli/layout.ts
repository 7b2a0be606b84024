// Text laid out for people: values on one line, columns, lists of words.
import { compareStrings } from "../value/compare.js"
import { writeJson } from "../value/json.js"
import type { Value } from "../value/value.js"

/** Stands for a value that is not there. */
export const absent = "(absent)"

/** The value as JSON on one line of at most `width` characters; `absent` for none. */
export function showValue(value: Value | undefined, width = 60): string {
  return value === undefined ? absent : shorten(printable(writeJson(value)), width)
}

/** The text with control characters written as escapes, so that data can't steer the terminal it is shown on. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, char => `\\x${(char.codePointAt(0) as number).toString(16).padStart(2, "0")}`)
}

function shorten(text: string, width: number): string {
  const characters = Array.from(text)
  return characters.length <= width ? text : `${characters.slice(0, width - 3).join("")}...`
}

/** Rows as aligned columns, two spaces apart, one line each. Rows may differ in length. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, widthOf(cell))))
  return rows.map(row =>
    row
      .map((cell, i) => cell + " ".repeat((widths[i] ?? 0) - widthOf(cell)))
      .join("  ")
      .trimEnd(),
  )
}

/** Columns on a terminal, taking every character for one column wide. */
function widthOf(text: string): number {
  return Array.from(text).length
}

/** The text with every line moved right. */
export function indent(text: string, spaces: number): string {
  return text.replace(/^(?=.)/gm, " ".repeat(spaces))
}

/** `1 field`, `2 fields`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`
}

/** `a`, `a and b`, `a, b and c`. */
export function listWords(words: readonly string[]): string {
  const last = words[words.length - 1] ?? ""
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`
}

/** The name that `word` is most likely a slip for, or undefined where none is near. */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const name of Array.from(names).sort(compareStrings)) {
    if (Math.abs(name.length - word.length) >= least) continue
    const edits = editDistance(word.toLowerCase(), name.toLowerCase())
    if (edits < least) {
      best = name
      least = edits
    }
  }
  return best
}

/** How many characters have to be added, removed or replaced to get from one word to the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
