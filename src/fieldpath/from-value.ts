import { ValidationError } from "../errors.js"
import { maxDepth, maxParts, tooDeep, tooLarge } from "../value/depth.js"
import { own } from "../value/object.js"
import { notJson } from "../value/plain.js"
import { isList, isMap, type Value } from "../value/value.js"
import { entryOf, sortEntries } from "./builder.js"
import { fieldElement, indexElementOf, keyElementOf, singleKeyElement } from "./create-element.js"
import { equalElements, type KeyField, type PathElement } from "./element.js"
import { formatPath } from "./path.js"
import { type Entry, FieldSet, leafEntry, unite } from "./set.js"

/**
 * Returns the set of all leaves of a value without a type. List items that are maps with a scalar `id`, `key` or `name` count as items of
 * an associative list, and all others are found by index. Empty lists and maps have no leaves. Throws a ValidationError if the value is not
 * JSON.
 */
export function fieldSetFromValue(value: Value): FieldSet {
  const walk: ValueWalk = { left: maxParts, problem: null, path: null }
  const leaves = leavesOf(walk, value, 0)
  if (walk.problem === null) return leaves
  throw new ValidationError([{ path: formatPath((walk.path ?? []).reverse()), message: walk.problem }])
}

interface ValueWalk {
  /** The number of lists and maps that may still be visited. */
  left: number
  /** The reason why a part of the value is not JSON, which ends the walk. */
  problem: string | null
  /** The path of that part, collected on the way back up: the last step comes first. */
  path: PathElement[] | null
}

function leavesOf(walk: ValueWalk, value: Value, depth: number): FieldSet {
  if (depth > maxDepth) throw tooDeep()
  if (--walk.left < 0) throw tooLarge()
  const entries: Entry[] = []
  if (isList(value)) {
    for (let i = 0; i < value.length && walk.problem === null; i++)
      collectItem(walk, entries, guessElement(i, value[i] as Value), value[i] as Value, depth)
  } else {
    walk.problem = notJson(value)
    if (isMap(value) && walk.problem === null) {
      for (const key in value) {
        collectItem(walk, entries, fieldElement(key), value[key] as Value, depth)
        if (walk.problem !== null) break
      }
    }
  }
  if (entries.length === 0) return FieldSet.empty
  sortEntries(entries)
  if (isList(value)) uniteEqual(entries)
  return new FieldSet(entries)
}

function collectItem(walk: ValueWalk, entries: Entry[], element: PathElement, value: Value, depth: number): void {
  if (typeof value === "object" && value !== null) {
    const entry = entryOf(element, false, leavesOf(walk, value, depth + 1))
    if (entry !== null) entries.push(entry)
  } else {
    walk.problem = notJson(value)
    entries.push(leafEntry(element))
  }
  if (walk.problem !== null) (walk.path ??= []).push(element)
}

function guessElement(index: number, item: Value): PathElement {
  if (!isMap(item)) return indexElementOf(index)
  const id = own(item, "id")
  const key = own(item, "key")
  const name = own(item, "name")
  // Most items have only one of these, and it is a text.
  if (id === undefined && key === undefined && typeof name === "string") return singleKeyElement("name", name)
  const fields: KeyField[] = []
  // Sorted by name, like the fields of a key element.
  addKey(fields, "id", id)
  addKey(fields, "key", key)
  addKey(fields, "name", name)
  return fields.length === 0 ? indexElementOf(index) : keyElementOf(fields)
}

function addKey(fields: KeyField[], name: string, value: Value | undefined): void {
  if (value !== undefined && typeof value !== "object") fields.push({ name, value })
}

/** Unites entries with equal elements, in place. Items of a list may have equal keys, and everything below them is then owned together. */
function uniteEqual(entries: Entry[]): void {
  let count = 0
  for (let start = 0; start < entries.length; ) {
    const { element } = entries[start] as Entry
    let end = start + 1
    while (end < entries.length && equalElements(element, (entries[end] as Entry).element)) end++
    entries[count++] = uniteRange(entries, start, end)
    start = end
  }
  if (count < entries.length) entries.length = count
}

/** Unites by halves: adding one entry after the other would go through the united entries again each time. */
function uniteRange(entries: readonly Entry[], start: number, end: number): Entry {
  if (end - start === 1) return entries[start] as Entry
  const middle = (start + end) >>> 1
  return unite(uniteRange(entries, start, middle), uniteRange(entries, middle, end))
}
