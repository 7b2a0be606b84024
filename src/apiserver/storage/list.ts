// Lists the objects of a collection, in pages if the client asks for pages.

import { badRequest, expired, invalid, RequestFailure } from "../../kinds/refusal/failure.js"
import { storeKey } from "../../kinds/resource/resource.js"
import type { MapValue, Value } from "../../value/value.js"
import type { Endpoint } from "../../write/endpoint.js"
import { integerParameter } from "../request/options.js"
import { type Selector, selectAll } from "../request/selectors.js"
import type { Entry } from "./collection.js"
import type { Store } from "./store.js"

/** The objects of a list at the resourceVersion of its first page. */
interface ListSnapshot {
  readonly resource: string
  readonly entries: readonly Entry[]
  readonly resourceVersion: number
  /** Returns whether a stored object belongs to the list; undefined if all do. */
  readonly selects: ((object: MapValue) => boolean) | undefined
}

/** The rest of a list, which begins at the entry with this index. */
interface ListRest {
  readonly snapshot: ListSnapshot
  readonly from: number
}

/** How many unfinished lists the server remembers. */
const maxUnfinished = 256

/**
 * Lists objects. All pages of a list show the state at its first page, which is taken from the history of the store. Once the store has
 * dropped that history, the next page is refused with 410.
 */
export class Lister {
  private readonly store: Store
  private readonly unfinished = new Map<string, ListRest>()

  constructor(store: Store) {
    this.store = store
  }

  /** Returns the list for a request. Throws a RequestFailure for options that contradict each other or an expired page. */
  list(endpoint: Endpoint, namespace: string, query: URLSearchParams, selects: Selector): MapValue {
    const token = query.get("continue") ?? ""
    const limit = integerParameter(query, "limit") ?? 0
    if (limit < 0) throw badRequest("limit must not be negative")
    const rest = token === "" ? this.begin(endpoint, namespace, query, selects) : this.resume(endpoint, token)
    const { items, end } = this.readPage(endpoint, rest, limit)
    const { apiVersion, listKind } = endpoint.resource
    const { entries, resourceVersion } = rest.snapshot
    const metadata: Record<string, Value> = { resourceVersion: String(resourceVersion) }
    if (end < entries.length) {
      metadata.continue = this.remember({ snapshot: rest.snapshot, from: end })
      if (rest.snapshot.selects === undefined) metadata.remainingItemCount = entries.length - end
    }
    return { kind: listKind, apiVersion, metadata, items }
  }

  private begin(endpoint: Endpoint, namespace: string, query: URLSearchParams, selects: Selector): ListRest {
    const { resourceVersion } = this.store
    checkVersion(query, resourceVersion)
    const resource = storeKey(endpoint.resource)
    const entries = this.store.entries(resource, namespace)
    const selectsStored = selects === selectAll ? undefined : (object: MapValue) => selects(endpoint.view(object))
    return { snapshot: { resource, entries, resourceVersion, selects: selectsStored }, from: 0 }
  }

  private resume(endpoint: Endpoint, token: string): ListRest {
    const rest = this.unfinished.get(token)
    if (rest === undefined) throw tooOld()
    if (rest.snapshot.resource !== storeKey(endpoint.resource))
      throw badRequest("continue key is not valid: it is that of another list")
    return rest
  }

  /** Reads the next objects of a list. `end` is the index of the next entry that belongs to the list, or the number of entries. */
  private readPage(endpoint: Endpoint, { snapshot, from }: ListRest, limit: number) {
    const { resource, entries, resourceVersion, selects } = snapshot
    const stateOf = this.store.statesAt(resource, resourceVersion)
    const maxItems = limit === 0 ? entries.length : limit
    const items: MapValue[] = []
    for (let i = from; i < entries.length; i++) {
      // Without a selector, every further entry belongs to the list.
      if (items.length === maxItems && selects === undefined) return { items, end: i }
      const object = stateOf(entries[i] as Entry)
      if (object === undefined) throw tooOld()
      if (selects?.(object) === false) continue
      if (items.length === maxItems) return { items, end: i }
      items.push(endpoint.view(object))
    }
    return { items, end: entries.length }
  }

  private remember(rest: ListRest): string {
    const token = crypto.randomUUID()
    this.unfinished.set(token, rest)
    if (this.unfinished.size > maxUnfinished) this.unfinished.delete(this.unfinished.keys().next().value as string)
    return token
  }
}

function tooOld(): RequestFailure {
  return expired(
    "The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.",
  )
}

function checkVersion(query: URLSearchParams, current: number): void {
  const wanted = integerParameter(query, "resourceVersion")
  const match = query.get("resourceVersionMatch") ?? ""
  if (match !== "" && wanted === undefined) {
    const message = "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"
    const problem = { reason: "FieldValueForbidden", field: "resourceVersionMatch", message }
    throw invalid({ group: "meta.k8s.io", name: "ListOptions" }, "", [problem])
  }
  if (match === "Exact" && wanted !== undefined && wanted !== current) {
    throw expired(
      `The resourceVersion for the provided list is too old: this server lists the present state only (${current}).`,
    )
  }
  if (wanted === undefined || wanted <= current) return
  const message = `Timeout: Too large resource version: ${wanted}, current: ${current}`
  throw new RequestFailure(504, message, "Timeout", {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  })
}
