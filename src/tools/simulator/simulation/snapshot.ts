import type { MapValue } from "../../../value/value.js"
import { keyOf, type Objects, resolveRef, sortedKeys } from "./objects.js"
import type { ObjectRef } from "./request.js"

/** Receives the key of each object that is read; undefined stands for all objects. */
export type OnRead = (key: string | undefined) => void

/** The state of a simulation after one step. */
export class Snapshot {
  /** The number of the step; 0 for the start. */
  readonly step: number
  /** The name of the schema; "" for the schema at the start. */
  readonly schema: string
  /** @internal */
  readonly byKey: Objects

  readonly #onRead: OnRead | undefined

  /** @internal */
  constructor(step: number, schema: string, objects: Objects, onRead?: OnRead) {
    this.step = step
    this.schema = schema
    this.byKey = objects
    this.#onRead = onRead
  }

  /** All objects, sorted by kind, namespace and name. */
  get objects(): readonly MapValue[] {
    this.#onRead?.(undefined)
    return sortedKeys(this.byKey).map(key => this.byKey.get(key) as MapValue)
  }

  /**
   * Returns the object that the reference identifies, with managedFields, or undefined if it does not exist. Without a reference, returns
   * the only object. Throws a TypeError if several objects match.
   */
  get(object?: ObjectRef): MapValue | undefined {
    if (object === undefined) this.#onRead?.(undefined)
    if (object === undefined && this.byKey.size === 0) return undefined
    const key = keyOf(resolveRef(this.byKey, object))
    this.#onRead?.(key)
    return this.byKey.get(key)
  }

  /** @internal */
  find(key: string): MapValue | undefined {
    return this.byKey.get(key)
  }
}
