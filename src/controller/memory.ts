// Remembers what a server has answered about each object.
import { textAt } from "../schema/group-version-kind.js"
import { own } from "../value/object.js"
import type { MapValue } from "../value/value.js"

/** Identifies one state of an object. Both texts are "" if the object does not say. */
export interface ObjectState {
  readonly uid: string
  readonly resourceVersion: string
}

/** The metadata of an object, be it plain or an instance of a client's class. */
export function metadataOf(object: object): MapValue {
  const found: unknown = own(object as MapValue, "metadata")
  return typeof found === "object" && found !== null ? (found as MapValue) : {}
}

/** The state that such an object is in. */
export function stateOf(object: object): ObjectState {
  const metadata = metadataOf(object)
  return { uid: textAt(metadata, "uid"), resourceVersion: textAt(metadata, "resourceVersion") }
}

/** Whether both are one state. States that the objects do not name are never the same. */
export function sameState(a: ObjectState, b: ObjectState): boolean {
  return a.uid !== "" && a.resourceVersion !== "" && a.uid === b.uid && a.resourceVersion === b.resourceVersion
}

/** Everything that is remembered about one object. */
interface Known {
  /** The state in the last answer; `none` before the first answer, `unsure` if the last request failed and may have changed something. */
  readonly state: ObjectState | "none" | "unsure"
  /** Configurations, by their hash, that left this state as it is, each with the time of the answer. */
  readonly unchanged: Map<string, number>
  /** When the server was asked last, or the object was seen first. */
  readonly since: number
  /** The number of the answer or failure that this record is from; 0 before the first one. */
  readonly order: number
}

/** How many configurations are remembered for one state of an object. */
const maxConfigurations = 16

/** The answers of a server, for a bounded number of objects. Times are in milliseconds. */
export class Memory {
  private readonly maxObjects: number
  /** By the key of the object, the one that was used last at the end. */
  private readonly objects = new Map<string, Known>()
  /** How many answers and failures were noted. */
  private noted = 0

  constructor(maxObjects: number) {
    this.maxObjects = maxObjects
  }

  /** When this configuration left the object, as it is now, unchanged; undefined if that is not known. */
  unchangedAt(keys: readonly string[], state: ObjectState, hash: string): number | undefined {
    const known = this.latest(keys)
    return isIn(known, state) ? known?.unchanged.get(hash) : undefined
  }

  /** Whether any configuration is known to leave the object unchanged: saves making a hash. */
  remembers(keys: readonly string[]): boolean {
    return (this.latest(keys)?.unchanged.size ?? 0) > 0
  }

  /** Whether the object may have changed since this state, by a request that was sent from here. */
  isOutdated(keys: readonly string[], state: ObjectState): boolean {
    const { state: last = "none" } = this.latest(keys) ?? {}
    if (last === "none" || last === "unsure") return last === "unsure"
    return isOlder(state.resourceVersion, last.resourceVersion)
  }

  /** The last answer or failure that was noted under one of the keys. */
  private latest(keys: readonly string[]): Known | undefined {
    const known = keys.flatMap(key => this.objects.get(key) ?? [])
    return known.reduce<Known | undefined>(
      (last, one) => (last === undefined || one.order > last.order ? one : last),
      undefined,
    )
  }

  /** When the server was asked last about the object: `now` if nothing is known of it, which is noted. */
  askedAt(key: string, now: number): number {
    const known = this.objects.get(key) ?? { state: "none", unchanged: new Map(), since: now, order: 0 }
    this.keep(key, known)
    return known.since
  }

  /** Notes an answer. With a hash: that configuration left the object as it was. */
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

  /** Notes that a request was refused, or had no answer. */
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
 * Whether the first resourceVersion may be of an earlier state than the second. API servers number the states of all objects of a
 * resource upwards; of what is no number, only the same is known not to be older.
 */
function isOlder(a: string, b: string): boolean {
  if (a === b) return false
  if (!number.test(a) || !number.test(b)) return true
  return a.length === b.length ? a < b : a.length < b.length
}
const number = /^[1-9]\d*$/
