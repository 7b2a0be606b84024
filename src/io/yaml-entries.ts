// Finds the entries of a YAML document, which are the fields of its maps and the items of its lists, through aliases and merge keys.
import { isAlias, isMap, isScalar, isSeq, type Pair, type ParsedNode, type YAMLMap, type YAMLSeq } from "yaml"
import type { Steps } from "../value/change.js"

/** A field of a map or an item of a list, as nodes. */
export interface YamlEntry {
  /** The key, or the item itself. */
  readonly at: ParsedNode
  /** The value; null if the text has nothing for it. */
  readonly node: ParsedNode | null
  /** The map or list that has the entry. */
  readonly parent: YAMLMap.Parsed | YAMLSeq.Parsed
  /** The index of the entry, in the order of the text. */
  readonly index: number
  /** Set if an alias or a merge key leads to this part of the text. */
  readonly through: "alias" | "merge" | undefined
}

export type KeyedPair = Pair<ParsedNode, ParsedNode | null>

/** The meaning of the nodes of a document whose value has been read. */
export interface Nodes {
  /** Returns the name that the key of a pair has in its map; undefined for keys that merge other maps. */
  keyName(pair: KeyedPair): string | undefined
  /** Returns the node that an alias stands for, or any other node itself. */
  withoutAlias(node: ParsedNode): ParsedNode | undefined
}

/** The pairs of a map by their keys, and those that merge other maps into it. */
interface Pairs {
  readonly byKey: Map<string, YamlEntry>
  readonly merges: KeyedPair[]
}

export class YamlEntries {
  private readonly contents: ParsedNode | null
  private readonly nodes: Nodes
  /** The pairs of the maps in which an entry was looked for. */
  private readonly pairs = new Map<YAMLMap.Parsed, Pairs>()

  constructor(contents: ParsedNode | null, nodes: Nodes) {
    this.contents = contents
    this.nodes = nodes
  }

  /** Returns the entry that `path` leads to; undefined if it is missing, and for the root. */
  find(path: Steps): YamlEntry | undefined {
    let node = this.contents
    let entry: YamlEntry | undefined
    let through: YamlEntry["through"]
    for (const step of path) {
      if (node !== null && isAlias(node)) {
        through ??= "alias"
        node = this.nodes.withoutAlias(node) ?? null
      }
      entry = typeof step === "number" ? itemAt(node, step) : this.fieldAt(node, step)
      if (entry === undefined) return undefined
      through ??= entry.through
      node = entry.node
    }
    return entry === undefined || through === entry.through ? entry : { ...entry, through }
  }

  // Returns the last pair with this key in the map itself, or else in the maps that are merged into it.
  private fieldAt(node: ParsedNode | null, key: string): YamlEntry | undefined {
    if (node === null || !isMap(node)) return undefined
    const { byKey, merges } = this.pairsOf(node as YAMLMap.Parsed)
    const entry = byKey.get(key)
    if (entry !== undefined) return entry
    for (const { value } of merges) {
      for (const source of isSeq(value) ? (value.items as ParsedNode[]) : [value as ParsedNode]) {
        const merged = this.fieldAt(this.nodes.withoutAlias(source) ?? null, key)
        if (merged !== undefined) return { ...merged, through: "merge" }
      }
    }
    return undefined
  }

  private pairsOf(node: YAMLMap.Parsed): Pairs {
    const known = this.pairs.get(node)
    if (known !== undefined) return known
    const pairs: Pairs = { byKey: new Map(), merges: [] }
    const items = node.items as readonly KeyedPair[]
    for (const [index, pair] of items.entries()) {
      if (mergesMap(pair)) pairs.merges.push(pair)
      const key = this.nodes.keyName(pair)
      if (key === undefined) continue
      pairs.byKey.set(key, { at: pair.key, node: pair.value, parent: node, index, through: undefined })
    }
    this.pairs.set(node, pairs)
    return pairs
  }
}

function itemAt(node: ParsedNode | null, index: number): YamlEntry | undefined {
  if (node === null || !isSeq(node)) return undefined
  const item = node.items[index] as ParsedNode | undefined
  return item && { at: item, node: item, parent: node as YAMLSeq.Parsed, index, through: undefined }
}

/** Whether the key of a pair merges other maps into its map. */
export function mergesMap({ key }: Pair<unknown, unknown>): boolean {
  return isScalar(key) && key.source === "<<" && key.type === "PLAIN" && mergeTags.includes(key.tag)
}
/** Tags that a merge key may have; "!" means no specific tag. */
const mergeTags: readonly (string | undefined)[] = [undefined, "!", "tag:yaml.org,2002:merge"]
