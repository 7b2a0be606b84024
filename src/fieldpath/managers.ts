import { quoteGo } from "../value/quote.js"
import type { FieldSet } from "./set.js"

/** The fields that one manager owns, in the field names of one version. */
export interface VersionedSet {
  /** The fields it owns. Immutable. */
  readonly set: FieldSet
  /** The version whose field names the set uses. */
  readonly apiVersion: string
  /** Whether the manager owns the set by apply, so that its next apply may prune, or by update. */
  readonly applied: boolean
}

/** The set of each manager, by name. Operations return a new map. */
export type Managers = ReadonlyMap<string, VersionedSet>

/** The managers of an object before its first request: an empty map. */
export const noManagers: Managers = new Map()

/** Sets the entry of this manager in `managers`. A manager that owns nothing is removed. */
export function setOwner(managers: Map<string, VersionedSet>, manager: string, owner: VersionedSet): void {
  if (owner.set.isEmpty()) managers.delete(manager)
  else managers.set(manager, owner)
}

/** The parts of an entry of managedFields that tell its manager from others. */
export interface ManagerParts {
  readonly manager?: string
  readonly operation?: string
  readonly apiVersion?: string
  readonly subresource?: string
  readonly time?: string
}

/** Formats a manager for messages: `"a"`, `"a" with subresource "scale" using v1`, with the time if there is one. */
export function formatManagerParts({
  manager = "",
  operation,
  apiVersion = "",
  subresource,
  time,
}: ManagerParts): string {
  const name = subresource ? `${quoteGo(manager)} with subresource ${quoteGo(subresource)}` : quoteGo(manager)
  if (operation !== "Update") return name
  return time === undefined ? `${name} using ${apiVersion}` : `${name} using ${apiVersion} at ${time}`
}

/** Whether the same managers own the same fields, at the same version and in the same way. */
export function equalManagers(a: Managers, b: Managers): boolean {
  if (a === b) return true
  if (a.size !== b.size) return false
  for (const [manager, x] of a) {
    const y = b.get(manager)
    if (y === undefined || x.apiVersion !== y.apiVersion || x.applied !== y.applied || !x.set.equals(y.set))
      return false
  }
  return true
}

/**
 * Returns the difference between two states: for each manager, the paths that are in only one of its two sets, with `applied` false. A
 * manager whose version changed has its entry from `b`, and a manager that only one state has, its entry from that state. Managers without
 * a difference are left out.
 */
export function managersDifference(a: Managers, b: Managers): Managers {
  const out = new Map<string, VersionedSet>()
  for (const [manager, x] of a) {
    const y = b.get(manager)
    if (y === undefined) {
      if (!x.set.isEmpty()) out.set(manager, x)
    } else if (x.apiVersion !== y.apiVersion) {
      out.set(manager, y)
    } else {
      const set = x.set.difference(y.set).union(y.set.difference(x.set))
      if (!set.isEmpty()) out.set(manager, { set, apiVersion: y.apiVersion, applied: false })
    }
  }
  for (const [manager, y] of b) {
    if (!a.has(manager) && !y.set.isEmpty()) out.set(manager, y)
  }
  return out
}
