// Turns the managers of a story into controllers. Each controller repeats its last requests.
import { withoutManagedFields } from "../../../managedfields/entries/entry.js"
import { withMetadata } from "../../../schema/metadata.js"
import type { MapValue } from "../../../value/value.js"
import { mergePatchBetween } from "../../../write/patches/merge-patch.js"
import type { ControllerRequest } from "../simulation/controller.js"
import type { SimulationRequest } from "../simulation/request.js"
import type { Step } from "../simulation/step.js"

/**
 * Returns the requests that each manager repeats: its last request for each object, kind of request (apply, create, write) and
 * subresource, without deletes. The managers are in the order of their first requests.
 */
export function lastRequests(steps: readonly Step[]): ReadonlyMap<string, readonly ControllerRequest[]> {
  const last = new Map<string, Map<string, ControllerRequest>>()
  for (const step of steps) {
    const { request, key, manager } = step
    if (manager === "" || !("manager" in request) || "delete" in request) continue
    const verb = "apply" in request ? "apply" : "create" in request ? "create" : "write"
    const ofManager = last.get(manager) ?? new Map<string, ControllerRequest>()
    last.set(manager, ofManager.set(JSON.stringify([key, verb, request.subresource ?? ""]), repeated(request, step)))
  }
  return new Map([...last].map(([manager, requests]) => [manager, [...requests.values()]]))
}

/** Returns the request in a form that a controller can repeat: an update becomes a patch with the changes that the update made. */
function repeated(request: SimulationRequest, { before, after, refused, target }: Step): ControllerRequest {
  const { time: _, ...timeless } = request
  if (target === undefined) return timeless as ControllerRequest
  if ("patch" in request) return { ...timeless, object: target } as ControllerRequest
  if (!("update" in request) || before === undefined) return timeless as ControllerRequest
  const { update, ...rest } = request
  // Compare with the stored object, not the request: it has the server's defaults, which are not changes of this update.
  const next = refused || after === undefined ? (update as MapValue) : after
  const patch = mergePatchBetween(written(before), written(next))
  return (patch === undefined ? timeless : { ...rest, patch, object: target }) as ControllerRequest
}

/** Returns the object without the metadata that an API server writes. */
function written(object: MapValue): MapValue {
  const nothing = { resourceVersion: undefined, uid: undefined, creationTimestamp: undefined, generation: undefined }
  return withMetadata(withoutManagedFields(object), nothing)
}
