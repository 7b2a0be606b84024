// What differs between two states of an object: fields, and who owns what.
import { comparePaths, type Path } from "../fieldpath/path.js"
import { FieldSet } from "../fieldpath/set.js"
import { withoutMetadata } from "../managedfields/chain/strip-metadata.js"
import { withoutManagedFields } from "../managedfields/entries/entry.js"
import { ObjectTypes, type TypeFinder } from "../managedfields/types/object-types.js"
import { typedValueAt, typeOf } from "../ownership/fields.js"
import { reorderedLists } from "../ownership/order.js"
import { readShares } from "../ownership/owners.js"
import { type Place, placeOf, uppermostPaths } from "../ownership/place.js"
import { type OwnershipChange, ownershipChanges } from "../ownership/transfers.js"
import { objectKindOf } from "../schema/group-version-kind.js"
import { compareTyped } from "../typed/compare.js"
import type { MapValue, Value } from "../value/value.js"

/** A field or an item that differs. Of what comes or goes with all that is in it there is one. */
export interface FieldChange extends Place {
  /** What happened to it. An item whose place in its list changed makes the list `change`. */
  readonly action: "add" | "change" | "remove"
  /** What it was; absent where it was not there. Shared with the object. */
  readonly from?: Value
  /** What it is now; absent where it is not there any more. Shared with the object. */
  readonly to?: Value
}

/**
 * What changes from one state of an object to another; undefined where it is not there, which is
 * the empty object of its kind. Fields that nobody can own do not count.
 */
export function fieldChanges(
  types: TypeFinder,
  before: MapValue | undefined,
  after: MapValue | undefined,
): FieldChange[] {
  const some = after ?? before
  if (some === undefined || before === after) return []
  const type = typeOf(types, some)
  if (type === undefined) return []
  const stateOf = (object: MapValue | undefined): MapValue =>
    object === undefined ? new ObjectTypes(types).emptyObject(objectKindOf(some)) : withoutManagedFields(object)
  const [old, now] = [stateOf(before), stateOf(after)]
  const { added, modified, removed } = compareTyped(type, old, now, false, false).comparison
  const change = (action: FieldChange["action"]) => (path: Path) => {
    const [from, to] = [typedValueAt(type, old, path), typedValueAt(type, now, path)]
    const values = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
    return { path, change: { ...placeOf(path), action, ...values } }
  }
  const twice = added.intersection(removed) // items that a list had several times
  const lists = FieldSet.of(reorderedLists(type, old, now))
  return [
    ...uppermostPaths(withoutMetadata(added).recursiveDifference(twice)).map(change("add")),
    ...uppermostPaths(withoutMetadata(modified).union(twice).union(lists)).map(change("change")),
    ...uppermostPaths(withoutMetadata(removed).recursiveDifference(twice)).map(change("remove")),
  ]
    .sort((a, b) => comparePaths(a.path, b.path))
    .map(row => row.change)
}

/** Who gained and lost what from one state of an object to another. */
export function ownerChanges(before: MapValue | undefined, after: MapValue | undefined): OwnershipChange[] {
  if (before === after) return []
  const shares = (object: MapValue | undefined) => (object === undefined ? [] : readShares(object))
  return ownershipChanges(shares(before), shares(after))
}
