// Random field sets. Here, a set is a tree of serialized path elements. Only the request has it as FieldsV1, in one of the many
// spellings that a reader must accept.
import { emptyMap, type Json, type JsonMap, jsonText } from "./json.js"
import type { Random } from "./random.js"
import { randomJson, randomName, randomScalar } from "./scalars.js"
import type { PathText } from "./values.js"

/** Children by serialized path element. A node without children is always a member. */
export interface SetNode {
  member: boolean
  readonly children: Map<string, SetNode>
}

function emptySet(): SetNode {
  return { member: false, children: new Map() }
}

/** Adds the path. */
function insertPath(set: SetNode, path: PathText): void {
  let node = set
  for (const element of path) {
    let child = node.children.get(element)
    if (child === undefined) {
      child = emptySet()
      node.children.set(element, child)
    }
    node = child
  }
  node.member = true
}

export function setOfPaths(paths: readonly PathText[]): SetNode {
  const set = emptySet()
  for (const path of paths) insertPath(set, path)
  return set
}

/** Returns a set of random paths over a small alphabet, so that two such sets overlap. */
export function randomSet(random: Random): SetNode {
  if (random.chance(0.04)) return emptySet()
  const paths: PathText[] = []
  for (let i = random.between(1, random.chance(0.1) ? 16 : 7); i > 0; i--) {
    const start = paths.length > 0 && random.chance(0.5) ? random.pick(paths) : []
    paths.push([...start.slice(0, random.below(start.length + 1)), ...randomPath(random, 3)])
  }
  return setOfPaths(paths)
}

/** Returns a set that has many paths in common with this one. */
export function editedSet(random: Random, set: SetNode): SetNode {
  const out = emptySet()
  out.member = random.chance(0.15) ? !set.member : set.member
  for (const [element, child] of set.children) {
    if (random.chance(0.18)) continue
    out.children.set(element, random.chance(0.7) ? editedSet(random, child) : child)
  }
  if (random.chance(0.2)) insertPath(out, randomPath(random, 2))
  return out
}

/** Returns all paths of the set in its order. */
export function pathsOfSet(set: SetNode, prefix: PathText = []): PathText[] {
  const out: PathText[] = []
  for (const [element, child] of set.children) {
    const path = [...prefix, element]
    if (child.member || child.children.size === 0) out.push(path)
    out.push(...pathsOfSet(child, path))
  }
  return out
}

/** Returns a path of 1 to `longest` elements. */
export function randomPath(random: Random, longest: number): PathText {
  return Array.from({ length: random.between(1, longest) }, () => randomElement(random))
}

/** Returns a serialized path element: usually a field, and usually in the engine's spelling. */
export function randomElement(random: Random): string {
  const kind = random.below(100)
  if (kind < 55) return `f:${randomName(random)}`
  if (kind < 75) return `k:${jsonText(randomKey(random))}`
  if (kind < 92) return `v:${jsonText(elementValue(random))}`
  return `i:${random.chance(0.9) ? random.below(4) : random.pick([-1, 2147483648, 9007199254740991, 10])}`
}

function randomKey(random: Random): JsonMap {
  const key = emptyMap()
  for (let i = random.weighted(KEY_SIZES); i > 0; i--) {
    key[random.chance(0.8) ? random.pick(KEY_NAMES) : randomName(random)] = elementValue(random)
  }
  return key
}
const KEY_NAMES = ["name", "key", "id", "port", "protocol"]
const KEY_SIZES: readonly (readonly [number, number])[] = [
  [70, 1],
  [22, 2],
  [5, 3],
  [3, 0],
]

// The reference prints maps inside elements in random order, so these maps have one key.
function elementValue(random: Random): Json {
  return random.chance(0.94) ? randomScalar(random, "untyped") : randomJson(random, 2, 1)
}

