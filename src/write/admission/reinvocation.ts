// Keeps the policies or webhooks that are called again after a later change of the object.

import { equalValues } from "../../value/equal.js"
import type { MapValue } from "../../value/value.js"

/** The state of one plugin in a request. */
export class Reinvocation {
  /** The ones that were called and want to see later changes. */
  readonly called = new Set<string>()
  /** Those to call in the second round. */
  readonly again = new Set<string>()
  /** Whether the plugin changed the object. */
  hasChanged = false
  /** The object as the plugin left it. */
  output: MapValue | undefined

  /** Notes that the object has changed after these were called. */
  changed(): void {
    this.hasChanged = true
    for (const id of this.called) this.again.add(id)
    this.called.clear()
  }

  /** Begins the second round: a change by another plugin counts, too. */
  restart(object: MapValue | undefined): void {
    if (object === undefined || this.output === undefined || equalValues(object, this.output)) return
    for (const id of this.called) this.again.add(id)
    this.called.clear()
  }
}
