import { ValidationError } from "../errors.js"
import { maxDepth, maxParts, tooDeep, tooLarge } from "../value/depth.js"
import { own } from "../value/object.js"
import { notJson } from "../value/plain.js"
import { isList, isMap, type Value } from "../value/value.js"
import { entryOf, sortEntries } from "./builder.js"
import { fieldElement, indexElementOf, keyElementOf } from "./create-element.js"
import { equalElements, type KeyField, type PathElement } from "./element.js"
import { formatPath } from "./path.js"
import { type Entry, FieldSet, leafEntry, unite } from "./set.js"

/**
 * Returns the set of all leaves of a value without a type. List items that are maps with a scalar `id`, `key` or `name` count as items of
 * an associative list, and all others are found by index. Empty lists and maps have no leaves. Throws a ValidationError if the value is not
 * JSON.
 */
export function fieldSetFromValue(value: Value): FieldSet {
  return leavesOf({ path: [], left: maxParts }, value)
}

interface Walk {
  /** The path of the value that is being visited. */
  readonly path: PathElement[]
  /** The number of lists and maps that may still be visited. */
  left: number
}

function leavesOf(walk: Walk, value: Value): FieldSet {
  if (walk.path.length > maxDepth) throw tooDeep()
  if (--walk.left < 0) throw tooLarge()
  requireJson(walk.path, value)
  const entries: Entry[] = []
  if (isList(value)) {
    for (let i = 0; i < value.length; i++)
      collectItem(walk, entries, guessElement(i, value[i] as Value), value[i] as Value)
  } else if (isMap(value)) {
    for (const key in value) collectItem(walk, entries, fieldElement(key), value[key] as Value)
  }
  if (entries.length === 0) return FieldSet.empty
  sortEntries(entries)
  return new FieldSet(isList(value) ? uniteEqual(entries) : entries)
}

function collectItem(walk: Walk, entries: Entry[], element: PathElement, value: Value): void {
  walk.path.push(element)
  if (typeof value === "object" && value !== null) {
    const entry = entryOf(element, false, leavesOf(walk, value))
    if (entry !== null) entries.push(entry)
  } else {
    requireJson(walk.path, value)
    entries.push(leafEntry(element))
  }
  walk.path.pop()
}

function requireJson(path: readonly PathElement[], value: Value): void {
  const message = notJson(value)
  if (message !== null) throw new ValidationError([{ path: formatPath(path), message }])
}

// Sorted by name, like the fields of a key element.
const likelyKeys = ["id", "key", "name"]

function guessElement(index: number, item: Value): PathElement {
  if (!isMap(item)) return indexElementOf(index)
  const keys: KeyField[] = []
  for (const name of likelyKeys) {
    const value = own(item, name)
    if (value !== undefined && typeof value !== "object") keys.push({ name, value })
  }
  return keys.length === 0 ? indexElementOf(index) : keyElementOf(keys)
}

/** Unites entries with equal elements. Items of a list may have equal keys, and everything below them is then owned together. */
function uniteEqual(entries: readonly Entry[]): Entry[] {
  const out: Entry[] = []
  for (let start = 0; start < entries.length; ) {
    const { element } = entries[start] as Entry
    let end = start + 1
    while (end < entries.length && equalElements(element, (entries[end] as Entry).element)) end++
    out.push(uniteRange(entries, start, end))
    start = end
  }
  return out
}

/** Unites by halves: adding one entry after the other would go through the united entries again each time. */
function uniteRange(entries: readonly Entry[], start: number, end: number): Entry {
  if (end - start === 1) return entries[start] as Entry
  const middle = (start + end) >>> 1
  return unite(uniteRange(entries, start, middle), uniteRange(entries, middle, end))
}
