// Fights: fields that controllers write in turn and never leave alone.
//
// Controllers decide by what they see, so where all values and owners are as they were some rounds before, everything in between comes
// again for ever. Where they never are, since something else goes on counting, the fields whose own writes repeat count.
import { areInLine, comparePaths, type Path } from "../fieldpath/path.js"
import { FieldSet } from "../fieldpath/set.js"
import { writeJson } from "../json/json.js"
import { typeOf } from "../ownership/fields.js"
import type { ObjectName } from "../ownership/object-name.js"
import { ownersAt, readShares } from "../ownership/owners.js"
import { type Place, pathsOf, placeOf } from "../ownership/place.js"
import { typedValueAt } from "../ownership/typed-lookup.js"
import { requireOptions } from "../value/argument.js"
import { compareStrings } from "../value/compare.js"
import type { MapValue, Value } from "../value/value.js"
import type { SettleOptions } from "./controller.js"
import { leftOut } from "./leave-out.js"
import { stateOf } from "./signature.js"
import type { Simulation } from "./simulation.js"
import type { Step } from "./step.js"

/** A field whose value or owner goes round. */
export interface Fight extends Place {
  /** The object that has it. */
  readonly target: ObjectName
  /** The managers whose writes move it, sorted. One alone where it undoes its own work. */
  readonly managers: readonly string[]
  /** After how many rounds the same comes again. */
  readonly period: number
  /** How many writes move it in a round, on average. */
  readonly writesPerRound: number
  /** The values that it has in turn, in their order; absent ones are left out. One alone where only its owner changes. */
  readonly values: readonly Value[]
  /** Which of the managers would end it by leaving the field out, each by itself. Every one was tried. */
  readonly endedBy: readonly string[]
}

/** A field that does not come to rest and does not go round either, as far as was played. */
export interface Unsettled extends Place {
  /** The object that has it. */
  readonly target: ObjectName
  /** The managers whose writes move it, sorted. */
  readonly managers: readonly string[]
}

/** What the controllers of a simulation do to each other. */
export interface Contention {
  /** Whether they come to rest. */
  readonly settled: boolean
  /** How many rounds were played. */
  readonly rounds: number
  /** The fields that go round, by object and path. */
  readonly fights: readonly Fight[]
  /** Fields that go on changing in another way, such as counters. Their number of rounds may have been too small. */
  readonly unsettled: readonly Unsettled[]
}

/**
 * Plays the controllers of a simulation, on a copy of it, until they come to rest or their writes repeat, and tells which fields they fight
 * over.
 *
 * @example
 * ```ts
 * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
 * import { contend, simulate } from "structured-merge-diff/simulator"
 *
 * const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } }
 * const simulation = simulate({ types: kubernetesTypes })
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
  const { rounds = 100 } = options
  const course = play(simulation, rounds)
  const moved = movements(course)
  return {
    settled: course.settled,
    rounds: course.rounds.length,
    fights: moved
      .filter(({ period }) => period !== undefined)
      .map(movement => ({ ...told(movement), ...numbers(movement), endedBy: endedBy(simulation, movement, rounds) })),
    unsettled: moved.filter(({ period }) => period === undefined).map(told),
  }
}

/** What was played, round by round. */
interface Course {
  readonly settled: boolean
  readonly rounds: readonly (readonly Step[])[]
  /** The rounds from here on come again and again; undefined where it is not known. */
  readonly cycle?: number
}

function play(simulation: Simulation, most: number, change?: Parameters<Simulation["playRound"]>[0]): Course {
  const copy = simulation.restarted()
  const known = new Map([[stateOf(copy.now()), 0]])
  const rounds: Step[][] = []
  while (rounds.length < most) {
    const steps = copy.playRound(change)
    rounds.push(steps)
    if (!steps.some(({ before, after }) => before !== after)) return { settled: true, rounds }
    const state = stateOf(copy.now())
    const cycle = known.get(state)
    if (cycle !== undefined) return { settled: false, rounds, cycle }
    known.set(state, rounds.length)
  }
  return { settled: false, rounds }
}

