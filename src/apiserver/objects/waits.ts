// Waits for a state of the store by following its events.

import { type Resource, storeKey } from "../../kinds/resource/resource.js"
import type { ResourceTable } from "../../kinds/resource/table.js"
import { metaText } from "../../schema/metadata.js"
import { aNumber, type Expected, optional, requireOptions } from "../../value/argument.js"
import type { MapValue } from "../../value/value.js"
import type { Endpoint } from "../../write/endpoint.js"
import type { ServerTime } from "../reproducible/clock.js"
import type { Store, StoreEvent } from "../storage/store.js"
import { type Address, addressOf } from "./header.js"

/** Options of a wait. */
export interface WaitOptions {
  /** The milliseconds after which the wait fails, by the clock of the server. If absent, only the signal ends the wait. */
  readonly timeout?: number | undefined
  /** Ends the wait, which then rejects with the reason of the signal. The `signal` of a test in vitest fires when its time is up. */
  readonly signal?: AbortSignal | undefined
}

/** The parts of a server that waits need. */
interface AwaitedServer {
  readonly store: Store
  readonly table: ResourceTable
  readonly time: ServerTime
  readonly endpointOf: (resource: Resource) => Endpoint
}

/** Says whether an object is the awaited one. */
export type Predicate = (object: MapValue) => boolean

/** The goal of a wait. */
interface Awaited {
  /** The message of the error if time runs out. */
  readonly failure: string
  /** Returns the object to resolve with. Called at the start, and with each event. */
  readonly find: (event?: StoreEvent) => MapValue | undefined
}

/** The waits that have not ended. */
export class Waits {
  private readonly server: AwaitedServer
  private readonly open = new Set<(reason: unknown) => void>()

  constructor(server: AwaitedServer) {
    this.server = server
  }

  /** Waits for an object of any kind, at its storage version. */
  forAny(predicate: Predicate, options: WaitOptions): Promise<MapValue> {
    const { store } = this.server
    const seen = (object: MapValue) => ifMet(object, predicate)
    return this.until(options, {
      failure: "no object met the predicate",
      find: event => {
        if (event !== undefined) return event.type === "DELETED" ? undefined : seen(event.object)
        return firstOf(store.all(), ({ object }) => seen(object))
      },
    })
  }

  /** Waits for the named object, or for one of the kind if `header` has no name. */
  async for(header: object, predicate: Predicate, options: WaitOptions): Promise<MapValue> {
    const { address, isThere, view } = this.awaited(header)
    const key = storeKey(address.resource)
    const seen = (object: MapValue) => (isThere(object) ? ifMet(view(object), predicate) : undefined)
    return this.until(options, {
      failure: `${titleOf(address)} did not meet the predicate`,
      find: event => {
        if (event === undefined) return firstOf(this.server.store.list(key), seen)
        return event.resource === key && event.type !== "DELETED" ? seen(event.object) : undefined
      },
    })
  }

  /** Waits until the named object is gone, or all objects of the kind if `header` has no name. Resolves with the header. */
  async forDeletion(header: object, options: WaitOptions): Promise<MapValue> {
    const { address, isThere } = this.awaited(header)
    const key = storeKey(address.resource)
    return this.until(options, {
      failure: `${titleOf(address)} was not deleted`,
      find: event => {
        const mayBeGone = event === undefined || (event.resource === key && event.type === "DELETED")
        return mayBeGone && !this.server.store.list(key).some(isThere) ? (header as MapValue) : undefined
      },
    })
  }

  /** Ends all waits, which reject. */
  close(): void {
    for (const end of [...this.open]) end(new Error("the server was closed"))
  }

  private awaited(header: object) {
    const { table, endpointOf } = this.server
    const address = addressOf(table, "object", header)
    const endpoint = endpointOf(address.resource)
    const namespace = address.name === "" ? metaText(header as MapValue, "namespace") : address.namespace
    const matches = (wanted: string, text: string) => wanted === "" || wanted === text
    const isThere = (object: MapValue) =>
      matches(namespace, metaText(object, "namespace")) && matches(address.name, metaText(object, "name"))
    return { address: { ...address, namespace }, isThere, view: (object: MapValue) => endpoint.view(object) }
  }

  private async until(options: WaitOptions, { failure, find }: Awaited): Promise<MapValue> {
    requireOptions("options", options, { timeout: optional(aNumber), signal: optional(aSignal) })
    const { timeout, signal } = options
    const { store, time } = this.server
    return new Promise((resolve, reject) => {
      const check = (event?: StoreEvent): void => {
        try {
          const found = find(event)
          if (found === undefined) return
          end()
          resolve(found)
        } catch (error) {
          fail(error)
        }
      }
      const fail = (reason: unknown): void => {
        end()
        reject(reason)
      }
      const onAbort = (): void => fail(signal?.reason)
      const late = () => fail(new Error(`${failure} within ${timeout} ms`))
      const unlisten = store.listen(check)
      const cancel = timeout === undefined ? undefined : time.schedule(timeout, late)
      signal?.addEventListener("abort", onAbort)
      this.open.add(fail)
      const end = (): void => {
        unlisten()
        cancel?.()
        signal?.removeEventListener("abort", onAbort)
        this.open.delete(fail)
      }
      if (signal?.aborted === true) onAbort()
      else check()
    })
  }
}

const aSignal: Expected = {
  name: "an AbortSignal",
  fits: value => typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value,
}

/** Returns a copy of the object, which the caller may change, if it meets the predicate. */
function ifMet(object: MapValue, predicate: Predicate): MapValue | undefined {
  const copy = structuredClone(object)
  return predicate(copy) ? copy : undefined
}

function firstOf<T>(items: readonly T[], find: (item: T) => MapValue | undefined): MapValue | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

function titleOf({ resource: { apiVersion, kind }, namespace, name }: Address): string {
  const place = [namespace, name].filter(part => part !== "").join("/")
  return name === "" ? `no ${apiVersion} ${kind}` : `${apiVersion} ${kind} ${place}`
}
