// The differences between two states of an object, or of all objects: fields that changed, and fields that changed owners.
import { comparePaths, type Path } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { withoutMetadata } from "../../managedfields/chain/strip-metadata.js"
import { withoutManagedFields } from "../../managedfields/entries/entry.js"
import { ObjectTypes, type TypeFinder } from "../../managedfields/types/object-types.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import { compareTyped } from "../../typed/compare.js"
import type { Type } from "../../typed/type.js"
import type { MapValue, Value } from "../../value/value.js"
import { objectType } from "../ownership/fields.js"
import { type ObjectName, objectName } from "../ownership/object-name.js"
import { reorderedLists } from "../ownership/order.js"
import { readShares, type Share } from "../ownership/owners.js"
import { type Place, placeOf, uppermostPaths } from "../ownership/place.js"
import { byId, type OwnershipChange, ownershipChanges } from "../ownership/transfers.js"
import { TypedLookup } from "../ownership/typed-lookup.js"
import { type Objects, sortedKeys } from "./objects.js"

/** A field or an item that changed. A field that is added or removed with everything in it is one change. */
export interface FieldChange extends Place {
  /** How the field changed. If an item moves within its list, the list has the action `change`. */
  readonly action: "add" | "change" | "remove"
  /** The value before; absent if the field did not exist. Shared with the object. */
  readonly from?: Value
  /** The value after; absent if the field does not exist. Shared with the object. */
  readonly to?: Value
}

/** The differences of one object between two states. */
export interface ObjectDifference {
  /** The object. */
  readonly target: ObjectName
  /** Whether the object was created, changed or deleted between the states. */
  readonly outcome: "created" | "changed" | "deleted"
  /** The fields that differ. */
  readonly changes: readonly FieldChange[]
  /** The fields that each owner gained and lost. */
  readonly ownership: readonly OwnershipChange[]
}

/** Returns the differences of each object that is not the same in both states, in the order of their keys. */
export function objectDifferences(types: TypeFinder, old: Objects, now: Objects): ObjectDifference[] {
  return sortedKeys(new Map([...old, ...now])).flatMap(key => {
    const [before, after] = [old.get(key), now.get(key)]
    if (before === after) return []
    const changes = fieldChanges(types, before, after)
    const ownership = ownerChanges(before, after)
    if (before !== undefined && after !== undefined && changes.length + ownership.length === 0) return []
    const outcome = before === undefined ? "created" : after === undefined ? "deleted" : "changed"
    return [{ target: objectName((after ?? before) as MapValue), outcome, changes, ownership } as const]
  })
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
  ]
    .sort((a, b) => comparePaths(a.path, b.path))
    .map(row => row.change)
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
function compareStates(
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

/** Returns every field whose value or owners differ between the states. Contains only the innermost fields. */
export function touchedFields(types: TypeFinder, before: MapValue | undefined, after: MapValue | undefined): FieldSet {
  const compared = compareStates(types, before, after)
  const values =
    compared === undefined
      ? FieldSet.empty
      : withoutMetadata(compared.added.union(compared.modified).union(compared.removed))
  const [old, now] = [sharesOf(before), sharesOf(after)].map(byId)
  let all = values
  for (const id of new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])) {
    const [had, has] = [old?.get(id)?.set ?? FieldSet.empty, now?.get(id)?.set ?? FieldSet.empty]
    all = all.union(had.difference(has)).union(has.difference(had))
  }
  return all.leaves()
}

/** Returns the fields that each owner gained and lost from one state of an object to another. */
export function ownerChanges(before: MapValue | undefined, after: MapValue | undefined): OwnershipChange[] {
  return before === after ? [] : ownershipChanges(sharesOf(before), sharesOf(after))
}

function sharesOf(object: MapValue | undefined): Share[] {
  return object === undefined ? [] : readShares(object)
}
