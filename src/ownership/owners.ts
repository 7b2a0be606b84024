// Who owns what in an object, entry by entry of its managedFields.
import { ParseError } from "../errors.js"
import { decodeFields } from "../fieldpath/fieldsv1/object.js"
import type { Path } from "../fieldpath/path.js"
import { FieldSet } from "../fieldpath/set.js"
import { type ManagedFieldsEntry, readManagedFields } from "../managedfields/entries/entry.js"
import { managerId } from "../managedfields/entries/manager-id.js"

/** Who owns something: an entry of managedFields without its fields. */
export interface Owner {
  /** The name of the manager; "" if the entry has none. */
  readonly manager: string
  /** `Apply` or `Update`. */
  readonly operation: string
  /** The version whose field names the entry uses; "" if the entry has none. */
  readonly apiVersion: string
  /** The subresource through which it writes; absent for the main resource. */
  readonly subresource?: string
  /** When it last changed something, in RFC 3339. */
  readonly time?: string
}

/** One entry of managedFields, decoded. */
export interface Share {
  /** Tells managers apart, in every request: `managerId` of the entry. */
  readonly id: string
  readonly owner: Owner
  readonly set: FieldSet
}

/** The entry without its fields. */
export function ownerOf(entry: ManagedFieldsEntry): Owner {
  const { manager = "", operation = "", apiVersion = "", subresource, time } = entry
  return {
    manager,
    operation,
    apiVersion,
    ...(subresource !== undefined && subresource !== "" && { subresource }),
    ...(time !== undefined && { time }),
  }
}

/** The entries of the object, in their order. One whose fields can't be read owns nothing; `findingsAbout` says so. */
export function readShares(object: object): Share[] {
  return (readManagedFields(object) ?? []).map(entry => ({
    id: managerId(entry),
    owner: ownerOf(entry),
    set: setOf(entry),
  }))
}

function setOf({ fieldsV1 }: ManagedFieldsEntry): FieldSet {
  if (fieldsV1 === undefined) return FieldSet.empty
  try {
    return decodeFields(fieldsV1).set
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    return FieldSet.empty
  }
}

/** The owners of exactly this path, in the order of the entries. */
export function ownersAt(shares: readonly Share[], path: Path): Owner[] {
  return shares.filter(({ set }) => set.has(path)).map(({ owner }) => owner)
}

/** The owners of this path or of something below it. */
export function ownersFrom(shares: readonly Share[], path: Path): Owner[] {
  return shares.filter(({ set }) => set.has(path) || !below(set, path).isEmpty()).map(({ owner }) => owner)
}

/** What the set has below the path. */
export function below(set: FieldSet, path: Path): FieldSet {
  let found = set
  for (const element of path) found = found.withPrefix(element)
  return found
}

/** Everything that is in any of the sets. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  // Two by two: a set that grows with each step would be copied for each.
  if (sets.length < 3) return sets.reduce((all, set) => all.union(set), FieldSet.empty)
  const middle = sets.length >> 1
  return unionOf(sets.slice(0, middle)).union(unionOf(sets.slice(middle)))
}
