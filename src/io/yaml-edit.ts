// Edits of a YAML text that change some of its values and leave all else as it is, comments and layout included.
//
// Entries of block style go with their lines, entries of flow style with their comma. Each edit is tried before it is given out: the
// text it makes has to read as the value that was wanted. So whatever is shared in the text (anchors, merge keys) is safe.
import { type CST, isAlias, isMap, isScalar, isSeq, type ParsedNode } from "yaml"
import { hasCode } from "../errors.js"
import { outermost, type Steps, type ValueChange, valueAtSteps, withChanges } from "../value/change.js"
import { equalValues } from "../value/equal.js"
import { isList, isMap as isMapValue, type MapValue, type Value } from "../value/value.js"
import type { DocumentReader, YamlEntry } from "./yaml-document.js"
import { blockText, flowText, type QuoteStyle, scalarText } from "./yaml-format.js"
import {
  type Collection,
  endOfEntry,
  endOfNode,
  endOfTokens,
  isEmptyNode,
  rangeOf,
  startOfEntry,
  type TextRange,
  tokensOf,
} from "./yaml-place.js"

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

/** The item of the outermost list that all edits are inside of; undefined where there is none, or others may refer to what is in it. */
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
  return isMapValue(before) && Object.keys(before).length === going.length ? {} : undefined
}

/** A part of the text, by offsets, and what takes its place. */
interface Span {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The spans in the order of the text, those that touch in one. */
function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const out: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const last = out[out.length - 1]
    if (last !== undefined && span.start <= last.end) {
      out[out.length - 1] = { start: last.start, end: Math.max(last.end, span.end), text: last.text + span.text }
    } else {
      out.push(span)
    }
  }
  return out
}

function removal(text: string, collection: Collection, indexes: ReadonlySet<number>): Span[] {
  return collection.flow === true ? flowRemoval(text, collection, indexes) : blockRemoval(text, collection, indexes)
}

function blockRemoval(text: string, collection: Collection, indexes: ReadonlySet<number>): Span[] {
  const spans: Span[] = []
  for (const index of indexes) {
    const start = startOfEntry(collection, index)
    const end = endOfEntry(collection, index)
    const line = startOfLine(text, start)
    if (isBlank(text.slice(line, start)))
      spans.push({ start: line, end: endOfLines(text, collection, index), text: "" })
    else spans.push(headRemoval(text, collection, indexes, { start, end }))
  }
  return spans
}

/** The first entry stands on the line of a dash: the next that stays moves up to it, unless there are comments between. */
function headRemoval(
  text: string,
  collection: Collection,
  indexes: ReadonlySet<number>,
  { start, end }: { readonly start: number; readonly end: number },
): Span {
  let next = 1
  let comments = false
  for (; next < collection.items.length; next++) {
    const gap = text.slice(endOfLastLine(text, endOfEntry(collection, next - 1)), startOfEntry(collection, next))
    comments ||= !isBlank(gap)
    if (!indexes.has(next)) break
  }
  if (!comments && next < collection.items.length) return { start, end: startOfEntry(collection, next), text: "" }
  const rest = text.slice(0, start).trimEnd().length
  const stop = endOfLastLine(text, end)
  const lineBreak = text[stop - 2] === "\r" ? stop - 2 : text[stop - 1] === "\n" ? stop - 1 : stop
  return { start: rest, end: lineBreak, text: "" }
}

/** The end of the lines of an entry: with comments on them, and with those that follow deeper inside it. */
function endOfLines(text: string, collection: Collection, index: number): number {
  const end = endOfEntry(collection, index)
  let stop = endOfLastLine(text, end)
  const token = tokensOf(collection)[index]?.value?.type
  if (token !== "block-map" && token !== "block-seq") return stop
  const start = startOfEntry(collection, index)
  const column = start - startOfLine(text, start)
  for (let line = stop; line < text.length; ) {
    const next = endOfLine(text, line)
    const [, indent = "", rest = ""] = /^([ \t]*)([^\n]*)/.exec(text.slice(line, next)) ?? []
    if (rest.startsWith("#") && indent.length > column) stop = next
    else if (!isBlank(rest)) break
    line = next
  }
  return stop
}

