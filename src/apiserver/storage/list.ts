// Lists: the objects of a collection at the moment, in pages if the client asks for them.

import { badRequest, expired, invalid, RequestFailure } from "../../requests/failure.js"
import type { MapValue, Value } from "../../value/value.js"
import type { Endpoint } from "../endpoint.js"
import { integerOf } from "../request/options.js"
import type { Selector } from "../request/selectors.js"
import { type Store, storeKey } from "./store.js"

/** Where a list goes on: the objects as they are kept for it, and how many of them were sent. */
interface Page {
  readonly objects: readonly MapValue[]
  readonly resourceVersion: number
}

/** How many unfinished lists are kept. */
const mostPages = 256

/** Lists objects, and keeps the rest of a list until the client asks for it, so that all pages show one state. */
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
    const { objects, resourceVersion } =
      token === "" ? this.begin(endpoint, namespace, query, selects) : this.resume(token)
    const items = limit === 0 ? objects : objects.slice(0, limit)
    const rest = objects.slice(items.length)
    const { apiVersion, listKind } = endpoint.resource
    const metadata: Record<string, Value> = { resourceVersion: String(resourceVersion) }
    if (rest.length > 0) {
      metadata.continue = this.keep({ objects: rest, resourceVersion })
      const isSelected = (query.get("labelSelector") ?? "") + (query.get("fieldSelector") ?? "") !== ""
      if (!isSelected) metadata.remainingItemCount = rest.length
    }
    return { kind: listKind, apiVersion, metadata, items }
  }

  private begin(endpoint: Endpoint, namespace: string, query: URLSearchParams, selects: Selector): Page {
    const { resourceVersion } = this.store
    checkVersion(query, resourceVersion)
    const stored = this.store.list(storeKey(endpoint.resource), namespace)
    return { objects: stored.map(object => endpoint.view(object)).filter(selects), resourceVersion }
  }

  private resume(token: string): Page {
    const page = this.pages.get(token)
    if (page !== undefined) return page
    throw expired(
      "The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.",
    )
  }

  private keep(page: Page): string {
    const token = crypto.randomUUID()
    this.pages.set(token, page)
    if (this.pages.size > mostPages) this.pages.delete(this.pages.keys().next().value as string)
    return token
  }
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
