// Watches: a stream of what happens to the objects that a request asks for.
import { formatGoJson } from "../json/json.js"
import { isMap, type MapValue } from "../value/value.js"
import type { Endpoint } from "./endpoint.js"
import { expired, forbiddenOption, type RequestFailure } from "./failure.js"
import { type Form, inForm } from "./media.js"
import { withMetadata } from "./metadata.js"
import { booleanOf, integerOf } from "./options.js"
import type { Selector } from "./selectors.js"
import { type Store, type StoreEvent, storeKey } from "./store.js"

export interface WatchRequest {
  readonly endpoint: Endpoint
  readonly namespace: string
  readonly query: URLSearchParams
  readonly selects: Selector
  readonly form: Form
  /** Ends the watch when the client goes away. */
  readonly signal: AbortSignal
}

/** How often a watch that asked for bookmarks gets one, in milliseconds. */
const bookmarkInterval = 60_000

/**
 * The body of the answer to a watch: lines of JSON. Events that a client does not read are kept for it alone, so it holds nobody
 * up; one that has fallen back further than the store remembers is told that its state has expired.
 */
export class Watch {
  readonly body: ReadableStream<Uint8Array>
  private readonly request: WatchRequest
  private readonly store: Store
  private readonly bookmarks: boolean
  private readonly encoder = new TextEncoder()
  private readonly onEnd: () => void
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined
  private stop: () => void = () => undefined
  /** The resourceVersion up to which events were looked at. */
  private seen: number
  private waiting = false
  private sending = false
  private initial: MapValue[] = []
  private announcesEnd = false

  /** Throws a RequestFailure for options that do not fit together. */
  constructor(store: Store, request: WatchRequest, onEnd: () => void) {
    const { query } = request
    this.store = store
    this.request = request
    this.onEnd = onEnd
    this.bookmarks = booleanOf(query, "allowWatchBookmarks") === true
    this.seen = store.resourceVersion
    this.begin(integerOf(query, "resourceVersion"), booleanOf(query, "sendInitialEvents"))
    this.body = new ReadableStream<Uint8Array>(
      {
        start: controller => this.start(controller),
        pull: () => this.pull(),
        cancel: () => this.finish(),
      },
      { highWaterMark: 16 },
    )
  }

  /** Ends the watch: the client sees the end of the body. */
  close(): void {
    if (this.controller === undefined) return
    const { controller } = this
    this.finish()
    controller.close()
  }

  private begin(from: number | undefined, sendsInitial: boolean | undefined): void {
    const { query } = this.request
    const match = query.get("resourceVersionMatch") ?? ""
    if (sendsInitial !== undefined && match !== "NotOlderThan") {
      throw forbiddenOption(
        "resourceVersionMatch",
        "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
      )
    }
    if (sendsInitial === undefined && match !== "") {
      throw forbiddenOption(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      )
    }
    if (sendsInitial === true && !this.bookmarks) {
      throw forbiddenOption("sendInitialEvents", "sendInitialEvents requires allowWatchBookmarks")
    }
    // Without a version, and from 0, a watch begins with what there is.
    if (sendsInitial ?? (from === undefined || from === 0)) {
      const { endpoint, namespace, selects } = this.request
      const all = this.store.list(storeKey(endpoint.resource), namespace)
      this.initial = all.map(object => endpoint.view(object)).filter(selects)
      this.announcesEnd = sendsInitial === true
    } else if (from !== undefined && from > 0) this.seen = from
  }

  private start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.controller = controller
    const unlisten = this.store.listen(() => {
      if (this.waiting) this.pull()
    })
    const seconds = integerOf(this.request.query, "timeoutSeconds")
    const timeout = seconds === undefined || seconds <= 0 ? undefined : setTimeout(() => this.close(), seconds * 1000)
    const beat = this.bookmarks ? setInterval(() => this.bookmark(false), bookmarkInterval) : undefined
    const abort = () => this.close()
    this.request.signal.addEventListener("abort", abort)
    this.stop = () => {
      unlisten()
      clearTimeout(timeout)
      clearInterval(beat)
      this.request.signal.removeEventListener("abort", abort)
    }
  }

  private finish(): void {
    if (this.controller === undefined) return
    this.controller = undefined
    this.stop()
    this.onEnd()
  }

  /** Sends what there is to send, until the client has enough for now. */
  private pull(): void {
    // The stream asks for more while it is given something.
    if (this.sending) return
    this.sending = true
    this.sendAll()
    this.sending = false
  }

  private sendAll(): void {
    this.waiting = false
    for (const object of this.initial.splice(0)) this.send("ADDED", object)
    if (this.announcesEnd) {
      this.announcesEnd = false
      this.bookmark(true)
    }
    if (this.seen < this.store.compacted) {
      const message = `too old resource version: ${this.seen} (${this.store.compacted})`
      this.sendStatus(expired(message))
      return
    }
    const { resource } = this.request.endpoint
    for (const event of this.store.eventsAfter(storeKey(resource), this.seen)) this.sendEvent(event)
    this.seen = Math.max(this.seen, this.store.resourceVersion)
    // If the client has enough for now, the stream calls again once some of it was read.
    this.waiting = (this.controller?.desiredSize ?? 0) > 0
  }

  private sendEvent({ type, object, before, resourceVersion }: StoreEvent): void {
    const { endpoint, namespace, selects } = this.request
    const view = endpoint.view(object)
    if (namespace !== "" && namespaceOf(view) !== namespace) return
    const earlier = before && endpoint.view(before)
    const was = earlier !== undefined && selects(earlier)
    const is = type !== "DELETED" && selects(view)
    // For one who sees a part of the objects, what leaves that part is gone.
    if (is) this.send(was ? "MODIFIED" : "ADDED", view)
    else if (was) {
      const last = type === "DELETED" ? view : (earlier as MapValue)
      this.send("DELETED", withMetadata(last, { resourceVersion: String(resourceVersion) }))
    }
  }

  private bookmark(ends: boolean): void {
    const { apiVersion, kind } = this.request.endpoint.resource
    const annotations = { "k8s.io/initial-events-end": "true" }
    const metadata = {
      resourceVersion: String(this.store.resourceVersion),
      creationTimestamp: null,
      ...(ends && { annotations }),
    }
    this.send("BOOKMARK", { kind, apiVersion, metadata })
  }

  private send(type: string, object: MapValue): void {
    const { form, query, endpoint } = this.request
    this.write({ type, object: inForm(form, endpoint.resource, object, query.get("includeObject") ?? "") })
  }

  private sendStatus(failure: RequestFailure): void {
    this.write({ type: "ERROR", object: failure.status })
    this.close()
  }

  private write(event: MapValue): void {
    this.controller?.enqueue(this.encoder.encode(`${formatGoJson(event, { sorted: false })}\n`))
  }
}

function namespaceOf(object: MapValue): unknown {
  return isMap(object.metadata) ? object.metadata.namespace : undefined
}
