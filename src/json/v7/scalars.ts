// Finds the ends of strings, numbers and words as Go's encoding/json/jsontext does, or what is wrong with them.
import { atStart, invalidCharacter, invalidEscape, unexpectedEnd } from "./words.js"

/** A problem and its position. */
export interface Fault {
  readonly at: number
  readonly problem: string
}

/** Returns the position after the string, number or word that starts here, or its fault. */
export function scalarEnd(bytes: string, at: number): number | Fault {
  const first = bytes.charAt(at)
  if (first === '"') return stringEnd(bytes, at)
  if (/[-\d]/.test(first)) return numberEnd(bytes, at)
  const word = ["null", "false", "true"].find(word => word[0] === first)
  return word === undefined ? unexpected(bytes, at, atStart) : wordEnd(bytes, at, word)
}

function wordEnd(bytes: string, start: number, word: string): number | Fault {
  const wrong = Array.from(word).findIndex((letter, i) => bytes[start + i] !== letter)
  if (wrong < 0) return start + word.length
  return unexpected(bytes, start + wrong, `in literal ${word} (expecting '${word[wrong]}')`)
}

function stringEnd(bytes: string, start: number): number | Fault {
  const at = skip(stringBody, bytes, start)
  if (bytes[at] === '"') return at + 1
  if (bytes[at] !== "\\") return unexpected(bytes, at, "in string (expecting non-control character)")
  const sequence = bytes.slice(at, at + (bytes[at + 1] === "u" ? 6 : 2))
  const isCut = at + sequence.length === bytes.length && /^\\(?:u[\da-f]{0,3})?$/i.test(sequence)
  return { at, problem: isCut ? unexpectedEnd : invalidEscape(sequence) }
}

function numberEnd(bytes: string, start: number): number | Fault {
  let at = start
  for (const [mark, digits] of numberParts) {
    const from = skip(mark, bytes, at)
    if (from === at && at > start) continue
    at = skip(digits, bytes, from)
    if (at > from) continue
    if (from === bytes.length) return { at: start, problem: unexpectedEnd }
    return unexpected(bytes, from, "in number (expecting digit)")
  }
  return at
}

function unexpected(bytes: string, at: number, where: string): Fault {
  return { at, problem: at === bytes.length ? unexpectedEnd : invalidCharacter(bytes, at, where) }
}

/** Returns the position after the match of a sticky pattern, or `at` if the pattern does not match there. */
export function skip(pattern: RegExp, bytes: string, at: number): number {
  pattern.lastIndex = at
  return at + (pattern.exec(bytes)?.[0].length ?? 0)
}

const stringBody = /"(?:[ !#-[\]-\xff]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y
const numberParts = [
  [/-?/y, /0|[1-9]\d*/y],
  [/\./y, /\d+/y],
  [/[eE][-+]?/y, /\d+/y],
] as const
