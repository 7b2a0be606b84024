// Scalars for the fast reader: finds where they end, and reads their values.
import type { Value } from "../value/value.js"
import * as char from "./yaml-characters.js"
import { keyText, outOfRange, resolvePlain } from "./yaml-scalar.js"

/** The error that `giveUp` throws: always the same one, so that it captures its stack only once. */
export const givenUp = new Error("this text needs the full reader")

/** Leaves the text to the full reader. */
export function giveUp(): never {
  throw givenUp
}

/** Returns the end of the line of `at`: its line break, or the end of the text. */
export function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at)
  return end < 0 ? text.length : end
}

/** Whether a space, a line break or the end is here. */
export function endsToken(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === char.space || code === char.lineBreak || at >= text.length
}

/** Whether the line that begins here may begin or end a document. */
export function isMarker(text: string, at: number): boolean {
  return text.startsWith("---", at) || text.startsWith("...", at)
}

/** Whether a plain scalar may begin here. */
export function beginsPlain(text: string, at: number): boolean {
  const first = text[at]
  if (first === undefined || !indicators.includes(first)) return first !== undefined
  return "-?:".includes(first) && !endsToken(text, at + 1) && !flowIndicators.includes(text[at + 1] as string)
}
const indicators = "-?:,[]{}#&*!|>'\"%@`\t\n "
const flowIndicators = ",[]{}"

/**
 * Returns the end of a line of a plain scalar: the colon of a key, the space before a comment, the line break, or the end of the text; in
 * brackets also a comma or closing bracket.
 */
export function endOfPlain(text: string, start: number, inFlow = false): number {
  for (let at = start; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case char.lineBreak:
        return at
      case char.colon:
        if (endsToken(text, at + 1)) return at
        if (inFlow && flowIndicators.includes(text[at + 1] as string)) giveUp()
        break
      case char.hash:
        if (text.charCodeAt(at - 1) === char.space) return at - 1
        break
      case char.tab:
        giveUp()
        break
      case char.comma:
      case char.closeBracket:
      case char.closeBrace:
        if (inFlow) return at
        break
      case char.openBracket:
      case char.openBrace:
      case char.question:
        if (inFlow) giveUp()
    }
  }
  return text.length
}

/** Returns the line of a scalar without trailing spaces. */
export function trimmed(text: string, start: number, end: number): string {
  let last = end
  while (text.charCodeAt(last - 1) === char.space) last--
  return text.slice(start, last)
}

/** Returns the offset at which a plain scalar in a collection at column `parent` continues after the line break at `end`; -1 if it ends there. */
export function continuationOf(text: string, end: number, parent: number): number {
  for (let start = end + 1; ; ) {
    let at = start
    while (text.charCodeAt(at) === char.space) at++
    const first = text.charCodeAt(at)
    if (first === char.tab) giveUp()
    if (first !== char.lineBreak) return at < text.length && at - start > parent && first !== char.hash ? at : -1
    start = at + 1
  }
}

/** Returns the value of a plain scalar. */
export function plainValue(text: string): Value {
  const value = resolvePlain(text)
  if (typeof value === "number" ? !Number.isFinite(value) : outOfRange(value)) giveUp()
  return value
}

/** Returns the key that a plain scalar stands for. */
export function plainKey(text: string): string {
  if (text === "<<") giveUp()
  const value = resolvePlain(text)
  if (typeof value === "string") return value
  return outOfRange(value) ? giveUp() : (keyText(value, text) ?? giveUp())
}

/** Returns the offset of the quote that closes the one at `at`. */
export function endOfQuoted(text: string, at: number): number {
  const quote = text.charCodeAt(at)
  for (let end = at + 1; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code === quote) {
      if (quote === char.doubleQuote || text.charCodeAt(end + 1) !== quote) return end
      end++
    } else if (code === char.backslash && quote === char.doubleQuote) end++
  }
  return giveUp()
}

/** Returns the value of quoted text on one line. */
export function unescapeQuoted(text: string, quote: number): string {
  if (quote === char.singleQuote) return text.includes("'") ? text.replaceAll("''", "'") : text
  return text.includes("\\")
    ? text.replace(/\\(?:(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8}))|.)?/g, unescapeOne)
    : text
}

