// Watches: streams of the changes to the objects that a request asks for.
import { expired, invalid, type Problem, RequestFailure } from "../../kinds/refusal/failure.js"
import { storeKey } from "../../kinds/resource/resource.js"
import { withMetadata } from "../../schema/metadata.js"
import { joined } from "../../value/bytes.js"
import { quoteGo } from "../../value/quote.js"
import { isMap, type MapValue } from "../../value/value.js"
import { PendingCall } from "../../write/calls.js"
import type { Endpoint } from "../../write/endpoint.js"
import { repeat, type ServerTime } from "../reproducible/clock.js"
import { booleanParameter, integerParameter, versionParameter } from "../request/options.js"
import type { Selector } from "../request/selectors.js"
import { type ResponseForm, toForm, withWantedOwners } from "../response/form.js"
import type { WatchLines } from "../response/response.js"
import type { Entry } from "./collection.js"
import type { EventEncoder } from "./event-encoder.js"
import type { Store, StoreEvent } from "./store.js"

/** A request for a watch. */
export interface WatchRequest {
  readonly endpoint: Endpoint
  readonly namespace: string
  readonly query: URLSearchParams
  readonly selects: Selector
  readonly form: ResponseForm
  /** All watches of a server share one. */
  readonly encoder: EventEncoder
  readonly time: ServerTime
}

/** The time between two bookmarks, in milliseconds. */
const bookmarkInterval = 60_000

/** A chunk ends with the first line that takes it to this many bytes (for initial events: characters). */
const chunkSize = 64 * 1024

type Chunk = IteratorResult<Uint8Array, undefined>

/**
 * The response body of a watch, in chunks of one or more lines of JSON. A watch pulls events from the history of the store when its client
 * reads, so a slow client delays nobody and takes little memory. If a client falls further behind than the store's history, its watch ends
 * with 410 Expired.
 */
export class Watch implements WatchLines {
  private readonly request: WatchRequest
  private readonly store: Store
  private readonly resource: string
  private readonly bookmarks: boolean
  private readonly onEnd: () => void
  private readonly stopListening: () => void
  /** Readers that wait for a chunk. While anyone waits, every event up to `seen` has been delivered. */
  private readonly waiting: ((chunk: Chunk) => void)[] = []
  /** The watch has processed the events up to this resourceVersion. */
  private seen: number
  /** Whether the next event waits for its conversion by a webhook. */
  private isConverting = false
  private hasEnded = false
  /** An error event to deliver after the end. */
  private lastLine: Uint8Array | undefined
  /** The objects that the watch begins with, and how many of them it has processed. */
  private initial: readonly Entry[] = []
  private initialSent = 0
  /** Whether a bookmark is still to be sent after the initial objects. */
  private announcesInitialEnd = false

