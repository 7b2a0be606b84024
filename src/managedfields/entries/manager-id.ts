// Manager identifiers: the names under which the engine knows the managers of a Kubernetes object.
//
// One name may be in several entries: for apply and update, for each subresource, and for updates at several versions. To the
// engine each of them is a manager of its own, identified by what distinguishes it, as JSON: {"manager":"a","operation":"Apply"}.

import { parseJson } from "../../json/json.js"
import { quoteGoJson } from "../../json/quote.js"
import type { UnionChange } from "../../union/report.js"
import { anObject, requireArgument } from "../../value/argument.js"
import { quoteGo } from "../../value/quote.js"
import { isMap, type Value } from "../../value/value.js"
import { type ManagedFieldsEntry, readEntries } from "./entry.js"

/** The identifier of the entry's manager. Appliers are the same manager in every version. */
export function managerId(entry: ManagedFieldsEntry): string {
  requireArgument("entry", entry, anObject)
  const { manager, operation, apiVersion, subresource } = entry
  let text = ""
  if (manager) text += `,"manager":${quoteGoJson(manager)}`
  if (operation) text += `,"operation":${quoteGoJson(operation)}`
  if (apiVersion && operation !== "Apply") text += `,"apiVersion":${quoteGoJson(apiVersion)}`
  if (subresource) text += `,"subresource":${quoteGoJson(subresource)}`
  return `{${text.slice(1)}}`
}

/** The parts of an identifier, as an entry without fields, or undefined if the text is no identifier. */
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

/** The name of the manager, without the other parts of the identifier; a text that is not an identifier is a name. */
function managerName(id: string): string {
  const entry = parseManagerId(id)
  return entry === undefined ? id : (entry.manager ?? "")
}

/** The change with the names of managers in place of their identifiers. */
export function withManagerNames(change: UnionChange): UnionChange {
  return { ...change, cleared: change.cleared.map(member => ({ ...member, owners: member.owners.map(managerName) })) }
}

/** The manager as messages print it: `"a"`, `"a" with subresource "scale" using v1`, with the time if the identifier has one. */
export function formatManager(id: string): string {
  const entry = parseManagerId(id)
  if (entry === undefined) return quoteGo(id)
  let text = quoteGo(entry.manager ?? "")
  if (entry.subresource) text += ` with subresource ${quoteGo(entry.subresource)}`
  if (entry.operation !== "Update") return text
  text += ` using ${entry.apiVersion ?? ""}`
  return entry.time === undefined ? text : `${text} at ${entry.time}`
}
