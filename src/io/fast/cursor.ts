// A place in a text that moves forward, for the fast reader.
import * as char from "../syntax/characters.js"
import type { Anchors } from "./anchors.js"

/** The error that `giveUp` throws: always the same one, so that it captures its stack only once. */
export const givenUp = new Error("this text needs the full reader")

/** Leaves the document to the full reader. */
export function giveUp(): never {
  throw givenUp
}

/** Stands for all characters beyond ASCII. */
const beyondAscii = 0x80
const del = 0x7f
/** Follows the last character. Texts with this character never get here. */
export const end = 0

export class Cursor {
  readonly text: string
  /** The code of each character, and `end`. Bytes are much faster to read than the characters of a string. */
  readonly codes: Uint8Array
  /** The offset of the next character. */
  at = 0
  /** The 0-based column of the next content in the current line; -1 at the end of a document. */
  column = -1
  /** A bit for the last key. Equal keys of a map have a bit in common, and other keys seldom. */
  keyBit = 0
  /** The anchors of the current document; undefined if it has none so far. */
  anchors: Anchors | undefined

  constructor(text: string) {
    this.text = text
    this.codes = codesOf(text)
  }

  /** Whether a space, a line break or the end is at this offset. */
  endsToken(at: number): boolean {
    const code = this.codes[at]
    return code === char.space || code === char.lineBreak || code === end
  }

  /** Whether the indicator is here, and a space, a line break or the end after it. */
  isAt(indicator: number): boolean {
    return this.codes[this.at] === indicator && this.endsToken(this.at + 1)
  }

  skipSpaces(): void {
    while (this.codes[this.at] === char.space) this.at++
  }

  /** Whether nothing but a comment is left of the line. */
  isLineDone(): boolean {
    const next = this.codes[this.at]
    return next === char.lineBreak || next === char.hash || next === end
  }

  /** Moves from the start of a line to the next content. Returns whether there are comments before it. */
  toContent(line: number): boolean {
    const { codes } = this
    let hasComments = false
    for (let start = line; start < this.text.length; ) {
      let at = start
      while (codes[at] === char.space) at++
      const first = codes[at]
      if (first === char.hash) {
        at = this.endOfLine(at)
        hasComments = true
      } else if (first === char.tab) giveUp()
      else if (first !== char.lineBreak && first !== end) {
        this.at = at
        this.column = at === start && this.isMarker(at) ? -1 : at - start
        return hasComments
      }
      start = at + 1
    }
    this.at = this.text.length
    this.column = -1
    return hasComments
  }

  /** Moves from the end of a value to the next content, which must be on another line. */
  finishLine(): void {
    this.skipSpaces()
    const { codes, at } = this
    const next = codes[at]
    const isComment = next === char.hash && codes[at - 1] === char.space
    if (!isComment && next !== char.lineBreak && next !== end) giveUp()
    this.toContent((isComment ? this.endOfLine(at) : at) + 1)
  }

  /** Returns the offset of the next line break, or the end of the text. Gives up at a control character before it. */
  endOfLine(from: number): number {
    const { codes } = this
    for (let at = from; ; at++) {
      const code = codes[at] as number
      if (code >= char.space && code !== del) continue
      if (code === char.lineBreak || code === end) return at
      if (code !== char.tab) giveUp()
    }
  }

  /** Whether the line that begins here may begin or end a document. */
  isMarker(at: number): boolean {
    const { codes } = this
    const first = codes[at]
    return (first === char.dash || first === char.dot) && codes[at + 1] === first && codes[at + 2] === first
  }

  /** Returns the text from `start`, without spaces before `stop`. */
  trimmed(start: number, stop: number): string {
    return this.text.slice(start, this.beforeSpaces(stop))
  }

  /** Returns the offset at which the spaces before `stop` begin. */
  beforeSpaces(stop: number): number {
    let last = stop
    while (this.codes[last - 1] === char.space) last--
    return last
  }

  /**
   * Returns the key with this text, which `keyOf` finds if the text is new. Keys repeat, and a new string for each would have to be hashed
   * again whenever it is the key of an object.
   */
  keyFrom(start: number, stop: number, keyOf: (text: string) => string): string {
    const { codes } = this
    const length = stop - start
    const hash = length * 31 + (codes[start] as number) * 7 + (codes[stop - 1] as number) * 13
    const slot = (hash + (codes[start + (length >> 1)] as number) * 5) % keySlots
    this.keyBit = 1 << slot
    const known = keys[slot]
    if (known !== undefined && known.length === length && isKnown(codes, start, slot, length)) return known
    const text = this.text.slice(start, stop)
    const key = keyOf(text)
    if (key !== text) this.keyBit = anyKey
    else if (length <= longestKnown && isAscii.test(key)) {
      keys[slot] = key
      keyCodes.set(codes.subarray(start, stop), slot * longestKnown)
    }
    return key
  }
}

/** The bits of a key that may be written in another way too. */
export const anyKey = -1
const keySlots = 256
const longestKnown = 32
/** Keys of this and other texts, by their hashes. */
const keys = new Array<string | undefined>(keySlots).fill(undefined)
/** The codes of `keys`. */
const keyCodes = new Uint8Array(keySlots * longestKnown)
const isAscii = /^[ -~]*$/

function isKnown(codes: Uint8Array, start: number, slot: number, length: number): boolean {
  const known = slot * longestKnown
  for (let i = 0; i < length; i++) if (keyCodes[known + i] !== codes[start + i]) return false
  return true
}

const encoder = new TextEncoder()
/** Holds the codes of one text after the other: a new array for each would take as long as reading a short text. */
const shared = new Uint8Array(1 << 16)

function codesOf(text: string): Uint8Array {
  const codes = text.length < shared.length ? shared : new Uint8Array(text.length + 1)
  const { read, written } = encoder.encodeInto(text, codes)
  if (read !== text.length || written !== read) {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      codes[i] = code < beyondAscii ? code : isUnusual(code) ? giveUp() : beyondAscii
    }
  }
  codes[text.length] = end
  return codes
}

/** Whether a character beyond ASCII is forbidden, or some reader treats it as a line break or as nothing. */
function isUnusual(code: number): boolean {
  return code < 0xa0 || code === 0x2028 || code === 0x2029 || code === 0xfeff || code >= 0xfffe
}
