// The time of a server: from the machine, from a function, or from a test that advances it.

import { aFunction, type Expected, requireArgument } from "../../value/argument.js"

/** A clock that stands still until a test advances it. A server with such a clock has its timers here, too: the timeouts of watches. */
export class TestClock {
  private time: number
  /** Sorted by time. Timers of the same time are in the order in which they were set. */
  private readonly timers: Timer[] = []

  /** Throws a TypeError if `start` is not a time. If absent, it is 2026-01-01T00:00:00Z. */
  constructor(start: Date | string | number = "2026-01-01T00:00:00Z") {
    requireArgument("start", start, aTime)
    this.time = new Date(start).getTime()
  }

  /** Returns the current time. */
  now(): Date {
    return new Date(this.time)
  }

  /** Moves the time forward. Runs the timers up to then in the order of their times, each at its own time. */
  advance(milliseconds: number): void {
    requireArgument("milliseconds", milliseconds, aDuration)
    const end = this.time + milliseconds
    for (let next = this.timers[0]; next !== undefined && next.time <= end; next = this.timers[0]) {
      this.timers.shift()
      this.time = next.time
      next.run()
    }
    this.time = end
  }

  /** Calls `run` once, when the clock has advanced by this time. Returns a function that cancels the call. */
  schedule(milliseconds: number, run: () => void): () => void {
    requireArgument("milliseconds", milliseconds, aDuration)
    requireArgument("run", run, aFunction)
    return this.insert({ time: this.time + milliseconds, run, isLast: false })
  }

  /** @internal Calls `run` as `schedule` does, but after all other timers of the same time. */
  scheduleLast(milliseconds: number, run: () => void): () => void {
    return this.insert({ time: this.time + milliseconds, run, isLast: true })
  }

  private insert(timer: Timer): () => void {
    const { timers } = this
    const later = timers.findIndex(
      ({ time, isLast }) => time > timer.time || (time === timer.time && isLast && !timer.isLast),
    )
    timers.splice(later < 0 ? timers.length : later, 0, timer)
    return () => {
      const at = timers.indexOf(timer)
      if (at >= 0) timers.splice(at, 1)
    }
  }

  /** @internal Sets the time, without running timers. */
  set(time: Date): void {
    this.time = time.getTime()
  }
}

/** A call to make at a time. */
interface Timer {
  readonly time: number
  readonly run: () => void
  /** Whether it comes after the other timers of its time. */
  readonly isLast: boolean
}

const aTime: Expected = {
  name: "a time",
  fits: value =>
    (value instanceof Date || typeof value === "string" || typeof value === "number") &&
    !Number.isNaN(new Date(value).getTime()),
}
const aDuration: Expected = {
  name: "a number of milliseconds, at least 0",
  fits: value => typeof value === "number" && Number.isFinite(value) && value >= 0,
}

/** The time of a server. */
export interface ServerTime {
  now(): Date
  /** Calls `run` after this time. Returns a function that cancels the call. */
  schedule(milliseconds: number, run: () => void): () => void
  /** Does the same after all other calls of that time. The machine's timer does not keep a program alive. */
  scheduleLast(milliseconds: number, run: () => void): () => void
}

/** The longest delay of a timer of the machine, in milliseconds. */
const longestTimer = 2 ** 31 - 1

/** The options that decide on the time of a server. A seed without a clock makes a clock that a test advances. */
interface TimeOptions {
  readonly clock?: TestClock | (() => Date) | undefined
  readonly seed?: number | undefined
}

/** Returns the time by the clock of the options. Unless a test advances the clock, its timers are the machine's. */
export function timeBy({ clock: given, seed }: TimeOptions): ServerTime {
  const clock = given ?? (seed === undefined ? undefined : new TestClock())
  if (clock instanceof TestClock) return clock
  const begin = (milliseconds: number, run: () => void) => setTimeout(run, Math.min(milliseconds, longestTimer))
  return {
    now: clock ?? (() => new Date()),
    schedule: (milliseconds, run) => {
      const timer = begin(milliseconds, run)
      return () => clearTimeout(timer)
    },
    scheduleLast: (milliseconds, run) => {
      const timer: unknown = begin(milliseconds, run)
      // A browser's timer is a number.
      if (typeof timer === "object") (timer as { readonly unref: () => void }).unref()
      return () => clearTimeout(timer as number)
    },
  }
}

/** Calls `run` again and again with this time between two calls. Returns a function that stops this. */
export function repeat(time: ServerTime, milliseconds: number, run: () => void): () => void {
  let cancel = time.schedule(milliseconds, again)
  function again(): void {
    cancel = time.schedule(milliseconds, again)
    run()
  }
  return () => cancel()
}
