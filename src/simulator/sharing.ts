import { own, put } from "../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"

/**
 * The same value, made of the parts of `known` wherever they are the same, digit for digit. A history of requests that differ in
 * little then takes little memory. Changes neither.
 */
export function sharedWith(value: Value, known: Value | undefined): Value {
  if (value === known || known === undefined) return value
  if (isMap(value)) return isMap(known) ? sharedMap(value, known) : value
  if (!isList(value) || !isList(known)) return value
  const items = value.map((item, i) => sharedWith(item, known[i]))
  return items.length === known.length && items.every((item, i) => item === known[i]) ? known : items
}

function sharedMap(value: MapValue, known: MapValue): MapValue {
  const out: Record<string, Value> = {}
  let isKnown = true
  let count = 0
  for (const key in value) {
    const before = own(known, key)
    const now = sharedWith(value[key] as Value, before)
    put(out, key, now)
    count++
    isKnown &&= now === before
  }
  return isKnown && sameKeys(out, known, count) ? known : out
}

/** Whether the keys are the same and in the same order, so that text made of both is the same. */
function sameKeys(a: MapValue, b: MapValue, count: number): boolean {
  const [left, right] = [Object.keys(a), Object.keys(b)]
  return right.length === count && left.every((key, i) => key === right[i])
}
