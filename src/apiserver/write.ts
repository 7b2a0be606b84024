// Stores what requests write. `Write` makes the object to store; here it is looked up, given addresses, and kept if it changed.

import { alreadyExists, notFound } from "../kinds/refusal/failure.js"
import { type Resource, storeKey, subjectOf } from "../kinds/resource/resource.js"
import { metaText } from "../schema/metadata.js"
import type { MapValue } from "../value/value.js"
import type { Endpoint } from "../write/endpoint.js"
import type { WriteOptions } from "../write/options.js"
import { storable } from "../write/size.js"
import { allocated, isFinalized } from "../write/strategy.js"
import { changesNothing, Write, type WriteContext, type WriteOutcome } from "../write/write.js"
import type { Store } from "./storage/store.js"

/** What writers have in common. */
export interface Context extends WriteContext {
  readonly store: Store
  readonly clock: () => Date
  /** Takes an object out of the store that nothing holds any more. */
  readonly release: (endpoint: Endpoint, object: MapValue) => void
  /** Called with each object before it is stored, and with undefined in place of one that goes. */
  readonly storing: (
    resource: Resource,
    object: MapValue | undefined,
    before: MapValue | undefined,
  ) => MapValue | undefined
}

/** Where an object is. */
export interface Place {
  readonly endpoint: Endpoint
  readonly namespace: string
  /** "" for a request that creates an object whose name it does not say. */
  readonly name: string
}

/** A written object at the version of the endpoint. */
export interface Written {
  readonly object: MapValue
  readonly created: boolean
}

/** Returns the stored object at the version of the endpoint. */
export function find({ store }: Context, { endpoint, namespace, name }: Place): MapValue | undefined {
  const stored = store.get(storeKey(endpoint.resource), namespace, name)
  return stored && endpoint.view(stored)
}

/** Runs the steps of a request and stores the result. Throws a RequestFailure if a step, or storage, refuses it. */
export function write(
  context: Context,
  place: Place,
  options: WriteOptions,
  steps: (write: Write) => WriteOutcome,
): Written {
  const live = find(context, place)
  const outcome = steps(new Write(context, { ...place, live }, options))
  if (!outcome.ok) throw outcome.failure
  const { object } = outcome
  return live === undefined
    ? { object: storeNew(context, place, object, options), created: true }
    : { object: storeChanged(context, place.endpoint, object, live, options), created: false }
}

/** Stores the object if it differs from the live one; removes it if this took its last finalizer. */
function storeChanged(
  context: Context,
  endpoint: Endpoint,
  object: MapValue,
  live: MapValue,
  { dryRun, applies }: WriteOptions,
): MapValue {
  const { resource } = endpoint
  const next = allocated(resource, object, () => context.store.list(storeKey(resource)))
  if (isFinalized(next, live)) {
    if (!dryRun) context.release(endpoint, next)
    return next
  }
  if (changesNothing(next, live)) return live
  if (dryRun) return endpoint.throughStorage(next)
  const kept = storable(next, applies)
  if (kept !== next && changesNothing(kept, live)) return live
  const stored = context.storing(resource, endpoint.toStorage(kept), endpoint.toStorage(live)) ?? kept
  return endpoint.view(context.store.put(storeKey(resource), stored))
}

function storeNew(
  context: Context,
  { endpoint, namespace }: Place,
  object: MapValue,
  { dryRun, applies }: WriteOptions,
): MapValue {
  const { resource } = endpoint
  const { store } = context
  const name = metaText(object, "name")
  if (resource.namespaced && store.get("/namespaces", "", namespace) === undefined) {
    throw notFound({ group: "", name: "namespaces" }, namespace)
  }
  if (store.get(storeKey(resource), namespace, name) !== undefined) throw alreadyExists(subjectOf(resource), name)
  const next = allocated(resource, object, () => context.store.list(storeKey(resource)))
  if (dryRun) return endpoint.throughStorage(next)
  const kept = storable(next, applies)
  const stored = context.storing(resource, endpoint.toStorage(kept), undefined) ?? kept
  return endpoint.view(store.put(storeKey(resource), stored))
}
