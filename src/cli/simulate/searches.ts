// What the managers of a story do to each other beyond it: in other orders, and when each goes on asking for the same.
import { withoutManagedFields } from "../../managedfields/entries/entry.js"
import { mergePatchBetween } from "../../requests/merge-patch.js"
import { withMetadata } from "../../requests/metadata.js"
import { type Contention, contend } from "../../simulator/contend.js"
import type { ControllerRequest } from "../../simulator/controller.js"
import { type Permutation, permute } from "../../simulator/permute.js"
import type { SimulationRequest } from "../../simulator/request.js"
import type { Step } from "../../simulator/step.js"
import type { MapValue } from "../../value/value.js"
import { namedRequests, type PlayedStory } from "./stories.js"

/** The orders of the steps of a story. */
export interface StoryOrders {
  /** What they come to. Requests have their numbers from the first that is not in its place. */
  readonly permutation: Permutation
  /** How many steps stay first, since they create what others can only write. */
  readonly first: number
}

/** What the requests of the story come to in other orders. */
export function otherOrders(played: PlayedStory, onProgress: (orders: number, total: number) => void): StoryOrders {
  const requests = namedRequests(played)
  const needed = new Set(played.steps.filter((_, i) => !canCreate(requests[i])).map(({ step }) => step.key))
  const movable = played.steps.findIndex(({ step }) => step.outcome !== "created" || !needed.has(step.key))
  const first = movable < 0 ? requests.length : movable
  const start = played.simulation.fork()
  start.undo(start.length - first)
  return { first, permutation: permute(start, requests.slice(first), { onProgress }) }
}

function canCreate(request: SimulationRequest | undefined): boolean {
  return request !== undefined && ("apply" in request || "create" in request || "changeSchema" in request)
}

/**
 * Which fields the managers fight over when the story is told and each of them asks again and again, as a controller does, for what it asked
 * for last: of each object, by each kind of request, through each subresource. Of an update that is what it changed.
 */
export function fightsAfter(played: PlayedStory): Contention {
  const simulation = played.simulation.fork()
  const last = new Map<string, Map<string, ControllerRequest>>()
  namedRequests(played).forEach((request, i) => {
    const step = (played.steps[i] as PlayedStory["steps"][number]).step
    if (!("manager" in request) || request.manager === undefined || "delete" in request) return
    const { manager, subresource = "" } = request
    const { apiVersion, kind, namespace, name } = step.target ?? {}
    const verb = "apply" in request ? "apply" : "create" in request ? "create" : "write"
    const key = JSON.stringify([apiVersion, kind, namespace, name, verb, subresource])
    const ofManager = last.get(manager) ?? new Map<string, ControllerRequest>()
    last.set(manager, ofManager.set(key, repeated(request, step)))
  })
  for (const [manager, requests] of last) simulation.controller(manager, () => [...requests.values()])
  return contend(simulation)
}

/** The request as a controller repeats it: it reads the object, and changes what the update changed. */
function repeated(request: SimulationRequest, { before, target }: Step): ControllerRequest {
  if (!("update" in request) || before === undefined || target === undefined) return request
  const { update, ...rest } = request
  const patch = mergePatchBetween(written(before), written(update as MapValue))
  return patch === undefined ? request : { ...rest, patch, object: target }
}

/** The object without what an API server writes. */
function written(object: MapValue): MapValue {
  return withMetadata(withoutManagedFields(object), { resourceVersion: undefined })
}
