// Narrows values and sets to the few places that a question is about.
import { entryOf } from "../fieldpath/builder.js"
import { Entry, FieldSet, leafEntry } from "../fieldpath/set.js"
import { own, put } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"
import { entriesByText, entryOfItem } from "./list-items.js"
import { keyFieldsOf } from "./remove.js"
import { isLeaf, type ListShape, type MapShape, type Type } from "./type.js"

/**
 * The places that a question is about, as a set: a member stands for everything at and below its path, and nothing is below a member. Maps
 * and lists on the way are narrowed to the keys and items that lead to members. The key fields of items on the way are places too, since
 * items can't be told apart without them.
 */
export type Reach = FieldSet

/**
 * Returns the places that hold the members of `surplus`, a set without those of `other`: as far down as `other` has members there too.
 */
export function reachBeyond(surplus: FieldSet, other: FieldSet): Reach {
  const out: Entry[] = []
  for (const { element, member, children } of surplus.entries) {
    const beside = member ? null : other.find(element)?.children
    if (!children || !beside) out.push(leafEntry(element))
    else {
      const below = reachBeyond(children, beside)
      out.push(new Entry(element, false, element.kind === "key" ? below.union(keyFieldsOf(element)) : below))
    }
  }
  return out.length === 0 ? FieldSet.empty : new FieldSet(out)
}

/** Returns the maps and lists on the way to these places. */
export function waysTo(reach: Reach): FieldSet {
  const out: Entry[] = []
  for (const { element, children } of reach.entries) {
    if (children !== null) out.push(entryOf(element, true, waysTo(children)) as Entry)
  }
  return out.length === 0 ? FieldSet.empty : new FieldSet(out)
}

/** Returns the part of `value` at these places. Its keys are in another order than those of `value`. */
export function partWithin(type: Type, value: Value, reach: Reach): Value {
  const shape = type.match(value)
  if (shape === null || isLeaf(shape)) return value
  if (shape.kind === "map" && isMap(value)) return keysWithin(shape, value, reach)
  return shape.kind === "list" && isList(value) ? itemsWithin(shape, value, reach) : value
}

function keysWithin(shape: MapShape, map: MapValue, reach: Reach): MapValue {
  const out: Record<string, Value> = {}
  for (const { element, children } of reach.entries) {
    const value = element.kind === "field" ? own(map, element.name) : undefined
    if (element.kind !== "field" || value === undefined) continue
    const type = shape.fields.get(element.name)?.type ?? shape.rest
    put(out, element.name, children === null ? value : partWithin(type, value, children))
  }
  return out
}

function itemsWithin(shape: ListShape, list: ListValue, reach: Reach): ListValue {
  const texts = entriesByText(shape, list, reach)
  const out: Value[] = []
  for (const item of list) {
    const entry = entryOfItem(shape, item, reach, texts)
    if (entry !== undefined) out.push(entry.children === null ? item : partWithin(shape.item, item, entry.children))
  }
  return out
}
