// The changes of objects in a log, in the order in which a server made them.
//
// resourceVersions say the order. A deletion without one goes where its time and the states of its object put it, and gets a number that no
// other change has. Times are those of the log, or else the newest in the object: the output of `kubectl get -w` has no others.

import { pluralOf } from "../../../kinds/resource/plural.js"
import { kindOf } from "../../../schema/group-version-kind.js"
import { metaText } from "../../../schema/metadata.js"
import { isMap, type MapValue } from "../../../value/value.js"
import { InputError } from "../../input/document.js"
import type { LogValue } from "../../input/log-values.js"
import { type Gap, type ObservedEnd, type ObservedState, observe } from "./observe.js"
import { isAsCreated, isCreation, isLastState, mayBeHeld, sinceOf, titleOf, versionOf } from "./state.js"

/** A change of an object. */
export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  readonly line: number
  /** Milliseconds since 1970. */
  readonly time: number
  /** The object after the change, or its last known state if it is deleted. */
  readonly object: MapValue
  /** The resourceVersion of the change; undefined for a deletion to which the log leaves no number. */
  readonly version: number | undefined
}

export interface Timeline {
  readonly changes: readonly Change[]
  /** How many of the changes lead to the state at the beginning of the log. */
  readonly initial: number
  readonly gaps: readonly Gap[]
}

/** A state or an end whose place is sought. */
interface Entry {
  readonly line: number
  readonly key: string
  /** "" for an end of an object that the log does not show. */
  readonly uid: string
  /** The state; for an end, the last state if its line has it. */
  readonly object: MapValue | undefined
  readonly isEnd: boolean
  version: number | undefined
  /** The change happened by this time. */
  by: number | undefined
  /** The change happened after this time. */
  readonly since: number | undefined
  how: ObservedState["how"]
}

/** The first events of a watch, which may be about objects that existed before. */
interface Beginning {
  readonly entries: Entry[]
  isOver: boolean
}

/** Reads a log. Throws an InputError for a line that does not belong in a log. */
export async function readLog(values: AsyncIterable<LogValue>): Promise<Log> {
  const log = new Log()
  for await (const { line, value, at } of values) {
    const found = isMap(value) ? observe(value, line) : undefined
    if (found === undefined) {
      throw new InputError(
        `${at}: is neither an event of an audit log or a watch, nor a line of --record, nor an object`,
      )
    }
    for (const one of found) {
      if (one.is === "state") log.addState(one)
      else if (one.is === "end") log.addEnd(one)
      else if (one.is === "gap") log.gaps.push(one)
      else log.endBeginning(one.kind)
    }
  }
  return log
}

/** The states of objects in a log. */
export class Log {
  readonly gaps: Gap[] = []
  private readonly entries: Entry[] = []
  /** The end of each object, by its uid. */
  private readonly ends = new Map<string, Entry>()
  /** The last state of each object in the order of the log. */
  private readonly last = new Map<string, Entry>()
  /** The states by uid and resourceVersion. */
  private readonly seen = new Map<string, Entry>()
  /** The plural names of kinds, as far as requests have shown them. */
  private readonly plurals = new Map<string, string>()
  private readonly beginnings = new Map<string, Beginning>()

  addState(state: ObservedState): void {
    const { line, object, how, by, resource } = state
    const key = this.keyOf(object, resource)
    const uid = metaText(object, "uid")
    const version = versionOf(object)
    if (metaText(object, "name") === "" || uid === "" || version === undefined) {
      this.addGap(line, "an object without uid or resourceVersion was never in a server", titleOf(object))
      return
    }
    const known = this.seen.get(`${uid} ${version}`)
    if (known !== undefined) {
      // A read may stand before the write.
      if (known.how === "read") known.how = how
      known.by = known.by === undefined || by === undefined ? (known.by ?? by) : Math.min(known.by, by)
      return
    }
    const before = this.last.get(key)
    const entry: Entry = { line, key, uid, object, isEnd: false, version, by, since: sinceOf(state), how }
    this.seen.set(`${uid} ${version}`, entry)
    if (how === "printed" && isLastState(object, before?.object)) {
      this.end({ ...entry, isEnd: true })
      return
    }
    this.noteBeginning(entry, kindOf(object).kind, before === undefined)
    this.last.set(key, entry)
    this.entries.push(entry)
  }

