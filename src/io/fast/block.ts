// Block collections, for the fast reader: lists with dashes, and maps with a key on each line.
import { own, put } from "../../value/object.js"
import type { Value } from "../../value/value.js"
import * as char from "../syntax/characters.js"
import { maxYamlDepth } from "../syntax/depth.js"
import { Anchors } from "./anchors.js"
import { anyKey, type Cursor, giveUp } from "./cursor.js"
import { readFlow } from "./flow.js"
import { beginsPlain, longestKey, plainKey, plainStop, readPlain, takeQuoted } from "./scalar.js"
import { readTextBlock } from "./text-block.js"

/** Reads the value that begins here, in a collection at column `parent`. */
export function readBlock(cursor: Cursor, parent: number, depth: number): Value {
  if (cursor.isAt(char.dash)) return readSequence(cursor, depth)
  const key = takeKey(cursor)
  return key === undefined ? readInline(cursor, parent, depth) : readMapping(cursor, key, depth)
}

function readSequence(cursor: Cursor, depth: number): Value[] {
  if (depth >= maxYamlDepth) giveUp()
  const { column } = cursor
  const list: Value[] = []
  while (cursor.column === column && cursor.isAt(char.dash)) list.push(readIndented(cursor, column, depth + 1))
  return list
}

/** Reads the value after a dash, or a colon at the start of a line, at this column. */
function readIndented(cursor: Cursor, column: number, depth: number): Value {
  const start = cursor.at++
  cursor.skipSpaces()
  if (cursor.isLineDone()) {
    cursor.finishLine()
    return cursor.column > column ? readBlock(cursor, column, depth) : null
  }
  cursor.column = column + cursor.at - start
  return readBlock(cursor, column, depth)
}

function readMapping(cursor: Cursor, first: string, depth: number): Value {
  if (depth >= maxYamlDepth) giveUp()
  const { column } = cursor
  const map: Record<string, Value> = {}
  let keyBits = 0
  for (let key = first; ; key = takeKey(cursor) ?? giveUp()) {
    if ((keyBits & cursor.keyBit) !== 0 && own(map, key) !== undefined) giveUp()
    keyBits |= cursor.keyBit
    const isExplicit = cursor.isAt(char.colon)
    put(map, key, isExplicit ? readIndented(cursor, column, depth + 1) : readEntry(cursor, column, depth + 1))
    if (cursor.column !== column) return map
  }
}

/** Reads the value after the colon of a key at this column. */
function readEntry(cursor: Cursor, column: number, depth: number): Value {
  cursor.skipSpaces()
  if (!cursor.isLineDone()) return readInline(cursor, column, depth)
  cursor.finishLine()
  if (cursor.column > column) return readBlock(cursor, column, depth)
  return cursor.column === column && cursor.isAt(char.dash) ? readSequence(cursor, depth) : null
}

/** Takes a key and its colon, unless that begins the next line; returns undefined if the line does not begin with a key. */
function takeKey(cursor: Cursor): string | undefined {
  const { codes, at } = cursor
  const first = codes[at] as number
  if (first === char.doubleQuote || first === char.singleQuote) return takeQuotedKey(cursor, first)
  if (!beginsPlain(cursor, at)) return cursor.isAt(char.question) ? takeExplicitKey(cursor) : undefined
  const stop = plainStop(cursor, at)
  if (codes[stop] !== char.colon) return undefined
  if (stop - at > longestKey) giveUp()
  cursor.at = stop + 1
  return cursor.keyFrom(at, cursor.beforeSpaces(stop), plainKey)
}

/** Takes a question mark and the key after it, and moves to the colon on the next line. */
function takeExplicitKey(cursor: Cursor): string {
  const { column } = cursor
  cursor.at++
  cursor.skipSpaces()
  const key = explicitKey(cursor)
  cursor.finishLine()
  return cursor.column === column && cursor.isAt(char.colon) ? key : giveUp()
}

function explicitKey(cursor: Cursor): string {
  const { codes, at } = cursor
  const first = codes[at]
  if (first === char.doubleQuote || first === char.singleQuote) {
    cursor.keyBit = anyKey
    return takeQuoted(cursor, first, undefined) ?? giveUp()
  }
  if (!beginsPlain(cursor, at)) giveUp()
  cursor.at = plainStop(cursor, at)
  if (codes[cursor.at] === char.colon) giveUp()
  return cursor.keyFrom(at, cursor.beforeSpaces(cursor.at), plainKey)
}

function takeQuotedKey(cursor: Cursor, quote: number): string | undefined {
  const { at } = cursor
  const key = takeQuoted(cursor, quote, undefined)
  cursor.skipSpaces()
  if (key === undefined || !cursor.isAt(char.colon)) {
    cursor.at = at
    return undefined
  }
  if (cursor.at - at > longestKey) giveUp()
  cursor.at++
  cursor.keyBit = anyKey
  return key
}

/** Reads a value that is not a block collection. */
function readInline(cursor: Cursor, parent: number, depth: number): Value {
  const first = cursor.codes[cursor.at]
  switch (first) {
    case char.bar:
    case char.greater:
      return readTextBlock(cursor, parent)
    case char.doubleQuote:
    case char.singleQuote: {
      const value = takeQuoted(cursor, first, parent) as string
      cursor.finishLine()
      return value
    }
    case char.openBracket:
    case char.openBrace: {
      const value = readFlow(cursor, parent, depth)
      cursor.finishLine()
      return value
    }
    case char.ampersand:
      return readAnchored(cursor, parent, depth)
    case char.asterisk: {
      const value = cursor.anchors?.valueAt(takeName(cursor))
      cursor.finishLine()
      return value === undefined ? giveUp() : value
    }
    default:
      return readPlain(cursor, parent)
  }
}

function readAnchored(cursor: Cursor, parent: number, depth: number): Value {
  const name = takeName(cursor)
  cursor.anchors ??= new Anchors()
  cursor.anchors.begin(name)
  cursor.skipSpaces()
  const value = cursor.isLineDone() ? readBelow(cursor, parent, depth) : readInline(cursor, parent, depth)
  cursor.anchors.end(name, value)
  return value
}

/** Takes the name of an anchor or an alias, and the character before it. */
function takeName(cursor: Cursor): string {
  const start = cursor.at + 1
  let stop = start
  while (!cursor.endsToken(stop)) stop++
  cursor.at = stop
  const name = cursor.text.slice(start, stop)
  return /^[\w-]+$/.test(name) ? name : giveUp()
}

/** Reads the value of an anchor at the end of a line. */
function readBelow(cursor: Cursor, parent: number, depth: number): Value {
  cursor.finishLine()
  if (cursor.column > parent) return readBlock(cursor, parent, depth)
  // This may be the value of a key, or the next item of a list.
  return cursor.column === parent && cursor.isAt(char.dash) ? giveUp() : null
}
