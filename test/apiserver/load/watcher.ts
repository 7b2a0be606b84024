// One watch of a load test. It follows its objects from event to event, and checks at the end whether it has seen every write.
import type { IncomingMessage } from "node:http"
import type { MapValue } from "../../../src/value/value.js"
import type { Client } from "./client.js"
import { type EventType, type Filter, type History, pathOf, type Replay, stateOf, Trace } from "./world.js"

/** How a watch begins: after a list, after a list with interruptions again and again, or with the initial events of WatchList. */
export type Beginning = "list" | "resumed" | "watch-list"

/** A list that is shared by the watches that begin after it. */
export interface Listed {
  readonly resourceVersion: number
  readonly versions: Int32Array
}

export async function list(client: Client, filter: Filter, objects: number): Promise<Listed> {
  const { body } = await client.send("GET", pathOf(filter))
  const versions = new Int32Array(objects)
  for (const item of body.items as readonly MapValue[]) {
    const { index, resourceVersion } = stateOf(item)
    versions[index] = resourceVersion
  }
  return { resourceVersion: Number((body.metadata as MapValue).resourceVersion), versions }
}

export class Watcher {
  readonly problems: string[] = []
  private readonly client: Client
  private readonly filter: Filter
  private readonly history: History
  private readonly faults: boolean
  private readonly versions: Int32Array
  private trace: Trace
  private from: number
  /** Whether initial events are still coming. */
  private begins: boolean
  private response: IncomingMessage | undefined
  private partial = ""
  private closed = false
  /** How often the watch was resumed after its last event. */
  resumptions = 0

  /** Begins after `listed`, or with initial events if `listed` is undefined. With `faults`, a watch that is refused is tried again. */
  constructor(
    client: Client,
    filter: Filter,
    history: History,
    objects: number,
    listed: Listed | undefined,
    faults = false,
  ) {
    this.client = client
    this.faults = faults
    this.filter = filter
    this.history = history
    this.begins = listed === undefined
    this.from = listed?.resourceVersion ?? 0
    this.versions = listed?.versions.slice() ?? new Int32Array(objects)
    this.trace = new Trace(this.from)
  }

  get events(): number {
    return this.trace.events
  }

  async open(): Promise<void> {
    const options = this.begins
      ? "&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"
      : `&resourceVersion=${this.trace.last}`
    const response = await this.client.watch(`${pathOf(this.filter)}&watch=true${options}`)
    if (response.statusCode !== 200 && this.faults) {
      response.destroy()
      throw new Error(`the watch was answered ${response.statusCode}`)
    }
    if (response.statusCode !== 200) this.fail(`a watch was answered ${response.statusCode}`)
    if (this.closed) {
      response.destroy()
      return
    }
    this.response = response
    this.partial = ""
    response.setEncoding("utf8")
    response.on("data", (text: string) => this.read(text))
    response.on("error", () => undefined)
    response.on("close", () => {
      // Like an informer, a watch that ended resumes after its last event.
      if (this.closed || this.response !== response) return
      this.resumptions++
      void this.resume()
    })
  }

  private async resume(): Promise<void> {
    try {
      await this.open()
    } catch (error) {
      if (!this.faults) return this.fail(String(error))
      await new Promise(resolve => setTimeout(resolve, 50))
      if (!this.closed) await this.resume()
    }
  }

  /** Closes the connection, possibly in the middle of an event. */
  breakOff(): void {
    if (!this.begins) this.response?.destroy()
  }

  close(): void {
    this.closed = true
    this.response?.destroy()
  }

  /** Whether the watch has received its last expected event. */
  hasAll(replay: Replay): boolean {
    return !this.begins && this.trace.last >= replay.trace(this.filter, this.from).last
  }

  /** Compares the received events with the writes. */
  verify(replay: Replay): void {
    const expected = replay.trace(this.filter, this.from)
    const { events, sum, last } = this.trace
    if (events !== expected.events) this.fail(`saw ${events} events of ${expected.events}`)
    if (sum !== expected.sum || last !== expected.last) this.fail("saw other events than those that happened")
    const state = replay.state(this.filter)
    const wrong = state.findIndex((version, index) => version !== this.versions[index])
    if (wrong >= 0) this.fail(`ends with object-${wrong} at ${this.versions[wrong]}, which is at ${state[wrong]}`)
  }

  private read(text: string): void {
    let rest = this.partial + text
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      this.take(JSON.parse(rest.slice(0, end)) as { readonly type: string; readonly object: MapValue })
      rest = rest.slice(end + 1)
    }
    this.partial = rest
  }

  private take({ type, object }: { readonly type: string; readonly object: MapValue }): void {
    if (type === "ERROR") {
      this.fail(`was ended: ${String(object.message)}`)
      return
    }
    if (type === "BOOKMARK") {
      this.bookmark(Number((object.metadata as MapValue).resourceVersion))
      return
    }
    const { index, group, resourceVersion } = stateOf(object)
    const known = this.versions[index] !== 0
    if (known !== (type !== "ADDED")) this.fail(`${type} of object-${index}, which it ${known ? "has" : "has not"}`)
    this.versions[index] = type === "DELETED" ? 0 : resourceVersion
    if (this.begins) return
    if (resourceVersion <= this.trace.last) this.fail(`${resourceVersion} came after ${this.trace.last}`)
    this.trace.add(type as EventType, resourceVersion)
    const seesAll = this.filter.group === undefined && this.filter.namespace === undefined
    if (!seesAll) return
    if (type === "DELETED") this.history.deleted(index, resourceVersion, String((object.metadata as MapValue).uid))
    // After a fault, nobody else may know of a write.
    else if (this.faults) this.history.written({ index, group, resourceVersion })
  }

  private bookmark(resourceVersion: number): void {
    if (this.begins) {
      this.begins = false
      this.from = resourceVersion
      this.trace = new Trace(resourceVersion)
    } else if (resourceVersion < this.trace.last)
      this.fail(`a bookmark of ${resourceVersion} came after ${this.trace.last}`)
  }

  private fail(problem: string): void {
    if (this.problems.length < 5) this.problems.push(`a watch of ${pathOf(this.filter)} ${problem}`)
  }
}
