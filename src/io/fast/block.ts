// Block collections, for the fast reader: lists with dashes, and maps with a key on each line.
import { own, put } from "../../value/object.js"
import type { Value } from "../../value/value.js"
import * as char from "../syntax/characters.js"
import { maxYamlDepth } from "../syntax/depth.js"
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
  while (cursor.column === column && cursor.isAt(char.dash)) {
    const start = cursor.at++
    cursor.skipSpaces()
    if (cursor.isLineDone()) {
      cursor.finishLine()
      list.push(cursor.column > column ? readBlock(cursor, column, depth + 1) : null)
    } else {
      cursor.column = column + cursor.at - start
      list.push(readBlock(cursor, column, depth + 1))
    }
  }
  return list
}

function readMapping(cursor: Cursor, first: string, depth: number): Value {
  if (depth >= maxYamlDepth) giveUp()
  const { column } = cursor
  const map: Record<string, Value> = {}
  let keyBits = 0
  for (let key = first; ; key = takeKey(cursor) ?? giveUp()) {
    if ((keyBits & cursor.keyBit) !== 0 && own(map, key) !== undefined) giveUp()
    keyBits |= cursor.keyBit
    put(map, key, readEntry(cursor, column, depth + 1))
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

/** Takes a key and its colon; returns undefined if the line does not begin with a key. */
function takeKey(cursor: Cursor): string | undefined {
  const { codes, at } = cursor
  const first = codes[at] as number
  if (first === char.doubleQuote || first === char.singleQuote) return takeQuotedKey(cursor, first)
  if (!beginsPlain(cursor, at)) return undefined
  const stop = plainStop(cursor, at)
  if (codes[stop] !== char.colon) return undefined
  if (stop - at > longestKey) giveUp()
  cursor.at = stop + 1
  return cursor.keyFrom(at, cursor.beforeSpaces(stop), plainKey)
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
    default:
      return readPlain(cursor, parent)
  }
}
