// Turns the nodes of a YAML document into a value: the meaning of scalars, merges, aliases and keys, and the position of each part.
import { type CST, isAlias, isMap, isScalar, isSeq, type ParsedNode, type Scalar, type YAMLMap } from "yaml"
import { ParseError } from "../errors.js"
import type { Steps } from "../value/change.js"
import { own, put } from "../value/object.js"
import { quoteGo } from "../value/quote.js"
import type { Value } from "../value/value.js"
import { AliasBudget } from "./alias-budget.js"
import type { LineIndex, Position } from "./line-index.js"
import { hasText } from "./syntax/characters.js"
import { maxYamlDepth } from "./syntax/depth.js"
import { keyText, outOfRange, resolvePlain, resolveTagged, ScalarError } from "./syntax/scalar.js"
import { type KeyedPair, mergesMap, type Nodes, YamlEntries } from "./yaml-entries.js"

/** Returns a ParseError whose message begins with line and column. */
export function yamlError(lines: LineIndex, offset: number, message: string, cause?: unknown): ParseError {
  const { line, column } = lines.positionOf(offset)
  return new ParseError(`line ${line}, column ${column}: ${message}`, cause === undefined ? undefined : { cause })
}

// An anchor: its node, and the value of the node once it has been read.
interface Anchored {
  readonly node: ParsedNode
  value: Value | undefined
  /** The number of nodes in the value. */
  cost: number
}

/** A key that a map has more than once. Its last value counts. */
export interface RepeatedKey {
  /** As Go prints it: `"name"` for a text, `9` for a number. */
  readonly key: string
  /** The line on which the repeated value begins, from 1. */
  readonly line: number
  /** The line on which the key occurs first, from 1. */
  readonly firstLine: number
  /** The steps to the value. */
  readonly steps: Steps
}

/** The source of a document, and how to read it. */
interface Source {
  readonly text: string
  readonly lines: LineIndex
  /** Whether a key may occur twice; the last one wins. */
  readonly acceptsRepeatedKeys: boolean
  /** The offsets at which the document begins and ends in the text. */
  readonly range: readonly [start: number, end: number]
}

/** Reads the value of one document, and finds the positions of its parts. */
export class DocumentReader implements Nodes {
  /** Null for a document without content. */
  readonly contents: ParsedNode | null
  readonly source: Source
  private readonly anchors = new Map<string, Anchored>()
  /** The anchor of each alias. A later node may get the same anchor. */
  private readonly targets = new Map<ParsedNode, Anchored>()
  private readonly budget = new AliasBudget()
  /** The keys that occur a second time in their map, if that is accepted; known after `value` was called. */
  readonly repeated: RepeatedKey[] = []
  /** The steps to the node that is being read. */
  private readonly steps: (string | number)[] = []
  /** The fields and items; known after `value` was called. */
  readonly entries: YamlEntries

  constructor(contents: ParsedNode | null, source: Source) {
    this.contents = contents
    this.source = source
    this.entries = new YamlEntries(contents, this)
  }

  /** Returns the value; undefined for a document without content. Must be called only once. */
  value(): Value | undefined {
    if (this.contents === null || isEmpty(this.contents)) return undefined
    return this.read(this.contents, 0)
  }

  private read(node: ParsedNode, depth: number): Value {
    if (depth > maxYamlDepth) this.fail(node, `nests deeper than ${maxYamlDepth} levels`)
    if (!this.budget.spend()) this.fail(node, "document contains excessive aliasing")
    if (isAlias(node)) return this.readAlias(node, node.source)
    if (node.anchor === undefined) return this.readContent(node, depth)
    const anchored: Anchored = { node, value: undefined, cost: 0 }
    this.anchors.set(node.anchor, anchored)
    const before = this.budget.spent
    anchored.value = this.readContent(node, depth)
    anchored.cost = this.budget.spent - before
    return anchored.value
  }

