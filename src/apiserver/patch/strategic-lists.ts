// Lists in strategic merge patches: items are found by their merge key, or are scalars that stand for themselves.
//
// Whatever is merged is put in order afterwards. The items that the patch knows of have the order of the patch (or of its
// `$setElementOrder`), the others that of the live list, and the two are interleaved so that an item of the live list comes before
// one of the patch where it did before.

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
  /** What is left of the live list, for the order of items. */
  readonly left: ListValue
}

/** Merges the items of a list; `deletes` says that those of a patch of scalars are to be taken out. */
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
  const directed = followDirectives(live, patch, mergeKey)
  const merged = mergeMaps(directed.live, directed.patch, field, merge)
  const items = inOrder(merged, directed.patch, directed.live, mergeKey, true)
  const { left } = directed
  if (directed.replaces) return { items, left }
  // Go: the items that are new overwrite those at the end of the live list, as many as others were deleted.
  return { items, left: [...merged, ...left.slice(merged.length)].slice(0, left.length) }
}

/** The merged list in the order of `order`, and what that does not list in the order of what is left of `live`. */
export function orderItems(
  { items, left }: MergedItems,
  order: ListValue,
  live: ListValue,
  patch: ListValue,
  mergeKey: string,
): ListValue {
  return inOrder(items, order, left, mergeKey, haveMaps(live, patch))
}

/** What identifies an item: the value of its merge key, or the item itself where there is no key. */
export function keyOf(item: Value, mergeKey: string): Value {
  if (mergeKey === "") return item
  if (!isMap(item)) throw wrongType("map[string]interface {}", item)
  const key = own(item, mergeKey)
  if (key === undefined) throw noMergeKey(item, mergeKey)
  return key
}

/** Whether the items are maps. All items have to be of one type, which is not a list. */
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

/** The items without repetitions. Go: the last item takes the place of a repeated one. */
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

interface Directed {
  readonly live: ListValue
  readonly patch: ListValue
  /** Go: the live list with the items that were not deleted moved to the front, and those at its end still there. */
  readonly left: ListValue
  readonly replaces: boolean
}

/** The live list without the items that the patch deletes, none of it if the patch replaces it; the patch without directives. */
function followDirectives(live: ListValue, patch: ListValue, mergeKey: string): Directed {
  const items: Value[] = []
  const left = live.slice()
  let length = live.length
  let replaces = false
  for (const item of patch as readonly MapValue[]) {
    const wanted = own(item, "$patch")
    if (wanted === undefined) items.push(item)
    else if (wanted === "replace") replaces = true
    else if (wanted === "merge") throw new PatchError(500, "merging lists cannot yet be specified in the patch")
    else if (wanted !== "delete") throw unknownDirective(wanted, item)
    else {
      const key = keyOf(item, mergeKey)
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
  const places = placesOf(merged, mergeKey)
  for (const item of patch as readonly MapValue[]) {
    const key = keyOf(item, mergeKey)
    const place = places.get(key)
    if (place !== undefined) merged[place] = merge(merged[place] as MapValue, item, type)
    else {
      places.set(key, merged.length)
      merged.push(item)
    }
  }
  return merged
}

/** Where the items with a key stand, the first of each. */
function placesOf(items: ListValue, mergeKey: string): Map<Value, number> {
  const places = new Map<Value, number>()
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as Value
    const key = mergeKey === "" ? item : isMap(item) ? own(item, mergeKey) : undefined
    if (key !== undefined && !places.has(key)) places.set(key, i)
  }
  return places
}

function inOrder(merged: ListValue, order: ListValue, live: ListValue, mergeKey: string, maps: boolean): ListValue {
  const places = placesOf(order, mergeKey)
  const known: Value[] = []
  const others: Value[] = []
  for (const item of merged) {
    const key = keyOf(item, mergeKey)
    if (item === merged[0]) checkMaps(order, mergeKey)
    if (places.has(key)) known.push(item)
    else others.push(item)
  }
  return interleaved(sorted(others, live, mergeKey, maps), sorted(known, order, mergeKey, maps), live, mergeKey)
}

function checkMaps(order: ListValue, mergeKey: string): void {
  if (mergeKey === "") return
  const wrong = order.findIndex(item => !isMap(item))
  if (wrong >= 0) throw new PatchError(500, `value for key ${wrong} is not a map`)
}

/** The items in the order of `order`, those to be deleted last. */
function sorted(items: ListValue, order: ListValue, mergeKey: string, maps: boolean): ListValue {
  if (!maps) return byPlace(items, order, mergeKey)
  for (const item of [...items, ...order]) {
    if (!isMap(item)) throw wrongType("map[string]interface {}", item)
    if (own(item, mergeKey) === undefined) throw noMergeKey(item, mergeKey)
  }
  const isDeletion = (item: Value) => own(item as MapValue, "$patch") === "delete"
  const kept = items.filter(item => !isDeletion(item))
  return [...byPlace(kept, order, mergeKey), ...items.filter(isDeletion)]
}

function byPlace(items: ListValue, order: ListValue, mergeKey: string): ListValue {
  const places = placesOf(order, mergeKey)
  const placed = items.map(item => ({ item, place: places.get(keyOf(item, mergeKey)) ?? -1 }))
  if (placed.every(({ place }) => place >= 0)) placed.sort((a, b) => a.place - b.place)
  else insertInto(placed)
  return placed.map(({ item }) => item)
}

/** Go: an item without a place counts as less than any other, so that its sort moves it to the front. */
function insertInto(items: { readonly place: number }[]): void {
  const isLess = (a: { readonly place: number }, b: { readonly place: number }) =>
    a.place < 0 || b.place < 0 || a.place < b.place
  for (let i = 1; i < items.length; i++) {
    for (let j = i; j > 0; j--) {
      const [before, item] = [items[j - 1], items[j]]
      if (before === undefined || item === undefined || !isLess(item, before)) break
      items[j - 1] = item
      items[j] = before
    }
  }
}

/** Both lists as one. An item of `others` comes first where it stands before the item of `known` in the live list. */
function interleaved(others: ListValue, known: ListValue, live: ListValue, mergeKey: string): ListValue {
  const places = placesOf(live, mergeKey)
  const placeOf = (item: Value | undefined) => (item === undefined ? -1 : (places.get(keyOf(item, mergeKey)) ?? -1))
  const out: Value[] = []
  let i = 0
  let j = 0
  while (i < others.length || j < known.length) {
    const [other, next] = [placeOf(others[i]), placeOf(known[j])]
    const takesOther = j === known.length || (i < others.length && other >= 0 && next >= 0 && other < next)
    out.push((takesOther ? others[i++] : known[j++]) as Value)
  }
  return out
}
