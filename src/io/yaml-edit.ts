// Edits of a YAML text that change some of its values and keep the rest of the text, including comments and layout.
//
// `yaml-spans.ts` finds the text of an entry. Each edit is tried before it is returned: the edited text must read as the wanted value. So
// parts that the text shares (anchors, merge keys) are safe.
import { isAlias, visit } from "yaml"
import { hasCode } from "../errors.js"
import { outermost, type Steps, type ValueChange, valueAtSteps, withChanges } from "../value/change.js"
import { equalValues } from "../value/equal.js"
import { addToGroup } from "../value/groups.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
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
  /** The part, in the text before all edits. */
  readonly range: TextRange
  /** The new text; "" to remove the part. */
  readonly text: string
}

/** The edits that make the wanted changes to a text, or the reason why it can't be edited. */
export type TextEdits =
  | {
      /** The edits, in the order of the text. */
      readonly edits: readonly TextEdit[]
      /** Absent if there are edits. */
      readonly impossible?: never
    }
  | {
      /** The reason why the text can't be edited, for people: `the value stands elsewhere in the text, behind an alias`. */
      readonly impossible: string
      /** Absent if the text can't be edited. */
      readonly edits?: never
    }

/** Returns the text with all edits made. Their ranges must not overlap. Uses only the offsets of the ranges, not lines and columns. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string {
  const spans = edits.map(({ range, text }) => ({ start: range.start.offset, end: range.end.offset, text }))
  return editedPart(
    text,
    { start: 0, end: text.length },
    spans.sort((a, b) => a.start - b.start),
  )
}

type Read = (text: string) => readonly Value[]

/**
 * Returns the edits that make these changes to a document with the value `value`, in the order of the text. They can remove and replace
 * values, but not insert them.
 */
export function yamlEdits(
  document: DocumentReader,
  value: Value,
  changes: readonly ValueChange[],
  read: Read,
): TextEdits {
  const { text, range } = document.source
  const spans = spansOf(document, value, changes)
  if ("impossible" in spans) return spans
  const wanted = withChanges(value, changes) as Value
  const [start, end] = range
  const item = itemWith(document, changes, spans)
  const itemReads = item !== undefined && readsAs(editedPart(text, item, spans), wantedOf(item, wanted), read)
  if (!itemReads && !readsAs(editedPart(text, { start, end }, spans), wanted, read)) {
    const shared = /[&*]/.test(text.slice(start, end))
    return { impossible: shared ? "other parts of the text share it" : "the text around it can't do without it" }
  }
  return editsOf(document, spans)
}

/**
 * Returns the edits for each of these changes separately. Reads the text only a few times for all of them: if edits at different places are
 * right together, each is right alone, unless one part of the text depends on another.
 */
export function yamlEditsForEach(
  document: DocumentReader,
  value: Value,
  all: readonly (readonly ValueChange[])[],
  read: Read,
): TextEdits[] {
  const { text, range } = document.source
  const [start, end] = range
  const found = new Map<number, TextEdits>()
  const alone = (i: number): TextEdits => yamlEdits(document, value, all[i] as readonly ValueChange[], read)
  const tryAll = (planned: readonly Planned[]): void => {
    const [only] = planned
    if (only === undefined) return
    if (planned.length === 1) {
      found.set(only.number, alone(only.number))
      return
    }
    const spans = planned.flatMap(plan => plan.spans)
    const wanted = withChanges(value, outermost(planned.flatMap(({ number }) => all[number] ?? []))) as Value
    if (areApart(spans) && readsAs(editedPart(text, { start, end }, spans), wanted, read)) {
      for (const { number, spans } of planned) found.set(number, editsOf(document, spans))
      return
    }
    const middle = planned.length >> 1
    tryAll(planned.slice(0, middle))
    tryAll(planned.slice(middle))
  }
  if (dependsOnOthers(document)) return all.map((_, i) => alone(i))
  const planned: Planned[] = []
  const sizes: Sizes = new Map()
  all.forEach((changes, number) => {
    const spans = spansOf(document, value, changes, sizes)
    if ("impossible" in spans) found.set(number, spans)
    else planned.push({ number, spans })
  })
  planned.sort((a, b) => (a.spans[0]?.start ?? 0) - (b.spans[0]?.start ?? 0))
  // Neighbors are tried separately: together they may empty the collection that has both, or touch in the text.
  for (const parity of [0, 1]) tryAll(planned.filter((_, i) => i % 2 === parity))
  return all.map((_, i) => found.get(i) as TextEdits)
}

