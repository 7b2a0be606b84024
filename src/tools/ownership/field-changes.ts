// The differences between two states of an object: fields that changed, and fields that changed owners.
import { comparePaths, type Path } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { withoutMetadata } from "../../managedfields/chain/strip-metadata.js"
import { withoutManagedFields } from "../../managedfields/entries/entry.js"
import { ObjectTypes, type TypeFinder } from "../../managedfields/types/object-types.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import { compareTyped } from "../../typed/compare.js"
import type { Type } from "../../typed/type.js"
import type { MapValue, Value } from "../../value/value.js"
import { objectType } from "./fields.js"
import { reorderedLists } from "./order.js"
import { readShares, type Share } from "./owners.js"
import { type Place, placeOf, uppermostPaths } from "./place.js"
import { type OwnershipChange, ownershipChanges } from "./transfers.js"
import { TypedLookup } from "./typed-lookup.js"

/** A field or an item that changed. A field that is added or removed with everything in it is one change. */
export interface FieldChange extends Place {
  /** How the field changed. If an item moves within its list, the list has the action `change`. */
  readonly action: "add" | "change" | "remove"
  /** The value before; absent if the field did not exist. Shared with the object. */
  readonly from?: Value
  /** The value after; absent if the field does not exist. Shared with the object. */
  readonly to?: Value
}

/**
 * Returns the fields that change from one state of an object to another. A state in which the object does not exist is undefined, and is
 * compared as the empty object of its kind. Fields that nobody can own are ignored.
 */
export function fieldChanges(
  types: TypeFinder,
  before: MapValue | undefined,
  after: MapValue | undefined,
): FieldChange[] {
  return changesByPath(types, before, after).map(row => row.change)
}

/** Returns the same changes with their paths. */
export function changesByPath(
  types: TypeFinder,
  before: MapValue | undefined,
  after: MapValue | undefined,
): { readonly path: Path; readonly change: FieldChange }[] {
  const compared = compareStates(types, before, after)
  if (compared === undefined) return []
  const { type, old, now, added, modified, removed } = compared
  const lookups = [new TypedLookup(type, old), new TypedLookup(type, now)]
  const change = (action: FieldChange["action"]) => (path: Path) => {
    const [from, to] = lookups.map(lookup => lookup.valueAt(path))
    const values = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
    return { path, change: { ...placeOf(path), action, ...values } }
  }
  const twice = added.intersection(removed) // items that a list contained several times
  const lists = FieldSet.of(reorderedLists(type, old, now))
  return [
    ...uppermostPaths(withoutMetadata(added).recursiveDifference(twice)).map(change("add")),
    ...uppermostPaths(withoutMetadata(modified).union(twice).union(lists)).map(change("change")),
    ...uppermostPaths(withoutMetadata(removed).recursiveDifference(twice)).map(change("remove")),
  ].sort((a, b) => comparePaths(a.path, b.path))
}

interface StateComparison {
  readonly type: Type
  readonly old: MapValue
  readonly now: MapValue
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/** Compares the states. Returns undefined if they are the same object or have no type. */
export function compareStates(
  types: TypeFinder,
  before: MapValue | undefined,
  after: MapValue | undefined,
): StateComparison | undefined {
  const some = after ?? before
  const type = some === undefined || before === after ? undefined : objectType(types, some)
  if (some === undefined || type === undefined) return undefined
  const stateOf = (object: MapValue | undefined): MapValue =>
    object === undefined ? new ObjectTypes(types).emptyObject(objectKindOf(some)) : withoutManagedFields(object)
  const [old, now] = [stateOf(before), stateOf(after)]
  const { added, modified, removed } = compareTyped(type, old, now, false, false).comparison
  return { type, old, now, added, modified, removed }
}

/** Returns the fields that each owner gained and lost from one state of an object to another. */
export function ownerChanges(before: MapValue | undefined, after: MapValue | undefined): OwnershipChange[] {
  return before === after ? [] : ownershipChanges(sharesOf(before), sharesOf(after))
}

export function sharesOf(object: MapValue | undefined): Share[] {
  return object === undefined ? [] : readShares(object)
}
