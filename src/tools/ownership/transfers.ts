// The fields that managers gain and lose by an apply.
import { FieldSet } from "../../fieldpath/set.js"
import type { FieldConflict } from "../../managedfields/chain/status.js"
import { type Owner, ownerOf, type Share } from "./owners.js"
import { type Place, pathsOf, placeOf } from "./place.js"

/** The ownership that one manager gains and loses. */
export interface OwnershipChange {
  /** The owner as it is afterwards, or as it was before if it no longer owns anything. */
  readonly owner: Owner
  /** The fields that it gains. */
  readonly gained: readonly Place[]
  /** The fields that it loses. */
  readonly lost: readonly Place[]
  /** The number of fields and items that it owns afterwards. */
  readonly keeps: number
}

/** The fields that force takes from one manager. */
export interface TakenFields {
  /** The owner that loses them. */
  readonly owner: Owner
  /** The fields that it loses because of the conflicts. */
  readonly fields: readonly Place[]
  /** The number of fields and items that it still owns then; 0 if it loses all. */
  readonly keeps: number
}

/** Returns the changes of each manager, in the order of managedFields afterwards. Managers that no longer own anything come last. */
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

/** Returns the fields that force takes from each owner in these conflicts. `after` is the shares after force. */
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

/** Returns the entries by identifier. If a manager has several, the last one counts, as in the engine. */
export function byId(shares: readonly Share[]): ReadonlyMap<string, Share> {
  return new Map(shares.map(share => [share.id, share]))
}

export function setOf(shares: ReadonlyMap<string, Share>, id: string): FieldSet {
  return shares.get(id)?.set ?? FieldSet.empty
}
