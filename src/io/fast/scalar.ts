// Plain and quoted scalars, for the fast reader.
import type { Value } from "../../value/value.js"
import * as char from "../syntax/characters.js"
import { keyText, outOfRange, resolvePlain } from "../syntax/scalar.js"
import { type Cursor, end, giveUp } from "./cursor.js"
import { foldQuoted, unescapeQuoted } from "./quoted.js"

/** Longer texts may be too long for a key in the full reader, which measures them differently. */
export const longestKey = 1000

/** The characters with a special place in plain scalars, by code; each is one of the kinds below, or 0. */
const kinds = new Uint8Array(256)
/** No plain scalar begins with it. */
const neverFirst = 1
/** A plain scalar begins with it only if another character of plain scalars follows. */
const seldomFirst = 2
/** It may end a plain scalar. */
const stops = 4
/** It may end a plain scalar in brackets. */
const stopsInFlow = 8
/** A plain scalar that begins with it may be something else than a text. */
const ambiguous = 16
/** It may end quoted text, or change its value. */
const stopsInQuotes = 32

const marked: readonly (readonly [characters: string, kind: number])[] = [
  [",[]{}#&*!|>'\"%@`\t\n \0", neverFirst],
  ["-?:", seldomFirst],
  ["\n\t:#\0", stops | stopsInFlow],
  [",[]{}?", stopsInFlow],
  ["0123456789+-.~yYnNtTfFoO", ambiguous],
  ["\"'\\\n\0", stopsInQuotes],
  // Control characters, which are forbidden.
  [
    `${String.fromCharCode(...Array.from({ length: 32 }, (_, code) => code)).replace(/[\t\n]/g, "")}\x7f`,
    neverFirst | stops | stopsInFlow | stopsInQuotes,
  ],
]
for (const [characters, kind] of marked)
  for (const character of characters) {
    const code = character.charCodeAt(0)
    kinds[code] = (kinds[code] as number) | kind
  }

function kindAt(cursor: Cursor, at: number): number {
  return kinds[cursor.codes[at] as number] as number
}

function isFlowIndicator(cursor: Cursor, at: number): boolean {
  const code = cursor.codes[at]
  return (
    code === char.comma ||
    code === char.openBracket ||
    code === char.closeBracket ||
    code === char.openBrace ||
    code === char.closeBrace
  )
}

/** Whether a plain scalar may begin here. */
export function beginsPlain(cursor: Cursor, at: number): boolean {
  const kind = kindAt(cursor, at)
  if ((kind & (neverFirst | seldomFirst)) === 0) return true
  return (kind & seldomFirst) !== 0 && !cursor.endsToken(at + 1) && !isFlowIndicator(cursor, at + 1)
}

/** Returns the end of a line of a plain scalar: the colon of a key, the space before a comment, the line break, or the end of the text. */
export function plainStop(cursor: Cursor, start: number): number {
  const { codes } = cursor
  for (let at = start; ; at++) {
    const code = codes[at] as number
    if (((kinds[code] as number) & stops) === 0) continue
    if (code === char.hash) {
      if (codes[at - 1] === char.space) return at - 1
    } else if (code === char.colon) {
      if (cursor.endsToken(at + 1)) return at
    } else return isEnd(code) ? at : giveUp()
  }
}

/** Returns the same in brackets, where commas and closing brackets are ends too. */
export function flowPlainStop(cursor: Cursor, start: number): number {
  const { codes } = cursor
  for (let at = start; ; at++) {
    const code = codes[at] as number
    if (((kinds[code] as number) & stopsInFlow) === 0) continue
    switch (code) {
      case char.hash:
        if (codes[at - 1] === char.space) return at - 1
        break
      case char.colon:
        if (cursor.endsToken(at + 1)) return at
        if (isFlowIndicator(cursor, at + 1)) giveUp()
        break
      case char.comma:
      case char.closeBracket:
      case char.closeBrace:
        return at
      default:
        return isEnd(code) ? at : giveUp()
    }
  }
}

function isEnd(code: number): boolean {
  return code === char.lineBreak || code === end
}

