// The strategies of a server, which prepare an object for storage after the FieldManager: they set the metadata that requests can't write,
// reset fields, count the generation, and complete new objects of some kinds.

import { FieldSet } from "../fieldpath/set.js"
import { builtInKindOf } from "../kinds/families/registry.js"
import { invalid, modified, RequestFailure } from "../kinds/refusal/failure.js"
import { type Resource, subjectOf } from "../kinds/resource/resource.js"
import { readManagedFields, withManagedFields } from "../managedfields/entries/entry.js"
import { formatTime } from "../managedfields/entries/time.js"
import { resetToLive } from "../managedfields/subresources/reset.js"
import { metadataOf, metaText, withMetadata } from "../schema/metadata.js"
import { equalValues } from "../value/equal.js"
import { mapAt, withKeys } from "../value/fields.js"
import { own } from "../value/object.js"
import { quoteGo } from "../value/quote.js"
import type { MapValue, Value } from "../value/value.js"
import type { Endpoint } from "./endpoint.js"

export function canCreateByPut({ builtIn }: Resource): boolean {
  return builtIn?.createdByPut === true
}

/** Whether an update must have a resourceVersion. */
function needsResourceVersion({ builtIn, custom }: Resource): boolean {
  return custom !== undefined || builtIn?.needsResourceVersion === true
}

/** Returns a new object without the metadata that only a server writes. A resourceVersion stays: a dry run answers with it. */
export function wipeSystemFields(object: MapValue): MapValue {
  return withMetadata(object, {
    uid: undefined,
    creationTimestamp: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    selfLink: undefined,
  })
}

/** Throws a RequestFailure if a new object has a resourceVersion. Storage refuses it, so a dry run of a server does not. */
export function requireNoVersion(object: MapValue): void {
  if (["", "0"].includes(metaText(object, "resourceVersion"))) return
  throw new RequestFailure(500, "resourceVersion should not be set on objects to be created")
}

/** The values that a server writes into the metadata of a new object. */
export interface Identity {
  readonly uid: string
  readonly now: Date
}

/** Prepares a new object for storage. Without an identity, it gets neither a uid nor a creation time. */
export function beforeCreate(endpoint: Endpoint, object: MapValue, identity: Identity | undefined): MapValue {
  const { resource } = endpoint
  const { custom, builtIn, namespaced } = resource
  const reset = ownReset(endpoint)
  const resets = reset !== undefined && builtIn?.keepsCreatedStatus !== true
  const created = resets ? resetToLive(object, undefined, reset) : object
  if (resource.plain) return created
  const given = own(metadataOf(created), "generation")
  // Go: a kind without a generation keeps the one that the request gives it.
  const generation = custom !== undefined || builtIn?.countsGeneration === true ? 1 : given || undefined
  const stamped = withMetadata(created, {
    ...(!namespaced && { namespace: undefined }),
    generation,
    ...(identity !== undefined && { uid: identity.uid, creationTimestamp: formatTime(identity.now) }),
  })
  const shaped = endpoint.shape(stamped, undefined, true).object
  return builtIn?.created?.(shaped, endpoint.clock()) ?? shaped
}

/** Returns the object with the resourceVersion of the live object. Throws a RequestFailure if it has another resourceVersion. */
export function atVersion(resource: Resource, name: string, object: MapValue, live: MapValue): MapValue {
  const given = own(metadataOf(object), "resourceVersion") ?? ""
  const current = metaText(live, "resourceVersion")
  if (given === current) return object
  const text = String(given)
  if (text !== "" && !/^\d{1,19}$/.test(text)) {
    throw new RequestFailure(500, `strconv.ParseUint: parsing ${quoteGo(text)}: invalid syntax`)
  }
  if (given !== "" && given !== "0") throw modified(subjectOf(resource), name)
  if (!needsResourceVersion(resource)) return withMetadata(object, { resourceVersion: current || undefined })
  const message = "Invalid value: 0: must be specified for an update"
  throw invalid(subjectOf(resource), name, [
    { reason: "FieldValueInvalid", message, field: "metadata.resourceVersion" },
  ])
}

