import type { VersionedSet } from "../../fieldpath/managers.js"
import type { Managed } from "../entries/managed.js"
import { formatTime } from "../entries/time.js"
import type { Link } from "./chain.js"

/**
 * The name of an update's manager while the update runs. It separates the fields that the update changes from those that the manager owned
 * before.
 */
const currentOperation = "current-operation"

/**
 * Records the time at which a manager changed something, and adds the fields that an update changed to those that its manager owned before.
 */
export function managedFieldsUpdater(inner: Link, clock: () => Date): Link {
  return {
    apply(call) {
      const result = inner.apply(call)
      if (result.object === null) return result
      return { ...result, managed: withTime(result.managed, call.manager, clock()) }
    },
    update(call) {
      const result = inner.update({ ...call, manager: currentOperation })
      const changed = result.managed.fields.get(currentOperation)
      if (changed === undefined) return result
      const fields = new Map(result.managed.fields)
      fields.delete(currentOperation)
      fields.set(call.manager, unite(changed, fields.get(call.manager)))
      return { ...result, managed: withTime({ ...result.managed, fields }, call.manager, clock()) }
    },
  }
}

function unite(changed: VersionedSet, before: VersionedSet | undefined): VersionedSet {
  return before === undefined ? changed : { ...changed, set: changed.set.union(before.set) }
}

function withTime(managed: Managed, manager: string, time: Date): Managed {
  return { ...managed, times: new Map(managed.times).set(manager, formatTime(time)) }
}