/** Reads a plain scalar with its continuation lines, in a collection at column `parent`. */
export function readPlain(cursor: Cursor, parent: number): Value {
  const { codes, at } = cursor
  if (!beginsPlain(cursor, at)) giveUp()
  let stop = plainStop(cursor, at)
  if (codes[stop] === char.colon) giveUp()
  const last = cursor.beforeSpaces(stop)
  if (!continues(cursor, stop, parent)) return plainValue(cursor, at, last)
  let out = cursor.text.slice(at, last)
  do {
    const start = cursor.at
    out += breaksBetween(cursor, stop, start)
    stop = plainStop(cursor, start)
    if (codes[stop] === char.colon) giveUp()
    out += cursor.trimmed(start, stop)
  } while (continues(cursor, stop, parent))
  return out
}

/** Moves from the end of a line of a plain scalar to the next content. Returns whether the scalar continues there. */
function continues(cursor: Cursor, stop: number, parent: number): boolean {
  if (cursor.codes[stop] === char.lineBreak) return !cursor.toContent(stop + 1) && cursor.column > parent
  cursor.at = stop
  cursor.finishLine()
  return false
}

/** Returns the text for the line breaks between two lines of a scalar: a space for one, and one line break less for several. */
function breaksBetween({ codes, column }: Cursor, from: number, to: number): string {
  if (to - column === from + 1) return " "
  let breaks = ""
  for (let at = from + 1; at < to; at++) if (codes[at] === char.lineBreak) breaks += "\n"
  return breaks
}

/** Returns the value of a plain scalar on one line. */
export function plainValue(cursor: Cursor, start: number, stop: number): Value {
  const text = cursor.text.slice(start, stop)
  if ((kindAt(cursor, start) & ambiguous) === 0) return text
  const size = smallInteger(cursor, start, stop)
  if (size >= 0) return size
  const value = resolvePlain(text)
  if (typeof value === "number" ? !Number.isFinite(value) : outOfRange(value)) giveUp()
  return value
}

/** Returns the integer with these digits; -1 for anything else, and for more digits or a leading zero. */
function smallInteger({ codes }: Cursor, start: number, stop: number): number {
  if (stop - start > 9 || (codes[start] === zero && stop - start > 1)) return -1
  let size = 0
  for (let at = start; at < stop; at++) {
    const digit = (codes[at] as number) - zero
    if (digit < 0 || digit > 9) return -1
    size = size * 10 + digit
  }
  return size
}
const zero = 0x30

/** Returns the key that a plain scalar stands for. */
export function plainKey(text: string): string {
  if (text === "<<") giveUp()
  const value = resolvePlain(text)
  if (typeof value === "string") return value
  return outOfRange(value) ? giveUp() : (keyText(value, text) ?? giveUp())
}

/** Whether this is the end or a control character. */
function isForbidden(code: number): boolean {
  return code < char.space ? code !== char.tab && code !== char.lineBreak : code === 0x7f
}

/**
 * Takes quoted text in a collection at column `parent`. With undefined, takes only text that ends on its line, and returns undefined for
 * other text.
 */
export function takeQuoted(cursor: Cursor, quote: number, parent: number | undefined): string | undefined {
  const { codes, text } = cursor
  const start = cursor.at + 1
  let hasLines = false
  let hasEscapes = false
  let stop = start
  for (; ; stop++) {
    const code = codes[stop] as number
    if (((kinds[code] as number) & stopsInQuotes) === 0) continue
    if (code === quote) {
      if (quote === char.doubleQuote || codes[stop + 1] !== quote) break
      hasEscapes = true
      stop++
    } else if (code === char.lineBreak) hasLines = true
    else if (code === char.backslash) {
      if (quote === char.singleQuote) continue
      hasEscapes = true
      if (codes[++stop] === char.lineBreak) hasLines = true
      else if (isForbidden(codes[stop] as number)) giveUp()
    } else if (isForbidden(code)) giveUp()
  }
  if (hasLines && parent === undefined) return undefined
  cursor.at = stop + 1
  const written = text.slice(start, stop)
  const inner = hasLines ? foldQuoted(written, parent as number, quote) : written
  return hasEscapes ? unescapeQuoted(inner, quote) : inner
}