/** Prepares an object that replaces `live` for storage. Both are at the version of the endpoint. */
export function beforeUpdate(endpoint: Endpoint, object: MapValue, live: MapValue): MapValue {
  const { resource, subresource } = endpoint
  const before = metadataOf(live)
  const kept = keepSystemFields(object, before)
  const reset = ownReset(endpoint)
  let next = kept
  if (resource.custom !== undefined && subresource === "status") next = onlyStatus(kept, live)
  else if (reset !== undefined) next = resetToLive(kept, live, reset)
  if (resource.plain) return next
  next = endpoint.shape(next, live, true).object
  next = resource.builtIn?.updated?.(next, live, subresource) ?? next
  return withMetadata(next, { generation: nextGeneration(endpoint, next, live) })
}

/** Marks the object as being deleted. `requestedSeconds` is the grace period in the request; undefined if it has none. */
export function beforeDelete(
  { resource: { builtIn } }: Endpoint,
  live: MapValue,
  requestedSeconds: number | undefined,
  now: Date,
): MapValue {
  const metadata = metadataOf(live)
  const grace = builtIn?.gracePeriod?.(live, requestedSeconds) ?? 0
  const isMarked = own(metadata, "deletionTimestamp") !== undefined
  const before = own(metadata, "deletionGracePeriodSeconds")
  if (isMarked && !(typeof before === "number" && grace < before)) return live
  const generation = own(metadata, "generation")
  const stamped = withMetadata(live, {
    deletionTimestamp: formatTime(new Date(now.getTime() + grace * 1000)),
    // A namespace has none.
    deletionGracePeriodSeconds: builtIn?.emptied === undefined ? grace : undefined,
    ...(typeof generation === "number" && !isMarked && { generation: generation + 1 }),
  })
  return builtIn?.marked?.(stamped) ?? stamped
}

/** Gives the object values that are unique among the objects of its kind, such as addresses, if the kind has any. */
export function allocated({ builtIn }: Resource, object: MapValue, all: () => readonly MapValue[]): MapValue {
  const allocate = builtIn?.allocate
  if (allocate === undefined) return object
  const isSame = (other: MapValue) => ["name", "namespace"].every(key => metaText(other, key) === metaText(object, key))
  return allocate(
    object,
    all().filter(other => !isSame(other)),
  )
}

/** Whether the object was being deleted, and nothing holds it any longer. */
export function isFinalized(next: MapValue, live: MapValue): boolean {
  const before = metadataOf(live)
  const finalizers = own(metadataOf(next), "finalizers")
  const held = Array.isArray(finalizers) && finalizers.length > 0
  if (held || builtInKindOf(next)?.isHeld?.(next) === true || own(before, "deletionTimestamp") === undefined)
    return false
  return (own(before, "deletionGracePeriodSeconds") ?? 0) === 0
}

function keepSystemFields(object: MapValue, before: MapValue): MapValue {
  const { deletionTimestamp, deletionGracePeriodSeconds } = before
  return withMetadata(object, {
    uid: metaText(object, "uid") || before.uid,
    creationTimestamp: before.creationTimestamp,
    generation: before.generation,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    deletionGracePeriodSeconds: own(metadataOf(object), "deletionGracePeriodSeconds") ?? deletionGracePeriodSeconds,
    selfLink: undefined,
  })
}

function ownReset({ resetFields, resource }: Endpoint): FieldSet | undefined {
  const found = resetFields?.get(resource.apiVersion)
  return found instanceof FieldSet ? found : undefined
}

/** Returns the live object with the status, the resourceVersion and the managedFields of `object`. */
function onlyStatus(object: MapValue, live: MapValue): MapValue {
  const next = withKeys(live, { status: own(object, "status") })
  const versioned = withMetadata(next, { resourceVersion: own(metadataOf(object), "resourceVersion") })
  return withManagedFields(versioned, readManagedFields(object) ?? [])
}

function nextGeneration({ resource, subresource }: Endpoint, next: MapValue, live: MapValue): Value | undefined {
  const generation = own(metadataOf(live), "generation")
  const counts = resource.custom !== undefined || resource.builtIn?.countsGeneration === true
  if (!counts || typeof generation !== "number" || subresource === "status") return generation
  const hasStatus = resource.custom === undefined || resource.subresources.some(({ name }) => name === "status")
  const changed = !equalValues(essence(next, hasStatus), essence(live, hasStatus))
  const key = resource.builtIn?.alsoCounts
  const isOther = key !== undefined && !equalValues(mapAt(metadataOf(next), key), mapAt(metadataOf(live), key))
  return changed || isOther ? generation + 1 : generation
}

function essence(object: MapValue, hasStatus: boolean): MapValue {
  return withKeys(object, { metadata: undefined, ...(hasStatus && { status: undefined }) })
}
