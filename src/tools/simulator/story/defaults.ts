// The defaults of a story: objects whose fields are added to objects of the same kind that lack them.
import { parseKind } from "../../../schema/group-version-kind.js"
import { textAt } from "../../../value/fields.js"
import { copyMap, isEmptyMap, own, put } from "../../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../../value/value.js"

/**
 * Returns the object with the fields that it lacks and the defaults of its kind have. Each item of a list gets the fields of the first
 * item of the defaults' list; absent lists are not added. The result shares unchanged parts with the object.
 */
export function withDefaults(object: MapValue, defaults: readonly MapValue[]): MapValue {
  let filled = object
  for (const given of defaults) {
    if (!isSameKind(given, object)) continue
    const { apiVersion: _, kind: __, ...fields } = given
    filled = fill(filled, fields) as MapValue
  }
  return filled
}

function isSameKind(a: MapValue, b: MapValue): boolean {
  const [left, right] = [a, b].map(object => parseKind(textAt(object, "apiVersion"), textAt(object, "kind")))
  return left?.group === right?.group && left?.kind === right?.kind
}

function fill(value: Value, defaults: Value): Value {
  if (isList(value) && isList(defaults)) {
    const [item] = defaults
    if (item === undefined) return value
    const items = value.map(one => fill(one, item))
    return items.every((one, i) => one === value[i]) ? value : items
  }
  if (!isMap(value) || !isMap(defaults)) return value
  let out: Record<string, Value> | undefined
  for (const key in defaults) {
    const before = own(value, key)
    const standard = defaults[key] as Value
    const now = before === undefined ? withoutLists(standard) : fill(before, standard)
    if (now === before || now === undefined) continue
    out ??= copyMap(value)
    put(out, key, now)
  }
  return out ?? value
}

/** Returns the default for an absent field: without lists, and undefined if nothing is left. */
function withoutLists(standard: Value): Value | undefined {
  if (isList(standard)) return undefined
  if (!isMap(standard) || isEmptyMap(standard)) return standard
  const out: Record<string, Value> = {}
  for (const key in standard) {
    const value = withoutLists(standard[key] as Value)
    if (value !== undefined) put(out, key, value)
  }
  return isEmptyMap(out) ? undefined : out
}
