// The shortest story in which something happens that should not.

import { aListOfObjects, aListOfStrings, requireOptions } from "../../value/argument.js"
import type { ControllerRequest } from "./controller.js"
import { requestsOf } from "./controller.js"
import type { SimulationRequest } from "./request.js"
import { stateOf } from "./signature.js"
import type { Simulation } from "./simulation.js"
import type { Step } from "./step.js"

/** What `explore` tries. */
export interface ExploreOptions {
  /** The managers that make the actions which name none. */
  readonly managers: readonly string[]
  /** What may be done in each step. */
  readonly actions: readonly ControllerRequest[]
  /** How many steps a story has at most; 4 if absent. */
  readonly depth?: number | undefined
  /** How many steps are played at most; 100,000 if absent. */
  readonly limit?: number | undefined
  /** Whether all is well after a step. The first one for which it returns false ends the search. */
  readonly holds: (step: Step, simulation: Simulation) => boolean
  /** Called now and then with the number of steps that were played, and how long the stories are. */
  readonly onProgress?: ((played: number, depth: number) => void) | undefined
}

/** What `explore` has found. */
export interface Exploration {
  /** The shortest story that does not hold, step by step; absent where none was found. */
  readonly story?: readonly Step[]
  /** Whether all stories were tried that are no longer than `depth`, so that none is left that does not hold; or one was found. */
  readonly complete: boolean
  /** How many steps were played. */
  readonly played: number
  /** How many different states were met, that at the start included. */
  readonly states: number
}

/**
 * Searches the stories that managers can make of some actions for the shortest that breaks a rule, starting from where the simulation is
 * now; it stays as it is. States that are the same but for times are gone on from once, so the rule has to be about values and owners.
 *
 * @example
 * ```ts
 * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
 * import { explore, simulate } from "structured-merge-diff/simulator"
 *
 * const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" } }
 * const { story = [], complete } = explore(simulate({ types: kubernetesTypes }), {
 *   managers: ["ann", "bob"],
 *   actions: [{ apply: { ...map, data: { color: "red" } } }, { apply: { ...map, data: { color: "blue" } } }, { apply: map }],
 *   // Nobody loses a field to somebody else.
 *   holds: ({ manager, ownership }) => ownership.every(({ owner, lost }) => owner.manager === manager || lost.length === 0),
 * })
 * console.log(story.length, complete)
 * // 0 true
 * ```
 */
export function explore(simulation: Simulation, options: ExploreOptions): Exploration {
  requireOptions("options", options, { managers: aListOfStrings, actions: aListOfObjects })
  const { managers, depth = 4, limit = 100_000, holds, onProgress } = options
  const requests = options.actions.flatMap(action => byEach(action, managers))
  const scratch = simulation.restarted()
  const known = new Set([stateOf(scratch.now())])
  let played = 0
  let stories: readonly (readonly SimulationRequest[])[] = [[]]
  for (let length = 1; length <= depth && stories.length > 0; length++) {
    const longer: (readonly SimulationRequest[])[] = []
    for (const story of stories) {
      for (const request of story) scratch.play(request)
      for (const request of requests) {
        if (played >= limit) return { complete: false, played, states: known.size }
        const step = scratch.play(request)
        played++
        if (!holds(step, scratch)) return { story: scratch.steps, complete: true, played, states: known.size }
        const state = stateOf(scratch.now())
        if (!known.has(state)) {
          known.add(state)
          longer.push([...story, request])
        }
        scratch.undo()
      }
      scratch.undo(story.length)
      onProgress?.(played, length)
    }
    stories = longer
  }
  return { complete: true, played, states: known.size }
}

/** The action of each manager, or of the one that it names. */
function byEach(action: ControllerRequest, managers: readonly string[]): SimulationRequest[] {
  const isNamed = "manager" in action || "changeSchema" in action || "delete" in action
  return isNamed ? requestsOf("", action) : managers.flatMap(manager => requestsOf(manager, action))
}
