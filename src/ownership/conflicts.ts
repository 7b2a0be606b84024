// The conflicts of an apply by field, as data.
import { comparePaths, equalPaths, type Path } from "../fieldpath/path.js"
import type { FieldConflict } from "../managedfields/status.js"
import type { UnionCause } from "../merge/conflict.js"
import type { Value } from "../value/value.js"
import { type Owner, ownerOf, type Share } from "./owners.js"
import type { Trial } from "./request.js"

/** One of those who own a field in conflict. */
export interface ConflictOwner extends Owner {
  /** The identifier of the entry; `parseManagerId` reads it. */
  readonly id: string
  /** How many fields and items it owns. */
  readonly fields: number
  /** How many are left to it after force; absent where not even force helps. With 0 it loses all it has. */
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

/** The conflicts by field, in the order of paths, the owners of each in the order of the conflicts. */
export function fieldsInConflict(trial: Trial): FieldInConflict[] {
  const fields: { readonly first: FieldConflict; readonly owners: ConflictOwner[] }[] = []
  for (const conflict of trial.conflicts.toSorted((a, b) => comparePaths(a.path, b.path))) {
    const last = fields[fields.length - 1]
    const owner = conflictOwner(conflict, trial)
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

function conflictOwner({ manager, owner }: FieldConflict, { shares, made, conflicts }: Trial): ConflictOwner {
  const share = find(shares, manager)
  const keeps = made instanceof Error ? undefined : (find(made.shares, manager)?.set.size ?? 0)
  // The engine makes the owner of an object that names none: it has what it keeps and what it loses.
  const lost = conflicts.filter(conflict => conflict.manager === manager).length
  const fields = share?.set.size ?? (keeps ?? 0) + lost
  return { ...(share?.owner ?? ownerOf(owner)), id: manager, fields, ...(keeps !== undefined && { keeps }) }
}

/** Of several entries for one manager the last counts, as for the engine. */
function find(shares: readonly Share[], id: string): Share | undefined {
  return shares.findLast(share => share.id === id)
}