/** A field that is moved, with its writes round by round. */
interface Movement {
  readonly key: string
  readonly target: ObjectName
  readonly path: Path
  /** For each round, what moved it and to what. */
  readonly writes: readonly (readonly Write[])[]
  /** Undefined where it does not repeat. */
  readonly period: number | undefined
}

interface Write {
  readonly manager: string
  readonly value: Value | undefined
  /** Manager, value and owners, as one text. */
  readonly text: string
}

/** The fields that are moved in the rounds that come again; where none are known to, in the last half of the rounds. */
function movements({ settled, rounds, cycle }: Course): Movement[] {
  if (settled) return []
  const last = rounds.slice(cycle ?? Math.floor(rounds.length / 2))
  const paths = new Map<string, { target: ObjectName; fields: FieldSet }>()
  for (const step of last.flat()) {
    if (step.key === undefined || step.target === undefined || step.before === step.after) continue
    const known = paths.get(step.key)?.fields ?? FieldSet.empty
    paths.set(step.key, { target: step.target, fields: known.union(step.touched()) })
  }
  return [...paths]
    .sort(([a], [b]) => compareStrings(a, b))
    .flatMap(([key, { target, fields }]) =>
      pathsOf(fields.leaves())
        .sort(comparePaths)
        .map(path => {
          const writes = last.map(steps => steps.flatMap(step => writeOf(step, key, path)))
          return { key, target, path, writes, period: periodOf(writes, cycle !== undefined) }
        })
        .filter(({ writes }) => writes.some(ofRound => ofRound.length > 0)),
    )
}

/** The write that the step is, if it moves the field. */
function writeOf(step: Step, key: string, path: Path): Write[] {
  if (step.key !== key || step.before === step.after) return []
  const [before, after] = [step.before, step.after].map(object => fieldOf(step, object, path))
  if (before === undefined || after === undefined || before.text === after.text) return []
  return [{ manager: step.manager, value: after.value, text: `${step.manager} ${after.text}` }]
}

function fieldOf(step: Step, object: MapValue | undefined, path: Path): { value: Value | undefined; text: string } {
  if (object === undefined) return { value: undefined, text: "" }
  const type = typeOf(step.types, object)
  const value = type === undefined ? undefined : typedValueAt(type, object, path)
  const owners = ownersAt(readShares(object), path).map(({ time: _, ...owner }) => owner as unknown as MapValue)
  return { value, text: `${value === undefined ? "" : writeJson(value)} ${writeJson(owners)}` }
}

/** After how many rounds the writes come again. Where it is not known that they do, they have to have done so twice. */
function periodOf(writes: Movement["writes"], comesAgain: boolean): number | undefined {
  const texts = writes.map(ofRound => ofRound.map(({ text }) => text).join("\n"))
  for (let period = 1; period <= texts.length; period++) {
    const isWhole = comesAgain ? texts.length % period === 0 : period * 2 <= texts.length
    if (isWhole && texts.every((text, i) => i < period || text === texts[i - period])) return period
  }
  return undefined
}

function told({ target, path, writes }: Movement): Unsettled {
  const managers = new Set(writes.flat().map(({ manager }) => manager))
  return { target, ...placeOf(path), managers: [...managers].sort(compareStrings) }
}

function numbers({ writes, period = 1 }: Movement): Pick<Fight, "period" | "writesPerRound" | "values"> {
  const once = writes.slice(0, period).flat()
  const values = new Map<string, Value>()
  for (const { value } of once) if (value !== undefined) values.set(writeJson(value), value)
  return { period, writesPerRound: once.length / period, values: [...values.values()] }
}

/** The managers without whose writes of the field it comes to rest. */
function endedBy(simulation: Simulation, movement: Movement, rounds: number): string[] {
  const { key, path } = movement
  return told(movement).managers.filter(manager => {
    const course = play(simulation, rounds, (request, now, types) =>
      "manager" in request && request.manager === manager ? leftOut(request, key, path, now, types) : request,
    )
    return !movements(course).some(other => other.key === key && areInLine(other.path, path))
  })
}
