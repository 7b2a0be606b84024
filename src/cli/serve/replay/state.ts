// Conclusions from the state of an object about its history.

import { kindOf } from "../../../schema/group-version-kind.js"
import { metadataOf, metaText, withMetadata } from "../../../schema/metadata.js"
import { objectName } from "../../../tools/ownership/object-name.js"
import { equalValues } from "../../../value/equal.js"
import { mapsAt, textAt } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import { isList, type MapValue, type Value } from "../../../value/value.js"
import { isFinalized } from "../../../write/strategy.js"
import { objectTitle } from "../../output/object-title.js"
import type { ObservedState } from "./observe.js"

/** Returns the resourceVersion; undefined if it is not a positive integer. */
export function versionOf(object: MapValue): number | undefined {
  const version = Number(metaText(object, "resourceVersion"))
  return Number.isSafeInteger(version) && version > 0 ? version : undefined
}

/** Returns a time that the change cannot precede: the newest in its object, or the one of the observation. */
export function sinceOf({ object, since }: ObservedState): number | undefined {
  const metadata = metadataOf(object)
  const grace = Number(own(metadata, "deletionGracePeriodSeconds") ?? 0) * 1000
  const times = [
    ...(since === undefined ? [] : [since]),
    Date.parse(textAt(metadata, "creationTimestamp")),
    Date.parse(textAt(metadata, "deletionTimestamp")) - grace,
    ...mapsAt(metadata, "managedFields").map(entry => Date.parse(textAt(entry, "time"))),
  ].filter(time => !Number.isNaN(time))
  return times.length === 0 ? undefined : Math.max(...times)
}

/** Whether nobody has changed the object since its creation, as far as its times tell. */
export function isAsCreated(object: MapValue): boolean {
  const metadata = metadataOf(object)
  const created = textAt(metadata, "creationTimestamp")
  return mapsAt(metadata, "managedFields").every(entry => textAt(entry, "time") <= created)
}

/** Whether the object was created just before it was seen in this way. */
export function isCreation(how: ObservedState["how"], state: MapValue): boolean {
  return how === "created" || ((how === "added" || how === "printed" || how === "written") && isAsCreated(state))
}

/**
 * Whether `kubectl get -w` printed the object because it was deleted. It does not say so; but a server stores no update that changes nothing, so
 * an object that differs only in its resourceVersion was deleted.
 */
export function isLastState(object: MapValue, before: MapValue | undefined): boolean {
  if (isFinalized(object, object)) return true
  const unversioned = (state: MapValue) => withMetadata(state, { resourceVersion: undefined })
  return before !== undefined && equalValues(unversioned(object), unversioned(before))
}

/** Whether an object may stay after a delete, for a finalizer, for the grace period of a Pod, or for the content of a namespace. */
export function mayBeHeld(object: MapValue): boolean {
  const finalizers = own(metadataOf(object), "finalizers")
  const { kind } = kindOf(object)
  return (
    (isList(finalizers ?? null) && (finalizers as readonly Value[]).length > 0) ||
    kind === "Pod" ||
    kind === "Namespace"
  )
}

/** Returns the name of the object for messages. */
export function titleOf(object: MapValue): string {
  return objectTitle(objectName(object))
}
