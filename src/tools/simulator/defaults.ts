// Defaults as a story gives them: objects of which each field is filled in where an object has none.
import { parseKind, textAt } from "../../schema/group-version-kind.js"
import { copyMap, isEmptyMap, own, put } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"

/**
 * The object with what the defaults of its kind have and it lacks. Each item of a list gets what the only item of the defaults' list
 * has; a list that is not there stays away. Shares what does not change.
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

/** What of the defaults comes where nothing is: all but lists, and maps of nothing but lists. */
function withoutLists(standard: Value): Value | undefined {
  if (isList(standard)) return undefined
  if (!isMap(standard) || isEmptyMap(standard)) return standard
  const out: Record<string, Value> = {}
  for (const key in standard) {
    const kept = withoutLists(standard[key] as Value)
    if (kept !== undefined) put(out, key, kept)
  }
  return isEmptyMap(out) ? undefined : out
}
