// Who wrote what a watch shows.
import { parseFieldsV1Key } from "../../fieldpath/fieldsv1/key.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { type Owner, ownersAt, readShares } from "../../tools/ownership/owners.js"
import { fieldChanges, ownerChanges } from "../../tools/simulator/difference.js"
import type { MapValue } from "../../value/value.js"

/**
 * Who wrote the state that came after another: a manager that came to own something, whose entry has another time, that applied and gave
 * something up, or that owns what has changed; of several the one with the latest time. Undefined where nothing tells.
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
        steps.map(parseFieldsV1Key).filter(element => element !== undefined),
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
