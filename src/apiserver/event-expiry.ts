// The end of Events: a server deletes each of them an hour after its last write. Only a server with the clock of a test lives that long.

import { metaText } from "../schema/metadata.js"
import type { MapValue } from "../value/value.js"
import type { TestClock } from "./reproducible/clock.js"
import type { Store } from "./storage/store.js"

/** The time for which a server keeps an Event, in milliseconds: the default of `--event-ttl`. */
const lifetime = 60 * 60 * 1000

/** The key of Events in the store. */
export const eventsKey = "/events"

/** An Event as it was written, and the time at which it ends unless it is written again. */
export interface Expiry {
  readonly time: number
  readonly object: MapValue
}

/** Deletes Events when their time is up. */
export class EventExpiry {
  private readonly store: Store
  private readonly clock: TestClock
  /** Sorted by time. */
  readonly pending: Expiry[]
  private cancel: (() => void) | undefined

  constructor(store: Store, clock: TestClock, pending: readonly Expiry[] = []) {
    this.store = store
    this.clock = clock
    this.pending = [...pending]
    this.wait()
  }

  /** Notes that an Event was written. */
  note(object: MapValue): void {
    this.pending.push({ time: this.clock.now().getTime() + lifetime, object })
    this.wait()
  }

  /** Deletes nothing any longer. */
  close(): void {
    this.cancel?.()
    this.pending.length = 0
  }

  private wait(): void {
    const [next] = this.pending
    if (next === undefined || this.cancel !== undefined) return
    this.cancel = this.clock.schedule(Math.max(0, next.time - this.clock.now().getTime()), () => this.deleteDue())
  }

  private deleteDue(): void {
    const now = this.clock.now().getTime()
    const due = this.pending.findIndex(({ time }) => time > now)
    for (const { object } of this.pending.splice(0, due < 0 ? this.pending.length : due)) {
      const live = this.store.get(eventsKey, metaText(object, "namespace"), metaText(object, "name"))
      const isSame = live !== undefined && metaText(live, "resourceVersion") === metaText(object, "resourceVersion")
      if (isSame) this.store.remove(eventsKey, live)
    }
    this.cancel = undefined
    this.wait()
  }
}
