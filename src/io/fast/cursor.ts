// A place in a text that moves forward, for the fast reader.
import * as char from "../syntax/characters.js"

/** The error that `giveUp` throws: always the same one, so that it captures its stack only once. */
export const givenUp = new Error("this text needs the full reader")

/** Leaves the document to the full reader. */
export function giveUp(): never {
  throw givenUp
}

/** Stands for all characters beyond ASCII. */
const beyondAscii = 0x80
/** Follows the last character. Texts with this character never get here. */
export const end = 0

export class Cursor {
  readonly text: string
  /** The code of each character. Bytes are much faster to read than the characters of a string. */
  readonly codes: Uint8Array
  /** The offset of the next character. */
  at = 0
  /** The 0-based column of the next content in the current line; -1 at the end of a document. */
  column = -1
  private readonly keys: (string | undefined)[] = new Array<undefined>(keySlots).fill(undefined)
  /** The offsets at which `keys` were found. */
  private readonly keyStarts = new Int32Array(keySlots)

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

  /** Returns the offset of the next line break, or the end of the text. */
  endOfLine(at: number): number {
    const found = this.text.indexOf("\n", at)
    return found < 0 ? this.text.length : found
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
    const known = this.keys[slot]
    if (
      known !== undefined &&
      known.length === length &&
      this.isRepeated(this.keyStarts[slot] as number, start, length)
    )
      return known
    const text = this.text.slice(start, stop)
    const key = keyOf(text)
    if (key === text && isAscii.test(key)) {
      this.keys[slot] = key
      this.keyStarts[slot] = start
    }
    return key
  }

  private isRepeated(before: number, start: number, length: number): boolean {
    const { codes } = this
    for (let i = 0; i < length; i++) if (codes[before + i] !== codes[start + i]) return false
    return true
  }
}

const keySlots = 256
const isAscii = /^[ -~]*$/
const encoder = new TextEncoder()

function codesOf(text: string): Uint8Array {
  const codes = new Uint8Array(text.length + 1)
  const { read, written } = encoder.encodeInto(text, codes)
  if (read === text.length && written === read) return codes
  for (let i = 0; i < text.length; i++) codes[i] = Math.min(text.charCodeAt(i), beyondAscii)
  codes[text.length] = end
  return codes
}
