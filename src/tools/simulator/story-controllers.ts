// Makes controllers of the managers of a story: each asks again and again for the last things that it asked for.
import { withoutManagedFields } from "../../managedfields/entries/entry.js"
import { mergePatchBetween } from "../../requests/merge-patch.js"
import { withMetadata } from "../../requests/metadata.js"
import type { MapValue } from "../../value/value.js"
import type { ControllerRequest } from "./controller.js"
import type { SimulationRequest } from "./request.js"
import type { Step } from "./step.js"

/**
 * For each manager, in the order of their first requests, the last request to each object, of each kind, through each subresource. Requests
 * that delete are left out.
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

/** The request as a controller repeats it: it reads the object, and changes whatever the update changed. */
function repeated(request: SimulationRequest, { before, after, refused, target }: Step): ControllerRequest {
  const { time: _, ...timeless } = request
  if (target === undefined) return timeless as ControllerRequest
  if ("patch" in request) return { ...timeless, object: target } as ControllerRequest
  if (!("update" in request) || before === undefined) return timeless as ControllerRequest
  const { update, ...rest } = request
  // Defaults come back to a server, so they are no part of an update that goes through.
  const next = refused || after === undefined ? (update as MapValue) : after
  const patch = mergePatchBetween(written(before), written(next))
  return (patch === undefined ? timeless : { ...rest, patch, object: target }) as ControllerRequest
}

/** The object without the parts that an API server writes. */
function written(object: MapValue): MapValue {
  const nothing = { resourceVersion: undefined, uid: undefined, creationTimestamp: undefined, generation: undefined }
  return withMetadata(withoutManagedFields(object), nothing)
}
