// Reads live objects for commands: the object without its managedFields, and its owners.
import { type ManagedFieldsEntry, readEntries, withoutManagedFields } from "../../managedfields/entries/entry.js"
import { decodeManagedFields, type Managed, problemOfEntry } from "../../managedfields/entries/managed.js"
import { isEmptyMap, own, put } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { type Document, InputError } from "./document.js"

/** Decodes the owners of a live object. Throws an InputError at the first entry of managedFields that can't be read. */
export function decodeOwners(document: Document): Managed {
  const entries = entriesOf(document)
  try {
    return decodeManagedFields(entries)
  } catch (error) {
    entries.forEach((entry, i) => {
      const problem = problemOfEntry(entry, i)
      if (problem !== undefined) throw entryError(document, i, problem)
    })
    throw error
  }
}

/**
 * Returns the entries of managedFields, not decoded. Throws an InputError at the first invalid entry, because the engine would ignore
 * all of them.
 */
export function entriesOf(document: Document): readonly ManagedFieldsEntry[] {
  const metadata = isMap(document.value) ? own(document.value, "metadata") : undefined
  const list = (isMap(metadata) ? own(metadata, "managedFields") : undefined) ?? []
  if (!isList(list)) throw new InputError(`${document.at(steps)}: .metadata.managedFields: expected a list`)
  return list.flatMap((item, i) => {
    const read = readEntries([item])
    if (read === undefined) throw entryError(document, i, `expected a map with ${parts}`)
    return read
  })
}

const parts = "manager, operation, apiVersion, fieldsType and fieldsV1"

function entryError(document: Document, index: number, problem: string): InputError {
  return new InputError(`${document.at([...steps, index])}: .metadata.managedFields[${index}]: ${problem}`)
}

const steps = ["metadata", "managedFields"]

/** Returns the object without managedFields, and without metadata if nothing else is in it, because its type may have no metadata. */
export function takeOffManagedFields(object: MapValue): MapValue {
  const rest = withoutManagedFields(object)
  const metadata = own(rest, "metadata")
  if (rest === object || !isMap(metadata) || !isEmptyMap(metadata)) return rest
  const out: Record<string, Value> = {}
  for (const key in rest) if (key !== "metadata") put(out, key, rest[key] as Value)
  return out
}

/** Returns the live object in a document. Throws an InputError if it is not an object, or if its owners can't be read. */
export function readLiveObject(document: Document): MapValue {
  const object = readKubernetesObject(document, "the live object")
  decodeOwners(document)
  return object
}

/** Returns the object in a document. Throws an InputError, which calls it `noun`, if it has no apiVersion and kind. */
export function readKubernetesObject({ value, at }: Document, noun: string): MapValue {
  if (isMap(value) && isKubernetes(value)) return value
  throw new InputError(`${at([])}: ${noun} must be a map with apiVersion, kind and metadata`)
}

/** Whether the object has an apiVersion and a kind, so that it can be treated as in an API server. */
export function isKubernetes(object: MapValue): boolean {
  return typeof own(object, "apiVersion") === "string" && typeof own(object, "kind") === "string"
}
