// Watches: a stream of what happens to the objects that a request asks for.
import { formatGoJson } from "../../json/json.js"
import { expired, forbiddenOption } from "../../kinds/refusal/failure.js"
import { storeKey } from "../../kinds/resource/resource.js"
import { withMetadata } from "../../schema/metadata.js"
import { joined } from "../../value/bytes.js"
import { isMap, type MapValue } from "../../value/value.js"
import type { Endpoint } from "../../write/endpoint.js"
import { type Form, inForm } from "../answer/media.js"
import type { WatchLines } from "../answer/response.js"
import type { ObjectTexts } from "../answer/texts.js"
import { booleanOf, integerOf } from "../request/options.js"
import type { Selector } from "../request/selectors.js"
import type { Entry } from "./collection.js"
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
}

/** How often a watch that asked for bookmarks gets one, in milliseconds. */
const bookmarkInterval = 60_000

/** How many bytes are made for a client at once, and one line more. */
const mostAtOnce = 64 * 1024

/** The longest time that a timer can wait, in milliseconds. */
const longestTimer = 2 ** 31 - 1

type Line = IteratorResult<Uint8Array, undefined>

/**
 * The body of the answer to a watch: lines of JSON, some at once. What a client does not ask for stays in the store, which has it for all,
 * so a slow client holds nobody up and costs little. If it falls back further than the store remembers, its watch ends with 410 Expired.
 */
export class Watch implements WatchLines {
  private readonly request: WatchRequest
  private readonly store: Store
  private readonly resource: string
  private readonly bookmarks: boolean
  private readonly onEnd: () => void
  private readonly stop: () => void
  /** Those who wait for lines: nobody while there are any. */
  private readonly waiting: ((line: Line) => void)[] = []
  /** The resourceVersion up to which events were looked at. */
  private seen: number
  private hasEnded = false
  /** What a client is told at the end. */
  private lastLine: Uint8Array | undefined
  /** What there was at the beginning, and how many of that were looked at. */
  private initial: readonly Entry[] = []
  private initialSent = 0
  private announcesEnd = false

  /** Throws a RequestFailure for options that do not fit together. */
  constructor(store: Store, request: WatchRequest, onEnd: () => void) {
    const { query } = request
    this.store = store
    this.request = request
    this.resource = storeKey(request.endpoint.resource)
    this.onEnd = onEnd
    this.bookmarks = booleanOf(query, "allowWatchBookmarks") === true
    this.seen = store.resourceVersion
    this.begin(integerOf(query, "resourceVersion"), booleanOf(query, "sendInitialEvents"))
    this.stop = this.start()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** The next lines, which may be waited for. */
  next(): Promise<Line> {
    const value = this.take()
    if (value !== undefined) return Promise.resolve({ done: false, value })
    if (this.hasEnded) return Promise.resolve(noLine)
    return new Promise(resolve => this.waiting.push(resolve))
  }

  /** Ends the watch for a client that wants no more. */
  return(): Promise<Line> {
    this.lastLine = undefined
    this.close()
    return Promise.resolve(noLine)
  }

  /** Ends the watch: the client sees the end of the body. */
  close(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.stop()
    this.onEnd()
    for (const resolve of this.waiting.splice(0)) resolve(noLine)
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
      this.initial = this.store.entries(this.resource, this.request.namespace)
      this.announcesEnd = sendsInitial === true
    } else if (from !== undefined && from > 0) this.seen = from
  }

  private start(): () => void {
    const unlisten = this.store.listen(event => this.happened(event))
    const seconds = integerOf(this.request.query, "timeoutSeconds")
    const after = Math.min((seconds ?? 0) * 1000, longestTimer)
    const timeout = after > 0 ? setTimeout(() => this.close(), after) : undefined
    const beat = this.bookmarks ? setInterval(() => this.beat(), bookmarkInterval) : undefined
    return () => {
      unlisten()
      clearTimeout(timeout)
      clearInterval(beat)
    }
  }

  private happened(event: StoreEvent): void {
    if (this.waiting.length === 0) {
      if (this.seen < this.store.compacted) this.expire()
      return
    }
    // A watch may begin at a resourceVersion that is still to come. Otherwise, whoever waits has everything before this event.
    if (event.resourceVersion <= this.seen) return
    this.seen = event.resourceVersion
    const line = event.resource === this.resource ? this.lineOf(event) : undefined
    if (line !== undefined) this.give(line)
  }

  private give(value: Uint8Array): void {
    this.waiting.shift()?.({ done: false, value })
  }

  /** Tells a client that has all events how far they go. */
  private beat(): void {
    if (this.waiting.length > 0) this.give(this.bookmark(false))
  }

