// The fast reader: reads the usual YAML of manifests in one pass, without a tree of nodes.
//
// It knows block and flow collections, plain and quoted scalars, blocks of text, comments and `---`. At anything else, and at any error, it
// gives up, and the full reader (yaml-full.ts), which knows errors and positions, starts over. If it does not give up, both return the same
// values (test/io/yaml-fast.test.ts).
import { own, put } from "../value/object.js"
import type { Value } from "../value/value.js"
import { maxYamlDepth } from "./depth.js"
import * as char from "./yaml-characters.js"
import {
  beginsPlain,
  continuationOf,
  endOfLine,
  endOfPlain,
  endOfQuoted,
  endsToken,
  foldQuoted,
  givenUp,
  giveUp,
  isMarker,
  plainKey,
  plainValue,
  readTextBlock,
  trimmed,
  unescapeQuoted,
} from "./yaml-fast-text.js"

/** Returns the values of all documents of a stream; undefined if the text needs the full reader, for example because of an empty document. */
export function readYamlFast(text: string): Value[] | undefined {
  if (unusual.test(text)) return undefined
  try {
    return new FastReader(text).documents()
  } catch (error) {
    if (error === givenUp) return undefined
    throw error
  }
}

/** Characters that are forbidden, or that some reader treats as a space, as a line break or as nothing. */
const unusual = /[^\t\n -~\xa1-\u2027\u202a-\ufefe\uff00-\ufffd]/

/** Longer texts may be too long for a key in the full reader, which measures them differently. */
const longestKey = 1000

class FastReader {
  private readonly text: string
  private at = 0
  /** The 0-based column of the next content in the current line; -1 at the end of a document. */
  private column = -1

  constructor(text: string) {
    this.text = text
  }

  documents(): Value[] {
    const values: Value[] = []
    this.toContent()
    if (this.column < 0) this.passMarker()
    for (;;) {
      // The full reader decides which documents are scalars, and which are empty.
      if (this.column < 0) giveUp()
      const value = this.readRoot()
      if (typeof value !== "object" || value === null || this.column >= 0) giveUp()
      values.push(value)
      if (this.at === this.text.length) return values
      this.passMarker()
    }
  }

  private readRoot(): Value {
    const first = this.text.charCodeAt(this.at)
    if (first !== char.openBrace && first !== char.openBracket) return this.readBlock(-1, 0)
    const value = this.readFlow(0, true)
    this.finishLine()
    return value
  }

  private passMarker(): void {
    const { text, at } = this
    if (!text.startsWith("---\n", at)) giveUp()
    this.at = at + 4
    this.toContent()
  }

  /** Moves from the start of a line to the next content. */
  private toContent(): void {
    const { text } = this
    let start = this.at
    for (;;) {
      let at = start
      while (text.charCodeAt(at) === char.space) at++
      const first = text.charCodeAt(at)
      if (first === char.hash) at = endOfLine(text, at)
      else if (first === char.tab) giveUp()
      else if (first !== char.lineBreak && at < text.length) {
        this.at = at
        this.column = at === start && isMarker(text, at) ? -1 : at - start
        return
      }
      start = at + 1
      if (start < text.length) continue
      this.at = text.length
      this.column = -1
      return
    }
  }

  /** Moves from the end of a value to the next content, which must be on another line. */
  private finishLine(): void {
    this.skipSpaces()
    const { text, at } = this
    const next = text.charCodeAt(at)
    if (next === char.hash && text.charCodeAt(at - 1) === char.space) this.at = endOfLine(text, at)
    else if (next !== char.lineBreak && at < text.length) giveUp()
    if (this.at < text.length) this.at++
    this.toContent()
  }

  private skipSpaces(): void {
    while (this.text.charCodeAt(this.at) === char.space) this.at++
  }

  /** Whether nothing but a comment is left of the line. */
  private isLineDone(): boolean {
    const next = this.text.charCodeAt(this.at)
    return next === char.lineBreak || next === char.hash || this.at >= this.text.length
  }

  private isAt(indicator: number): boolean {
    return this.text.charCodeAt(this.at) === indicator && endsToken(this.text, this.at + 1)
  }

  // Reads the value that begins here, in a collection at column `parent`.
  private readBlock(parent: number, depth: number): Value {
    if (this.isAt(char.dash)) return this.readSequence(depth)
    const key = this.takeKey()
    return key === undefined ? this.readInline(parent, depth) : this.readMapping(key, depth)
  }

  private readSequence(depth: number): Value[] {
    if (depth >= maxYamlDepth) giveUp()
    const { column } = this
    const list: Value[] = []
    while (this.column === column && this.isAt(char.dash)) {
      const start = this.at++
      this.skipSpaces()
      if (this.isLineDone()) {
        this.finishLine()
        list.push(this.column > column ? this.readBlock(column, depth + 1) : null)
      } else {
        this.column = column + this.at - start
        list.push(this.readBlock(column, depth + 1))
      }
    }
    return list
  }

  private readMapping(first: string, depth: number): Value {
    if (depth >= maxYamlDepth) giveUp()
    const { column } = this
    const map: Record<string, Value> = {}
    for (let key = first; ; key = this.takeKey() ?? giveUp()) {
      if (own(map, key) !== undefined) giveUp()
      put(map, key, this.readEntry(column, depth + 1))
      if (this.column !== column) return map
    }
  }

  // Reads the value after the colon of a key at this column.
  private readEntry(column: number, depth: number): Value {
    this.skipSpaces()
    if (!this.isLineDone()) return this.readInline(column, depth)
    this.finishLine()
    if (this.column > column) return this.readBlock(column, depth)
    return this.column === column && this.isAt(char.dash) ? this.readSequence(depth) : null
  }

