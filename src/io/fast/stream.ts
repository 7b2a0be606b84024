// The fast reader: reads the usual YAML of manifests in one pass, without a tree of nodes.
//
// It knows block and flow collections, plain and quoted scalars, blocks of text, anchors, comments and `---`. At anything else, and at any error, it
// gives up on the document, and the full reader (yaml-full.ts), which knows errors and positions, reads that. If it does not give up, both
// return the same values (test/io/yaml-fast.test.ts).
import type { Value } from "../../value/value.js"
import * as char from "../syntax/characters.js"
import { readBlock } from "./block.js"
import { Cursor, end, givenUp, giveUp } from "./cursor.js"
import { readFlow } from "./flow.js"

/** A document of a stream. */
export interface FastDocument {
  /** Undefined for a document without content. */
  readonly value: Value | undefined
  /** The text of the document, with line feeds as its line breaks: up to the next `---`, and from the line after one. */
  readonly start: number
  readonly end: number
}

/** Reads a document of `text` that the fast reader gave up on. Throws `givenUp` if the whole stream has to be read differently. */
export type ReadPart = (text: string, start: number, end: number) => Value | undefined

/** Returns the documents of a stream; undefined if the stream needs the full reader. */
export function readYamlFast(text: string, readPart: ReadPart = giveUp): FastDocument[] | undefined {
  try {
    return readStream(new Cursor(plainText(text)), readPart)
  } catch (error) {
    if (error === givenUp) return undefined
    throw error
  }
}

/** Returns the text without a byte order mark, and with line feeds as its line breaks. */
function plainText(text: string): string {
  if (text.includes("\0")) giveUp()
  const marked = text.charCodeAt(0) === byteOrderMark
  // The full reader counts the mark as a column.
  if (marked && /^(?: |-(?!--))/.test(text.slice(1, 4))) giveUp()
  const plain = marked ? text.slice(1) : text
  return plain.includes("\r") ? plain.replaceAll(/\r\n?/g, "\n") : plain
}
const byteOrderMark = 0xfeff

function readStream(cursor: Cursor, readPart: ReadPart): FastDocument[] {
  const { text } = cursor
  const documents: FastDocument[] = []
  let start = 0
  cursor.toContent(0)
  if (cursor.column < 0 && cursor.at < text.length) start = passMarker(cursor)
  else if (cursor.column < 0) return documents
  for (;;) {
    const value = readDocument(cursor, start, readPart)
    const { at } = cursor
    documents.push({ value, start, end: at })
    if (at === text.length) return documents
    start = passMarker(cursor)
  }
}

/** Reads a document from its first content on, and moves to the marker after it, or to the end of the text. */
function readDocument(cursor: Cursor, start: number, readPart: ReadPart): Value | undefined {
  if (cursor.column < 0) return undefined
  cursor.anchors = undefined
  try {
    const value = readRoot(cursor)
    // The full reader knows the errors in documents that are scalars.
    if (typeof value !== "object" || value === null || cursor.column >= 0) giveUp()
    return value
  } catch (error) {
    if (error !== givenUp) throw error
  }
  const { text } = cursor
  const next = text.indexOf("\n---", start)
  cursor.at = next < 0 ? text.length : next + 1
  return readPart(text, start, cursor.at)
}

function readRoot(cursor: Cursor): Value {
  const first = cursor.codes[cursor.at]
  if (first !== char.openBrace && first !== char.openBracket) return readBlock(cursor, -1, 0)
  const value = readFlow(cursor, -1, 0)
  cursor.finishLine()
  return value
}

/** Moves behind a line `---`, to the next content. Returns the offset of the line after it. */
function passMarker(cursor: Cursor): number {
  const { codes, at } = cursor
  if (codes[at] !== char.dash) giveUp()
  cursor.at = at + 3
  cursor.skipSpaces()
  const next = codes[cursor.at]
  const isComment = next === char.hash && codes[cursor.at - 1] === char.space
  if (!isComment && next !== char.lineBreak && next !== end) giveUp()
  const stop = cursor.endOfLine(cursor.at)
  const start = Math.min(stop + 1, cursor.text.length)
  cursor.toContent(start)
  return start
}
