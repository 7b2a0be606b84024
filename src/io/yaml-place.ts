// Finds the parts of a YAML document in its text: keys, values and whole entries.
import { type CST, isMap, isScalar, isSeq, type Pair, type ParsedNode, type YAMLMap, type YAMLSeq } from "yaml"
import type { Steps } from "../value/change.js"
import type { LineIndex, Position } from "./line-index.js"
import type { DocumentReader } from "./yaml-document.js"

/** A place between two characters of a text. */
export interface TextPlace extends Position {
  /** The number of UTF-16 units before it. */
  readonly offset: number
}

/** A part of a text. */
export interface TextRange {
  /** The place right before its first character. */
  readonly start: TextPlace
  /** The place right after its last character. */
  readonly end: TextPlace
}

/** The parts of a text that belong to a field or an item. */
export interface YamlPlace {
  /** The key of a field; absent for an item. */
  readonly key?: TextRange
  /** The value of a field, or the item. Empty if the text has nothing for it. */
  readonly value: TextRange
  /** Set if the field or item is reached through an alias or a merge key, so that other parts of the document share its text. */
  readonly through?: "alias" | "merge"
}

/** Returns the place of the field or item that `steps` lead to, or undefined. */
export function yamlPlaceOf(document: DocumentReader, steps: Steps): YamlPlace | undefined {
  const { lines } = document.source
  const entry = document.entries.find(steps)
  if (entry === undefined) {
    const { contents } = document
    if (contents === null || steps.length > 0) return undefined
    return { value: rangeOf(lines, contents.range[0], endOfNode(contents)) }
  }
  const { at, node, parent, index, through } = entry
  const end = endOfEntry(parent, index)
  const written = node !== null && !isEmptyNode(node)
  return {
    ...(isMap(parent) && { key: rangeOf(lines, at.range[0], at.range[1]) }),
    value: written ? rangeOf(lines, node.range[0], endOfNode(node)) : rangeOf(lines, end, end),
    ...(through !== undefined && { through }),
  }
}

export function rangeOf(lines: LineIndex, start: number, end: number): TextRange {
  const placeOf = (offset: number): TextPlace => ({ offset, ...lines.positionOf(offset) })
  return { start: placeOf(start), end: placeOf(end) }
}

export type Collection = YAMLMap.Parsed | YAMLSeq.Parsed

/** Returns the tokens of the entries of a collection, in the order of its items. */
export function tokensOf(collection: Collection): readonly CST.CollectionItem[] {
  const known = knownTokens.get(collection)
  if (known !== undefined) return known
  const items: readonly CST.CollectionItem[] = (collection.srcToken as CST.BlockMap | undefined)?.items ?? []
  const tokens = items.filter(({ start, key, sep, value }) => key || sep || value || start.some(isIndicator))
  knownTokens.set(collection, tokens)
  return tokens
}
const knownTokens = new WeakMap<Collection, readonly CST.CollectionItem[]>()

function isIndicator({ type }: CST.SourceToken): boolean {
  return type === "anchor" || type === "tag" || type === "explicit-key-ind" || type === "seq-item-ind"
}

export function startOfEntry(collection: Collection, index: number): number {
  const { start, key, sep, value } = tokensOf(collection)[index] as CST.CollectionItem
  const first = start.find(isIndicator) ?? key ?? sep?.[0] ?? value
  return first === undefined ? collection.range[0] : first.offset
}

export function endOfEntry(collection: Collection, index: number): number {
  const item = collection.items[index] as ParsedNode | Pair<ParsedNode, ParsedNode | null>
  const { start, sep = [] } = tokensOf(collection)[index] as CST.CollectionItem
  const node = isMap(collection) ? (item as Pair<ParsedNode, ParsedNode | null>).value : (item as ParsedNode)
  if (node !== null && !isEmptyNode(node)) return endOfNode(node)
  if (!isMap(collection)) return endOfTokens(start) ?? (item as ParsedNode).range[0]
  const { key } = item as Pair<ParsedNode, ParsedNode | null>
  return endOfTokens(sep) ?? endOfNode(key)
}

/** Returns the end of the last of these tokens that is neither a space nor a comment. */
export function endOfTokens(tokens: readonly CST.SourceToken[]): number | undefined {
  const last = tokens.findLast(({ type }) => type !== "space" && type !== "newline" && type !== "comment")
  return last === undefined ? undefined : last.offset + last.source.length
}

/** Returns the end of a node, without the comments after it. Blocks of text end after their last line break. */
export function endOfNode(node: ParsedNode): number {
  const isBlock = (isMap(node) || isSeq(node)) && node.flow !== true && node.items.length > 0
  return isBlock ? endOfEntry(node as Collection, node.items.length - 1) : node.range[1]
}

export function isEmptyNode(node: ParsedNode): boolean {
  return isScalar(node) && node.type === "PLAIN" && node.source === ""
}
