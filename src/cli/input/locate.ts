// Finds the value of a document that the textual path of an issue means.

import type { ListKey, Type } from "../../typed/type.js"
import { type Steps, valueAtSteps } from "../../value/change.js"
import { formatValue } from "../../value/format.js"
import { addToGroup } from "../../value/groups.js"
import { own } from "../../value/object.js"
import { parsePointer } from "../../value/pointer.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"

/** Returns the steps of a JSON pointer into `root`. */
export function pointerSteps(root: Value, pointer: string): Steps {
  const steps: (string | number)[] = []
  for (const key of parsePointer(pointer)) {
    steps.push(isList(valueAtSteps(root, steps)) ? Number(key) : key)
  }
  return steps
}
/** Finds values in one document. Keeps an index of each list and map, because there may be thousands of issues. */
export class Places {
  private readonly root: Value
  private readonly type: Type | undefined
  /** The distinct lengths of the keys of a map, the longest first. */
  private readonly keyLengths = new Map<MapValue, readonly number[]>()
  private readonly items = new Map<ListValue, ItemIndex>()

  /** `type` is the type of the document: it says which keys of items have defaults. */
  constructor(root: Value, type?: Type) {
    this.root = root
    this.type = type
  }

  /**
   * Returns the steps of a textual path (`.spec.ports[name="a"].port`, `.labels[app]`), as far as they exist. A key may contain any
   * character, so only the document shows where a step ends.
   */
  locate(path: string): Steps {
    let longest: { readonly steps: Steps; readonly left: number } = { steps: [], left: path.length }
    const visit = (at: Value, type: Type | undefined, rest: string, steps: Steps): boolean => {
      if (rest.length < longest.left) longest = { steps, left: rest.length }
      if (rest === "") return true
      for (const [step, length] of this.stepsInto(at, type, rest)) {
        const below = typeof step === "number" ? (at as ListValue)[step] : own(at as MapValue, step)
        if (visit(below as Value, typeBelow(type, step), rest.slice(length), [...steps, step])) return true
      }
      return false
    }
    visit(this.root, this.type, path, [])
    return longest.steps
  }

  /** The steps with which `rest` may begin, each with the length of its text, the longest first. */
  private stepsInto(
    value: Value,
    type: Type | undefined,
    rest: string,
  ): (readonly [step: string | number, length: number])[] {
    if (isMap(value)) return this.keysInto(value, rest)
    if (!isList(value)) return []
    const index = /^\[(\d+)\]/.exec(rest)
    if (index !== null) return Number(index[1]) < value.length ? [[Number(index[1]), index[0].length]] : []
    const items = this.items.get(value) ?? new ItemIndex(value)
    this.items.set(value, items)
    return items.itemsInto(rest, type?.list?.keys)
  }

  private keysInto(map: MapValue, rest: string): (readonly [step: string, length: number])[] {
    // Validation by rules writes the keys of maps in brackets.
    const inBrackets = rest[0] === "["
    if (rest[0] !== "." && !inBrackets) return []
    const lengths = this.keyLengths.get(map) ?? lengthsOf(Object.keys(map))
    this.keyLengths.set(map, lengths)
    const found: (readonly [string, number])[] = []
    for (const length of lengths) {
      const end = inBrackets ? length + 2 : length + 1
      if (end > rest.length || !endsStep(rest, end) || (inBrackets && rest[end - 1] !== "]")) continue
      const key = rest.slice(1, length + 1)
      if (own(map, key) !== undefined) found.push([key, end])
    }
    return found
  }
}

/** Returns the type of the value to which a step leads; undefined if it is not known. */
export function typeBelow(type: Type | undefined, step: string | number): Type | undefined {
  return typeof step === "number" ? type?.list?.item : (type?.map?.fields.get(step)?.type ?? type?.map?.rest)
}

function endsStep(text: string, at: number): boolean {
  return at === text.length || text[at] === "." || text[at] === "["
}

