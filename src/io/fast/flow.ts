// Collections in brackets, for the fast reader.
import { own, put } from "../../value/object.js"
import type { Value } from "../../value/value.js"
import * as char from "../syntax/characters.js"
import { maxYamlDepth } from "../syntax/depth.js"
import { anyKey, type Cursor, giveUp } from "./cursor.js"
import { beginsPlain, flowPlainStop, longestKey, plainKey, plainValue, takeQuoted } from "./scalar.js"

/** Reads the collection that begins here. All its lines have to be indented by more than `parent`, but the last bracket by as much. */
export function readFlow(cursor: Cursor, parent: number, depth: number): Value {
  if (depth >= maxYamlDepth) giveUp()
  return cursor.codes[cursor.at] === char.openBrace
    ? readFlowMap(cursor, parent, depth + 1)
    : readFlowList(cursor, parent, depth + 1)
}

function readFlowList(cursor: Cursor, parent: number, depth: number): Value[] {
  const list: Value[] = []
  while (!isClosed(cursor, parent, char.closeBracket, list.length === 0)) list.push(readFlowNode(cursor, parent, depth))
  return list
}

function readFlowMap(cursor: Cursor, parent: number, depth: number): Value {
  const map: Record<string, Value> = {}
  let keyBits = 0
  for (let isFirst = true; !isClosed(cursor, parent, char.closeBrace, isFirst); isFirst = false) {
    const key = takeFlowKey(cursor)
    skipFlowSpace(cursor, parent)
    if ((keyBits & cursor.keyBit) !== 0 && own(map, key) !== undefined) giveUp()
    keyBits |= cursor.keyBit
    put(map, key, readFlowNode(cursor, parent, depth))
  }
  return map
}

/** Takes the opening bracket or the comma before the next entry. If the collection closes instead, takes the closing bracket, and returns true. */
function isClosed(cursor: Cursor, parent: number, close: number, isFirst: boolean): boolean {
  const { codes } = cursor
  if (!isFirst) {
    skipFlowSpace(cursor, parent, close)
    if (codes[cursor.at] === close) {
      cursor.at++
      return true
    }
    if (codes[cursor.at] !== char.comma) giveUp()
  }
  cursor.at++
  skipFlowSpace(cursor, parent, close)
  if (codes[cursor.at] !== close) return false
  cursor.at++
  return true
}

/** Skips spaces, line breaks and comments. */
function skipFlowSpace(cursor: Cursor, parent: number, close?: number): void {
  const { codes } = cursor
  let line = -1
  for (;;) {
    cursor.skipSpaces()
    const code = codes[cursor.at]
    if (code === char.hash && (cursor.at === line || codes[cursor.at - 1] === char.space))
      cursor.at = cursor.endOfLine(cursor.at)
    else if (code === char.lineBreak) line = ++cursor.at
    else break
  }
  if (line < 0) return
  const column = cursor.at - line
  if (column <= parent && !(column === parent && codes[cursor.at] === close)) giveUp()
  if (column === 0 && cursor.isMarker(cursor.at)) giveUp()
}

function readFlowNode(cursor: Cursor, parent: number, depth: number): Value {
  const first = cursor.codes[cursor.at] as number
  if (first === char.openBrace || first === char.openBracket) return readFlow(cursor, parent, depth)
  if (first === char.doubleQuote || first === char.singleQuote) return takeQuoted(cursor, first, undefined) ?? giveUp()
  const start = cursor.at
  return plainValue(cursor, start, endOfFlowPlain(cursor))
}

function takeFlowKey(cursor: Cursor): string {
  const { codes, at } = cursor
  const first = codes[at] as number
  cursor.keyBit = anyKey
  const isQuoted = first === char.doubleQuote || first === char.singleQuote
  const key = isQuoted
    ? (takeQuoted(cursor, first, undefined) ?? giveUp())
    : cursor.keyFrom(at, endOfFlowPlain(cursor), plainKey)
  cursor.skipSpaces()
  if (codes[cursor.at] !== char.colon || cursor.at - at > longestKey) giveUp()
  cursor.at++
  if (!isQuoted && !cursor.endsToken(cursor.at)) giveUp()
  return key
}

/** Moves behind plain text, and returns its end without spaces. */
function endOfFlowPlain(cursor: Cursor): number {
  const { at } = cursor
  if (!beginsPlain(cursor, at) || cursor.codes[at] === char.colon) giveUp()
  cursor.at = flowPlainStop(cursor, at)
  return cursor.beforeSpaces(cursor.at)
}
