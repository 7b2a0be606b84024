// The differences between two states of an object, or of all objects: fields that changed, and fields that changed owners.
import { FieldSet } from "../../../fieldpath/set.js"
import { withoutMetadata } from "../../../managedfields/chain/strip-metadata.js"
import type { TypeFinder } from "../../../managedfields/types/object-types.js"
import type { MapValue } from "../../../value/value.js"
import { compareStates, type FieldChange, fieldChanges, ownerChanges, sharesOf } from "../../ownership/field-changes.js"
import { type ObjectName, objectName } from "../../ownership/object-name.js"
import { byId, type OwnershipChange } from "../../ownership/transfers.js"
import { type Objects, sortedKeys } from "./objects.js"

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
