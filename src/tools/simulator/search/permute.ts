// Plays requests in every order to find out whether the order matters.

import { aListOfObjects, requireArgument, requireOptions } from "../../../value/argument.js"
import type { SimulationRequest } from "../simulation/request.js"
import type { Simulation } from "../simulation/simulation.js"
import type { Step } from "../simulation/step.js"
import { ownersSignature, valuesSignature } from "./signature.js"

/** The options of `permute`. */
export interface PermuteOptions {
  /** The maximum number of orders that are played; by default 5,040, the number of orders of seven requests. */
  readonly limit?: number | undefined
  /** Called after each order with the number of orders played so far and the total number of orders. */
  readonly onProgress?: ((orders: number, total: number) => void) | undefined
}

/** A part of the result that differs between orders: the objects, the owners of fields, or the refused requests. */
export type Difference = "objects" | "owners" | "conflicts"

/** A result that one or more orders share. */
export interface OrderOutcome {
  /** The number of orders with this result. */
  readonly orders: number
  /** The first of these orders: the indexes of the requests, from 0, in the order in which they are played. */
  readonly example: readonly number[]
  /** The indexes of the requests that are refused in the example, sorted. */
  readonly refused: readonly number[]
  /** The steps of the example. */
  readonly steps: readonly Step[]
}

/** Two orders of the same requests with different results. */
export interface OrderPair {
  /** The parts of the results that differ. */
  readonly differs: readonly Difference[]
  /** The result of one order. */
  readonly first: OrderOutcome
  /** The result of the other order. */
  readonly second: OrderOutcome
}

/** The results of all orders of some requests. */
export interface Permutation {
  /** The number of orders. */
  readonly total: number
  /** The number of orders that were played. */
  readonly played: number
  /** The parts in which any results differ; empty if the order did not matter in any order that was played. */
  readonly differs: readonly Difference[]
  /** The different results, in the order in which they were found. Times of owners are ignored. */
  readonly outcomes: readonly OrderOutcome[]
  /** Two orders of as few of the requests as possible with different results; absent if no such orders were found. */
  readonly shortest?: OrderPair
}

/**
 * Plays requests in every order, each time from the current state of the simulation, and returns the different results. Does not change the
 * simulation. n requests have n! orders; orders that begin with the same requests share those steps.
 *
 * @example
 * ```ts
 * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
 * import { permute, simulate } from "structured-merge-diff/simulator"
 *
 * const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" } }
 * const { outcomes, shortest } = permute(simulate({ types: kubernetesTypes }), [
 *   { manager: "ann", apply: { ...map, data: { color: "red" } } },
 *   { manager: "bob", apply: { ...map, data: { size: "1" } } },
 *   { manager: "cleo", apply: { ...map, data: { color: "blue" } }, force: true },
 * ])
 * for (const { orders, example, refused } of outcomes) console.log(orders, example.join(), "refused:", refused.length)
 * // 3 0,1,2 refused: 0
 * // 3 1,2,0 refused: 1
 * console.log(shortest?.first.example.join(), "or", shortest?.second.example.join(), shortest?.differs.join())
 * // 0,2 or 2,0 conflicts
 * ```
 */
export function permute(
  simulation: Simulation,
  requests: readonly SimulationRequest[],
  options: PermuteOptions = {},
): Permutation {
  requireArgument("requests", requests, aListOfObjects)
  requireOptions("options", options)
  const { limit = 5_040, onProgress } = options
  const total = requests.reduce((product, _, i) => product * (i + 1), 1)
  const all = new OrderPlayer(simulation, requests, limit, played => onProgress?.(played, total))
  all.play(requests.map((_, i) => i))
  const { results } = all
  const differs = [...new Set(results.flatMap(one => differences(results[0] as CountedResult, one)))]
  const shortest = differs.length === 0 ? undefined : shortestPair(simulation, requests, limit)
  return {
    total,
    played: all.played,
    differs: differencesInOrder.filter(one => differs.includes(one)),
    outcomes: results.map(outcome),
    ...(shortest !== undefined && { shortest }),
  }
}

