// The conflicts of an apply by field, as data.
import { comparePaths, equalPaths, type Path } from "../../fieldpath/path.js"
import type { FieldConflict } from "../../managedfields/chain/status.js"
import type { UnionCause } from "../../merge/conflict.js"
import type { Value } from "../../value/value.js"
import { type Owner, ownerOf } from "./owners.js"
import { isRefused, type Trial } from "./request.js"
import { byId, setOf } from "./transfers.js"

/** An owner of a field in conflict. */
export interface ConflictOwner extends Owner {
  /** The identifier of the entry; `parseManagerId` reads it. */
  readonly id: string
  /** The number of fields and items that it owns. */
  readonly fields: number
  /** The number it would keep after a forced apply; absent if force doesn't help either. With 0 it loses all its fields. */
  readonly keeps?: number
}

/** All conflicts about one field. */
export interface FieldInConflict {
  readonly path: Path
  readonly owners: readonly ConflictOwner[]
  readonly live: Value | undefined
  readonly configured: Value | undefined
  readonly union: UnionCause | undefined
}

/** Returns the conflicts grouped by field, in the order of paths; the owners of each field are in the order of the conflicts. */
export function fieldsInConflict(trial: Trial): FieldInConflict[] {
  const owners = ownersInConflict(trial)
  const fields: { readonly first: FieldConflict; readonly owners: ConflictOwner[] }[] = []
  for (const conflict of trial.conflicts.toSorted((a, b) => comparePaths(a.path, b.path))) {
    const last = fields[fields.length - 1]
    const owner = owners.get(conflict.manager) as ConflictOwner
    if (last !== undefined && equalPaths(last.first.path, conflict.path)) last.owners.push(owner)
    else fields.push({ first: conflict, owners: [owner] })
  }
  return fields.map(({ first: { path, live, configured, union }, owners }) => ({
    path,
    owners,
    live,
    configured,
    union,
  }))
}

/** Returns the owners, keyed by their identifiers. */
function ownersInConflict({ shares, result, conflicts }: Trial): ReadonlyMap<string, ConflictOwner> {
  const [before, after] = [byId(shares), isRefused(result) ? undefined : byId(result.shares)]
  const lost = new Map<string, number>()
  for (const { manager } of conflicts) lost.set(manager, (lost.get(manager) ?? 0) + 1)
  const owners = new Map<string, ConflictOwner>()
  for (const { manager, owner } of conflicts) {
    if (owners.has(manager)) continue
    const share = before.get(manager)
    const keeps = after && setOf(after, manager).size
    // For an object without owners the engine makes up the owner. Its fields are those it keeps plus those it loses.
    const fields = share?.set.size ?? (keeps ?? 0) + (lost.get(manager) ?? 0)
    const known = share?.owner ?? ownerOf(owner)
    owners.set(manager, { ...known, id: manager, fields, ...(keeps !== undefined && { keeps }) })
  }
  return owners
}
