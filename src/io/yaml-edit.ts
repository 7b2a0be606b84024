// Edits of a YAML text that change some of its values and leave all else as it is, comments and layout included.
//
// `yaml-spans.ts` knows what stands in the text for an entry. Each edit is tried before it is given out: the text it makes has to
// read as the value that was wanted. So whatever is shared in the text (anchors, merge keys) is safe.
import { isAlias } from "yaml"
import { hasCode } from "../errors.js"
import { outermost, type Steps, type ValueChange, valueAtSteps, withChanges } from "../value/change.js"
import { equalValues } from "../value/equal.js"
import { isList, isMap, type Value } from "../value/value.js"
import type { DocumentReader } from "./yaml-document.js"
import { flowText } from "./yaml-format.js"
import { type Collection, endOfEntry, endOfNode, rangeOf, startOfEntry, type TextRange } from "./yaml-place.js"
import {
  endBefore,
  endOfLines,
  isBlank,
  mergeSpans,
  removal,
  replacement,
  type Span,
  startOfLine,
} from "./yaml-spans.js"

/** A replacement of a part of a text by other text. */
export interface TextEdit {
  /** The part, in the text as it is before all edits. */
  readonly range: TextRange
  /** What comes there; "" where the part goes. */
  readonly text: string
}

/** The edits that make the wanted changes to a text, or why there are none. */
export type TextEdits =
  | {
      /** The edits, in the order of the text. */
      readonly edits: readonly TextEdit[]
      /** Absent if there are edits. */
      readonly impossible?: never
    }
  | {
      /** Why the text can't be edited, for people: `the value stands elsewhere in the text, behind an alias`. */
      readonly impossible: string
      /** Absent if the text can't be edited. */
      readonly edits?: never
    }

/** The text with all edits made. Their ranges must not overlap. Only the offsets of the ranges are used, not lines and columns. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string {
  let out = text
  for (const { range, text: inserted } of edits.toSorted((a, b) => b.range.start.offset - a.range.start.offset)) {
    out = out.slice(0, range.start.offset) + inserted + out.slice(range.end.offset)
  }
  return out
}

/**
 * The edits that make these changes to a document of value `value`, in the order of the text. `read` reads the values of a text.
 * Nothing can be inserted, only removed and replaced.
 */
export function yamlEdits(
  document: DocumentReader,
  value: Value,
  changes: readonly ValueChange[],
  read: (text: string) => readonly Value[],
): TextEdits {
  const { text, lines, range } = document.source
  const spans: Span[] = []
  const wanted = withChanges(value, changes)
  if (wanted === undefined) return { impossible: "nothing would be left of the document" }
  const removed = new Map<Collection, Set<number>>()
  for (const { steps, value: next } of withEmptied(outermost(changes), value)) {
    if (steps.length === 0 && document.contents !== null && next !== undefined) {
      const { contents } = document
      spans.push({ start: contents.range[0], end: endBefore(text, endOfNode(contents)), text: flowText(next) })
      continue
    }
    const entry = document.entryAt(steps)
    if (entry === undefined) return { impossible: "the text has no such field or item" }
    if (entry.through !== undefined) return { impossible: elsewhere[entry.through] }
    if (next !== undefined) spans.push(replacement(text, entry, next))
    else removed.set(entry.parent, (removed.get(entry.parent) ?? new Set()).add(entry.index))
  }
  for (const [collection, indexes] of removed) spans.push(...removal(text, collection, indexes))
  const [start, end] = range
  const merged = mergeSpans(spans)
  const item = itemWith(document, changes, merged)
  const itemReads = item !== undefined && readsAs(editedPart(text, item, merged), wantedOf(item, wanted), read)
  if (!itemReads && !readsAs(editedPart(text, { start, end }, merged), wanted, read)) {
    const shared = /[&*]/.test(text.slice(start, end))
    return { impossible: shared ? "other parts of the text share it" : "the text around it can't do without it" }
  }
  return { edits: merged.map(span => ({ range: rangeOf(lines, span.start, span.end), text: span.text })) }
}

