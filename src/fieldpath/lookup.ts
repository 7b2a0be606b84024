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
  const steps: (string | number)[] = []
  let found: Value | undefined = value
  for (const element of path) {
    if (found === undefined) return undefined
    steps.push(element.kind === "field" ? element.name : isList(found) ? indexIn(found, element) : -1)
    found = childOf(found, element)
  }
  return found === undefined ? undefined : steps
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
