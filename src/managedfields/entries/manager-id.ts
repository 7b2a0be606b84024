// Manager identifiers: the names under which the engine knows the managers of a Kubernetes object.
//
// One name may be in several entries: for apply and update, for each subresource, and for updates at several versions. The engine treats
// each of them as a manager of its own. Its identifier is JSON: {"manager":"a","operation":"Apply"}.

import { formatManagerParts } from "../../fieldpath/managers.js"
import { parseJson } from "../../json/json.js"
import { quoteGoJson } from "../../json/quote.js"
import { anObject, requireArgument } from "../../value/argument.js"
import { quoteGo } from "../../value/quote.js"
import { maxLength, Table } from "../../value/table.js"
import { isMap, type Value } from "../../value/value.js"
import { type ManagedFieldsEntry, readEntries } from "./entry.js"

/** The identifiers that were made last for each name, since making and hashing one takes as long as reading a few fields. */
const knownIds = new Table<string, readonly KnownId[]>()
/** The number of identifiers that are kept for a name. */
const idsOfName = 8

interface KnownId {
  readonly operation: string | undefined
  readonly apiVersion: string | undefined
  readonly subresource: string | undefined
  readonly id: string
}

/** Returns the identifier of the entry's manager. An applier has the same identifier in every version. */
export function managerId(entry: ManagedFieldsEntry): string {
  requireArgument("entry", entry, anObject)
  const { manager = "", operation, apiVersion, subresource } = entry
  const ids = knownIds.get(manager) ?? []
  for (let i = 0; i < ids.length; i++) {
    const known = ids[i] as KnownId
    if (known.operation === operation && known.apiVersion === apiVersion && known.subresource === subresource)
      return known.id
  }
  const id = newId(entry)
  if (id.length <= maxLength)
    knownIds.add(manager, [{ operation, apiVersion, subresource, id }, ...ids.slice(0, idsOfName - 1)])
  return id
}

function newId({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  let text = ""
  if (manager) text += `,"manager":${quoteGoJson(manager)}`
  if (operation) text += `,"operation":${quoteGoJson(operation)}`
  if (apiVersion && operation !== "Apply") text += `,"apiVersion":${quoteGoJson(apiVersion)}`
  if (subresource) text += `,"subresource":${quoteGoJson(subresource)}`
  return `{${text.slice(1)}}`
}

/** Returns the parts of an identifier, as an entry without fields, or undefined if the text is not an identifier. */
export function parseManagerId(id: string): ManagedFieldsEntry | undefined {
  let value: Value
  try {
    value = parseJson(id)
  } catch {
    return undefined
  }
  if (value === null) return {}
  if (!isMap(value)) return undefined
  return readEntries([value])?.[0]
}

/** Returns the name of the manager, without the other parts of the identifier. A text that is not an identifier is taken as a name. */
export function managerName(id: string): string {
  const entry = parseManagerId(id)
  return entry === undefined ? id : (entry.manager ?? "")
}

/** Formats the manager for messages: `"a"`, `"a" with subresource "scale" using v1`, with the time if the identifier has one. */
export function formatManager(id: string): string {
  const entry = parseManagerId(id)
  return entry === undefined ? quoteGo(id) : formatManagerParts(entry)
}
