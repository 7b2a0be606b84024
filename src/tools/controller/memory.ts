// Remembers a server's responses for each object.
import { textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"

/** Identifies a state of an object. A text is "" if the object does not have it. */
export interface ObjectState {
  readonly uid: string
  readonly resourceVersion: string
}

/** Returns the metadata of an object, which may be plain or an instance of a client's class. */
export function metadataOf(object: object): MapValue {
  const found: unknown = own(object as MapValue, "metadata")
  return typeof found === "object" && found !== null ? (found as MapValue) : {}
}

/** Returns the state of such an object. */
export function stateOf(object: object): ObjectState {
  const metadata = metadataOf(object)
  return { uid: textAt(metadata, "uid"), resourceVersion: textAt(metadata, "resourceVersion") }
}

/** Whether both are the same state. Unidentified states are never the same. */
export function sameState(a: ObjectState, b: ObjectState): boolean {
  return a.uid !== "" && a.resourceVersion !== "" && a.uid === b.uid && a.resourceVersion === b.resourceVersion
}

/** Everything that is remembered about one object. */
interface Known {
  /**
   * The state in the last response; `none` before the first response, `unsure` if the last request failed and may have changed something.
   */
  readonly state: ObjectState | "none" | "unsure"
  /** The hashes of configurations that left this state unchanged, each with the time of the response. */
  readonly unchanged: Map<string, number>
  /** The time of the last request to the server, or the time when the object was first seen. */
  readonly since: number
  /** The number of the response or failure that this record comes from; 0 before the first one. */
  readonly order: number
}

/** The number of configurations that are remembered for one state of an object. */
const maxConfigurations = 16

/** A server's responses for a bounded number of objects. Times are in milliseconds. */
export class Memory {
  private readonly maxObjects: number
  /** By the key of the object, least recently used first. */
  private readonly objects = new Map<string, Known>()
  /** The number of responses and failures so far. */
  private noted = 0

  constructor(maxObjects: number) {
    this.maxObjects = maxObjects
  }

  /** Returns the time when this configuration left the object unchanged in its current state; undefined if unknown. */
  unchangedAt(keys: readonly string[], state: ObjectState, hash: string): number | undefined {
    const known = this.latest(keys)
    return isIn(known, state) ? known?.unchanged.get(hash) : undefined
  }

  /** Whether some configuration is known to leave the object unchanged. Avoids computing a hash otherwise. */
  remembers(keys: readonly string[]): boolean {
    return (this.latest(keys)?.unchanged.size ?? 0) > 0
  }

  /** Whether a request that was sent from here may have changed the object since this state. */
  isOutdated(keys: readonly string[], state: ObjectState): boolean {
    const { state: last = "none" } = this.latest(keys) ?? {}
    if (last === "none" || last === "unsure") return last === "unsure"
    return isOlder(state.resourceVersion, last.resourceVersion)
  }

  /** Returns the last response or failure stored under one of the keys. */
  private latest(keys: readonly string[]): Known | undefined {
    const known = keys.flatMap(key => this.objects.get(key) ?? [])
    return known.reduce<Known | undefined>(
      (last, one) => (last === undefined || one.order > last.order ? one : last),
      undefined,
    )
  }

  /** Returns the time of the last request to the server about the object. For an unknown object it is `now`, which is remembered. */
  requestedAt(key: string, now: number): number {
    const known = this.objects.get(key) ?? { state: "none", unchanged: new Map(), since: now, order: 0 }
    this.keep(key, known)
    return known.since
  }

  /** Stores a response. If there is a hash, its configuration left the object unchanged. */
  answered(key: string, state: ObjectState, hash: string | undefined, now: number): void {
    const known = this.objects.get(key)
    const unchanged = known !== undefined && isIn(known, state) ? known.unchanged : new Map<string, number>()
    if (hash !== undefined) {
      unchanged.delete(hash)
      unchanged.set(hash, now)
      dropFirst(unchanged, maxConfigurations)
    }
    this.keep(key, { state, unchanged, since: now, order: ++this.noted })
  }

  /** Records that a request was refused or got no response. */
  failed(key: string, now: number): void {
    this.keep(key, { state: "unsure", unchanged: new Map(), since: now, order: ++this.noted })
  }

  private keep(key: string, known: Known): void {
    this.objects.delete(key)
    this.objects.set(key, known)
    dropFirst(this.objects, this.maxObjects)
  }
}

function isIn(known: Known | undefined, state: ObjectState): boolean {
  return known !== undefined && typeof known.state === "object" && sameState(known.state, state)
}

function dropFirst(map: Map<string, unknown>, size: number): void {
  for (const key of map.keys()) {
    if (map.size <= size) return
    map.delete(key)
  }
}

/**
 * Whether the first resourceVersion may belong to an earlier state than the second. API servers number the states of all objects of a
 * resource in ascending order. If one of the two is not a number, the first may be older unless both are equal.
 */
function isOlder(a: string, b: string): boolean {
  if (a === b) return false
  if (!number.test(a) || !number.test(b)) return true
  return a.length === b.length ? a < b : a.length < b.length
}
const number = /^[1-9]\d*$/
