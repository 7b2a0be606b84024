// When stages of controllers act on objects later: after their delays, and after refusals.
import { metaText } from "../../schema/metadata.js"
import type { MapValue } from "../../value/value.js"
import { type ServerTime, TestClock } from "../reproducible/clock.js"

/** A stage that will act on an object. */
interface Timer {
  readonly time: number
  /** The uid of the object. */
  readonly uid: string
}

/** The timers that a fork takes over. */
export interface TimersState {
  readonly timers: readonly (readonly [string, Timer])[]
  readonly waits: readonly (readonly [string, number])[]
}

/** How long a stage waits after it was refused, in milliseconds; twice as long each time. */
const leastWait = 1000
const mostWait = 300_000

/** The timers of one server, each for a stage and the address of an object. */
export class StageTimers {
  private readonly time: ServerTime
  private readonly ring: () => void
  private readonly timers: Map<string, Timer>
  /** How long stages waited after their last refusal. */
  private readonly waits: Map<string, number>
  /** Timers whose time has come. */
  private readonly due: (readonly [string, Timer])[] = []
  private alarm: { readonly time: number; readonly cancel: () => void } | undefined

  /** Calls `ring` when timers are due. */
  constructor(time: ServerTime, ring: () => void, { timers, waits }: TimersState) {
    this.time = time
    this.ring = ring
    this.timers = new Map(timers)
    this.waits = new Map(waits)
  }

  get state(): TimersState {
    return { timers: [...this.due, ...this.timers], waits: [...this.waits] }
  }

  get isDue(): boolean {
    return this.due.length > 0
  }

  /** Takes the first timer whose time has come. */
  takeDue(): readonly [id: string, uid: string] | undefined {
    const due = this.due.shift()
    return due && [due[0], due[1].uid]
  }

  isSet(id: string, object: MapValue): boolean {
    return this.timers.get(id)?.uid === metaText(object, "uid")
  }

  set(id: string, milliseconds: number, object: MapValue): void {
    this.timers.delete(id)
    this.timers.set(id, { time: this.time.now().getTime() + milliseconds, uid: metaText(object, "uid") })
  }

  /** Removes the timer, and remembers the refusals. */
  unset(id: string): void {
    this.timers.delete(id)
  }

  /** Sets the timer after a refusal, twice as long each time. Without an object, the refusal only counts. */
  setAfterRefusal(id: string, object: MapValue | undefined): void {
    const wait = Math.min(mostWait, (this.waits.get(id) ?? leastWait / 2) * 2)
    this.waits.set(id, wait)
    if (object !== undefined) this.set(id, wait, object)
  }

  /** Forgets the refusals. */
  forgive(id: string): void {
    this.waits.delete(id)
  }

  /** Sets the alarm for the first timer. */
  wait(): void {
    let first = Number.POSITIVE_INFINITY
    for (const { time } of this.timers.values()) first = Math.min(first, time)
    if (this.alarm?.time !== first) this.setAlarm(first)
  }

  /** Rings when the clock of a test advances next. */
  waitForTest(): void {
    if (this.time instanceof TestClock) this.setAlarm(this.time.now().getTime())
  }

  close(): void {
    this.setAlarm(Number.POSITIVE_INFINITY)
    this.timers.clear()
    this.waits.clear()
    this.due.length = 0
  }

  private setAlarm(time: number): void {
    this.alarm?.cancel()
    this.alarm = undefined
    if (time === Number.POSITIVE_INFINITY) return
    const delay = Math.max(0, time - this.time.now().getTime())
    this.alarm = { time, cancel: this.time.scheduleLast(delay, () => this.becomeDue()) }
  }

  private becomeDue(): void {
    this.alarm = undefined
    const now = this.time.now().getTime()
    const due = [...this.timers].filter(([, { time }]) => time <= now).sort(([, a], [, b]) => a.time - b.time)
    for (const [id, timer] of due) {
      this.timers.delete(id)
      this.due.push([id, timer])
    }
    this.ring()
  }
}