  addEnd({ line, by, group, resource, kind, namespace, name, uid, object, isUnsure }: ObservedEnd): void {
    const plural = resource === "" ? (this.plurals.get(`${group} ${kind}`) ?? pluralOf(kind)) : resource
    const key = [group, plural, namespace, name].join("/")
    const before = this.last.get(key)
    if (isUnsure && (before?.object === undefined || mayBeHeld(before.object))) {
      const about = `${plural} ${[namespace, name].filter(part => part !== "").join("/")}`
      this.addGap(line, "the log does not say whether a deleted object was gone at once", about)
      return
    }
    this.beginning(kind).isOver = true
    const known = object && versionOf(object)
    // The object of a response may be older than its deletion.
    const version = known === undefined || this.seen.has(`${uid} ${known}`) ? undefined : known
    this.end({
      line,
      key,
      uid: uid || (before?.uid ?? ""),
      object,
      isEnd: true,
      version,
      by,
      since: undefined,
      how: "written",
    })
  }

  /** Notes that the initial events of a watch are complete. */
  endBeginning(kind: string): void {
    const beginning = this.beginning(kind)
    if (!beginning.isOver) for (const entry of beginning.entries) entry.how = "read"
    beginning.isOver = true
  }

  /** The lowest resourceVersion; undefined if the log has none. */
  get lowestVersion(): number | undefined {
    const versions = this.entries.flatMap(({ version }) => version ?? [])
    return versions.length === 0 ? undefined : versions.reduce((least, version) => Math.min(least, version))
  }

  /** Whether the log has a state of the object with this kind and name. */
  has(object: MapValue): boolean {
    return this.last.has(this.keyOf(object, ""))
  }

  /** Returns the time of the first change; undefined if the log has no times. */
  get start(): number | undefined {
    const times = this.entries.flatMap(({ by, since }) => by ?? since ?? [])
    return times.length === 0 ? undefined : times.reduce((least, time) => Math.min(least, time))
  }

  /**
   * Returns the changes, which follow the states of the objects `before`. Those up to the resourceVersion `loaded` are part of the beginning.
   * Without times, there is a second between two changes, from `now` on.
   */
  timeline(before: readonly MapValue[], { loaded, now }: { readonly loaded: number; readonly now: Date }): Timeline {
    for (const beginning of this.beginnings.values()) settleBeginning(beginning)
    const entries = numbered(
      placed(this.entries, ({ line, object }) => {
        const reason =
          "a write has a lower resourceVersion than much earlier ones, as if from another etcd: the order may be wrong"
        this.addGap(line, reason, object === undefined ? "" : titleOf(object))
      }),
      loaded,
    )
    const times = timesOf(entries, now.getTime())
    const live = new Map(before.map(object => [this.keyOf(object, ""), object]))
    const changes: Change[] = []
    let initial = 0
    for (const [i, { line, key, uid, object, isEnd, version, how }] of entries.entries()) {
      const present = live.get(key)
      const isSame = present !== undefined && (uid === "" || metaText(present, "uid") === uid)
      const time = times[i] as number
      if (isEnd) {
        if (!isSame) continue
        changes.push({ type: "DELETED", line, time, object: object ?? present, version })
        live.delete(key)
        continue
      }
      const state = object as MapValue
      // The state of a loaded object may be newer.
      if (isSame && (versionOf(present) ?? 0) >= (version ?? 0)) continue
      if (present !== undefined && !isSame) {
        this.addGap(line, "an object was deleted and created again, and the log has no deletion", titleOf(state))
        const last = changes.at(-1)?.version ?? 0
        const free = (version ?? 0) - 1 > last ? (version ?? 0) - 1 : undefined
        changes.push({ type: "DELETED", line, time, object: present, version: free })
      }
      const isFirst = initial === changes.length
      if (isFirst && (how === "read" || (version ?? 0) <= loaded)) initial++
      else if (!isSame && present === undefined && !isCreation(how, state)) {
        this.addGap(line, "an object existed before the log shows it, and appears with its first state", titleOf(state))
      }
      changes.push({ type: isSame ? "MODIFIED" : "ADDED", line, time, object: state, version })
      live.set(key, state)
    }
    return { changes, initial, gaps: this.gaps.toSorted((a, b) => a.line - b.line) }
  }

