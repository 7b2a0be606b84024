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
    const child: Value | undefined = found === undefined ? undefined : childOf(found, element)
    if (child === undefined) return undefined
    steps.push(element.kind === "field" ? element.name : (found as ListValue).indexOf(child))
    found = child
  }
  return steps
}

function childOf(value: Value, element: PathElement): Value | undefined {
  if (element.kind === "field") return isMap(value) ? own(value, element.name) : undefined
  if (!isList(value)) return undefined
  switch (element.kind) {
    case "index":
      return value[Number(element.index)]
    case "value":
      return value.find(item => equalValues(item, element.value))
    case "key":
      return itemWithKeys(value, element.fields)
  }
}

function itemWithKeys(list: ListValue, keys: readonly KeyField[]): Value | undefined {
  let incomplete: Value | undefined
  for (const item of list) {
    if (!isMap(item)) continue
    const equal = countEqualKeys(item, keys)
    if (equal === keys.length) return item
    if (equal > 0) incomplete ??= item
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
