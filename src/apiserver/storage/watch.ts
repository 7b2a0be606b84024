// Watches: a stream of what happens to the objects that a request asks for.
import { formatGoJson } from "../../json/json.js"
import { storeKey } from "../../kinds/resource/resource.js"
import { expired, forbiddenOption, type RequestFailure } from "../../requests/failure.js"
import { withMetadata } from "../../requests/metadata.js"
import { isMap, type MapValue } from "../../value/value.js"
import type { Endpoint } from "../../write/endpoint.js"
import { type Form, inForm } from "../answer/media.js"
import { booleanOf, integerOf } from "../request/options.js"
import type { Selector } from "../request/selectors.js"
import type { Store, StoreEvent } from "./store.js"

export interface WatchRequest {
  readonly endpoint: Endpoint
  readonly namespace: string
  readonly query: URLSearchParams
  readonly selects: Selector
  readonly form: Form
  /** Shared by the watches of a server. */
  readonly lines: EventLines
  readonly clock: () => Date
  /** Ends the watch when the client goes away. */
  readonly signal: AbortSignal
}

/** How often a watch that asked for bookmarks gets one, in milliseconds. */
const bookmarkInterval = 60_000

/** How many bytes wait for a client before no more are made for it. */
const mostWaiting = 64 * 1024

/** The longest time that a timer can wait, in milliseconds. */
const longestTimer = 2 ** 31 - 1

/**
 * The body of the answer to a watch: lines of JSON. What a client does not read stays in the store, which has it for all, so a slow
 * client holds nobody up and costs little. If it falls back further than the store remembers, its watch ends with 410 Expired.
 */
export class Watch {
  readonly body: ReadableStream<Uint8Array>
  private readonly request: WatchRequest
  private readonly store: Store
  private readonly bookmarks: boolean
  private readonly onEnd: () => void
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined
  private stop: () => void = () => undefined
  /** The resourceVersion up to which events were looked at. */
  private seen: number
  private sending = false
  /** The keys of what there was at the beginning, and how many of them were sent. */
  private initial: readonly string[] = []
  private initialSent = 0
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
      { highWaterMark: mostWaiting, size: line => line.byteLength },
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
      const keys = this.store.keys(storeKey(endpoint.resource), namespace)
      const all = this.store.list(storeKey(endpoint.resource), namespace)
      const selected = keys.filter((_, i) => selects(endpoint.view(all[i] as MapValue)))
      // Watches of everything share one list of keys.
      this.initial = selected.length === keys.length ? keys : selected
      this.announcesEnd = sendsInitial === true
    } else if (from !== undefined && from > 0) this.seen = from
  }

  private start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.controller = controller
    const unlisten = this.store.listen(() => this.pull())
    const seconds = integerOf(this.request.query, "timeoutSeconds")
    const after = Math.min((seconds ?? 0) * 1000, longestTimer)
    const timeout = after > 0 ? setTimeout(() => this.close(), after) : undefined
    const beat = this.bookmarks ? setInterval(() => this.beat(), bookmarkInterval) : undefined
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
    const isKept = this.sendInitial()
    if (!isKept || this.seen < this.store.compacted) {
      const message = `too old resource version: ${this.seen} (${this.store.compacted})`
      this.sendStatus(expired(message))
      return
    }
    if (this.initialSent < this.initial.length) return
    this.initial = []
    this.initialSent = 0
    if (this.announcesEnd) {
      this.announcesEnd = false
      this.bookmark(true)
    }
    const key = storeKey(this.request.endpoint.resource)
    while (this.wantsMore) {
      const event = this.store.nextEvent(key, this.seen)
      this.seen = event?.resourceVersion ?? Math.max(this.seen, this.store.resourceVersion)
      if (event === undefined) return
      this.sendEvent(event)
    }
  }

  /** Sends what there was at the beginning. Returns false if the store does not have it any more. */
  private sendInitial(): boolean {
    const { endpoint } = this.request
    const stateOf = this.store.statesAt(storeKey(endpoint.resource), this.seen)
    while (this.wantsMore && this.initialSent < this.initial.length) {
      const object = stateOf(this.initial[this.initialSent++] as string)
      if (object === undefined) return false
      this.send("ADDED", endpoint.view(object))
    }
    return true
  }

  /** Whether the client has read enough. If not, the stream calls `pull` once it has. */
  private get wantsMore(): boolean {
    return (this.controller?.desiredSize ?? 0) > 0
  }

  /** Tells a client that has all events how far they go. */
  private beat(): void {
    const hasAll = this.initial.length === 0 && this.seen >= this.store.resourceVersion
    if (hasAll && this.wantsMore) this.bookmark(false)
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
      resourceVersion: String(this.seen),
      creationTimestamp: null,
      ...(ends && { annotations }),
    }
    this.send("BOOKMARK", { kind, apiVersion, metadata })
  }

  private send(type: string, object: MapValue): void {
    const { form, query, endpoint, lines, clock } = this.request
    const shown = inForm(form, endpoint.resource, object, query.get("includeObject") ?? "", clock)
    this.controller?.enqueue(lines.line(type, shown))
  }

  private sendStatus(failure: RequestFailure): void {
    this.controller?.enqueue(this.request.lines.line("ERROR", failure.status))
    this.close()
  }
}

/** Writes events as lines. What one write sends to many watches is written once: the last line of each type is kept. */
export class EventLines {
  private readonly encoder = new TextEncoder()
  private readonly last = new Map<string, { readonly object: MapValue; readonly line: Uint8Array }>()

  /** The line of an event. It is shared, and must not be changed. */
  line(type: string, object: MapValue): Uint8Array {
    const known = this.last.get(type)
    if (known?.object === object) return known.line
    const line = this.encoder.encode(`${formatGoJson({ type, object }, { sorted: false })}\n`)
    this.last.set(type, { object, line })
    return line
  }
}

function namespaceOf(object: MapValue): unknown {
  return isMap(object.metadata) ? object.metadata.namespace : undefined
}
