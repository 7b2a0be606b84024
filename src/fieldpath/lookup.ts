import type { Steps } from "../value/change.js"
import { equalValues } from "../value/equal.js"
import { addToGroup } from "../value/groups.js"
import { asFloat } from "../value/number.js"
import { own } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"
import type { KeyField, PathElement } from "./element.js"
import type { Path } from "./path.js"

/**
 * Returns the part of `value` at `path`, shared and not copied, or undefined if it has no such part. Needs no type: an item that lacks some
 * of its keys, because they have defaults, is found by its other keys, unless another item has all of them. If several items qualify,
 * returns the first.
 */
export function valueAt(value: Value, path: Path): Value | undefined {
  let part: Value | undefined = value
  for (let i = 0; i < path.length && part !== undefined; i++) part = childOf(part, path[i] as PathElement)
  return part
}

/** Like `valueAt`, but returns the steps to the part: keys of maps and indexes of lists. */
export function stepsTo(value: Value, path: Path): Steps | undefined {
  return findSteps(value, path, indexIn)
}

function findSteps(value: Value, path: Path, findItem: typeof indexIn): Steps | undefined {
  const steps: (string | number)[] = []
  let part: Value | undefined = value
  for (const element of path) {
    if (part === undefined) return undefined
    if (element.kind === "field") {
      steps.push(element.name)
      part = isMap(part) ? own(part, element.name) : undefined
    } else {
      const index = isList(part) ? findItem(part, element) : -1
      steps.push(index)
      part = isList(part) ? part[index] : undefined
    }
  }
  return part === undefined ? undefined : steps
}

function childOf(value: Value, element: PathElement): Value | undefined {
  if (element.kind === "field") return isMap(value) ? own(value, element.name) : undefined
  return isList(value) ? value[indexIn(value, element)] : undefined
}

/** Returns the index of the item that `valueAt` finds by this element. If no item matches, the index is outside the list. */
export function indexIn(list: ListValue, element: PathElement): number {
  switch (element.kind) {
    case "field":
      return -1
    case "index":
      return Number(element.index)
    case "value":
      return list.findIndex(item => equalValues(item, element.value))
    case "key":
      return indexWithKeys(list, element.fields)
  }
}

function indexWithKeys(list: ListValue, keys: readonly KeyField[]): number {
  let incomplete = -1
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as Value
    if (!isMap(item)) continue
    const equal = countEqualKeys(item, keys)
    if (equal === keys.length) return i
    if (equal > 0 && incomplete < 0) incomplete = i
  }
  return incomplete
}

/** Returns the number of these keys that the item has; -1 if it has one of them with another value. */
function countEqualKeys(item: MapValue, keys: readonly KeyField[]): number {
  let equal = 0
  for (const { name, value } of keys) {
    const given = own(item, name)
    if (given === undefined) continue
    if (!equalValues(given, value)) return -1
    equal++
  }
  return equal
}

/** Up to this many items are searched one by one. */
const linearLimit = 8

/**
 * Looks up many paths in one value, which must not change in the meantime. Finds the same as `valueAt` and `stepsTo`, but searches a list
 * only once for all its items.
 */
export class Lookup {
  private readonly value: Value
  /** The indexes of each list, by the names of the wanted keys as JSON: `[]` for the items of a set. Null until a list is long. */
  private indexes: Map<ListValue, Map<string, ItemIndex>> | null = null

  constructor(value: Value) {
    this.value = value
  }

  /** Returns the part of the value at `path`; undefined if it has no such part. */
  valueAt(path: Path): Value | undefined {
    let part: Value | undefined = this.value
    for (const element of path) {
      if (element.kind === "field") part = isMap(part) ? own(part, element.name) : undefined
      else part = isList(part) ? part[this.indexIn(part, element)] : undefined
      if (part === undefined) return undefined
    }
    return part
  }

  /** Returns the steps to that part. */
  stepsTo(path: Path): Steps | undefined {
    return findSteps(this.value, path, (list, element) => this.indexIn(list, element))
  }

  private indexIn(list: ListValue, element: PathElement): number {
    if (list.length <= linearLimit || (element.kind !== "key" && element.kind !== "value"))
      return indexIn(list, element)
    const keys = element.kind === "key" ? element.fields : []
    const names = keys.map(({ name }) => name)
    this.indexes ??= new Map()
    const ofList = this.indexes.get(list) ?? new Map<string, ItemIndex>()
    this.indexes.set(list, ofList)
    const text = JSON.stringify(names)
    const index = ofList.get(text) ?? new ItemIndex(list, names)
    ofList.set(text, index)
    return element.kind === "key" ? index.withKeys(keys) : index.equalTo(element.value)
  }
}

/** The items of a list by the values of some key fields, or by the items themselves if no key fields are given. */
class ItemIndex {
  private readonly list: ListValue
  private readonly names: readonly string[]
  /**
   * Indexes of items. The outer key has a bit for each key field that an item has, since an item may lack some. The inner key is a text of
   * their values. Most items with the same text are equal, but not all.
   */
  private readonly groups = new Map<number, Map<string, number[]>>()

  constructor(list: ListValue, names: readonly string[]) {
    this.list = list
    this.names = names
    for (let i = 0; i < list.length; i++) {
      const item = list[i] as Value
      if (names.length === 0) this.add(0, [item], i)
      else if (isMap(item)) this.addMap(item, i)
    }
  }

  private addMap(item: MapValue, index: number): void {
    let group = 0
    const values: Value[] = []
    this.names.forEach((name, bit) => {
      const value = own(item, name)
      if (value === undefined) return
      group |= 1 << bit
      values.push(value)
    })
    if (group !== 0) this.add(group, values, index)
  }

  private add(group: number, values: readonly Value[], index: number): void {
    const items = this.groups.get(group) ?? new Map<string, number[]>()
    this.groups.set(group, items)
    addToGroup(items, hashText(values), index)
  }

  /** Returns the index of the item that `indexWithKeys` finds. */
  withKeys(keys: readonly KeyField[]): number {
    let incomplete = -1
    for (const [group, items] of this.groups) {
      const values = keys.flatMap(({ value }, bit) => ((group & (1 << bit)) === 0 ? [] : [value]))
      const found = items.get(hashText(values))?.find(i => countEqualKeys(this.list[i] as MapValue, keys) > 0) ?? -1
      if (found < 0) continue
      if (values.length === keys.length) return found
      if (incomplete < 0 || found < incomplete) incomplete = found
    }
    return incomplete
  }

  /** Returns the index of the first item that equals the value, or -1. */
  equalTo(value: Value): number {
    return (
      this.groups
        .get(0)
        ?.get(hashText([value]))
        ?.find(i => equalValues(this.list[i] as Value, value)) ?? -1
    )
  }
}

/** Returns a text that is the same for equal values. All lists share one text, and so do all maps, since they are hardly ever keys. */
function hashText(values: readonly Value[]): string {
  const [first] = values
  if (values.length === 1 && typeof first === "string") return first
  return JSON.stringify(
    values.map(value => (typeof value === "object" && value !== null ? isList(value) : asFloat(value))),
  )
}