const differencesInOrder: readonly Difference[] = ["objects", "owners", "conflicts"]

/** A result, with the number of orders that were found to have it. */
interface CountedResult {
  orders: number
  readonly steps: readonly Step[]
  readonly example: readonly number[]
  readonly refused: readonly number[]
  /** Each part of the result as a text. */
  readonly texts: Readonly<Record<Difference, string>>
}

/** Plays the orders of some of the requests and collects the results. */
class OrderPlayer {
  readonly results: CountedResult[] = []
  played = 0
  private readonly simulation: Simulation
  private readonly requests: readonly SimulationRequest[]
  private readonly limit: number
  private readonly onPlayed: (played: number) => void

  constructor(
    simulation: Simulation,
    requests: readonly SimulationRequest[],
    limit: number,
    onPlayed: (played: number) => void = () => {},
  ) {
    this.simulation = simulation.restarted()
    this.requests = requests
    this.limit = limit
    this.onPlayed = onPlayed
  }

  /** Plays all orders of the requests with these indexes, after the requests `before`. */
  play(numbers: readonly number[], before: readonly number[] = []): void {
    if (numbers.length === 0) this.count(before)
    for (const number of numbers) {
      if (this.played >= this.limit) return
      this.simulation.play(this.requests[number] as SimulationRequest)
      this.play(
        numbers.filter(other => other !== number),
        [...before, number],
      )
      this.simulation.undo()
    }
  }

  /** Adds the current state to the results. */
  private count(example: readonly number[]): void {
    this.played++
    this.onPlayed(this.played)
    const now = this.simulation.now()
    const { steps } = this.simulation
    const refused = example.filter((_, i) => steps[i]?.refused === true).sort((a, b) => a - b)
    const texts = { objects: valuesSignature(now), owners: ownersSignature(now), conflicts: refusals(example, steps) }
    const known = this.results.find(other => differences(other, { texts }).length === 0)
    if (known === undefined) this.results.push({ orders: 1, steps, example, refused, texts })
    else known.orders++
  }
}

/** Returns the refused requests with their conflicts, as a text. */
function refusals(example: readonly number[], steps: readonly Step[]): string {
  const texts = example.map((number, i) => {
    const { refused, outcome, conflicts } = steps[i] as Step
    return refused ? `${number} ${outcome} ${conflicts.map(({ path, manager }) => `${path} ${manager}`).join()}` : ""
  })
  return texts
    .filter(text => text !== "")
    .sort()
    .join("\n")
}

function differences(a: Pick<CountedResult, "texts">, b: Pick<CountedResult, "texts">): Difference[] {
  return differencesInOrder.filter(one => a.texts[one] !== b.texts[one])
}

function outcome({ orders, example, refused, steps }: CountedResult): OrderOutcome {
  return { orders, example, refused, steps }
}

/** Returns the first two orders that differ, trying all pairs of requests first, then all triples, and so on. */
function shortestPair(
  simulation: Simulation,
  requests: readonly SimulationRequest[],
  limit: number,
): OrderPair | undefined {
  let left = limit
  for (let size = 2; size <= requests.length; size++) {
    for (const numbers of subsets(requests.length, size)) {
      if (left <= 0) return undefined
      const player = new OrderPlayer(simulation, requests, left)
      player.play(numbers)
      left -= player.played
      const [first, second] = player.results
      if (first !== undefined && second !== undefined) {
        return { differs: differences(first, second), first: outcome(first), second: outcome(second) }
      }
    }
  }
  return undefined
}

/** Yields all subsets of `size` of the numbers from `from` to `count - 1`, in order. */
function* subsets(count: number, size: number, from = 0): Generator<number[]> {
  if (size === 0) yield []
  for (let first = from; first <= count - size && size > 0; first++) {
    for (const rest of subsets(count, size - 1, first + 1)) yield [first, ...rest]
  }
}
