// Searches for the shortest sequence of requests that breaks a rule.

import { aListOfObjects, aListOfStrings, requireOptions } from "../../../value/argument.js"
import type { ControllerRequest } from "../simulation/controller.js"
import { namedRequests } from "../simulation/controller.js"
import type { SimulationRequest } from "../simulation/request.js"
import type { Simulation } from "../simulation/simulation.js"
import type { Step } from "../simulation/step.js"
import { stateSignature } from "./signature.js"

/** The options of `explore`. */
export interface ExploreOptions {
  /** The managers that take each action that does not name a manager. */
  readonly managers: readonly string[]
  /** The requests that are tried in each step. */
  readonly actions: readonly ControllerRequest[]
  /** The maximum number of steps of a story; 4 by default. */
  readonly depth?: number | undefined
  /** The maximum number of steps that are played; 100,000 by default. */
  readonly limit?: number | undefined
  /** The rule: returns whether a step is allowed. The search ends at the first step for which it returns false. */
  readonly holds: (step: Step, simulation: Simulation) => boolean
  /** Called after all steps that continue one story, with the number of steps played so far and the length of the stories. */
  readonly onProgress?: ((played: number, depth: number) => void) | undefined
}

/** The result of `explore`. */
export interface Exploration {
  /** The steps of the shortest story that breaks the rule; absent if none was found. */
  readonly story?: readonly Step[]
  /** Whether the search is complete: a story was found, or all stories of up to `depth` steps keep the rule. */
  readonly complete: boolean
  /** The number of steps that were played. */
  readonly played: number
  /** The number of different states, including the state at the start. */
  readonly states: number
}

/**
 * Searches for the shortest story, a sequence of the given actions, that breaks a rule. Stories begin at the current state of the
 * simulation, which is not changed. States that differ only in times are explored once, so the rule may depend only on values and owners.
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
  const known = new Set([stateSignature(scratch.now())])
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
        const state = stateSignature(scratch.now())
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

/** Returns the request of each manager for the action, or only one request if the action names its manager. */
function byEach(action: ControllerRequest, managers: readonly string[]): SimulationRequest[] {
  const isNamed = "manager" in action || "changeSchema" in action || "delete" in action
  return isNamed ? namedRequests("", action) : managers.flatMap(manager => namedRequests(manager, action))
}