  private readContent(node: ParsedNode, depth: number): Value {
    if (isScalar(node)) return this.readScalar(node)
    if (isMap(node)) return this.readMap(node, depth)
    const list: Value[] = []
    if (isSeq(node)) for (const item of node.items) list.push(this.readAt(list.length, item as ParsedNode, depth + 1))
    return list
  }

  private readAt(step: string | number, node: ParsedNode, depth: number): Value {
    this.steps.push(step)
    const value = this.read(node, depth)
    this.steps.pop()
    return value
  }

  private readScalar(node: Scalar.Parsed): Value {
    const value = this.resolve(node)
    if (typeof value === "number" && !Number.isFinite(value)) this.fail(node, `number is not finite: ${node.source}`)
    return value
  }

  private resolve(node: Scalar.Parsed): Value {
    const { source, tag } = node
    if (tag === undefined && node.type !== "PLAIN") return this.scalarText(node)
    const value = tag === undefined ? resolvePlain(source) : this.resolveTagged(node, tag)
    if (outOfRange(value)) this.fail(node, `integer does not fit into 64 bits with a sign: ${source}`)
    return value
  }

  private resolveTagged(node: Scalar.Parsed, tag: string): Value {
    try {
      return resolveTagged(this.scalarText(node), tag)
    } catch (error) {
      if (error instanceof ScalarError) return this.fail(node, error.message)
      throw error
    }
  }

  // If the file ends inside a block of text without a line break, the value ends without one too; the package adds one.
  private scalarText(node: Scalar.Parsed): string {
    const { source, type } = node
    const { text } = this.source
    if (!type?.startsWith("BLOCK") || node.range[1] < text.length) return source
    const written = (node.srcToken as CST.BlockScalar).source
    if (!hasText(written)) return source === "" ? "" : written.replaceAll(/[^\n]/g, "")
    const last = source.endsWith("\n") ? text.slice(text.lastIndexOf("\n") + 1) : ""
    if (last === "") return source
    return hasText(last) || last.length > indentOfBlock(node) ? source.slice(0, -1) : source
  }

  // The node of an anchor is read once and shared, but counted for each alias.
  private readAlias(node: ParsedNode, name: string): Value {
    const anchored = this.anchors.get(name)
    if (anchored === undefined) return this.fail(node, `unknown anchor '${name}' referenced`)
    if (anchored.value === undefined) return this.fail(node, `anchor '${name}' value contains itself`)
    this.targets.set(node, anchored)
    if (!this.budget.spendOnAlias(1 + anchored.cost)) this.fail(node, "document contains excessive aliasing")
    return anchored.value
  }

  private readMap(node: YAMLMap.Parsed, depth: number): Value {
    const map: Record<string, Value> = {}
    const merged: Set<string> | null = node.items.some(mergesMap) ? new Set() : null
    for (const pair of node.items as readonly KeyedPair[]) {
      if (merged !== null && mergesMap(pair)) {
        if (pair.value === null) this.fail(pair.key, mergeRequirement)
        this.merge(pair.value, map, merged, depth)
        continue
      }
      const key = this.readKey(pair.key)
      if (!this.source.acceptsRepeatedKeys && own(map, key) !== undefined && merged?.has(key) !== true) {
        this.fail(pair.key, `key ${JSON.stringify(key)} already set in map${meaningOf(pair.key, key)}`)
      }
      const value = pair.value === null ? null : this.readAt(key, pair.value, depth + 1)
      if (own(map, key) !== undefined) this.repeated.push(this.repeatedKey(node, pair, key))
      merged?.delete(key)
      put(map, key, value)
    }
    return map
  }