/** Returns a path element that a reader must refuse, skip or read with care. */
export function oddElement(random: Random): string {
  const fixed = random.pick(ODD_ELEMENTS)
  if (random.chance(0.6)) return fixed
  const element = randomElement(random)
  const at = random.below(element.length + 1)
  if (random.chance(0.3)) return element.slice(0, at)
  if (random.chance(0.4))
    return element.slice(0, at) + random.pick([" ", "x", '"', "}", ",", "0", "\\"]) + element.slice(at)
  return `${element.slice(0, 2)} ${element.slice(2)} `
}
const ODD_ELEMENTS = [
  ...["", "f", "f:", ":", "::", "k:", "v:", "i:", "x:", "x:foo", "F:a", "no-colon", "ff:a", "f a", "😀:a"],
  ...["k:{}", "k: {}", "k:[]", "k:null", "k:1", 'k:"a"', "k:{", 'k:{"a"}', 'k:{"a":}', 'k:{"a":1,}', 'k:{"a":1} x'],
  ...['k:{"a":1,"a":2}', 'k:{"b":1,"a":2}', 'k:{ "b" : 1 , "a" : [ ] }', 'k:{"a":1.0}', 'k:{"a":{"c":1,"b":2}}'],
  ...["v:", "v: 1", "v:1 ", "v:01", "v:1.0", "v:1e2", "v:-", "v:-0", "v:+1", "v:.5", "v:1.", "v:1e", "v:nul", "v:null"],
  ...["v:true ", "v:tru", 'v:"', 'v:"\\u0041"', 'v:"\\x"', 'v:"\\ud83d\\ude00"', 'v:"<&>"', "v:'a'", "v:1 2", "v:[1,]"],
  ...['v:{"b":1,"a":2}', 'v:{"a":1,"a":2}', "v:[1, 2 ]", "v:{}", "v:[]", "v:1e400", "v:9223372036854775808", "v:NaN"],
  ...[
    "i:0",
    "i:00",
    "i:-0",
    "i:+1",
    "i: 1",
    "i:1.0",
    "i:1e1",
    "i:0x1",
    "i:9223372036854775807",
    "i:9223372036854775808",
  ],
]

/** The differences of a set's spelling from the engine's. */
export interface Spelling {
  /** White space, any order, repeated keys, keys of elements in unusual spellings, elements of unknown kinds. */
  readonly odd: boolean
  /** A mistake that a reader refuses. */
  readonly broken?: boolean
}

/** Returns the set as a request contains it: FieldsV1 as a string or, sometimes, as an object if its spelling is plain. */
export function spellSet(random: Random, set: SetNode, spelling: Spelling = { odd: false }): Json {
  if (!spelling.odd && spelling.broken !== true && random.chance(0.3)) return treeOf(set)
  const text = new Speller(random, spelling.odd).node(set, false)
  return spelling.broken === true ? breakText(random, text) : text
}

function treeOf(set: SetNode): JsonMap {
  const out = emptyMap()
  for (const [element, child] of set.children) {
    const tree = treeOf(child)
    if (child.member && child.children.size > 0) tree["."] = emptyMap()
    out[element] = tree
  }
  return out
}

class Speller {
  constructor(
    private readonly random: Random,
    private readonly odd: boolean,
  ) {}

  node(set: SetNode, below: boolean): string {
    const { random, odd } = this
    const entries: string[] = []
    if (below && set.member && set.children.size > 0) entries.push(`"."${this.gap()}:${this.leaf()}`)
    for (const [element, child] of set.children) {
      entries.push(`${JSON.stringify(this.element(element))}${this.gap()}:${this.gap()}${this.child(child)}`)
    }
    if (odd && random.chance(0.1)) entries.push(`${JSON.stringify(oddElement(random))}:${this.leaf()}`)
    if (odd && entries.length > 0 && random.chance(0.08)) entries.push(random.pick(entries))
    const ordered = odd && random.chance(0.5) ? random.shuffled(entries) : entries
    return `{${this.gap()}${ordered.join(`,${this.gap()}`)}${this.gap()}}`
  }

  private child(set: SetNode): string {
    return set.children.size === 0 ? this.leaf() : this.node(set, true)
  }

  private leaf(): string {
    if (!this.odd || this.random.chance(0.9)) return "{}"
    return this.random.pick(["{ }", "null", '{".":{}}', '{".":{}, ".":null}', '{"x:a":{}}', "{}"])
  }

  private gap(): string {
    return this.odd && this.random.chance(0.15) ? this.random.pick([" ", "\n", "\t", "  ", "\r\n"]) : ""
  }

  // Writes the same element with blanks in its JSON, or with its key fields in another order.
  private element(element: string): string {
    const { random } = this
    const prefix = element.slice(0, 2)
    if (!this.odd || (prefix !== "k:" && prefix !== "v:") || random.chance(0.7)) return element
    const text = element.slice(2)
    return `${prefix}${random.chance(0.5) ? " " : ""}${text.replace(/^\{/, "{ ").replace(/\}$/, " }")}`
  }
}

function breakText(random: Random, text: string): string {
  if (random.chance(0.2))
    return random.pick(["", " ", "null", "[]", "1", '"a"', "{", "}", "{}{}", "{} x", "nul", "{,}"])
  const at = random.below(text.length + 1)
  if (random.chance(0.35)) return text.slice(0, at)
  const junk = random.pick(["x", ",", "}", "{", '"', ":", "1", "[", "\\", " ", "null", "\u0000", '"f:z":1,'])
  return text.slice(0, at) + junk + text.slice(at + (random.chance(0.5) ? 1 : 0))
}
