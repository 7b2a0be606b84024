// The value of quoted text, for the fast reader.
import * as char from "../syntax/characters.js"
import { giveUp } from "./cursor.js"

/** Returns the value of quoted text on one line. */
export function unescapeQuoted(text: string, quote: number): string {
  if (quote === char.singleQuote) return text.includes("'") ? text.replaceAll("''", "'") : text
  let out = ""
  let from = 0
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", from)) {
    const letter = text.charAt(at + 1)
    const known = escapes.get(letter)
    const digits = known === undefined ? (hexDigits.get(letter) ?? giveUp()) : 0
    out += text.slice(from, at) + (known ?? characterOf(text.slice(at + 2, at + 2 + digits), digits))
    from = at + 2 + digits
  }
  return from === 0 ? text : out + text.slice(from)
}

function characterOf(hex: string, digits: number): string {
  if (hex.length < digits || !/^[\da-fA-F]+$/.test(hex)) giveUp()
  const code = Number.parseInt(hex, 16)
  return (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ? giveUp() : String.fromCodePoint(code)
}

const hexDigits: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
])
const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  [" ", " "],
  ["0", "\0"],
  ["a", "\x07"],
  ["e", "\x1b"],
  ["v", "\v"],
  ["N", "\x85"],
  ["_", "\xa0"],
])

/**
 * Folds the lines of quoted text: a single line break becomes a space, and the first of several line breaks is dropped. An escaped line break
 * is dropped too, but spaces before it stay.
 */
export function foldQuoted(text: string, parent: number, quote: number): string {
  if (text.includes("\t")) giveUp()
  let out = ""
  let breaks = ""
  let isJoined = false
  for (let start = 0; start >= 0; ) {
    const stop = text.indexOf("\n", start)
    const isFirst = start === 0
    const isLast = stop < 0
    const begin = isFirst ? 0 : skipSpaces(text, start)
    let last = isLast ? text.length : beforeSpaces(text, begin, stop)
    if (isLast && begin - start <= parent) giveUp()
    const joinsNext = !isLast && quote === char.doubleQuote && endsInEscape(text, begin, last)
    if (joinsNext) {
      // The space is part of an escape.
      if (last < stop) giveUp()
      last--
    }
    if (isFirst) out = text.slice(0, last)
    else if (begin === last && !isLast && !joinsNext) {
      if (isJoined) giveUp()
      breaks += "\n"
    } else {
      if (begin - start <= parent) giveUp()
      out += (breaks === "" ? (isJoined ? "" : " ") : breaks) + text.slice(begin, last)
      breaks = ""
    }
    isJoined = joinsNext
    start = isLast ? -1 : stop + 1
  }
  return out
}

/** Whether a backslash at the end escapes the next character. */
function endsInEscape(text: string, start: number, stop: number): boolean {
  let at = stop
  while (at > start && text.charCodeAt(at - 1) === char.backslash) at--
  return (stop - at) % 2 === 1
}

function skipSpaces(text: string, start: number): number {
  let at = start
  while (text.charCodeAt(at) === char.space) at++
  return at
}

/** Returns the offset at which the spaces before `stop` begin. */
function beforeSpaces(text: string, start: number, stop: number): number {
  let last = stop
  while (last > start && text.charCodeAt(last - 1) === char.space) last--
  return last
}