function flowRemoval(text: string, collection: Collection, indexes: ReadonlySet<number>): Span[] {
  const spans: Span[] = []
  const count = collection.items.length
  let kept = count - 1
  while (indexes.has(kept)) kept--
  for (const index of indexes) {
    const start = startOfEntry(collection, index)
    const comma = commaAfter(collection, index)
    const end = comma === undefined ? endOfEntry(collection, index) : comma + 1
    const line = startOfLine(text, start)
    const after = endOfLine(text, end)
    if (isBlank(text.slice(line, start)) && /^[ \t]*(?:#.*)?\r?\n?$/.test(text.slice(end, after))) {
      spans.push({ start: line, end: after, text: "" })
    } else {
      const spaces = /^[ \t]*/.exec(text.slice(end))?.[0] ?? ""
      const last = index > kept
      spans.push({ start, end: last || text[end + spaces.length] === "#" ? end : end + spaces.length, text: "" })
    }
  }
  // The comma before the last ones goes too: JSON has none there.
  const comma = kept >= 0 && kept < count - 1 ? commaAfter(collection, kept) : undefined
  if (comma !== undefined && commaAfter(collection, count - 1) === undefined) {
    const next = startOfEntry(collection, kept + 1)
    spans.push({ start: comma, end: /^[ \t]*$/.test(text.slice(comma + 1, next)) ? next : comma + 1, text: "" })
  }
  return spans
}

/** Where the comma after an entry of flow style stands. */
function commaAfter(collection: Collection, index: number): number | undefined {
  const items = (collection.srcToken as CST.FlowCollection).items
  const token = tokensOf(collection)[index] as CST.CollectionItem
  return items[items.indexOf(token) + 1]?.start.find(({ type }) => type === "comma")?.offset
}

/** What puts `value` in the place of what is written for an entry. */
function replacement(text: string, { at, node, parent, index }: YamlEntry, value: Value): Span {
  const { start: before, sep } = tokensOf(parent)[index] as CST.CollectionItem
  const lead = isMap(parent) ? (sep ?? []) : before
  const indicated = endOfTokens(lead)
  const written = node !== null && !isEmptyNode(node)
  const inFlow = parent.flow === true
  const block = !inFlow && typeof value === "object" && value !== null && !isEmptyContainer(value)
  const quotes: QuoteStyle = written && isScalar(node) && !isAlias(node) ? quoteStyleOf(node.type) : "any"
  const inline = inFlow ? flowText(value) : block ? "" : scalarText(value, quotes)
  const end = written ? endOfNode(node) : (indicated ?? at.range[1])
  const lineBreak = text.includes("\r\n") ? "\r\n" : "\n"
  if (block && isMap(parent)) {
    const indent = at.range[0] - startOfLine(text, at.range[0]) + 2
    const lines = blockText(value, " ".repeat(indent)).replace(/\n$/, "").replaceAll("\n", lineBreak)
    return { start: indicated ?? end, end: endBefore(text, end), text: lineBreak + lines }
  }
  const sameLine = inFlow || !text.slice(indicated ?? 0, node?.range[0]).includes("\n")
  const own = written && !isBlockCollection(node) && sameLine
  const begin = own ? (propsStart(lead, node) ?? node.range[0]) : (indicated ?? end)
  const indent = begin - startOfLine(text, begin) + (own ? 0 : 1)
  const body = block
    ? blockText(value, " ".repeat(indent)).slice(indent).replace(/\n$/, "").replaceAll("\n", lineBreak)
    : inline
  const needsColon = isMap(parent) && !lead.some(({ type }) => type === "map-value-ind")
  return { start: begin, end: endBefore(text, end), text: `${needsColon ? ":" : ""}${own ? "" : " "}${body}` }
}

/** Where a tag before the node begins, with an anchor beside it: what is written anew has neither. */
function propsStart(lead: readonly CST.SourceToken[], node: ParsedNode): number | undefined {
  if (isAlias(node) || node.tag === undefined) return undefined
  return lead.find(({ type }) => type === "tag" || type === "anchor")?.offset
}

/** A block of text ends after its line break, which stays. */
function endBefore(text: string, end: number): number {
  if (text[end - 1] !== "\n") return end
  return text[end - 2] === "\r" ? end - 2 : end - 1
}

function isBlockCollection(node: ParsedNode): boolean {
  return (isMap(node) || isSeq(node)) && node.flow !== true
}

function quoteStyleOf(type: string | undefined): QuoteStyle {
  return type === "QUOTE_DOUBLE" ? "double" : type === "QUOTE_SINGLE" ? "single" : "any"
}

function isEmptyContainer(value: Value): boolean {
  return isList(value) ? value.length === 0 : Object.keys(value as MapValue).length === 0
}

function startOfLine(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1
}

/** Where the next line begins. */
function endOfLine(text: string, offset: number): number {
  const at = text.indexOf("\n", offset)
  return at < 0 ? text.length : at + 1
}

/** Where the line after something begins that ends at `end`, as blocks of text do after their last line break. */
function endOfLastLine(text: string, end: number): number {
  return text[end - 1] === "\n" ? end : endOfLine(text, end)
}

function isBlank(text: string): boolean {
  return text.trim() === ""
}
