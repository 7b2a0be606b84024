// The entries of metadata.managedFields: reads them from an object and puts them back.
import { equalValues } from "../../value/equal.js"
import { copyMap, own } from "../../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"
import { normalizeTime } from "./time.js"

/** One manager and its fields, as an entry of `metadata.managedFields`. Entries that others wrote may lack any key. */
export interface ManagedFieldsEntry {
  /** The name of the manager; "" or absent if it gave none. */
  readonly manager?: string
  /** `Apply` or `Update`. */
  readonly operation?: string
  /** The version whose field names `fieldsV1` uses. */
  readonly apiVersion?: string
  /** The time of the manager's last change: RFC 3339, whole seconds. */
  readonly time?: string
  /** Always `FieldsV1`. */
  readonly fieldsType?: string
  /** The fields that the manager owns, as a FieldsV1 object: `{"f:spec": {"f:replicas": {}}}`. */
  readonly fieldsV1?: Value
  /** The subresource through which the manager writes; "" or absent for the main resource. */
  readonly subresource?: string
}

const textKeys = ["manager", "operation", "apiVersion", "fieldsType", "subresource"] as const
const knownKeys: ReadonlySet<string> = new Set([...textKeys, "time", "fieldsV1"])

/**
 * Returns the entries of the object. Returns undefined if it has none, or if they can't be read because an entry is not a map, a value is
 * of the wrong kind or a time is malformed. Entries in the form that the API server writes are shared with the object. Others are copied
 * without unknown or empty keys, and with a normalized time. Does not throw.
 */
export function readManagedFields(object: object): readonly ManagedFieldsEntry[] | undefined {
  const metadata = isMap(object as Value) ? own(object as MapValue, "metadata") : undefined
  const list = isMap(metadata) ? own(metadata, "managedFields") : undefined
  return isList(list) ? readEntries(list) : undefined
}

/** Like `readManagedFields`, for the list itself. */
export function readEntries(list: readonly unknown[]): readonly ManagedFieldsEntry[] | undefined {
  const entries: ManagedFieldsEntry[] = []
  for (const item of list) {
    const entry = isMap(item as Value) ? readEntry(item as MapValue) : undefined
    if (entry === undefined) return undefined
    entries.push(entry)
  }
  return entries
}

function readEntry(item: MapValue): ManagedFieldsEntry | undefined {
  let asWritten = true
  for (const key in item) if (!knownKeys.has(key)) asWritten = false
  for (const key of textKeys) {
    const text = own(item, key)
    if (text === undefined) continue
    if (text === null || text === "") asWritten = false
    else if (typeof text !== "string") return undefined
  }
  const time = own(item, "time")
  const normalized = typeof time === "string" ? normalizeTime(time) : undefined
  if (time !== undefined && time !== null && normalized === undefined) return undefined
  if (time !== normalized) asWritten = false
  const fieldsV1 = own(item, "fieldsV1")
  if (fieldsV1 === null) asWritten = false
  if (asWritten) return item as ManagedFieldsEntry
  return entryOf({
    manager: own(item, "manager"),
    operation: own(item, "operation"),
    apiVersion: own(item, "apiVersion"),
    time: normalized,
    fieldsType: own(item, "fieldsType"),
    fieldsV1,
    subresource: own(item, "subresource"),
  })
}

/** Returns the entry with these parts, in the order in which Go writes them. Parts that are undefined, null or empty are left out. */
export function entryOf(parts: { readonly [key in keyof ManagedFieldsEntry]: Value | undefined }): ManagedFieldsEntry {
  const entry: Record<string, Value> = {}
  const { manager, operation, apiVersion, time, fieldsType, fieldsV1, subresource } = parts
  if (manager) entry.manager = manager
  if (operation) entry.operation = operation
  if (apiVersion) entry.apiVersion = apiVersion
  if (time) entry.time = time
  if (fieldsType) entry.fieldsType = fieldsType
  if (fieldsV1 !== undefined && fieldsV1 !== null) entry.fieldsV1 = fieldsV1
  if (subresource) entry.subresource = subresource
  return entry as ManagedFieldsEntry
}

/** Whether the list is a request to forget all ownership: it is empty, or has a single empty entry. */
export function isReset(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (entries === undefined || entries.length > 1) return false
  const [only] = entries
  return only === undefined || Object.keys(entryOf(only as MapValue)).length === 0
}

/**
 * Returns the object with these managedFields, or without managedFields if the list is empty. Returns the object itself if it already has
 * exactly these.
 */
export function withManagedFields(object: MapValue, entries: readonly ManagedFieldsEntry[]): MapValue {
  const metadata = own(object, "metadata")
  const present = isMap(metadata) ? own(metadata, "managedFields") : undefined
  if (entries.length === 0) return present === undefined ? object : withoutManagedFields(object)
  if (isList(present) && sameItems(present, entries as ListValue)) return object
  if (metadata !== undefined && !isMap(metadata)) return object
  return { ...object, metadata: { ...metadata, managedFields: entries as ListValue } }
}

/**
 * Returns the object with empty fieldsV1 in its entries, for the engine to work on. managedFields must fit their type, but a walk over
 * fieldsV1, whose type allows anything, would be wasted.
 */
export function withHollowEntries(object: MapValue): MapValue {
  const metadata = own(object, "metadata")
  const list = isMap(metadata) ? own(metadata, "managedFields") : undefined
  if (!isList(list) || list.length === 0) return object
  return { ...object, metadata: { ...(metadata as MapValue), managedFields: list.map(hollow) } }
}

function hollow(item: Value): Value {
  return isMap(item) && isMap(own(item, "fieldsV1")) ? { ...item, fieldsV1: {} } : item
}

/** Returns the object without managedFields; the object itself if it has none. */
export function withoutManagedFields(object: MapValue): MapValue {
  const metadata = own(object, "metadata")
  if (!isMap(metadata) || own(metadata, "managedFields") === undefined) return object
  const { managedFields: _, ...rest } = copyMap(metadata)
  return { ...object, metadata: rest }
}

/** Whether both lists have equal entries in the same order. The order of keys does not matter. */
export function equalEntries(a: readonly ManagedFieldsEntry[], b: readonly ManagedFieldsEntry[]): boolean {
  return equalValues(a as ListValue, b as ListValue)
}

function sameItems(a: ListValue, b: ListValue): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i])
}
