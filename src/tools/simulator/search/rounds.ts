// Plays the controllers of a simulation round by round, until nothing changes or a state comes back.
//
// The requests of a controller depend only on the objects. So if a round ends in a state that was there some rounds before, the rounds in
// between repeat forever.

import { DisjointGroups } from "../../../value/groups.js"
import type { ReplaceRequest } from "../simulation/controller.js"
import type { Simulation } from "../simulation/simulation.js"
import type { Step } from "../simulation/step.js"
import { stateSignature } from "./signature.js"

/** The rounds that were played. */
export interface Course {
  readonly settled: boolean
  readonly rounds: readonly (readonly Step[])[]
  /** The index of the first round that repeats; undefined if no state came back. */
  readonly cycle?: number
  /**
   * The groups of objects that may influence each other, by their keys; undefined if all objects may. A controller that read some objects of
   * a group wrote the others. An object that is written by a controller which reads nothing is not joined to others.
   */
  readonly groups: DisjointGroups<string> | undefined
}

export function playRounds(simulation: Simulation, maxRounds: number, replace?: ReplaceRequest): Course {
  const copy = simulation.restarted()
  const known = new Map([[stateSignature(copy.now()), 0]])
  const rounds: Step[][] = []
  let groups: DisjointGroups<string> | undefined = new DisjointGroups()
  while (rounds.length < maxRounds) {
    const steps = copy.playRound(replace, (read, written) => {
      if (read.has(undefined) || written.some(({ key }) => key === undefined)) groups = undefined
      if (read.size > 0) groups?.join([...(read as ReadonlySet<string>), ...written.map(({ key }) => key as string)])
    })
    rounds.push(steps)
    if (!steps.some(({ before, after }) => before !== after)) return { settled: true, rounds, groups }
    const state = stateSignature(copy.now())
    const cycle = known.get(state)
    if (cycle !== undefined) return { settled: false, rounds, cycle, groups }
    known.set(state, rounds.length)
  }
  return { settled: false, rounds, groups }
}