function unescapeOne(sequence: string, hex2?: string, hex4 = hex2, hex8 = hex4): string {
  if (hex8 === undefined) return escapes.get(sequence) ?? giveUp()
  const code = Number.parseInt(hex8, 16)
  return (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ? giveUp() : String.fromCodePoint(code)
}
const escapes: ReadonlyMap<string, string> = new Map([
  ['\\"', '"'],
  ["\\\\", "\\"],
  ["\\/", "/"],
  ["\\b", "\b"],
  ["\\f", "\f"],
  ["\\n", "\n"],
  ["\\r", "\r"],
  ["\\t", "\t"],
  ["\\ ", " "],
  ["\\0", "\0"],
  ["\\a", "\x07"],
  ["\\e", "\x1b"],
  ["\\v", "\v"],
  ["\\N", "\x85"],
  ["\\_", "\xa0"],
])

/**
 * Folds the lines of quoted text: a single line break becomes a space, and the first of several line breaks is dropped. An escaped line break
 * is dropped too, but spaces before it stay.
 */
export function foldQuoted(text: string, parent: number, quote: number): string {
  if (text.includes("\t")) giveUp()
  const lines = text.split("\n")
  let out = ""
  let breaks = ""
  let isJoined = false
  lines.forEach((line, i) => {
    const isLast = i === lines.length - 1
    if (i > 0 && isLast && indentOf(line) <= parent) giveUp()
    const begin = i === 0 ? 0 : indentOf(line)
    let content = isLast ? line.slice(begin) : trimmed(line, begin, line.length)
    const joinsNext = !isLast && quote === char.doubleQuote && endsInEscape(content)
    if (joinsNext) {
      // The space is part of an escape.
      if (!line.endsWith("\\")) giveUp()
      content = content.slice(0, -1)
    }
    if (i === 0) out = content
    else if (content === "" && !isLast && !joinsNext) {
      if (isJoined) giveUp()
      breaks += "\n"
    } else {
      if (begin <= parent) giveUp()
      out += (breaks === "" ? (isJoined ? "" : " ") : breaks) + content
      breaks = ""
    }
    isJoined = joinsNext
  })
  return out
}

/** Whether a backslash at the end escapes the next character. */
function endsInEscape(text: string): boolean {
  let start = text.length
  while (text.charCodeAt(start - 1) === char.backslash) start--
  return (text.length - start) % 2 === 1
}

function indentOf(line: string): number {
  let at = 0
  while (line.charCodeAt(at) === char.space) at++
  return at
}

/** Returns the block of text whose header begins at `at` in a collection at column `parent`, and the offset of the line after the block. */
export function readTextBlock(
  text: string,
  at: number,
  parent: number,
): { readonly value: string; readonly end: number } {
  const isFolded = text.charCodeAt(at) === char.greater
  const chomping = text[at + 1] as string
  const header = chomping === "-" || chomping === "+" ? at + 2 : at + 1
  if (text.charCodeAt(header) !== char.lineBreak) giveUp()
  const indent = indentOfBlock(text, header + 1)
  if (indent <= parent) giveUp()
  const lines: string[] = []
  let end = header + 1
  for (let next = end; next >= 0; next = lineOfBlock(text, end, indent, lines)) end = next
  let filled = lines.length
  while (filled > 0 && lines[filled - 1] === "") filled--
  const breaks = chomping === "-" ? 0 : chomping === "+" ? lines.length - filled + 1 : 1
  const body = lines.slice(0, filled)
  return { value: (isFolded ? foldBlock(body) : body.join("\n")) + "\n".repeat(breaks), end }
}

// Returns the indent of the first line that is not blank. Gives up if a blank line before it is longer than that.
function indentOfBlock(text: string, start: number): number {
  let longest = 0
  for (let line = start; ; ) {
    let at = line
    while (text.charCodeAt(at) === char.space) at++
    if (at >= text.length || text.charCodeAt(at) === char.tab) giveUp()
    if (text.charCodeAt(at) !== char.lineBreak) return at - line < longest ? giveUp() : at - line
    longest = Math.max(longest, at - line)
    line = at + 1
  }
}

// Adds a line of the block. Returns the offset of the next line; -1 if the block is over.
function lineOfBlock(text: string, start: number, indent: number, lines: string[]): number {
  if (start >= text.length) return -1
  let at = start
  while (at - start < indent && text.charCodeAt(at) === char.space) at++
  const first = text.charCodeAt(at)
  const end = endOfLine(text, at)
  // Left to the full reader: a block at the end of a text without a last line break, and lines of nothing but space.
  if (end === at && end < text.length) lines.push("")
  else if (at - start < indent) return first === char.tab || at >= text.length ? giveUp() : -1
  else {
    const line = text.slice(at, end)
    if (end >= text.length || ((first === char.space || first === char.tab) && line.trim() === "")) giveUp()
    lines.push(line)
  }
  return end + 1
}

// Folds lines into paragraphs. Lines with more indentation keep their breaks, and need the full reader.
function foldBlock(lines: readonly string[]): string {
  let out = ""
  let breaks = ""
  let isFirst = true
  for (const line of lines) {
    if (line === "") {
      breaks += "\n"
      continue
    }
    if (line.startsWith(" ") || line.startsWith("\t")) giveUp()
    out += (breaks === "" && !isFirst ? " " : breaks) + line
    breaks = ""
    isFirst = false
  }
  return out
}
