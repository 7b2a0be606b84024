// Plays the steps of a story in other orders.
import { type Permutation, permute } from "../../tools/simulator/permute.js"
import type { SimulationRequest } from "../../tools/simulator/request.js"
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
