// Runs a write against the store: looks the live object up, lets `Write` compute the object to store, allocates Service addresses, and
// stores the object if it changed.
import { alreadyExists } from "../../kinds/refusal/failure.js"
import { type Resource, storeKey, subjectOf } from "../../kinds/resource/resource.js"
import { metaText } from "../../schema/metadata.js"
import type { MapValue } from "../../value/value.js"
import type { Endpoint } from "../../write/endpoint.js"
import type { WriteOptions } from "../../write/options.js"
import { storable } from "../../write/size.js"
import { allocated, isFinalized } from "../../write/strategy.js"
import { changesNothing, Write, type WriteContext, type WriteOutcome } from "../../write/write.js"
import type { Store } from "./store.js"

/** The parts of the server that every write needs. */
export interface StoreContext extends WriteContext {
  readonly store: Store
  readonly clock: () => Date
  /** Removes an object whose last finalizer is gone. */
  readonly removeFinalized: (endpoint: Endpoint, object: MapValue) => void
  /**
   * Changes the served kinds if the object is a definition. Called before `next` is stored, and after `live` was removed, with `next`
   * undefined. Returns the object to store, which has the status of a served definition.
   */
  readonly updateServedKinds: (
    resource: Resource,
    next: MapValue | undefined,
    live: MapValue | undefined,
  ) => MapValue | undefined
}

/** The address of one object. */
export interface ObjectTarget {
  readonly endpoint: Endpoint
  readonly namespace: string
  /** "" for a create: the object in the body says its name. */
  readonly name: string
}

/** The stored object, at the version of the endpoint. */
export interface WriteResult {
  readonly object: MapValue
  readonly created: boolean
}

/** Returns the stored object at the version of the endpoint. */
export function findObject({ store }: StoreContext, { endpoint, namespace, name }: ObjectTarget): MapValue | undefined {
  const stored = store.get(storeKey(endpoint.resource), namespace, name)
  return stored && endpoint.view(stored)
}

/** Runs the steps of a request and stores the result. Throws a RequestFailure if a step or the store refuses the request. */
export function writeObject(
  context: StoreContext,
  target: ObjectTarget,
  options: WriteOptions,
  steps: (write: Write) => WriteOutcome,
): WriteResult {
  const live = findObject(context, target)
  const outcome = steps(new Write(context, { ...target, live }, options))
  if (!outcome.ok) throw outcome.failure
  const { object } = outcome
  return live === undefined
    ? { object: storeNew(context, target, object, options), created: true }
    : { object: storeChanged(context, target.endpoint, object, live, options), created: false }
}

/** Stores the object if it differs from the live one; removes it if the request took its last finalizer. */
function storeChanged(
  context: StoreContext,
  endpoint: Endpoint,
  object: MapValue,
  live: MapValue,
  { dryRun, applies }: WriteOptions,
): MapValue {
  const { resource } = endpoint
  const next = allocated(resource, object, () => context.store.list(storeKey(resource)))
  if (isFinalized(next, live)) {
    if (!dryRun) context.removeFinalized(endpoint, next)
    return next
  }
  if (changesNothing(next, live)) return live
  if (dryRun) return endpoint.throughStorage(next)
  const storableNext = storable(next, applies)
  if (storableNext !== next && changesNothing(storableNext, live)) return live
  awaitConversion(endpoint, storableNext)
  const stored =
    context.updateServedKinds(resource, endpoint.toStorage(storableNext), endpoint.toStorage(live)) ?? storableNext
  return endpoint.view(context.store.put(storeKey(resource), stored))
}

/** Converts the object as its write does. If the conversion has to wait for a webhook, the request stops here, before anything is stored. */
function awaitConversion(endpoint: Endpoint, object: MapValue): void {
  const { apiVersion, storageVersion, custom } = endpoint.resource
  if (custom !== undefined && apiVersion !== storageVersion) endpoint.throughStorage(object)
}

function storeNew(
  context: StoreContext,
  { endpoint, namespace }: ObjectTarget,
  object: MapValue,
  { dryRun, applies }: WriteOptions,
): MapValue {
  const { resource } = endpoint
  const { store } = context
  const name = metaText(object, "name")
  if (store.get(storeKey(resource), namespace, name) !== undefined) throw alreadyExists(subjectOf(resource), name)
  const next = allocated(resource, object, () => context.store.list(storeKey(resource)))
  if (dryRun) return endpoint.throughStorage(next)
  const storableNext = storable(next, applies)
  awaitConversion(endpoint, storableNext)
  const storageForm = endpoint.toStorage(storableNext)
  const served = context.updateServedKinds(resource, storageForm, undefined) ?? storageForm
  const stored = store.put(storeKey(resource), storageForm)
  // A definition is served right after it was created, which is a write of its own.
  if (served !== storageForm) store.put(storeKey(resource), served)
  return endpoint.view(stored)
}
