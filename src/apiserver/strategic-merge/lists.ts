// Merges lists in strategic merge patches. The merge key identifies an item that is a map; a scalar identifies itself.
//
// A merged list is then put in order. Items of the patch are in the order of the patch (or of its `$setElementOrder`), other items in the
// order of the live list. The two are interleaved: one of the other items comes before an item of the patch if it did so in the live list.

import { goPrint, goTypeName } from "../../value/format.js"
import { own } from "../../value/object.js"
import { isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"
import { noMergeKey, PatchError, unknownDirective, wrongType } from "../../write/patches/patch-error.js"
import type { PatchField, PatchType } from "./patch-keys.js"

/** Merges an item of a list. */
export type MergeItem = (live: MapValue, patch: MapValue, type: PatchType) => MapValue

/** A merged list. */
export interface MergedItems {
  readonly items: ListValue
  /** The rest of the live list, which decides the order of items. */
  readonly left: ListValue
}

/** Merges the items of a list. `deletes` removes the scalars of the patch from the list instead. */
export function mergeItems(
  live: ListValue,
  patch: ListValue,
  field: PatchField,
  deletes: boolean,
  merge: MergeItem,
): MergedItems {
  if (live.length === 0 && patch.length === 0) return { items: live, left: live }
  const { mergeKey } = field
  if (!haveMaps(live, patch)) {
    if (deletes) return { items: live.filter(item => !patch.includes(item)), left: live }
    return { items: inOrder(distinct([...live, ...patch]), patch, live, mergeKey, false), left: live }
  }
  if (mergeKey === "") throw new PatchError(500, `cannot merge lists without merge key for ${field.type.kind}`)
  const inputs = followDirectives(live, patch, mergeKey)
  const merged = mergeMaps(inputs.live, inputs.patch, field, merge)
  const items = inOrder(merged, inputs.patch, inputs.live, mergeKey, true)
  const { left } = inputs
  if (inputs.replaces) return { items, left }
  // Go: new items overwrite as many items at the end of the live list as the patch deleted.
  return { items, left: [...merged, ...left.slice(merged.length)].slice(0, left.length) }
}

/** Sorts a merged list: listed items in the order of `order`, and the others in the order of the rest of the live list. */
export function orderItems(
  { items, left }: MergedItems,
  order: ListValue,
  live: ListValue,
  patch: ListValue,
  mergeKey: string,
): ListValue {
  return inOrder(items, order, left, mergeKey, haveMaps(live, patch))
}

/** Returns the value of an item's merge key, or the item itself if the list has no merge key. */
export function itemKey(item: Value, mergeKey: string): Value {
  if (mergeKey === "") return item
  if (!isMap(item)) throw wrongType("map[string]interface {}", item)
  const key = own(item, mergeKey)
  if (key === undefined) throw noMergeKey(item, mergeKey)
  return key
}

/** Whether the items are maps. Throws if the items have different types or are lists. */
function haveMaps(live: ListValue, patch: ListValue): boolean {
  const [first] = live.length > 0 ? live : patch
  if (first === undefined) throw new PatchError(500, "no elements in any of the given slices")
  if (Array.isArray(first)) throw new PatchError(422, "lists of lists are not supported")
  const name = goTypeName(first)
  if (live.some(item => goTypeName(item) !== name) || patch.some(item => goTypeName(item) !== name)) {
    throw new PatchError(500, `list element types are not identical: ${goPrint([live, patch])}`)
  }
  return isMap(first)
}

/** Returns the items without duplicates. Go: the last item moves to the index of a removed duplicate. */
function distinct(items: Value[]): ListValue {
  for (let i = 0; i < items.length - 1; i++) {
    for (let j = i + 1; j < items.length; ) {
      if (items[i] !== items[j]) j++
      else {
        const last = items.pop() as Value
        if (j < items.length) items[j] = last
      }
    }
  }
  return items
}

/** The inputs of a merge after the directives were followed. */
interface DirectedLists {
  readonly live: ListValue
  readonly patch: ListValue
  /** Go: the live list, whose remaining items have moved to the front and whose tail is unchanged. */
  readonly left: ListValue
  readonly replaces: boolean
}

/** Follows the `$patch` directives among the items of the patch: deletes items of the live list, or replaces the whole list. */
function followDirectives(live: ListValue, patch: ListValue, mergeKey: string): DirectedLists {
  const items: Value[] = []
  const left = live.slice()
  let length = live.length
  let replaces = false
  for (const item of patch as readonly MapValue[]) {
    const directive = own(item, "$patch")
    if (directive === undefined) items.push(item)
    else if (directive === "replace") replaces = true
    else if (directive === "merge") throw new PatchError(500, "merging lists cannot yet be specified in the patch")
    else if (directive !== "delete") throw unknownDirective(directive, item)
    else {
      const key = itemKey(item, mergeKey)
      const kept = left.slice(0, length).filter(other => own(other as MapValue, mergeKey) !== key)
      for (let i = 0; i < kept.length; i++) left[i] = kept[i] as Value
      length = kept.length
    }
  }
  if (replaces) return { live: items, patch: [], left, replaces }
  return { live: left.slice(0, length), patch: items, left, replaces }
}

function mergeMaps(live: ListValue, patch: ListValue, { mergeKey, type }: PatchField, merge: MergeItem): ListValue {
  if (patch.length === 0) return live
  const merged = live.slice()
  const indexes = indexItems(merged, mergeKey)
  for (const item of patch as readonly MapValue[]) {
    const key = itemKey(item, mergeKey)
    const index = indexes.get(key)
    if (index !== undefined) merged[index] = merge(merged[index] as MapValue, item, type)
    else {
      indexes.set(key, merged.length)
      merged.push(item)
    }
  }
  return merged
}

/** Returns the index of the first item with each key. */
function indexItems(items: ListValue, mergeKey: string): Map<Value, number> {
  const indexes = new Map<Value, number>()
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as Value
    const key = mergeKey === "" ? item : isMap(item) ? own(item, mergeKey) : undefined
    if (key !== undefined && !indexes.has(key)) indexes.set(key, i)
  }
  return indexes
}