function editedPart(text: string, { start, end }: Omit<Span, "text">, spans: readonly Span[]): string {
  let edited = text.slice(start, end)
  for (const span of spans.toReversed()) {
    edited = edited.slice(0, span.start - start) + span.text + edited.slice(span.end - start)
  }
  return edited
}

/** An item of a list as a part of the text that can be read alone, so that an edit of a long list need not read all of it. */
interface ItemPart {
  readonly steps: Steps
  readonly start: number
  readonly end: number
  /** Whether the part has the dash too: then it reads as a list of one item. */
  readonly hasDash: boolean
}

/**
 * The item of the outermost list that all edits are inside of; undefined where there is none, or others may refer to what is in it.
 */
function itemWith(
  document: DocumentReader,
  changes: readonly ValueChange[],
  spans: readonly Span[],
): ItemPart | undefined {
  const { text } = document.source
  const length = (changes[0]?.steps.findIndex(step => typeof step === "number") ?? -1) + 1
  const steps = changes[0]?.steps.slice(0, length) ?? []
  const isInside = (change: ValueChange): boolean =>
    change.steps.length > length && steps.every((step, i) => step === change.steps[i])
  const entry = length > 0 && changes.every(isInside) ? document.entryAt(steps) : undefined
  if (entry === undefined || entry.through !== undefined || isAnchoredAbove(document, steps)) return undefined
  const { parent, index } = entry
  let start = startOfEntry(parent, index)
  let end = endOfEntry(parent, index)
  const hasDash = parent.flow !== true
  if (hasDash) {
    const line = startOfLine(text, start)
    if (!isBlank(text.slice(line, start))) return undefined
    const isLast = index === parent.items.length - 1
    end = isLast ? endOfLines(text, parent, index) : startOfLine(text, startOfEntry(parent, index + 1))
    start = line
  }
  const holdsAll = spans.every(span => span.start >= start && span.end <= end)
  return holdsAll && !text.slice(start, end).includes("&") ? { steps, start, end, hasDash } : undefined
}

/** Whether something above the item has a name by which the text may refer to it. */
function isAnchoredAbove(document: DocumentReader, steps: Steps): boolean {
  const above = steps.slice(0, -1).map((_, i) => document.entryAt(steps.slice(0, i + 1))?.node)
  return [document.contents, ...above].some(node => node && !isAlias(node) && node.anchor !== undefined)
}

function wantedOf({ steps, hasDash }: ItemPart, wanted: Value): Value {
  const item = valueAtSteps(wanted, steps) as Value
  return hasDash ? [item] : item
}

const elsewhere = {
  alias: "the value stands elsewhere in the text, behind an alias",
  merge: "the value comes from elsewhere in the text, by a merge key",
}

function readsAs(text: string, wanted: Value, read: (text: string) => readonly Value[]): boolean {
  try {
    const values = read(text)
    return values.length === 1 && equalValues(values[0] as Value, wanted)
  } catch (error) {
    if (hasCode(error)) return false
    throw error
  }
}

/** Maps and lists that lose all they have can't lose it line by line: they are replaced by `{}` and `[]`. */
function withEmptied(changes: readonly ValueChange[], value: Value): readonly ValueChange[] {
  const out: ValueChange[] = []
  for (const change of changes) {
    const { steps } = change
    const parent = steps.slice(0, -1)
    const left = change.value === undefined && steps.length > 0 ? emptiedAt(changes, value, parent) : undefined
    if (left !== undefined) out.push({ steps: parent, value: left })
    else out.push(change)
  }
  return outermost(out)
}

/** `{}` or `[]` where the changes take all that the map or list at `steps` has. */
function emptiedAt(changes: readonly ValueChange[], value: Value, steps: Steps): Value | undefined {
  const before = valueAtSteps(value, steps)
  const going = changes.filter(change => {
    if (change.value !== undefined || change.steps.length !== steps.length + 1) return false
    return steps.every((step, i) => step === change.steps[i])
  })
  if (isList(before)) return before.length === going.length ? [] : undefined
  return isMap(before) && Object.keys(before).length === going.length ? {} : undefined
}
