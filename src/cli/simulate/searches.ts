// Plays the steps of a story in all orders.

import { type Permutation, permute } from "../../tools/simulator/search/permute.js"
import type { SimulationRequest } from "../../tools/simulator/simulation/request.js"
import { namedRequests, type PlayedStory } from "./stories.js"

/** The results of a story's steps in other orders. */
export interface StoryOrders {
  /** The results. Requests are counted from the first one that may move. */
  readonly permutation: Permutation
  /** The number of steps that stay at the beginning, because they create objects that other steps can only write. */
  readonly first: number
}

/** Plays the requests of the story in other orders. */
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
