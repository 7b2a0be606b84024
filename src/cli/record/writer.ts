// Finds the manager that wrote a state in a watch.
import { parseFieldsV1Key } from "../../fieldpath/fieldsv1/key.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { fieldChanges, ownerChanges } from "../../tools/ownership/field-changes.js"
import { type Owner, ownersAt, readShares } from "../../tools/ownership/owners.js"
import type { MapValue } from "../../value/value.js"

/**
 * Returns the owner that wrote the state `after`: an owner that gained fields, else one with a new entry or another time, else one that
 * gave up fields in an apply, else one that owns changed fields. Of several owners, the latest counts. Undefined if none of them exists.
 */
export function writerOf(types: TypeFinder, before: MapValue | undefined, after: MapValue): Owner | undefined {
  const shares = readShares(after)
  const now = shares.map(({ owner }) => owner)
  const old = before === undefined ? [] : readShares(before).map(({ owner }) => owner)
  const isKnown = (owner: Owner) => old.some(other => idOf(other) === idOf(owner) && other.time === owner.time)
  const changes = ownerChanges(before, after)
  const moved = () =>
    fieldChanges(types, before, after).flatMap(({ steps }) =>
      ownersAt(
        shares,
        steps.map(step => parseFieldsV1Key(step)).filter(element => element !== undefined),
      ),
    )
  return (
    latest(changes.filter(({ gained }) => gained.length > 0).map(({ owner }) => owner)) ??
    latest(now.filter(owner => !isKnown(owner))) ??
    latest(changes.filter(({ owner }) => owner.operation === "Apply").map(({ owner }) => owner)) ??
    latest(moved())
  )
}

function idOf({ manager, operation, apiVersion, subresource }: Owner): string {
  return JSON.stringify([manager, operation, apiVersion, subresource])
}

function latest(owners: readonly Owner[]): Owner | undefined {
  return owners.reduce<Owner | undefined>(
    (found, owner) => (found === undefined || (owner.time ?? "") > (found.time ?? "") ? owner : found),
    undefined,
  )
}
