// Blocks of text after `|` or `>`, for the fast reader.
import * as char from "../syntax/characters.js"
import { type Cursor, end, giveUp } from "./cursor.js"

/** Reads the block of text whose header begins here, in a collection at column `parent`. */
export function readTextBlock(cursor: Cursor, parent: number): string {
  const { codes, at } = cursor
  const chomping = codes[at + 1]
  cursor.at = chomping === char.dash || chomping === char.plus ? at + 2 : at + 1
  const start = lineAfterHeader(cursor)
  const indent = indentOfBlock(cursor, start)
  if (indent <= parent) giveUp()
  const lines = linesFrom(cursor, start, indent)
  const isCut = cursor.at > cursor.text.length
  cursor.toContent(cursor.at)
  let filled = lines.length
  while (filled > 0 && lines[filled - 1] === "") filled--
  const breaks = chomping === char.dash ? 0 : chomping === char.plus ? lines.length - filled + 1 : 1
  lines.length = filled
  const isFolded = codes[at] === char.greater
  // A text that ends with the last line of the block, without a line break, has none in the value either.
  return (isFolded ? foldBlock(lines) : lines.join("\n")) + "\n".repeat(isCut ? 0 : breaks)
}

/** Returns the offset of the line after the header. */
function lineAfterHeader(cursor: Cursor): number {
  const { codes } = cursor
  cursor.skipSpaces()
  if (codes[cursor.at] === char.hash && codes[cursor.at - 1] === char.space) cursor.at = cursor.endOfLine(cursor.at)
  return codes[cursor.at] === char.lineBreak ? cursor.at + 1 : giveUp()
}

/** Returns the indent of the first line that is not blank. Gives up if a blank line before it is longer than that. */
function indentOfBlock({ codes }: Cursor, start: number): number {
  let longest = 0
  for (let line = start; ; ) {
    let at = line
    while (codes[at] === char.space) at++
    const first = codes[at]
    if (first === end || first === char.tab) giveUp()
    if (first !== char.lineBreak) return at - line < longest ? giveUp() : at - line
    longest = Math.max(longest, at - line)
    line = at + 1
  }
}

/** Returns the lines of the block without their indent. Moves to the line after them, which is behind the text if the last one is cut off. */
function linesFrom(cursor: Cursor, start: number, indent: number): string[] {
  const { codes, text } = cursor
  const lines: string[] = []
  for (let line = start; ; ) {
    cursor.at = line
    if (line >= text.length) return lines
    let at = line
    while (at - line < indent && codes[at] === char.space) at++
    const first = codes[at]
    if (first === char.lineBreak) lines.push("")
    else if (at - line < indent) return first === char.tab || first === end ? giveUp() : lines
    else {
      const content = text.slice(at, cursor.endOfLine(at))
      // The readers differ in what such lines mean at the end of a block.
      if ((first === char.space || first === char.tab || first === end) && content.trim() === "") giveUp()
      lines.push(content)
      at += content.length
    }
    line = at + 1
  }
}

/** Folds lines into paragraphs. Lines with more indentation keep their breaks. */
function foldBlock(lines: readonly string[]): string {
  let out = ""
  let blank = 0
  let wasIndented = true
  for (const line of lines) {
    if (line === "") {
      blank++
      continue
    }
    const isIndented = line.startsWith(" ") || line.startsWith("\t")
    if (out === "") out = "\n".repeat(blank)
    else if (isIndented || wasIndented) out += "\n".repeat(blank + 1)
    else out += blank === 0 ? " " : "\n".repeat(blank)
    out += line
    blank = 0
    wasIndented = isIndented
  }
  return out
}
