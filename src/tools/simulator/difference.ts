// What differs between two states of an object: fields, and who owns what.
import { comparePaths, type Path } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { withoutMetadata } from "../../managedfields/chain/strip-metadata.js"
import { withoutManagedFields } from "../../managedfields/entries/entry.js"
import { ObjectTypes, type TypeFinder } from "../../managedfields/types/object-types.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import { compareTyped } from "../../typed/compare.js"
import type { Type } from "../../typed/type.js"
import type { MapValue, Value } from "../../value/value.js"
import { typeOf } from "../ownership/fields.js"
import { reorderedLists } from "../ownership/order.js"
import { readShares, type Share } from "../ownership/owners.js"
import { type Place, placeOf, uppermostPaths } from "../ownership/place.js"
import { byId, type OwnershipChange, ownershipChanges } from "../ownership/transfers.js"
import { TypedLookup } from "../ownership/typed-lookup.js"

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
  const found = comparison(types, before, after)
  if (found === undefined) return []
  const { type, old, now, added, modified, removed } = found
  const lookups = [new TypedLookup(type, old), new TypedLookup(type, now)]
  const change = (action: FieldChange["action"]) => (path: Path) => {
    const [from, to] = lookups.map(lookup => lookup.valueAt(path))
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

interface Compared {
  readonly type: Type
  readonly old: MapValue
  readonly now: MapValue
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/** How the states differ; undefined if they do not, or if there is no type. */
function comparison(
  types: TypeFinder,
  before: MapValue | undefined,
  after: MapValue | undefined,
): Compared | undefined {
  const some = after ?? before
  const type = some === undefined || before === after ? undefined : typeOf(types, some)
  if (some === undefined || type === undefined) return undefined
  const stateOf = (object: MapValue | undefined): MapValue =>
    object === undefined ? new ObjectTypes(types).emptyObject(objectKindOf(some)) : withoutManagedFields(object)
  const [old, now] = [stateOf(before), stateOf(after)]
  const { added, modified, removed } = compareTyped(type, old, now, false, false).comparison
  return { type, old, now, added, modified, removed }
}

/** Every field whose value or owners differ between the states; of those in each other the innermost. */
export function touchedFields(types: TypeFinder, before: MapValue | undefined, after: MapValue | undefined): FieldSet {
  const found = comparison(types, before, after)
  const values =
    found === undefined ? FieldSet.empty : withoutMetadata(found.added.union(found.modified).union(found.removed))
  const [old, now] = [sharesOf(before), sharesOf(after)].map(byId)
  let all = values
  for (const id of new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])) {
    const [had, has] = [old?.get(id)?.set ?? FieldSet.empty, now?.get(id)?.set ?? FieldSet.empty]
    all = all.union(had.difference(has)).union(has.difference(had))
  }
  return all.leaves()
}

/** Who gained and lost what from one state of an object to another. */
export function ownerChanges(before: MapValue | undefined, after: MapValue | undefined): OwnershipChange[] {
  return before === after ? [] : ownershipChanges(sharesOf(before), sharesOf(after))
}

function sharesOf(object: MapValue | undefined): Share[] {
  return object === undefined ? [] : readShares(object)
}
