// The text of an entry in a YAML text, and the text that replaces it if the entry is removed or gets another value.
//
// Removing an entry of block style also removes its lines with their comments; removing one of flow style also removes its comma.
import { type CST, isAlias, isMap, isScalar, isSeq, type ParsedNode } from "yaml"
import { isList, type MapValue, type Value } from "../value/value.js"
import type { YamlEntry } from "./yaml-entries.js"
import { blockText, flowText, type QuoteStyle, scalarText } from "./yaml-format.js"
import {
  type Collection,
  endOfEntry,
  endOfNode,
  endOfTokens,
  isEmptyNode,
  startOfEntry,
  tokensOf,
} from "./yaml-place.js"

/** A part of the text, by offsets, and its new text. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Returns the spans in the order of the text. Joins those that touch. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
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

/** Returns the spans that remove these entries from a map or a list. Other entries must remain. */
export function removal(text: string, collection: Collection, indexes: ReadonlySet<number>): Span[] {
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

/** The first entry is on the line of a dash. The next entry that remains moves up to the dash, unless comments are between them. */
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

/** Returns the end of the lines of an entry, including comments on them and comments that follow deeper inside it. */
export function endOfLines(text: string, collection: Collection, index: number): number {
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
  // The comma before the last entries is removed too, since JSON has no comma there.
  const comma = kept >= 0 && kept < count - 1 ? commaAfter(collection, kept) : undefined
  if (comma !== undefined && commaAfter(collection, count - 1) === undefined) {
    const next = startOfEntry(collection, kept + 1)
    spans.push({ start: comma, end: /^[ \t]*$/.test(text.slice(comma + 1, next)) ? next : comma + 1, text: "" })
  }
  return spans
}

/** Returns the offset of the comma after an entry of flow style. */
function commaAfter(collection: Collection, index: number): number | undefined {
  const items = (collection.srcToken as CST.FlowCollection).items
  const token = tokensOf(collection)[index] as CST.CollectionItem
  return items[items.indexOf(token) + 1]?.start.find(({ type }) => type === "comma")?.offset
}

/** Returns the span that replaces the text of an entry by `value`. */
export function replacement(text: string, { at, node, parent, index }: YamlEntry, value: Value): Span {
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

/** Returns the offset of the tag or anchor before the node, whichever comes first. The new text has neither. */
function propsStart(lead: readonly CST.SourceToken[], node: ParsedNode): number | undefined {
  if (isAlias(node) || node.tag === undefined) return undefined
  return lead.find(({ type }) => type === "tag" || type === "anchor")?.offset
}

/** A block of text ends after its line break, which remains. */
export function endBefore(text: string, end: number): number {
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

/** Returns the start of the line of this offset. */
export function startOfLine(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1
}

/** Returns the start of the next line. */
function endOfLine(text: string, offset: number): number {
  const at = text.indexOf("\n", offset)
  return at < 0 ? text.length : at + 1
}

/** Returns the start of the line after a node that ends at `end`. Blocks of text end after their last line break. */
function endOfLastLine(text: string, end: number): number {
  return text[end - 1] === "\n" ? end : endOfLine(text, end)
}

/** Whether the text is nothing but white space. */
export function isBlank(text: string): boolean {
  return text.trim() === ""
}
