import { formatPath, type Path } from "../../fieldpath/path.js"
import { compareStrings, compareValues } from "../../value/compare.js"
import { equalValues } from "../../value/equal.js"
import { addToGroup } from "../../value/groups.js"
import { isMap, type Value } from "../../value/value.js"
import type { Row } from "./planned-change.js"

/**
 * Marks pairs of removed and added items of one list that seem to be the same item under another key. Items pair if they agree in some
 * field that is not a key. If items have only keys, the only removed one pairs with the only added one. Among several candidates, those
 * that agree in most fields are paired. `valuesAt` returns the values at a path before and after.
 */
export function pairKeyChanges(rows: readonly Row[], valuesAt: ValuesAt): void {
  const lists = new Map<string, { readonly gone: Item[]; readonly come: Item[] }>()
  for (const row of rows) {
    const side = sideOf(row)
    if (side === undefined) continue
    const list = formatPath(row.path.slice(0, -1) as Path)
    const known = lists.get(list) ?? { gone: [], come: [] }
    lists.set(list, known)
    known[side].push({ row, value: valuesAt(row.path)[side === "gone" ? 0 : 1] })
  }
  for (const { gone, come } of lists.values()) {
    const [a, b] = [gone[0], come[0]]
    if (a === undefined || b === undefined) continue
    if (gone.length === 1 && come.length === 1 && isKeys(a) && isKeys(b)) pair(a, b)
    else new Matching(gone, come).pairAll()
  }
}

type ValuesAt = (path: Path) => readonly [Value | undefined, Value | undefined]

/** A removed or added item. */
interface Item {
  readonly row: Row
  readonly value: Value | undefined
}

function sideOf({ action, because, path }: Row): "gone" | "come" | undefined {
  if (path.at(-1)?.kind !== "key") return undefined
  if (action === "remove" && because === "no-longer-applied") return "gone"
  return action === "add" && because === "configured" ? "come" : undefined
}

function keysOf({ row }: Item): string[] {
  const last = row.path.at(-1)
  return last?.kind === "key" ? last.fields.map(({ name }) => name) : []
}

function isKeys(item: Item): boolean {
  const keys = keysOf(item)
  return isMap(item.value) && Object.keys(item.value).every(name => keys.includes(name))
}

function pair(a: Item, b: Item): void {
  for (const [{ row }, { row: other }] of [
    [a, b],
    [b, a],
  ] as const) {
    row.because = "list-key-changed"
    row.counterpart = other.path
  }
}

/**
 * Pairs the items of one list. The pair that agrees in most fields is taken first; among equals, the first such pair.
 *
 * A field with its value is a token: a number that is the same for equal fields. Items agree in as many fields as they share tokens. An
 * item that shares n tokens with another still shares at least one of them after the n - 1 most frequent ones are left out. So the search
 * looks only at items that have one of the other tokens, and most of these match.
 */
class Matching {
  private readonly gone: readonly Item[]
  private readonly come: readonly Item[]
  /** The tokens of each removed item that some added item has too, rarest first. */
  private readonly tokens: readonly (readonly number[])[]
  /** The tokens of each added item. */
  private readonly tokenSets: readonly ReadonlySet<number>[]
  /** By token: the indexes of the added items that have it, in order. */
  private readonly having = new Map<number, number[]>()
  /** How far the search got in these indexes, keyed by the tokens of an item and the token searched for. Reset at each level. */
  private seen = new Map<string, number>()
  private readonly isPaired = new Set<number>()
  /** By token: how many of the first items with it are paired. */
  private readonly paired = new Map<number, number>()

  constructor(gone: readonly Item[], come: readonly Item[]) {
    this.gone = gone
    this.come = come
    const tokens = tokensOf([...gone, ...come])
    this.tokenSets = tokens.slice(gone.length).map(ofItem => new Set(ofItem))
    this.tokenSets.forEach((ofItem, index) => {
      for (const token of ofItem) addToGroup(this.having, token, index)
    })
    const frequency = (token: number): number => this.having.get(token)?.length ?? 0
    this.tokens = tokens
      .slice(0, gone.length)
      .map(ofItem => ofItem.filter(token => frequency(token) > 0).sort((a, b) => frequency(a) - frequency(b) || a - b))
  }

  pairAll(): void {
    let left = this.gone.map((_, index) => index)
    for (let level = this.tokens.reduce((most, { length }) => Math.max(most, length), 0); level > 0; level--) {
      this.seen = new Map()
      left = left.filter(index => !this.pairAt(level, index))
    }
  }

  /** Pairs the item with the first unpaired item that has `level` of its tokens, if there is one. No unpaired item has more of them. */
  private pairAt(level: number, index: number): boolean {
    const tokens = this.tokens[index] as readonly number[]
    let found = this.come.length
    for (let i = 0; i <= tokens.length - level; i++) {
      const token = tokens[i] as number
      const key = `${tokens.join()} ${token}`
      const indexes = this.having.get(token) as readonly number[]
      let at = Math.max(this.seen.get(key) ?? 0, this.firstLeft(token, indexes))
      while (
        at < indexes.length &&
        (indexes[at] as number) < found &&
        !this.isLike(indexes[at] as number, tokens, level)
      )
        at++
      this.seen.set(key, at)
      found = Math.min(found, indexes[at] ?? found)
    }
    if (found === this.come.length) return false
    this.isPaired.add(found)
    pair(this.gone[index] as Item, this.come[found] as Item)
    return true
  }

  /** Returns the position in `indexes` of the first unpaired item with the token. */
  private firstLeft(token: number, indexes: readonly number[]): number {
    let at = this.paired.get(token) ?? 0
    while (at < indexes.length && this.isPaired.has(indexes[at] as number)) at++
    this.paired.set(token, at)
    return at
  }

  private isLike(index: number, tokens: readonly number[], level: number): boolean {
    if (this.isPaired.has(index)) return false
    const has = this.tokenSets[index] as ReadonlySet<number>
    return tokens.filter(token => has.has(token)).length >= level
  }
}

/** Returns the tokens of each item's non-key fields. */
function tokensOf(items: readonly Item[]): number[][] {
  const fields = items.flatMap((item, index) => {
    const keys = keysOf(item)
    const entries = isMap(item.value) ? Object.entries(item.value) : []
    return entries.filter(([name]) => !keys.includes(name)).map(([name, value]) => ({ name, value, index }))
  })
  fields.sort((a, b) => compareStrings(a.name, b.name) || compareValues(a.value, b.value))
  const tokens: number[][] = items.map(() => [])
  let token = 0
  fields.forEach(({ name, value, index }, i) => {
    const last = fields[i - 1]
    if (last === undefined || last.name !== name || !equalValues(last.value, value)) token++
    tokens[index]?.push(token)
  })
  return tokens
}
