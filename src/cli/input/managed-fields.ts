// Live objects as a command reads them: the object without its managedFields, and what those say.
import { StructuredMergeError } from "../../errors.js"
import { readEntries, withoutManagedFields } from "../../managedfields/entries/entry.js"
import { decodeManagedFields, type Managed } from "../../managedfields/entries/managed.js"
import { isEmptyMap, own, put } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { type Document, InputError } from "./input.js"

/** Who owns what in a live object. Throws an InputError at the first entry of managedFields that can't be read. */
export function decodeOwners(document: Document): Managed {
  const metadata = isMap(document.value) ? own(document.value, "metadata") : undefined
  const list = (isMap(metadata) ? own(metadata, "managedFields") : undefined) ?? []
  if (!isList(list)) throw new InputError(`${document.at(steps)}: .metadata.managedFields: expected a list`)
  list.forEach((item, i) => {
    const problem = problemOfEntry(item)
    if (problem !== undefined) {
      throw new InputError(`${document.at([...steps, i])}: .metadata.managedFields[${i}]: ${problem}`)
    }
  })
  return decodeManagedFields(readEntries(list) ?? [])
}

const steps = ["metadata", "managedFields"]

function problemOfEntry(item: Value): string | undefined {
  const entries = readEntries([item])
  if (entries === undefined) return "expected a map with manager, operation, apiVersion, fieldsType and fieldsV1"
  try {
    decodeManagedFields(entries)
    return undefined
  } catch (error) {
    if (error instanceof StructuredMergeError) return error.message
    throw error
  }
}

/** The object without managedFields, and without metadata where that held nothing else: its type may have none. */
export function takeOffManagedFields(object: MapValue): MapValue {
  const rest = withoutManagedFields(object)
  const metadata = own(rest, "metadata")
  if (rest === object || !isMap(metadata) || !isEmptyMap(metadata)) return rest
  const out: Record<string, Value> = {}
  for (const key in rest) if (key !== "metadata") put(out, key, rest[key] as Value)
  return out
}

/** Whether the object says what it is, so that it can be treated as an API server does. */
export function isKubernetes(object: MapValue): boolean {
  return typeof own(object, "apiVersion") === "string" && typeof own(object, "kind") === "string"
}