/** Whether an edit that is right together with others may be wrong alone: a part of the text stands for another, or owns the blank lines after it. */
function dependsOnOthers({ contents, source: { text } }: DocumentReader): boolean {
  if (/[|>]\d?\+/.test(text)) return true
  if (contents === null || !text.includes("*")) return false
  let found = false
  visit(contents, {
    Alias: () => {
      found = true
      return visit.BREAK
    },
  })
  return found
}

/** Changes by their number, and the spans of the text that make them. */
interface Planned {
  readonly number: number
  readonly spans: readonly Span[]
}

function areApart(spans: readonly Span[]): boolean {
  return spans.every((span, i) => i === 0 || (spans[i - 1] as Span).end < span.start)
}

/** Returns the parts of the text that change, with their new text, or the reason why the text can't be edited. */
function spansOf(
  document: DocumentReader,
  value: Value,
  changes: readonly ValueChange[],
  sizes: Sizes = new Map(),
): readonly Span[] | { readonly impossible: string } {
  const { text } = document.source
  const spans: Span[] = []
  const removed = new Map<Collection, Set<number>>()
  for (const { steps, value: next } of withEmptied(outermost(changes), value, sizes)) {
    if (steps.length === 0 && next === undefined) return { impossible: "nothing would be left of the document" }
    if (steps.length === 0 && document.contents !== null && next !== undefined) {
      const { contents } = document
      spans.push({ start: contents.range[0], end: endBefore(text, endOfNode(contents)), text: flowText(next) })
      continue
    }
    const entry = document.entries.find(steps)
    if (entry === undefined) return { impossible: "the text has no such field or item" }
    if (entry.through !== undefined) return { impossible: elsewhere[entry.through] }
    if (next !== undefined) spans.push(replacement(text, entry, next))
    else removed.set(entry.parent, (removed.get(entry.parent) ?? new Set()).add(entry.index))
  }
  for (const [collection, indexes] of removed) spans.push(...removal(text, collection, indexes))
  return mergeSpans(spans)
}

function editsOf(document: DocumentReader, spans: readonly Span[]): TextEdits {
  const { lines } = document.source
  return { edits: spans.map(span => ({ range: rangeOf(lines, span.start, span.end), text: span.text })) }
}

function editedPart(text: string, { start, end }: Omit<Span, "text">, spans: readonly Span[]): string {
  const parts: string[] = []
  let at = start
  for (const span of spans) {
    parts.push(text.slice(at, span.start), span.text)
    at = span.end
  }
  return parts.join("") + text.slice(at, end)
}

/** An item of a list, as a part of the text that can be read alone, so that an edit need not read the whole list. */
interface ItemPart {
  readonly steps: Steps
  readonly start: number
  readonly end: number
  /** Whether the part includes the dash, so that it reads as a list of one item. */
  readonly hasDash: boolean
}

/**
 * Returns the item of the outermost list that contains all edits; undefined without such an item, or if other parts of the text may refer to
 * parts of it.
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
  const entry = length > 0 && changes.every(isInside) ? document.entries.find(steps) : undefined
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

/** Whether a collection above the item has an anchor, by which the text may refer to it. */
function isAnchoredAbove(document: DocumentReader, steps: Steps): boolean {
  const above = steps.slice(0, -1).map((_, i) => document.entries.find(steps.slice(0, i + 1))?.node)
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

/** A map or list that loses all its entries can't lose them line by line. It is replaced by `{}` or `[]`. */
function withEmptied(changes: readonly ValueChange[], value: Value, sizes: Sizes): readonly ValueChange[] {
  const removals = new Map<string, ValueChange[]>()
  for (const change of changes) if (isRemoval(change)) addToGroup(removals, parentText(change), change)
  const emptied = new Map<string, ValueChange>()
  for (const [text, { length, 0: first }] of removals) {
    const steps = first?.steps.slice(0, -1) ?? []
    const parent = valueAtSteps(value, steps)
    if (parent !== undefined && sizeOf(parent, sizes) === length)
      emptied.set(text, { steps, value: isList(parent) ? [] : {} })
  }
  return outermost(changes.map(change => (isRemoval(change) ? emptied.get(parentText(change)) : undefined) ?? change))
}

/** Whether the change removes an entry of a map or list. */
function isRemoval({ steps, value }: ValueChange): boolean {
  return value === undefined && steps.length > 0
}

/** The steps to the map or list of an entry, as text. */
function parentText({ steps }: ValueChange): string {
  return JSON.stringify(steps.slice(0, -1))
}

/** The numbers of entries of maps, once they are counted. */
type Sizes = Map<MapValue, number>

function sizeOf(value: Value, sizes: Sizes): number {
  if (isList(value)) return value.length
  if (!isMap(value)) return 0
  const size = sizes.get(value) ?? Object.keys(value).length
  sizes.set(value, size)
  return size
}
