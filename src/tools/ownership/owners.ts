// The owners of an object's fields, entry by entry of its managedFields.
import { ParseError } from "../../errors.js"
import { decodeFields } from "../../fieldpath/fieldsv1/object.js"
import { hasFrom } from "../../fieldpath/parts.js"
import type { Path } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import type { DecodedSets } from "../../managedfields/entries/decoded-sets.js"
import { type ManagedFieldsEntry, readManagedFields } from "../../managedfields/entries/entry.js"
import { managerId } from "../../managedfields/entries/manager-id.js"

/** An owner: an entry of managedFields without its fields. */
export interface Owner {
  /** The name of the manager; "" if the entry has none. */
  readonly manager: string
  /** `Apply` or `Update`. */
  readonly operation: string
  /** The version whose field names the entry uses; "" if the entry has none. */
  readonly apiVersion: string
  /** The subresource that it writes through; absent for the main resource. */
  readonly subresource?: string
  /** The time of its last change, in RFC 3339. */
  readonly time?: string
}

/** One entry of managedFields, decoded. */
export interface Share {
  /** Identifies the manager across requests: `managerId` of the entry. */
  readonly id: string
  readonly owner: Owner
  readonly set: FieldSet
}

/** Returns the entry without its fields. */
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

/**
 * Returns the entries of the object, in their order. An entry with unreadable fields owns nothing; `findingsAbout` reports it. `sets` has
 * the sets of entries that were decoded before; absent if the object may change later.
 */
export function readShares(object: object, sets?: DecodedSets): Share[] {
  return (readManagedFields(object) ?? []).map(entry => ({
    id: managerId(entry),
    owner: ownerOf(entry),
    set: readSet(entry, sets),
  }))
}

function readSet({ fieldsV1 }: ManagedFieldsEntry, sets: DecodedSets | undefined): FieldSet {
  if (fieldsV1 === undefined) return FieldSet.empty
  try {
    return (sets === undefined ? decodeFields(fieldsV1) : sets.decode(fieldsV1)).set
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    return FieldSet.empty
  }
}

/** The decoded owners of the object that each plan results in. Plans are plain data and don't contain them. */
const sharesOfPlans = new WeakMap<object, readonly Share[]>()

/** Keeps the decoded owners of the object that a plan results in, for `sharesAfter`. */
export function noteShares(plan: PlannedObjects, shares: readonly Share[]): void {
  sharesOfPlans.set(plan, shares)
}

/** Returns the owners of the object that a plan results in, after force if the plan has a forced result. Does not decode them again. */
export function sharesAfter(plan: PlannedObjects): readonly Share[] {
  return sharesOfPlans.get(plan) ?? readShares(plan.forced ?? plan.object)
}

/** The objects of a `Plan`. */
interface PlannedObjects {
  readonly object: object
  readonly forced?: object
}

/** Returns the owners of exactly this path, in the order of the entries. */
export function ownersAt(shares: readonly Share[], path: Path): Owner[] {
  return shares.filter(({ set }) => set.has(path)).map(({ owner }) => owner)
}

/** Returns the owners of this path or of something below it. */
export function ownersFrom(shares: readonly Share[], path: Path): Owner[] {
  return shares.filter(({ set }) => hasFrom(set, path)).map(({ owner }) => owner)
}
