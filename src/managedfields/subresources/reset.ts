// Fields that a request can't write. The strategies of an API server reset them before an object is stored.
import { pathOf } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { anObject, optional, requireArgument } from "../../value/argument.js"
import { isEmptyMap, own, put } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { readManagedFields, withManagedFields } from "../entries/entry.js"

/**
 * Returns the object with these fields, and everything below them, set to the live object's values; fields that are absent there are
 * removed. managedFields stay unchanged. A new object, for which `live` is undefined, loses only its status, if that is among the fields.
 * Returns the object itself if nothing has to change, and shares parts with both objects. Both must be of the same version. Fields in list
 * items are left alone, since no strategy resets any.
 */
export function resetToLive(object: MapValue, live: MapValue | undefined, fields: FieldSet): MapValue {
  requireArgument("object", object, anObject)
  requireArgument("live", live, optional(anObject))
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

/** Returns a copy with this value instead of the old one, or without the key if the value is undefined. */
function withKey(map: MapValue, key: string, value: Value | undefined): MapValue {
  const out: Record<string, Value> = {}
  for (const name in map) {
    const kept = name === key ? value : (map[name] as Value)
    if (kept !== undefined) put(out, name, kept)
  }
  if (value !== undefined) put(out, key, value)
  return out
}