  private repeatedKey(node: YAMLMap.Parsed, { key, value }: KeyedPair, text: string): RepeatedKey {
    const lineOf = (at: ParsedNode): number => this.source.lines.positionOf(at.range[0]).line
    const isText = !isScalar(key) || typeof this.resolve(key) === "string"
    const first = (node.items as readonly KeyedPair[]).find(pair => this.keyName(pair) === text)
    return {
      key: isText ? quoteGo(text) : text,
      line: lineOf(value ?? key),
      firstLine: lineOf(first?.key ?? key),
      steps: [...this.steps, text],
    }
  }

  keyName(pair: KeyedPair): string | undefined {
    const key = this.withoutAlias(pair.key)
    if (key === undefined || !isScalar(key) || mergesMap(pair)) return undefined
    return keyText(this.resolve(key), key.source)
  }

  withoutAlias(node: ParsedNode): ParsedNode | undefined {
    return isAlias(node) ? this.targets.get(node)?.node : node
  }

  private readKey(node: ParsedNode): string {
    if (!isScalar(node) && !isAlias(node)) return this.fail(node, "only scalars can be keys of a map")
    if (!this.budget.spend()) this.fail(node, "document contains excessive aliasing")
    let scalar: ParsedNode = node
    if (isAlias(node)) {
      this.readAlias(node, node.source)
      scalar = this.targets.get(node)?.node ?? node
      if (!isScalar(scalar)) return this.fail(node, "only scalars can be keys of a map")
    }
    const key = keyText(this.resolve(scalar as Scalar.Parsed), (scalar as Scalar.Parsed).source)
    if (key === undefined) return this.fail(node, "only strings, numbers and booleans can be keys of a map")
    if (scalar.anchor !== undefined && scalar === node) {
      this.anchors.set(scalar.anchor, { node: scalar, value: this.resolve(scalar), cost: 1 })
    }
    return key
  }

  // Go: merged keys replace those that come before them, and are replaced by those that follow.
  private merge(node: ParsedNode, map: Record<string, Value>, merged: Set<string>, depth: number): void {
    const sources = isSeq(node) ? ([...node.items].reverse() as ParsedNode[]) : [node]
    for (const source of sources) {
      const target = isAlias(source) ? this.anchors.get(source.source)?.node : source
      const value = this.read(source, depth + 1)
      if (target === undefined || !isMap(target)) {
        this.fail(source, mergeRequirement)
      }
      for (const key in value as Record<string, Value>) {
        put(map, key, (value as Record<string, Value>)[key] as Value)
        merged.add(key)
      }
    }
  }

  /** Returns the position of the key or item that `path` leads to, or undefined. Call `value` first. */
  positionOf(path: Steps): Position | undefined {
    const begin = path.length === 0 ? this.contents : this.entries.find(path)?.at
    return begin ? this.source.lines.positionOf(begin.range[0]) : undefined
  }

  /** Throws a ParseError with the position at which the document begins. */
  failAtStart(message: string): never {
    throw yamlError(this.source.lines, this.contents?.range[0] ?? 0, message)
  }

  private fail(node: ParsedNode, message: string): never {
    throw yamlError(this.source.lines, node.range[0], message)
  }
}

/** Returns what a message about a key adds if the key was written differently, such as `yes` for true. */
function meaningOf(node: ParsedNode, key: string): string {
  if (!isScalar(node) || node.type !== "PLAIN" || node.source === key) return ""
  return `; YAML 1.1 reads \`${node.source}\` as \`${key}\``
}

/** Returns the indentation of a block of text. */
function indentOfBlock({ source, srcToken }: Scalar.Parsed): number {
  return indentOf((srcToken as CST.BlockScalar).source) - indentOf(source)
}

/** Returns the number of spaces before the first line that is not blank. */
function indentOf(text: string): number {
  return /^ */.exec(text.split("\n").find(hasText) ?? "")?.[0].length ?? 0
}

const mergeRequirement = "map merge requires map or sequence of maps as the value"

function isEmpty(node: ParsedNode): boolean {
  return isScalar(node) && node.source === "" && node.type === "PLAIN" && node.tag === undefined
}
