// Lists: the objects of a collection at the moment, in pages if the client asks for them.

import { badRequest, expired, invalid, RequestFailure } from "../../kinds/refusal/failure.js"
import { storeKey } from "../../kinds/resource/resource.js"
import type { MapValue, Value } from "../../value/value.js"
import type { Endpoint } from "../../write/endpoint.js"
import { integerOf } from "../request/options.js"
import { type Selector, selectAll } from "../request/selectors.js"
import type { Entry } from "./collection.js"
import type { Store } from "./store.js"

/** A list of which a part was asked for: the objects that were there at a resourceVersion. */
interface Listed {
  readonly resource: string
  readonly entries: readonly Entry[]
  readonly resourceVersion: number
  /** Whether an object, as it was then, belongs to the list; undefined if all do. */
  readonly selects: ((object: MapValue) => boolean) | undefined
}

/** The rest of a list: it begins at this entry. */
interface Page {
  readonly listed: Listed
  readonly from: number
}

/** How many unfinished lists are kept. */
const mostPages = 256

/**
 * Lists objects. The rest of a list is remembered until the client asks for it, so that all pages show one state: that is taken from the
 * history of the store, and a list whose history is gone can't go on.
 */
export class Lister {
  private readonly store: Store
  private readonly pages = new Map<string, Page>()

  constructor(store: Store) {
    this.store = store
  }

  /** The list that a request asks for. Throws a RequestFailure for options that do not fit together or a page that is gone. */
  list(endpoint: Endpoint, namespace: string, query: URLSearchParams, selects: Selector): MapValue {
    const token = query.get("continue") ?? ""
    const limit = integerOf(query, "limit") ?? 0
    if (limit < 0) throw badRequest("limit must not be negative")
    const page = token === "" ? this.begin(endpoint, namespace, query, selects) : this.resume(endpoint, token)
    const { items, end } = this.read(endpoint, page, limit)
    const { apiVersion, listKind } = endpoint.resource
    const { entries, resourceVersion } = page.listed
    const metadata: Record<string, Value> = { resourceVersion: String(resourceVersion) }
    if (end < entries.length) {
      metadata.continue = this.keep({ listed: page.listed, from: end })
      if (page.listed.selects === undefined) metadata.remainingItemCount = entries.length - end
    }
    return { kind: listKind, apiVersion, metadata, items }
  }

  private begin(endpoint: Endpoint, namespace: string, query: URLSearchParams, selects: Selector): Page {
    const { resourceVersion } = this.store
    checkVersion(query, resourceVersion)
    const resource = storeKey(endpoint.resource)
    const entries = this.store.entries(resource, namespace)
    const selectsStored = selects === selectAll ? undefined : (object: MapValue) => selects(endpoint.view(object))
    return { listed: { resource, entries, resourceVersion, selects: selectsStored }, from: 0 }
  }

  private resume(endpoint: Endpoint, token: string): Page {
    const page = this.pages.get(token)
    if (page === undefined) throw tooOld()
    if (page.listed.resource !== storeKey(endpoint.resource))
      throw badRequest("continue key is not valid: it is that of another list")
    return page
  }

  /** The next objects of a list, and the index of the entry after them: that of the next object, or behind the last entry. */
  private read(endpoint: Endpoint, { listed, from }: Page, limit: number) {
    const { resource, entries, resourceVersion, selects } = listed
    const stateOf = this.store.statesAt(resource, resourceVersion)
    const most = limit === 0 ? entries.length : limit
    const items: MapValue[] = []
    for (let i = from; i < entries.length; i++) {
      // Whether anything is left counts, and not how much.
      if (items.length === most && selects === undefined) return { items, end: i }
      const object = stateOf(entries[i] as Entry)
      if (object === undefined) throw tooOld()
      if (selects?.(object) === false) continue
      if (items.length === most) return { items, end: i }
      items.push(endpoint.view(object))
    }
    return { items, end: entries.length }
  }

  private keep(page: Page): string {
    const token = crypto.randomUUID()
    this.pages.set(token, page)
    if (this.pages.size > mostPages) this.pages.delete(this.pages.keys().next().value as string)
    return token
  }
}

function tooOld(): RequestFailure {
  return expired(
    "The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.",
  )
}

function checkVersion(query: URLSearchParams, current: number): void {
  const wanted = integerOf(query, "resourceVersion")
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
