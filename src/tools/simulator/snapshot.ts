import type { MapValue } from "../../value/value.js"
import { keyOf, nameAt, type Objects, sortedKeys } from "./objects.js"
import type { ObjectRef } from "./request.js"

/** Hears of each object that is read, by its key; undefined stands for all of them. */
export type OnRead = (key: string | undefined) => void

/** The objects at one moment. */
export class Snapshot {
  /** After which step it is; 0 for the start. */
  readonly step: number
  /** The name of the schema; "" for the one at the start. */
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
   * The object that is meant, with managedFields; undefined if it is not there. Without a reference, the only one. Throws a TypeError
   * where it may be one of several.
   */
  get(object?: ObjectRef): MapValue | undefined {
    if (object === undefined) this.#onRead?.(undefined)
    if (object === undefined && this.byKey.size === 0) return undefined
    const key = keyOf(nameAt(this.byKey, object))
    this.#onRead?.(key)
    return this.byKey.get(key)
  }

  /** @internal */
  find(key: string): MapValue | undefined {
    return this.byKey.get(key)
  }
}