  /** What there is to send, or as much of it as is sent at once; undefined if there is nothing. */
  private take(): Uint8Array | undefined {
    if (!this.hasEnded && this.seen < this.store.compacted) this.expire()
    if (this.hasEnded) {
      const line = this.lastLine
      this.lastLine = undefined
      return line
    }
    return this.takeInitial() ?? this.takeEvents()
  }

  private takeInitial(): Uint8Array | undefined {
    if (this.initialSent === this.initial.length && !this.announcesEnd) return undefined
    const { lines, endpoint, selects } = this.request
    const stateOf = this.store.statesAt(this.resource, this.seen)
    let text = ""
    while (text.length < mostAtOnce && this.initialSent < this.initial.length) {
      const object = stateOf(this.initial[this.initialSent++] as Entry)
      if (object === undefined) {
        this.expire()
        return this.take()
      }
      const view = endpoint.view(object)
      if (selects(view)) text += lines.text("ADDED", this.shown(view), this.isPlain)
    }
    if (this.initialSent < this.initial.length) return encoder.encode(text)
    this.initial = []
    this.initialSent = 0
    if (!this.announcesEnd) return text === "" ? undefined : encoder.encode(text)
    this.announcesEnd = false
    return joined([encoder.encode(text), this.bookmark(true)])
  }

  private takeEvents(): Uint8Array | undefined {
    const taken: Uint8Array[] = []
    let bytes = 0
    while (bytes < mostAtOnce) {
      const event = this.store.nextEvent(this.resource, this.seen)
      this.seen = event?.resourceVersion ?? Math.max(this.seen, this.store.resourceVersion)
      if (event === undefined) break
      const line = this.lineOf(event)
      if (line === undefined) continue
      taken.push(line)
      bytes += line.byteLength
    }
    return taken.length === 0 ? undefined : joined(taken)
  }

  private lineOf({ type, object, before, resourceVersion }: StoreEvent): Uint8Array | undefined {
    const { endpoint, namespace, selects } = this.request
    const view = endpoint.view(object)
    if (namespace !== "" && namespaceOf(view) !== namespace) return undefined
    const earlier = before && endpoint.view(before)
    const was = earlier !== undefined && selects(earlier)
    const is = type !== "DELETED" && selects(view)
    // For one who sees a part of the objects, what leaves that part is gone.
    if (is) return this.line(was ? "MODIFIED" : "ADDED", view)
    if (!was) return undefined
    const last = type === "DELETED" ? view : (earlier as MapValue)
    return this.line("DELETED", withMetadata(last, { resourceVersion: String(resourceVersion) }))
  }

  private bookmark(ends: boolean): Uint8Array {
    const { apiVersion, kind } = this.request.endpoint.resource
    const annotations = { "k8s.io/initial-events-end": "true" }
    const metadata = {
      resourceVersion: String(this.seen),
      creationTimestamp: null,
      ...(ends && { annotations }),
    }
    return this.line("BOOKMARK", { kind, apiVersion, metadata })
  }

  private line(type: string, object: MapValue): Uint8Array {
    return this.request.lines.line(type, this.shown(object), this.isPlain)
  }

  private shown(object: MapValue): MapValue {
    const { form, query, endpoint, clock } = this.request
    return this.isPlain ? object : inForm(form, endpoint.resource, object, query.get("includeObject") ?? "", clock)
  }

  /** Whether objects are sent as they are stored. */
  private get isPlain(): boolean {
    return this.request.form.kind === "object"
  }

  private expire(): void {
    const message = `too old resource version: ${this.seen} (${this.store.compacted})`
    this.lastLine = this.request.lines.line("ERROR", expired(message).status, false)
    this.close()
  }
}

const noLine: Line = { done: true, value: undefined }
const encoder = new TextEncoder()

/** Writes events as lines. What one write sends to many watches is written once: the last line of each type is kept. */
export class EventLines {
  private readonly texts: ObjectTexts
  private readonly last = new Map<string, { readonly object: MapValue; readonly line: Uint8Array }>()

  constructor(texts: ObjectTexts) {
    this.texts = texts
  }

  /** The line of an event. It is shared, and must not be changed. `isStored` is whether the text of the object is worth keeping. */
  line(type: string, object: MapValue, isStored: boolean): Uint8Array {
    const known = this.last.get(type)
    if (known?.object === object) return known.line
    const line = encoder.encode(this.text(type, object, isStored))
    this.last.set(type, { object, line })
    return line
  }

  /** The line as text. */
  text(type: string, object: MapValue, isStored: boolean): string {
    const text = isStored ? this.texts.of(object) : formatGoJson(object, { sorted: false })
    return `{"type":"${type}","object":${text}}\n`
  }
}

function namespaceOf(object: MapValue): unknown {
  return isMap(object.metadata) ? object.metadata.namespace : undefined
}
