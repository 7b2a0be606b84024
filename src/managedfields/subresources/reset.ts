// Fields that a request can't write: what the strategies of an API server do to an object before it is stored.
import { pathOf } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { isEmptyMap, own, put } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { readManagedFields, withManagedFields } from "../entries/entry.js"

/**
 * The object with these fields, and all below them, as the live object has them: absent where they are absent there.
 * managedFields stay those of the object. A new object, whose `live` is undefined, loses its status, where that is among the
 * fields, and nothing else. Returns the object itself where nothing has to change; shares what it takes. Both have to be of one
 * version. Fields of list items are passed over: no strategy resets any.
 */
export function resetToLive(object: MapValue, live: MapValue | undefined, fields: FieldSet): MapValue {
  if (live === undefined) return fields.has(status) ? resetMap(object, {}, onlyStatus) : object
  const reset = resetMap(object, live, fields)
  return reset === object ? object : withManagedFields(reset, readManagedFields(object) ?? [])
}

const status = pathOf("status")
const onlyStatus = FieldSet.of([status])

function resetMap(object: MapValue, live: MapValue, fields: FieldSet): MapValue {
  let out: MapValue = object
  for (const { element, member, children } of fields.entries) {
    if (element.kind !== "field") continue
    const before = own(live, element.name)
    const now = own(object, element.name)
    const next = member ? before : resetChild(now, before, children ?? FieldSet.empty)
    if (next !== now) out = withKey(out, element.name, next)
  }
  return out
}

function resetChild(now: Value | undefined, before: Value | undefined, fields: FieldSet): Value | undefined {
  const live = isMap(before) ? before : {}
  if (isMap(now)) return resetMap(now, live, fields)
  const reset = resetMap({}, live, fields)
  return isEmptyMap(reset) ? now : reset
}

/** A copy with this value, in the place of the old one, or without the key. */
function withKey(map: MapValue, key: string, value: Value | undefined): MapValue {
  const out: Record<string, Value> = {}
  for (const name in map) {
    const kept = name === key ? value : (map[name] as Value)
    if (kept !== undefined) put(out, name, kept)
  }
  if (value !== undefined) put(out, key, value)
  return out
}