/** The distinct lengths of the texts, the longest first. */
function lengthsOf(texts: Iterable<string>): readonly number[] {
  return [...new Set(Array.from(texts, text => text.length))].sort((a, b) => b - a)
}

/** Finds the items of a list by their step in a path: `[="value"]` or `[name="a",port=80]`. */
class ItemIndex {
  private readonly list: ListValue
  /** Items that are not maps, by their text in a path. */
  private readonly values = new Map<string, number[]>()
  private readonly valueLengths: readonly number[]
  /** Items that are maps, by the value of a key, or by undefined if they lack the key. Filled for each key when first needed. */
  private readonly byKey = new Map<string, ReadonlyMap<string | undefined, readonly number[]>>()

  constructor(list: ListValue) {
    this.list = list
    list.forEach((item, i) => {
      if (!isMap(item)) addToGroup(this.values, `[=${formatValue(item)}]`, i)
    })
    this.valueLengths = lengthsOf(this.values.keys())
  }

  /** The items with which `rest` may begin, each with the length of its text, the longest first. */
  itemsInto(rest: string, declared: readonly ListKey[] | undefined): (readonly [index: number, length: number])[] {
    const found: (readonly [number, number])[] = []
    for (const length of this.valueLengths) {
      for (const i of this.values.get(rest.slice(0, length)) ?? []) found.push([i, length])
    }
    const element = /^\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\]/.exec(rest)?.[0] ?? ""
    const spelled = element.matchAll(/[[,]([^=,[\]]+)=("(?:[^"\\]|\\.)*"|[^,\]]*)/g)
    const keys = Array.from(spelled, ([, name = "", value = ""]): Key => {
      if (declared === undefined) return { name, value, absence: "unknown" }
      const fallback = declared.find(key => key.name === name)?.default
      return { name, value, absence: fallback !== undefined && formatValue(fallback) === value ? "default" : "other" }
    })
    for (const i of this.itemsWith(keys)) found.push([i, element.length])
    return found.sort((a, b) => b[1] - a[1])
  }

  // An absent key has its default value, so items with all keys come first. If the defaults are not known, at least one key has to be
  // present.
  private itemsWith(keys: readonly Key[]): number[] {
    let fewest: readonly number[] | undefined
    for (const { name, value, absence } of keys) {
      const index = this.indexOf(name)
      const some = [...(index.get(value) ?? []), ...(absence === "other" ? [] : (index.get(undefined) ?? []))]
      if (fewest === undefined || some.length < fewest.length) fewest = some
    }
    const absent = (i: number) => keys.filter(({ name }) => own(this.list[i] as MapValue, name) === undefined).length
    return (fewest ?? [])
      .filter(i => {
        const item = this.list[i] as MapValue
        const fits = keys.every(({ name, value, absence }) => {
          return (keyText(item, name) ?? (absence === "other" ? undefined : value)) === value
        })
        return fits && (absent(i) < keys.length || keys.every(({ absence }) => absence === "default"))
      })
      .sort((a, b) => absent(a) - absent(b) || a - b)
  }

  private indexOf(key: string): ReadonlyMap<string | undefined, readonly number[]> {
    const known = this.byKey.get(key)
    if (known !== undefined) return known
    const index = new Map<string | undefined, number[]>()
    this.list.forEach((item, i) => {
      if (isMap(item)) addToGroup(index, keyText(item, key), i)
    })
    this.byKey.set(key, index)
    return index
  }
}

/** A key of a list item, and its value as written in paths. */
interface Key {
  readonly name: string
  readonly value: string
  /** The meaning of an absent key: the item has this value by default, it has another value or none, or nothing is known. */
  readonly absence: "default" | "other" | "unknown"
}

function keyText(item: MapValue, key: string): string | undefined {
  const value = own(item, key)
  return value === undefined ? undefined : formatValue(value)
}
