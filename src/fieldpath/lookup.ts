import type { Steps } from "../value/change.js"
import { equalValues } from "../value/equal.js"
import { own } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"
import type { KeyField, PathElement } from "./element.js"
import type { Path } from "./path.js"

/**
 * What `value` has at `path`, shared and not copied, or undefined if it has nothing there. Needs no type: an item that lacks some
 * of its keys, because they have defaults, is found by the others, unless another item has them all. Of several such items the
 * first is found.
 */
export function valueAt(value: Value, path: Path): Value | undefined {
  let found: Value | undefined = value
  for (let i = 0; i < path.length && found !== undefined; i++) found = childOf(found, path[i] as PathElement)
  return found
}

/** As `valueAt`, but the way there: keys of maps and indexes of lists. */
export function stepsTo(value: Value, path: Path): Steps | undefined {
  return steps(value, path, indexIn)
}

function steps(value: Value, path: Path, find: typeof indexIn): Steps | undefined {
  const way: (string | number)[] = []
  let found: Value | undefined = value
  for (const element of path) {
    if (found === undefined) return undefined
    if (element.kind === "field") {
      way.push(element.name)
      found = isMap(found) ? own(found, element.name) : undefined
    } else {
      const index = isList(found) ? find(found, element) : -1
      way.push(index)
      found = isList(found) ? found[index] : undefined
    }
  }
  return found === undefined ? undefined : way
}

function childOf(value: Value, element: PathElement): Value | undefined {
  if (element.kind === "field") return isMap(value) ? own(value, element.name) : undefined
  return isList(value) ? value[indexIn(value, element)] : undefined
}

/** Where the item of this element stands in a list, as `valueAt` finds it. If there is none, a number that is no index of the list. */
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

/** How many of the keys the item has with these values; -1 if it has one of them with another value. */
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
 * Looks up many paths in one value, which must not change meanwhile. Finds the same as `valueAt` and `stepsTo`, but goes over a list once
 * for all its items, where these go over it for each.
 */
export class Lookup {
  private readonly value: Value
  /** The indexes of each list, by the names of the keys that were looked for; "" for the items of a set. */
  private readonly indexes = new Map<ListValue, Map<string, ItemIndex>>()

  constructor(value: Value) {
    this.value = value
  }

  /** What the value has at `path`; undefined if it has nothing there. */
  valueAt(path: Path): Value | undefined {
    let found: Value | undefined = this.value
    for (const element of path) {
      if (element.kind === "field") found = isMap(found) ? own(found, element.name) : undefined
      else found = isList(found) ? found[this.indexIn(found, element)] : undefined
      if (found === undefined) return undefined
    }
    return found
  }

  /** The way there. */
  stepsTo(path: Path): Steps | undefined {
    return steps(this.value, path, (list, element) => this.indexIn(list, element))
  }

  private indexIn(list: ListValue, element: PathElement): number {
    if (list.length <= linearLimit || (element.kind !== "key" && element.kind !== "value"))
      return indexIn(list, element)
    const keys = element.kind === "key" ? element.fields : []
    const names = keys.map(({ name }) => name)
    const ofList = this.indexes.get(list) ?? new Map<string, ItemIndex>()
    this.indexes.set(list, ofList)
    const text = JSON.stringify(names)
    const index = ofList.get(text) ?? new ItemIndex(list, names)
    ofList.set(text, index)
    return element.kind === "key" ? index.withKeys(keys) : index.equalTo(element.value)
  }
}

/** The items of a list, by the values of key fields, or by themselves if there are no names of such fields. */
class ItemIndex {
  private readonly list: ListValue
  private readonly names: readonly string[]
  /**
   * Items by the key fields that they have, one bit for each, as an item may lack some; and then by a text of the values of these. Items with
   * the same text need not be equal, but mostly are.
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
    const text = textOf(values)
    const known = items.get(text)
    if (known === undefined) items.set(text, [index])
    else known.push(index)
  }

  /** The index of the item that `indexWithKeys` finds. */
  withKeys(keys: readonly KeyField[]): number {
    let incomplete = -1
    for (const [group, items] of this.groups) {
      const values = keys.flatMap(({ value }, bit) => ((group & (1 << bit)) === 0 ? [] : [value]))
      const found = items.get(textOf(values))?.find(i => countEqualKeys(this.list[i] as MapValue, keys) > 0) ?? -1
      if (found < 0) continue
      if (values.length === keys.length) return found
      if (incomplete < 0 || found < incomplete) incomplete = found
    }
    return incomplete
  }

  /** The index of the first item that is equal to the value. */
  equalTo(value: Value): number {
    return (
      this.groups
        .get(0)
        ?.get(textOf([value]))
        ?.find(i => equalValues(this.list[i] as Value, value)) ?? -1
    )
  }
}

/** A text that is the same for equal values. All lists have the same, and all maps, as they are hardly ever keys. */
function textOf(values: readonly Value[]): string {
  const [first] = values
  if (values.length === 1 && typeof first === "string") return first
  return JSON.stringify(
    values.map(value => (typeof value === "object" && value !== null ? isList(value) : comparable(value))),
  )
}

function comparable(value: Value): Value {
  return typeof value === "bigint" ? Number(value) : value
}
