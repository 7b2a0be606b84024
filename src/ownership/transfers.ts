// Who gains and who loses what by an apply.
import { FieldSet } from "../fieldpath/set.js"
import type { FieldConflict } from "../managedfields/chain/status.js"
import { type Owner, ownerOf, type Share } from "./owners.js"
import { type Place, pathsOf, placeOf } from "./place.js"

/** What changes for one manager. */
export interface OwnershipChange {
  /** Whose ownership changes: as it is afterwards, or was before where it ends. */
  readonly owner: Owner
  /** What it comes to own. */
  readonly gained: readonly Place[]
  /** What it owns no more. */
  readonly lost: readonly Place[]
  /** How many fields and items it owns afterwards. */
  readonly keeps: number
}

/** What force takes from one manager. */
export interface TakenFields {
  /** Who loses it. */
  readonly owner: Owner
  /** What it loses because of the conflicts. */
  readonly fields: readonly Place[]
  /** How many fields and items it still owns then; 0 where it loses all. */
  readonly keeps: number
}

/** What changes for each manager, in the order of managedFields afterwards; those that own nothing any more come last. */
export function ownershipChanges(before: readonly Share[], after: readonly Share[]): OwnershipChange[] {
  const [old, now] = [byId(before), byId(after)]
  const changes: OwnershipChange[] = []
  for (const id of new Set([...now.keys(), ...old.keys()])) {
    const [had, has] = [setOf(old, id), setOf(now, id)]
    const [gained, lost] = [has.difference(had), had.difference(has)]
    if (gained.isEmpty() && lost.isEmpty()) continue
    const { owner } = (now.get(id) ?? old.get(id)) as Share
    changes.push({ owner, gained: pathsOf(gained).map(placeOf), lost: pathsOf(lost).map(placeOf), keeps: has.size })
  }
  return changes
}

/** What force takes from whom, of these conflicts. `after` are the owners then. */
export function takenFields(
  conflicts: readonly FieldConflict[],
  before: readonly Share[],
  after: readonly Share[],
): TakenFields[] {
  const [old, now] = [byId(before), byId(after)]
  const taken = new Map<string, TakenFields & { fields: Place[] }>()
  for (const { manager, owner, path } of conflicts) {
    const known = taken.get(manager) ?? {
      owner: old.get(manager)?.owner ?? ownerOf(owner),
      fields: [],
      keeps: setOf(now, manager).size,
    }
    known.fields.push(placeOf(path))
    taken.set(manager, known)
  }
  return Array.from(taken.values())
}

/** The entries by identifier. Of several for one manager the last counts, as for the engine. */
export function byId(shares: readonly Share[]): ReadonlyMap<string, Share> {
  return new Map(shares.map(share => [share.id, share]))
}

export function setOf(shares: ReadonlyMap<string, Share>, id: string): FieldSet {
  return shares.get(id)?.set ?? FieldSet.empty
}