  // Reads a key of a block mapping and its colon; returns undefined if the line does not begin with a key.
  private takeKey(): string | undefined {
    const { text, at } = this
    const first = text.charCodeAt(at)
    let key: string
    if (first === char.doubleQuote || first === char.singleQuote) {
      const quoted = this.takeQuotedLine(first)
      this.skipSpaces()
      if (quoted === undefined || !this.isAt(char.colon)) {
        this.at = at
        return undefined
      }
      key = quoted
    } else {
      if (!beginsPlain(text, at)) return undefined
      const end = endOfPlain(text, at)
      if (text.charCodeAt(end) !== char.colon) return undefined
      this.at = end
      key = plainKey(trimmed(text, at, end))
    }
    if (this.at - at > longestKey) giveUp()
    this.at++
    return key
  }

  // Reads a value that is not a block collection.
  private readInline(parent: number, depth: number): Value {
    const first = this.text.charCodeAt(this.at)
    switch (first) {
      case char.bar:
      case char.greater:
        return this.readText(parent)
      case char.doubleQuote:
      case char.singleQuote: {
        const value = this.takeQuoted(first, parent)
        this.finishLine()
        return value
      }
      case char.openBracket:
      case char.openBrace: {
        const value = this.readFlow(depth, false)
        this.finishLine()
        return value
      }
      default:
        return this.readPlain(parent)
    }
  }

  private readText(parent: number): string {
    const block = readTextBlock(this.text, this.at, parent)
    this.at = block.end
    this.toContent()
    return block.value
  }

  // Reads a plain scalar with its continuation lines.
  private readPlain(parent: number): Value {
    const { text } = this
    if (!beginsPlain(text, this.at)) giveUp()
    let out = ""
    for (let start = this.at; ; ) {
      const end = endOfPlain(text, start)
      const stop = text.charCodeAt(end)
      if (stop === char.colon) giveUp()
      out += trimmed(text, start, end)
      this.at = end
      if (stop !== char.lineBreak) break
      const next = continuationOf(text, end, parent)
      if (next < 0) break
      out += foldedBreaks(text, end, next)
      start = next
    }
    this.finishLine()
    return plainValue(out)
  }

  private takeQuoted(quote: number, parent: number): string {
    const { text, at } = this
    const end = endOfQuoted(text, at)
    this.at = end + 1
    const inner = text.slice(at + 1, end)
    return unescapeQuoted(inner.includes("\n") ? foldQuoted(inner, parent, quote) : inner, quote)
  }

  /** Reads quoted text that ends on its first line; returns undefined if it does not. */
  private takeQuotedLine(quote: number): string | undefined {
    const { text, at } = this
    const end = endOfQuoted(text, at)
    const inner = text.slice(at + 1, end)
    if (inner.includes("\n")) return undefined
    this.at = end + 1
    return unescapeQuoted(inner, quote)
  }

  // Reads a collection in brackets. Here, only a root may span several lines.
  private readFlow(depth: number, lines: boolean): Value {
    if (depth >= maxYamlDepth) giveUp()
    const isMap = this.text.charCodeAt(this.at++) === char.openBrace
    const close = isMap ? char.closeBrace : char.closeBracket
    const map: Record<string, Value> = {}
    const list: Value[] = []
    this.skipFlowSpace(lines)
    if (this.text.charCodeAt(this.at) === close) {
      this.at++
      return isMap ? map : list
    }
    for (;;) {
      const key = isMap ? this.takeFlowKey() : undefined
      if (key !== undefined) this.skipFlowSpace(lines)
      const value = this.readFlowNode(depth + 1, lines)
      if (key === undefined) list.push(value)
      else if (own(map, key) !== undefined) giveUp()
      else put(map, key, value)
      this.skipFlowSpace(lines)
      const next = this.text.charCodeAt(this.at++)
      if (next === close) return isMap ? map : list
      if (next !== char.comma) giveUp()
      this.skipFlowSpace(lines)
    }
  }

  private skipFlowSpace(lines: boolean): void {
    const { text } = this
    for (;;) {
      this.skipSpaces()
      if (!lines || text.charCodeAt(this.at) !== char.lineBreak) return
      this.at++
      if (isMarker(text, this.at)) giveUp()
    }
  }

  private readFlowNode(depth: number, lines: boolean): Value {
    const { text, at } = this
    const first = text.charCodeAt(at)
    if (first === char.openBrace || first === char.openBracket) return this.readFlow(depth, lines)
    if (first === char.doubleQuote || first === char.singleQuote) return this.takeQuotedLine(first) ?? giveUp()
    return plainValue(this.takeFlowPlain())
  }

  private takeFlowKey(): string {
    const { text, at } = this
    const first = text.charCodeAt(at)
    const isQuoted = first === char.doubleQuote || first === char.singleQuote
    const key = isQuoted ? (this.takeQuotedLine(first) ?? giveUp()) : plainKey(this.takeFlowPlain())
    this.skipSpaces()
    if (text.charCodeAt(this.at) !== char.colon || this.at - at > longestKey) giveUp()
    this.at++
    if (!isQuoted && !endsToken(text, this.at)) giveUp()
    return key
  }

  private takeFlowPlain(): string {
    const { text, at } = this
    if (!beginsPlain(text, at) || text.charCodeAt(at) === char.colon) giveUp()
    this.at = endOfPlain(text, at, true)
    return trimmed(text, at, this.at)
  }
}

// Returns the text for the line breaks between two lines of a scalar: a space for one, and one line break less for several.
function foldedBreaks(text: string, from: number, to: number): string {
  let breaks = ""
  for (let at = text.indexOf("\n", from + 1); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) breaks += "\n"
  return breaks === "" ? " " : breaks
}
