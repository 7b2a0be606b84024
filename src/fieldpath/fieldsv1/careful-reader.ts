// The careful reader of FieldsV1: accepts everything that upstream accepts, and throws upstream's errors for the rest.
import { ParseError } from "../../errors.js"
import { skipValue } from "../../json/read-value.js"
import { JsonReader } from "../../json/reader.js"
import { maxDepth } from "../../value/depth.js"
import { detached } from "../../value/table.js"
import { compareElements, type PathElement } from "../element.js"
import { compareEntries, Entry, FieldSet, leafEntry } from "../set.js"
import { knownKey } from "./key.js"

/** Upstream reads field sets through a buffer of this many bytes, and its errors quote only what is in it. */
const windowBytes = 4096

// A level of the set that is being read.
interface Level {
  /** The step that leads here. */
  readonly element: PathElement | null
  readonly entries: Entry[]
  /** Whether "." was among the keys. */
  self: boolean
}

/** Reads a field set in any form. Keeps levels in a list, not on the stack. */
export function readFieldSetCarefully(text: string): FieldSet {
  const reader = new JsonReader(text, { window: windowBytes })
  const levels: Level[] = []
  let level: Level = { element: null, entries: [], self: false }
  let deepest = 0
  let key = reader.openObject("ReadMapCB")
  for (;;) {
    if (key !== undefined) {
      const element = elementOfKey(reader, level, key)
      if (element === undefined) {
        skipValue(reader)
        key = reader.nextKey("ReadMapCB")
      } else {
        levels.push(level)
        level = { element, entries: [], self: false }
        deepest = Math.max(deepest, levels.length)
        key = reader.openObject("ReadMapCB")
      }
      continue
    }
    const set = setOfLevel(level.entries)
    const around = levels.pop()
    if (around === undefined) {
      reader.expectEnd()
      if (deepest > maxDepth) throw new ParseError(`field set nests deeper than ${maxDepth} levels`)
      return set ?? FieldSet.empty
    }
    const element = level.element as PathElement // only the root has no element, and it is never popped
    around.entries.push(set === null ? leafEntry(element) : new Entry(element, level.self, set))
    level = around
    key = reader.nextKey("ReadMapCB")
  }
}

// Returns the element of this key; undefined if everything below the key is ignored.
function elementOfKey(reader: JsonReader, level: Level, key: string): PathElement | undefined {
  if (key === ".") {
    level.self = true
    return undefined
  }
  try {
    return knownKey(detached(key))?.element
  } catch (error) {
    if (error instanceof ParseError) return reader.fail("parsing key as path element", error.message)
    throw error
  }
}

/**
 * Returns the set of these entries, which may be in any order; null without entries. An element with several entries is a member if one of
 * them is, and takes its children from the last one that has children. Keeps `entries`, and may sort it.
 */
export function setOfLevel(entries: Entry[]): FieldSet | null {
  if (entries.length === 0) return null
  for (let i = 1; i < entries.length; i++) {
    if (compareEntries(entries[i - 1] as Entry, entries[i] as Entry) >= 0) return sortLevel(entries)
  }
  return new FieldSet(entries)
}

function sortLevel(entries: Entry[]): FieldSet {
  entries.sort(compareEntries)
  const out: Entry[] = []
  for (const entry of entries) {
    const last = out[out.length - 1]
    if (last === undefined || compareElements(last.element, entry.element) !== 0) out.push(entry)
    else if (entry.children === null) out[out.length - 1] = new Entry(last.element, true, last.children)
    else {
      // Go: if 0 and -0 are both there, the first with children becomes the element of both.
      const { element } = last.children === null ? entry : last
      out[out.length - 1] = new Entry(element, last.member || entry.member, entry.children)
    }
  }
  return new FieldSet(out)
}
