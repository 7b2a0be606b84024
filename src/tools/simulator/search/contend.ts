// Finds fights: fields that controllers keep changing in turn.
//
// rounds.ts plays the controllers, changing-fields.ts finds the fields that keep changing, and ending-fields.ts finds the managers that can end
// the fights. If no state comes back, for example because of a counter, a field is in a fight if its own writes repeat.
import { requireOptions } from "../../../value/argument.js"
import type { Value } from "../../../value/value.js"
import type { ObjectName } from "../../ownership/object-name.js"
import type { Place } from "../../ownership/place.js"
import type { SettleOptions } from "../simulation/controller.js"
import type { Simulation } from "../simulation/simulation.js"
import { changingFields, cycleSummary, fieldSummary, type Unsettled } from "./changing-fields.js"
import { type Candidate, endingCandidates, endsAlone } from "./ending-fields.js"
import { playRounds } from "./rounds.js"

/** A field whose value or owner changes in a cycle. */
export interface Fight extends Place {
  /** The object that contains the field. */
  readonly target: ObjectName
  /** The managers that change the field, sorted. It is only one if that manager undoes its own writes. */
  readonly managers: readonly string[]
  /** The length of the cycle in rounds. */
  readonly period: number
  /** The average number of writes in a round that change the field. */
  readonly writesPerRound: number
  /** The values of the field in the order of a cycle, without absent ones. It is only one if only the owner changes. */
  readonly values: readonly Value[]
  /** The managers that would each end the fight alone by leaving the field out. Every manager was tried. */
  readonly endedBy: readonly string[]
}

/** The fights between the controllers of a simulation. */
export interface Contention {
  /** Whether the last round changed nothing. */
  readonly settled: boolean
  /** The number of rounds that were played. */
  readonly rounds: number
  /** The fields that change in a cycle, by object and path. */
  readonly fights: readonly Fight[]
  /** The fields that keep changing without a cycle, such as counters. More rounds might show a cycle. */
  readonly unsettled: readonly Unsettled[]
}

/**
 * Plays the controllers of a simulation, on a copy of it, until they settle or their writes repeat. Returns the fields that they fight over.
 *
 * @example
 * ```ts
 * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
 * import { contend, simulate } from "structured-merge-diff/simulator"
 *
 * const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } }
 * const simulation = simulate({ types: kubernetesTypes, objects: [web] })
 *   .controller("gitops", () => ({ apply: { ...web, spec: { replicas: 3 } }, force: true }))
 *   .controller("autoscaler", () => ({ patch: { spec: { replicas: 7 } }, object: "Deployment/web" }))
 *
 * for (const { path, managers, period, writesPerRound, endedBy } of contend(simulation).fights) {
 *   console.log(`${path}: ${managers.join(" against ")}, ${writesPerRound} writes a round, the same after ${period}`)
 *   console.log(`would be over without it in ${endedBy.join(" or ")}`)
 * }
 * // .spec.replicas: autoscaler against gitops, 2 writes a round, the same after 1
 * // would be over without it in autoscaler or gitops
 * ```
 */
export function contend(simulation: Simulation, options: SettleOptions = {}): Contention {
  requireOptions("options", options)
  return contention(simulation, options.rounds ?? 100, true)
}

/** Does the work of `contend`. If `together` is false, every candidate is tried alone. */
export function contention(simulation: Simulation, maxRounds: number, together: boolean): Contention {
  const course = playRounds(simulation, maxRounds)
  const changing = changingFields(course)
  const fields = changing.filter(({ period }) => period !== undefined)
  const candidates = fields.map(field => fieldSummary(field).managers.map(manager => ({ field, manager })))
  const ending = together ? endingCandidates(simulation, course, candidates.flat(), maxRounds) : new Set<Candidate>()
  const ends = (candidate: Candidate) =>
    together ? ending.has(candidate) : endsAlone(simulation, candidate, maxRounds)
  return {
    settled: course.settled,
    rounds: course.rounds.length,
    fights: fields.map((field, i) => ({
      ...fieldSummary(field),
      ...cycleSummary(field),
      endedBy: (candidates[i] ?? []).filter(ends).map(({ manager }) => manager),
    })),
    unsettled: changing.filter(({ period }) => period === undefined).map(fieldSummary),
  }
}
