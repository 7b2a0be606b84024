import type { VersionedSet } from "../../fieldpath/managers.js"
import { compareStrings } from "../../value/compare.js"
import type { Managed } from "../entries/managed.js"
import { managerId } from "../entries/manager-id.js"
import { compareTimes } from "../entries/time.js"
import type { Link } from "./chain.js"

/** The manager that owns the fields of managers beyond the limit. */
export const ancientChanges = "ancient-changes"

/** The maximum number of managers that own fields by update. */
const maxUpdateManagers = 10

/** Keeps at most `limit` managers that own fields by update. The oldest of each version are merged into one. */
export function capManagers(inner: Link, limit: number = maxUpdateManagers): Link {
  return {
    apply: call => inner.apply(call),
    update(call) {
      const result = inner.update(call)
      const managed = cap(result.managed, limit)
      return managed === result.managed ? result : { ...result, managed }
    },
  }
}

function cap(managed: Managed, limit: number): Managed {
  if (managed.fields.size <= limit) return managed
  const updaters = [...managed.fields].filter(([, owner]) => !owner.applied).map(([id]) => id)
  if (updaters.length <= limit) return managed
  updaters.sort((a, b) => compareTimes(managed.times.get(a), managed.times.get(b)) || compareStrings(a, b))
  const fields = new Map(managed.fields)
  const times = new Map(managed.times)
  /** The oldest manager of each version. It stays unchanged until there is a second one to merge it with. */
  const oldest = new Map<string, string>()
  let left = updaters.length
  for (const id of updaters) {
    if (left <= limit) break
    const owner = fields.get(id) as VersionedSet // removed in its own round at the earliest, except for the oldest of a version
    const first = oldest.get(owner.apiVersion)
    if (first === undefined) {
      oldest.set(owner.apiVersion, id)
      continue
    }
    const bucket = managerId({ manager: ancientChanges, operation: "Update", apiVersion: owner.apiVersion })
    let into = fields.get(bucket)
    if (into === undefined) {
      into = fields.get(first) as VersionedSet
      fields.delete(first)
    }
    fields.set(bucket, { set: owner.set.union(into.set), apiVersion: owner.apiVersion, applied: false })
    // Go: an existing bucket that is old enough to be visited itself is merged with itself and then removed.
    fields.delete(id)
    left--
    const time = managed.times.get(id)
    if (time === undefined) times.delete(bucket)
    else times.set(bucket, time)
  }
  return { ...managed, fields, times }
}
