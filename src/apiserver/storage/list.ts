// Lists: the objects of a collection at the moment, in pages if the client asks for them.

import { storeKey } from "../../kinds/resource/resource.js"
import { badRequest, expired, invalid, RequestFailure } from "../../requests/failure.js"
import type { MapValue, Value } from "../../value/value.js"
import type { Endpoint } from "../../write/endpoint.js"
import { integerOf } from "../request/options.js"
import type { Selector } from "../request/selectors.js"
import type { Store } from "./store.js"

/** The rest of a list: objects by their keys, as they were at this resourceVersion. */
interface Page {
  readonly resource: string
  readonly keys: readonly string[]
  readonly resourceVersion: number
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
    const { resourceVersion, items, rest } =
      token === "" ? this.begin(endpoint, namespace, query, selects, limit) : this.resume(endpoint, token, limit)
    const { apiVersion, listKind } = endpoint.resource
    const metadata: Record<string, Value> = { resourceVersion: String(resourceVersion) }
    if (rest.length > 0) {
      metadata.continue = this.keep({ resource: storeKey(endpoint.resource), keys: rest, resourceVersion })
      const isSelected = (query.get("labelSelector") ?? "") + (query.get("fieldSelector") ?? "") !== ""
      if (!isSelected) metadata.remainingItemCount = rest.length
    }
    return { kind: listKind, apiVersion, metadata, items }
  }

  private begin(endpoint: Endpoint, namespace: string, query: URLSearchParams, selects: Selector, limit: number) {
    const { resourceVersion } = this.store
    checkVersion(query, resourceVersion)
    const keys = this.store.keys(storeKey(endpoint.resource), namespace)
    const items: MapValue[] = []
    const rest: string[] = []
    this.store.list(storeKey(endpoint.resource), namespace).forEach((object, i) => {
      const view = endpoint.view(object)
      if (!selects(view)) return
      if (limit === 0 || items.length < limit) items.push(view)
      else rest.push(keys[i] as string)
    })
    return { resourceVersion, items, rest }
  }

  private resume(endpoint: Endpoint, token: string, limit: number) {
    const page = this.pages.get(token)
    if (page === undefined) throw tooOld()
    const { resource, keys, resourceVersion } = page
    if (resource !== storeKey(endpoint.resource))
      throw badRequest("continue key is not valid: it is that of another list")
    const count = limit === 0 ? keys.length : limit
    const stateOf = this.store.statesAt(resource, resourceVersion)
    const items = keys.slice(0, count).map(key => {
      const object = stateOf(key)
      if (object === undefined) throw tooOld()
      return endpoint.view(object)
    })
    return { resourceVersion, items, rest: keys.slice(count) }
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
