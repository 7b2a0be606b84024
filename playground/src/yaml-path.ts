// Finds the path of the cursor in a YAML text by the indentation of its lines. The text may be incomplete and not parse.
import { partsOfLine } from "../../src/tools/view/yaml-line.js"

/** The position of the cursor in the object. */
export interface CursorPlace {
  /** The steps to the map or list that contains the line: names of fields, and `item` for an item of a list. */
  readonly steps: readonly (string | typeof item)[]
  /** The part of the key or the value before the cursor. */
  readonly written: string
  /** The field whose value contains the cursor; absent if the cursor is in a key. */
  readonly field?: string
  /** The other keys of the same map. */
  readonly siblings: ReadonlySet<string>
}

/** The step to an item of a list. */
export const item = Symbol("item")

interface Line {
  /** The column of the key, after the dashes of items. */
  readonly column: number
  /** The columns of the dashes. */
  readonly dashes: readonly number[]
  readonly key: string | undefined
}

/** Returns the place of the cursor in a text in block style; undefined inside comments. Treats the lines of block scalars as ordinary lines. */
export function placeOfCursor(text: string, offset: number): CursorPlace | undefined {
  const start = text.lastIndexOf("\n", offset - 1) + 1
  const before = text.slice(start, offset)
  if (/(^|\s)#/.test(before)) return undefined
  const lines = text.slice(0, start).split("\n").slice(0, -1)
  const first = lines.findLastIndex(line => line.startsWith("---")) + 1
  const after = text
    .slice(start + before.length)
    .split("\n")
    .slice(1)
  const current = lineOf(`${before}\u0000`)
  const { steps, level } = stepsTo(lines.slice(first), current)
  const siblings = siblingsOf(lines.slice(first), after, level, current.dashes.length > 0)
  const { key, value } = partsOfLine(before)
  if (key === "") return { steps, written: before.slice(current.column), siblings }
  return { steps, field: plain(key), written: value, siblings }
}

/** Returns the steps to the map or list that contains the current line, reading the lines above it from the nearest up. */
function stepsTo(lines: readonly string[], current: Line) {
  const steps: (string | typeof item)[] = []
  for (let i = current.dashes.length; i > 0; i--) steps.unshift(item)
  let level = current.dashes[0] ?? current.column
  // YAML allows items at the same column as the key of their list.
  let inItem = current.dashes.length > 0
  for (const text of lines.toReversed()) {
    const line = lineOf(text)
    if (line.key === undefined && line.dashes.length === 0) continue
    const outer = line.dashes[0] ?? line.column
    const isParent = line.column < level || (inItem && line.dashes.length === 0 && line.column === level)
    if (isParent) {
      if (line.key !== undefined) steps.unshift(line.key)
      inItem = false
    } else if (outer >= level) continue
    // The line begins items that contain the current line.
    for (const dash of line.dashes.toReversed()) {
      if (dash >= level) continue
      steps.unshift(item)
      inItem = true
    }
    level = outer
    if (level === 0 && !inItem) break
  }
  return { steps, level: current.column }
}

function siblingsOf(above: readonly string[], below: readonly string[], column: number, startsItem: boolean) {
  const siblings = new Set<string>()
  const collect = (lines: readonly string[], stopAtItem: boolean): void => {
    for (const text of lines) {
      const line = lineOf(text)
      if (line.key === undefined && line.dashes.length === 0) continue
      if (!stopAtItem && line.dashes.length > 0 && (line.dashes[0] ?? 0) < column) return
      if (line.column < column) return
      if (line.column === column && line.key !== undefined) siblings.add(line.key)
      if (stopAtItem && line.dashes.length > 0 && line.column === column) return
    }
  }
  if (!startsItem) collect(above.toReversed(), true)
  collect(below, false)
  return siblings
}

function lineOf(text: string): Line {
  const { before, key } = partsOfLine(text)
  const dashes = Array.from(before.matchAll(/-/g), ({ index }) => index)
  return { column: before.length, dashes, key: key === "" ? undefined : plain(key) }
}

function plain(key: string): string {
  return /^["'].*["']$/.test(key) ? key.slice(1, -1) : key.trim()
}
