import type { MapValue } from "../value/value.js"
import { keyOf, nameAt, type Objects, sortedKeys } from "./objects.js"
import type { ObjectRef } from "./request.js"

/** The objects at one moment. */
export class Snapshot {
  /** After which step it is; 0 for the start. */
  readonly step: number
  /** The name of the schema; "" for the one at the start. */
  readonly schema: string
  /** @internal */
  readonly byKey: Objects

  /** @internal */
  constructor(step: number, schema: string, objects: Objects) {
    this.step = step
    this.schema = schema
    this.byKey = objects
  }

  /** All objects, sorted by kind, namespace and name. */
  get objects(): readonly MapValue[] {
    return sortedKeys(this.byKey).map(key => this.byKey.get(key) as MapValue)
  }

  /**
   * The object that is meant, with managedFields; undefined if it is not there. Without a reference, the only one. Throws a TypeError
   * where it may be one of several.
   */
  get(object?: ObjectRef): MapValue | undefined {
    if (object === undefined && this.byKey.size === 0) return undefined
    return this.byKey.get(keyOf(nameAt(this.byKey, object)))
  }

  /** @internal */
  find(key: string): MapValue | undefined {
    return this.byKey.get(key)
  }
}