  private addGap(line: number, reason: string, about: string): void {
    this.gaps.push({ is: "gap", line, reason, about })
  }

  private end(entry: Entry): void {
    const same = entry.uid === "" ? undefined : this.ends.get(entry.uid)
    if (same === undefined) {
      this.ends.set(entry.uid, entry)
      this.entries.push(entry)
    } else {
      same.version ??= entry.version
      same.by ??= entry.by
    }
  }

  private beginning(kind: string): Beginning {
    let found = this.beginnings.get(kind)
    if (found === undefined) this.beginnings.set(kind, (found = { entries: [], isOver: false }))
    return found
  }

  private noteBeginning(entry: Entry, kind: string, isFirst: boolean): void {
    const isEvent = entry.how === "added" || entry.how === "printed"
    const beginning = this.beginning(kind)
    if (isEvent && isFirst && !beginning.isOver) beginning.entries.push(entry)
    else if (isEvent || entry.how === "modified") beginning.isOver = true
  }

  private keyOf(object: MapValue, resource: string): string {
    const { group, kind } = kindOf(object)
    if (resource !== "") this.plurals.set(`${group} ${kind}`, resource)
    const plural = this.plurals.get(`${group} ${kind}`) ?? pluralOf(kind)
    return [group, plural, metaText(object, "namespace"), metaText(object, "name")].join("/")
  }
}

/**
 * Marks the objects that existed before a watch. They come first, sorted by name, and have often changed since their creation; new ones come in the order
 * of their resourceVersions, as they were created.
 */
function settleBeginning({ entries }: Beginning): void {
  let highest = 0
  let old = 0
  for (const [i, { object, version = 0 }] of entries.entries()) {
    if (version < highest || !isAsCreated(object as MapValue)) old = i + 1
    highest = Math.max(highest, version)
  }
  for (const entry of entries.slice(0, old)) entry.how = "read"
}

/** The longest time between a write and the end of its request, in milliseconds. */
const longestDelay = 60_000

/** Returns the entries in the order of the server. An end without resourceVersion comes after the last state of its object. */
function placed(entries: readonly Entry[], onDoubt: (entry: Entry) => void): Entry[] {
  const isNumbered = ({ version }: Entry) => version !== undefined
  const sorted = entries.filter(isNumbered).sort((a, b) => (a.version ?? 0) - (b.version ?? 0))
  let bound: number | undefined
  for (const entry of sorted.toReversed()) {
    const { by, how } = entry
    if (by === undefined) continue
    if (how !== "read" && bound !== undefined && by > bound + longestDelay) onDoubt(entry)
    // The object had the state by then, and thus by any later change.
    bound = entry.by = Math.min(by, bound ?? by)
  }
  for (const end of entries.filter(entry => !isNumbered(entry))) {
    const isLater = ({ by, line }: Entry) => (by !== undefined && end.by !== undefined ? by > end.by : line > end.line)
    const isOwn = ({ key, uid, line }: Entry) => key === end.key && (end.uid === "" ? line < end.line : uid === end.uid)
    const later = sorted.findIndex(isLater)
    const own = sorted.findLastIndex(isOwn)
    sorted.splice(Math.max(own + 1, later < 0 ? sorted.length : later), 0, end)
  }
  return sorted
}

/** Gives each entry without a resourceVersion the next free one, and moves it past others until there is one. */
function numbered(entries: Entry[], loaded: number): Entry[] {
  let last = loaded
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as Entry
    const next = entries[i + 1]
    if (entry.version === undefined) {
      const following = entries.find(({ version }, j) => j > i && version !== undefined)?.version
      if (following === undefined || last + 1 < following) entry.version = last + 1
      else if (next !== undefined && next.key !== entry.key) {
        entries[i] = next
        entries[i + 1] = entry
      }
    }
    last = Math.max(last, entries[i]?.version ?? 0)
  }
  return entries
}

/** Returns the time of each entry, none before an earlier one's. */
function timesOf(entries: readonly Entry[], now: number): readonly number[] {
  const known = entries.map(({ by, since }) => by ?? since)
  const first = known.find(time => time !== undefined)
  if (first === undefined) return known.map((_, i) => now + i * 1000)
  let last = first
  return known.map(time => (last = Math.max(last, time ?? last)))
}
