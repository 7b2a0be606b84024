// Lists the objects of a collection, in pages if the client asks for pages.

import { badRequest, expired, invalid, type Problem, RequestFailure } from "../../kinds/refusal/failure.js"
import { storeKey } from "../../kinds/resource/resource.js"
import { compareStrings } from "../../value/compare.js"
import { quoteGo } from "../../value/quote.js"
import type { MapValue, Value } from "../../value/value.js"
import type { Endpoint } from "../../write/endpoint.js"
import { integerParameter, versionParameter } from "../request/options.js"
import { type Selector, selectAll } from "../request/selectors.js"
import { type Entry, firstIndex } from "./collection.js"
import { readToken, type Token, writeToken } from "./continue-token.js"
import type { Store } from "./store.js"

/** The objects of a list, and its state. */
interface Snapshot {
  readonly entries: readonly Entry[]
  readonly version: number
}

/**
 * Returns the list for a request. All pages of a list show the state at its first page, which is taken from the history of the store. Once
 * the store has dropped that history, the next page is refused with 410. Throws a RequestFailure for options that are malformed, too.
 */
export function listObjects(
  store: Store,
  endpoint: Endpoint,
  namespace: string,
  query: URLSearchParams,
  selects: Selector,
): MapValue {
  const token = query.get("continue") ?? ""
  // A list of any version comes from a cache, which knows no pages.
  const isCached = token === "" && query.get("resourceVersion") === "0"
  const limit = isCached ? 0 : Math.max(0, integerParameter(query, "limit") ?? 0)
  const resource = storeKey(endpoint.resource)
  const snapshot =
    token === "" ? begin(store, resource, namespace, query) : resume(store, resource, namespace, readToken(token))
  const { items, rest } = readPage(endpoint, snapshot.entries, limit, selects)
  const { apiVersion, listKind, custom } = endpoint.resource
  const metadata: Record<string, Value> = { resourceVersion: String(snapshot.version) }
  // The writer of custom resources does not leave out what is empty.
  if (custom !== undefined) metadata.continue = ""
  const next = rest[0]
  if (next !== undefined) {
    metadata.continue = writeToken({ version: snapshot.version, start: startOf(next, namespace) })
    if (selects === selectAll) metadata.remainingItemCount = rest.length
  }
  return { kind: listKind, apiVersion, metadata, items }
}

function begin(store: Store, resource: string, namespace: string, query: URLSearchParams): Snapshot {
  const current = store.resourceVersion
  const wanted = versionParameter(query, why => badRequest(`invalid resource version: ${why}`))
  if (wanted !== undefined && wanted > current) throw tooLarge(wanted, current)
  const isExact = query.get("resourceVersionMatch") === "Exact" && wanted !== undefined
  const version = isExact ? wanted : current
  const entries = store.entriesAt(resource, namespace, version)
  if (entries === undefined) throw expired("The resourceVersion for the provided list is too old.")
  return { entries, version }
}

function resume(store: Store, resource: string, namespace: string, { version, start }: Token): Snapshot {
  const entries = store.entriesAt(resource, namespace, version)
  if (entries === undefined) {
    throw expired(
      "The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.",
    )
  }
  const from = firstIndex(entries.length, i => compareStrings(startOf(entries[i] as Entry, namespace), start) >= 0)
  return { entries: entries.slice(from), version }
}

function startOf({ namespace, name }: Entry, listed: string): string {
  return listed === "" && namespace !== "" ? `${namespace}/${name}` : name
}

/** Returns the objects of a page, and the entries that follow; none if none of them is selected. */
function readPage(endpoint: Endpoint, entries: readonly Entry[], limit: number, selects: Selector) {
  const items: MapValue[] = []
  for (const [i, { object }] of entries.entries()) {
    const isFull = limit > 0 && items.length === limit
    // Without a selector, every further entry belongs to the list.
    if (isFull && selects === selectAll) return { items, rest: entries.slice(i) }
    // A list of entries at a version has no deleted ones.
    const view = endpoint.view(object as MapValue)
    if (!selects(view)) continue
    if (isFull) return { items, rest: entries.slice(i) }
    items.push(view)
  }
  return { items, rest: [] }
}

/** Throws a RequestFailure for options of a list that contradict each other. */
export function checkListOptions(query: URLSearchParams): void {
  const problems: Problem[] = []
  const forbid = (field: string, why: string) =>
    problems.push({ reason: "FieldValueForbidden", field, message: `Forbidden: ${why}` })
  const match = query.get("resourceVersionMatch") ?? ""
  const version = query.get("resourceVersion") ?? ""
  const field = "resourceVersionMatch"
  if (match !== "") {
    if (version === "") forbid(field, `${field} is forbidden unless resourceVersion is provided`)
    if ((query.get("continue") ?? "") !== "") forbid(field, `${field} is forbidden when continue is provided`)
    if (match !== "Exact" && match !== "NotOlderThan") {
      const message = `Unsupported value: ${quoteGo(match)}: supported values: "Exact", "NotOlderThan", ""`
      problems.push({ reason: "FieldValueNotSupported", field, message })
    }
    if (match === "Exact" && version === "0") forbid(field, `${field} "exact" is forbidden for resourceVersion "0"`)
  }
  if (query.has("sendInitialEvents")) forbid("sendInitialEvents", "sendInitialEvents is forbidden for list")
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", name: "ListOptions" }, "", problems)
}

/** The refusal to read a state that does not exist yet. */
export function tooLarge(wanted: number, current: number): RequestFailure {
  const message = `Timeout: Too large resource version: ${wanted}, current: ${current}`
  return new RequestFailure(504, message, "Timeout", {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  })
}
