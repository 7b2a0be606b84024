// Whether it matters in which order requests are made.

import { aListOfObjects, requireArgument, requireOptions } from "../../value/argument.js"
import type { SimulationRequest } from "./request.js"
import { ownersOf, valuesOf } from "./signature.js"
import type { Simulation } from "./simulation.js"
import type { Step } from "./step.js"

/** How `permute` plays. */
export interface PermuteOptions {
  /** How many orders are played at most; 5,040 if absent, which is all of seven requests. */
  readonly limit?: number | undefined
  /** Called now and then with the number of orders that were played, and how many there are. */
  readonly onProgress?: ((orders: number, total: number) => void) | undefined
}

/** In what two orders differ: the objects, who owns what, and which requests are refused. */
export type Difference = "objects" | "owners" | "conflicts"

/** What some of the orders come to. */
export interface OrderOutcome {
  /** How many of the orders come to it. */
  readonly orders: number
  /** The first of them: which request comes when, by its number from 0. */
  readonly example: readonly number[]
  /** The requests that are refused in it, by their numbers, sorted. */
  readonly refused: readonly number[]
  /** The steps of the example. */
  readonly steps: readonly Step[]
}

/** Two orders of a few requests that come to different ends. */
export interface OrderPair {
  /** In what they differ. */
  readonly differs: readonly Difference[]
  /** The one order, by the numbers of the requests. */
  readonly first: OrderOutcome
  /** The other. */
  readonly second: OrderOutcome
}

/** What the orders of requests come to. */
export interface Permutation {
  /** How many orders there are. */
  readonly total: number
  /** How many were played. */
  readonly played: number
  /** In what any of them differ; empty where the order does not matter, as far as was played. */
  readonly differs: readonly Difference[]
  /** The outcomes, in the order in which they were found. The owners' times don't count. */
  readonly outcomes: readonly OrderOutcome[]
  /** As few of the requests as it takes to see that the order matters, in two orders; absent where it does not. */
  readonly shortest?: OrderPair
}

/**
 * Plays requests in every order, each time from where the simulation is now, and tells which orders come to different ends. The simulation
 * itself stays as it is. With n requests there are n! orders; those that begin alike are played together.
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
  const all = new Orders(simulation, requests, limit, played => onProgress?.(played, total))
  all.play(requests.map((_, i) => i))
  const differs = [...new Set(all.found.flatMap(one => differences(all.found[0] as Found, one)))]
  const shortest = differs.length === 0 ? undefined : shortestPair(simulation, requests, limit)
  return {
    total,
    played: all.played,
    differs: differencesInOrder.filter(one => differs.includes(one)),
    outcomes: all.found.map(outcome),
    ...(shortest !== undefined && { shortest }),
  }
}

const differencesInOrder: readonly Difference[] = ["objects", "owners", "conflicts"]

/** An outcome while it is counted. */
interface Found {
  orders: number
  readonly steps: readonly Step[]
  readonly example: readonly number[]
  readonly refused: readonly number[]
  /** What differs, as texts. */
  readonly texts: Readonly<Record<Difference, string>>
}

/** Plays the orders of some of the requests. */
class Orders {
  readonly found: Found[] = []
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

  /** Plays all orders of these requests, by their numbers. */
  play(numbers: readonly number[], before: readonly number[] = []): void {
    if (numbers.length === 0) this.note(before)
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

  private note(example: readonly number[]): void {
    this.played++
    this.onPlayed(this.played)
    const now = this.simulation.now()
    const { steps } = this.simulation
    const refused = example.filter((_, i) => steps[i]?.refused === true).sort((a, b) => a - b)
    const texts = { objects: valuesOf(now), owners: ownersOf(now), conflicts: refusals(example, steps) }
    const known = this.found.find(other => differences(other, { texts }).length === 0)
    if (known === undefined) this.found.push({ orders: 1, steps, example, refused, texts })
    else known.orders++
  }
}

/** Which requests are refused, and for which fields. */
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

function differences(a: Pick<Found, "texts">, b: Pick<Found, "texts">): Difference[] {
  return differencesInOrder.filter(one => a.texts[one] !== b.texts[one])
}

function outcome({ orders, example, refused, steps }: Found): OrderOutcome {
  return { orders, example, refused, steps }
}

/** The first two orders that differ, of two requests if there are such, else of three, and so on. */
function shortestPair(
  simulation: Simulation,
  requests: readonly SimulationRequest[],
  limit: number,
): OrderPair | undefined {
  let left = limit
  for (let size = 2; size <= requests.length; size++) {
    for (const numbers of subsets(requests.length, size)) {
      if (left <= 0) return undefined
      const orders = new Orders(simulation, requests, left)
      orders.play(numbers)
      left -= orders.played
      const [first, second] = orders.found
      if (first !== undefined && second !== undefined) {
        return { differs: differences(first, second), first: outcome(first), second: outcome(second) }
      }
    }
  }
  return undefined
}

/** All subsets of so many of the numbers below `count`, in order. */
function* subsets(count: number, size: number, from = 0): Generator<number[]> {
  if (size === 0) yield []
  for (let first = from; first <= count - size && size > 0; first++) {
    for (const rest of subsets(count, size - 1, first + 1)) yield [first, ...rest]
  }
}