  /** Throws a RequestFailure for options that contradict each other. */
  constructor(store: Store, request: WatchRequest, onEnd: () => void) {
    const { query } = request
    this.store = store
    this.request = request
    this.resource = storeKey(request.endpoint.resource)
    this.onEnd = onEnd
    this.bookmarks = booleanParameter(query, "allowWatchBookmarks") === true
    this.seen = store.resourceVersion
    this.begin(versionParameter(query), booleanParameter(query, "sendInitialEvents"))
    this.stopListening = this.listen()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Returns the next chunk, after waiting for an event if necessary. */
  next(): Promise<Chunk> {
    let value: Uint8Array | undefined
    try {
      value = this.converted(() => this.takeChunk())
    } catch (error) {
      if (!(error instanceof PendingCall)) throw error
      return error.arrival.then(() => this.next())
    }
    if (value !== undefined) return Promise.resolve({ done: false, value })
    if (this.hasEnded) return Promise.resolve(endOfBody)
    return new Promise(resolve => this.waiting.push(resolve))
  }

  /** Ends the watch because its client wants no more. */
  return(): Promise<Chunk> {
    this.lastLine = undefined
    this.close()
    return Promise.resolve(endOfBody)
  }

  /** Ends the watch and its response body. */
  close(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.stopListening()
    this.onEnd()
    for (const resolve of this.waiting.splice(0)) resolve(endOfBody)
  }

  private begin(from: number | undefined, sendsInitial: boolean | undefined): void {
    checkWatchOptions(this.request.query, sendsInitial !== undefined)
    // A watch from no resourceVersion or from 0 begins with the current objects.
    if (sendsInitial ?? (from === undefined || from === 0)) {
      this.initial = this.store.entries(this.resource, this.request.namespace)
      this.announcesInitialEnd = sendsInitial === true && this.bookmarks
    } else if (from !== undefined && from > 0) this.seen = from
  }

  /** Listens to the store and starts the timers. Returns a function that stops both. */
  private listen(): () => void {
    const unlisten = this.store.listen(event => this.onEvent(event))
    const seconds = integerParameter(this.request.query, "timeoutSeconds")
    const after = (seconds ?? 0) * 1000
    const { time } = this.request
    const stopTimeout = after === 0 ? undefined : time.schedule(Math.max(0, after), () => this.close())
    const stopBookmarks = this.bookmarks ? repeat(time, bookmarkInterval, () => this.sendBookmark()) : undefined
    return () => {
      unlisten()
      stopTimeout?.()
      stopBookmarks?.()
    }
  }

  private onEvent(event: StoreEvent): void {
    if (this.waiting.length === 0) {
      if (this.seen < this.store.compacted) this.expire()
      return
    }
    // A watch that began at a future resourceVersion skips the events before it.
    if (event.resourceVersion <= this.seen || this.isConverting) return
    try {
      const line = this.converted(() => this.takeEvent(event))
      if (line !== undefined) this.deliver(line)
    } catch (error) {
      if (!(error instanceof PendingCall)) throw error
      this.isConverting = true
      void error.arrival.then(() => this.continue())
    }
  }

  private takeEvent(event: StoreEvent): Uint8Array | undefined {
    this.seen = event.resourceVersion
    return event.resource === this.resource ? this.encodeEvent(event) : undefined
  }

  /** Lets the readers that wait take everything that has happened while an event was converted. */
  private continue(): void {
    this.isConverting = false
    for (const resolve of this.waiting.splice(0)) void this.next().then(resolve)
  }

  /**
   * Returns the result of `take`. If an object has to be converted by a webhook first, throws the PendingCall, and nothing is taken. If the
   * webhook fails, the watch ends with the error, which is then the result.
   */
  private converted(take: () => Uint8Array | undefined): Uint8Array | undefined {
    const { seen, initialSent } = this
    try {
      return take()
    } catch (error) {
      this.seen = seen
      this.initialSent = initialSent
      if (!(error instanceof RequestFailure)) throw error
      queueMicrotask(() => this.close())
      return this.request.encoder.encode("ERROR", error.status, false)
    }
  }

  private deliver(value: Uint8Array): void {
    this.waiting.shift()?.({ done: false, value })
  }

  /** Sends the current resourceVersion to a client that has received all events. */
  private sendBookmark(): void {
    if (this.waiting.length > 0) this.deliver(this.bookmark(false))
  }

  /** Returns the next chunk to send; undefined if there is nothing to send. */
  private takeChunk(): Uint8Array | undefined {
    if (!this.hasEnded && this.seen < this.store.compacted) this.expire()
    if (this.hasEnded) {
      const line = this.lastLine
      this.lastLine = undefined
      return line
    }
    return this.takeInitial() ?? this.takeEvents()
  }

  private takeInitial(): Uint8Array | undefined {
    if (this.initialSent === this.initial.length && !this.announcesInitialEnd) return undefined
    const { encoder, endpoint, selects } = this.request
    const stateOf = this.store.statesAt(this.resource, this.seen)
    let text = ""
    while (text.length < chunkSize && this.initialSent < this.initial.length) {
      const object = stateOf(this.initial[this.initialSent++] as Entry)
      if (object === undefined) {
        this.expire()
        return this.takeChunk()
      }
      const view = endpoint.view(object)
      if (selects(view)) text += encoder.format("ADDED", this.inRequestedForm(view), this.sendsWholeObjects)
    }
    if (this.initialSent < this.initial.length) return textEncoder.encode(text)
    this.initial = []
    this.initialSent = 0
    if (!this.announcesInitialEnd) return text === "" ? undefined : textEncoder.encode(text)
    this.announcesInitialEnd = false
    return joined([textEncoder.encode(text), this.bookmark(true)])
  }

  private takeEvents(): Uint8Array | undefined {
    const lines: Uint8Array[] = []
    let bytes = 0
    while (bytes < chunkSize) {
      const event = this.store.nextEvent(this.resource, this.seen)
      this.seen = event?.resourceVersion ?? Math.max(this.seen, this.store.resourceVersion)
      if (event === undefined) break
      const line = this.encodeEvent(event)
      if (line === undefined) continue
      lines.push(line)
      bytes += line.byteLength
    }
    return lines.length === 0 ? undefined : joined(lines)
  }

  /** Encodes an event as this watch sees it; undefined if the watch does not see it. */
  private encodeEvent({ type, object, before, resourceVersion }: StoreEvent): Uint8Array | undefined {
    const { endpoint, namespace, selects } = this.request
    const view = endpoint.view(object)
    if (namespace !== "" && namespaceOf(view) !== namespace) return undefined
    const earlier = before && endpoint.view(before)
    const wasSelected = earlier !== undefined && selects(earlier)
    const isSelected = type !== "DELETED" && selects(view)
    // An object that the selector no longer selects is deleted as far as this watch is concerned.
    if (isSelected) return this.encode(wasSelected ? "MODIFIED" : "ADDED", view)
    if (!wasSelected) return undefined
    const last = type === "DELETED" ? view : (earlier as MapValue)
    return this.encode("DELETED", withMetadata(last, { resourceVersion: String(resourceVersion) }))
  }

  private bookmark(endsInitial: boolean): Uint8Array {
    const { apiVersion, kind } = this.request.endpoint.resource
    const annotations = { "k8s.io/initial-events-end": "true" }
    const metadata = {
      resourceVersion: String(this.seen),
      ...(endsInitial && { annotations }),
    }
    return this.encode("BOOKMARK", { kind, apiVersion, metadata })
  }

  private encode(type: string, object: MapValue): Uint8Array {
    return this.request.encoder.encode(type, this.inRequestedForm(object), this.sendsWholeObjects)
  }

  private inRequestedForm(stored: MapValue): MapValue {
    const { form, query, endpoint, time } = this.request
    const object = withWantedOwners(form, endpoint.resource, stored)
    if (this.sendsWholeObjects) return object
    return toForm(form, endpoint.resource, object, query.get("includeObject") ?? "", () => time.now())
  }

  private get sendsWholeObjects(): boolean {
    return this.request.form.kind === "object"
  }

  private expire(): void {
    const message = `too old resource version: ${this.seen} (${this.store.compacted})`
    this.lastLine = this.request.encoder.encode("ERROR", expired(message).status, false)
    this.close()
  }
}

/** Throws a RequestFailure for options of a watch that contradict each other. */
function checkWatchOptions(query: URLSearchParams, sendsInitial: boolean): void {
  const field = "resourceVersionMatch"
  const match = query.get(field) ?? ""
  const problems: Problem[] = []
  const forbid = (why: string) => problems.push({ reason: "FieldValueForbidden", field, message: `Forbidden: ${why}` })
  if (sendsInitial && match !== "NotOlderThan")
    forbid("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
  if (match !== "") {
    if (!sendsInitial) forbid("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")
    if (match !== "NotOlderThan") {
      const message = `Unsupported value: ${quoteGo(match)}: supported values: "NotOlderThan"`
      problems.push({ reason: "FieldValueNotSupported", field, message })
    }
    if ((query.get("continue") ?? "") !== "") forbid("resourceVersionMatch is forbidden when continue is provided")
  }
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", name: "ListOptions" }, "", problems)
}

const endOfBody: Chunk = { done: true, value: undefined }
const textEncoder = new TextEncoder()

function namespaceOf(object: MapValue): unknown {
  return isMap(object.metadata) ? object.metadata.namespace : undefined
}