function inOrder(merged: ListValue, order: ListValue, live: ListValue, mergeKey: string, maps: boolean): ListValue {
  const indexes = indexItems(order, mergeKey)
  const listed: Value[] = []
  const others: Value[] = []
  for (const item of merged) {
    const key = itemKey(item, mergeKey)
    if (item === merged[0]) checkMaps(order, mergeKey)
    if (indexes.has(key)) listed.push(item)
    else others.push(item)
  }
  return interleaved(sorted(others, live, mergeKey, maps), sorted(listed, order, mergeKey, maps), live, mergeKey)
}

function checkMaps(order: ListValue, mergeKey: string): void {
  if (mergeKey === "") return
  const wrong = order.findIndex(item => !isMap(item))
  if (wrong >= 0) throw new PatchError(500, `value for key ${wrong} is not a map`)
}

/** Sorts the items into the order of `order`, items to be deleted last. */
function sorted(items: ListValue, order: ListValue, mergeKey: string, maps: boolean): ListValue {
  if (!maps) return sortByIndex(items, order, mergeKey)
  for (const item of [...items, ...order]) {
    if (!isMap(item)) throw wrongType("map[string]interface {}", item)
    if (own(item, mergeKey) === undefined) throw noMergeKey(item, mergeKey)
  }
  const isDeletion = (item: Value) => own(item as MapValue, "$patch") === "delete"
  const kept = items.filter(item => !isDeletion(item))
  return [...sortByIndex(kept, order, mergeKey), ...items.filter(isDeletion)]
}

function sortByIndex(items: ListValue, order: ListValue, mergeKey: string): ListValue {
  const indexes = indexItems(order, mergeKey)
  const indexed = items.map(item => ({ item, index: indexes.get(itemKey(item, mergeKey)) ?? -1 }))
  if (indexed.every(({ index }) => index >= 0)) indexed.sort((a, b) => a.index - b.index)
  else insertionSort(indexed)
  return indexed.map(({ item }) => item)
}

/** Go: an item without an index is less than any other, and any other is less than it, so Go's insertion sort moves it to the front. */
function insertionSort(items: { readonly index: number }[]): void {
  const isLess = (a: { readonly index: number }, b: { readonly index: number }) =>
    a.index < 0 || b.index < 0 || a.index < b.index
  for (let i = 1; i < items.length; i++) {
    for (let j = i; j > 0; j--) {
      const [before, item] = [items[j - 1], items[j]]
      if (before === undefined || item === undefined || !isLess(item, before)) break
      items[j - 1] = item
      items[j] = before
    }
  }
}

/** Interleaves two lists. An item of `others` comes first if it is before the next item of `listed` in the live list. */
function interleaved(others: ListValue, listed: ListValue, live: ListValue, mergeKey: string): ListValue {
  const indexes = indexItems(live, mergeKey)
  const liveIndex = (item: Value | undefined) =>
    item === undefined ? -1 : (indexes.get(itemKey(item, mergeKey)) ?? -1)
  const out: Value[] = []
  let i = 0
  let j = 0
  while (i < others.length || j < listed.length) {
    const [other, next] = [liveIndex(others[i]), liveIndex(listed[j])]
    const takesOther = j === listed.length || (i < others.length && other >= 0 && next >= 0 && other < next)
    out.push((takesOther ? others[i++] : listed[j++]) as Value)
  }
  return out
}
