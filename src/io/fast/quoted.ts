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
  const lines = text.split("\n")
  let out = ""
  let breaks = ""
  let isJoined = false
  lines.forEach((line, i) => {
    const isLast = i === lines.length - 1
    if (i > 0 && isLast && indentOf(line) <= parent) giveUp()
    const begin = i === 0 ? 0 : indentOf(line)
    let content = isLast ? line.slice(begin) : trimmed(line, begin)
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

function trimmed(line: string, start: number): string {
  let last = line.length
  while (line.charCodeAt(last - 1) === char.space) last--
  return line.slice(start, last)
}
