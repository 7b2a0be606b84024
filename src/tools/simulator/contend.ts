// Fights: fields that controllers write in turn and never leave alone.
//
// Controllers decide by what they see, so where all values and owners are as they were some rounds before, everything in between comes
// again for ever. Where they never are, since something else goes on counting, the fields whose own writes repeat count.
import { areInLine, comparePaths, type Path } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { writeJson } from "../../json/json.js"
import { requireOptions } from "../../value/argument.js"
import { compareStrings } from "../../value/compare.js"
import type { MapValue, Value } from "../../value/value.js"
import { typeOf } from "../ownership/fields.js"
import type { ObjectName } from "../ownership/object-name.js"
import { ownersAt, readShares } from "../ownership/owners.js"
import { type Place, pathsOf, placeOf } from "../ownership/place.js"
import { typedValueAt } from "../ownership/typed-lookup.js"
import type { SettleOptions } from "./controller.js"
import { keyOfRequest, leftOut } from "./leave-out.js"
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

/** As `contend`. With `together` false, every way to end a fight is tried by itself. */
export function contention(simulation: Simulation, rounds: number, together: boolean): Contention {
  const course = play(simulation, rounds)
  const moved = movements(course)
  const fights = moved.filter(({ period }) => period !== undefined)
  const candidates = fights.map(movement => told(movement).managers.map(manager => ({ movement, manager })))
  const ending = together ? endings(simulation, course, candidates.flat(), rounds) : new Set<Candidate>()
  const ends = (one: Candidate) => (together ? ending.has(one) : endsAlone(simulation, one, rounds))
  return {
    settled: course.settled,
    rounds: course.rounds.length,
    fights: fights.map((movement, i) => ({
      ...told(movement),
      ...numbers(movement),
      endedBy: (candidates[i] ?? []).filter(ends).map(({ manager }) => manager),
    })),
    unsettled: moved.filter(({ period }) => period === undefined).map(told),
  }
}

/** What was played, round by round. */
interface Course {
  readonly settled: boolean
  readonly rounds: readonly (readonly Step[])[]
  /** The rounds from here on come again and again; undefined where it is not known. */
  readonly cycle?: number
  /** Which objects have to do with each other; undefined if all of them may. */
  readonly groups: Groups | undefined
}

function play(simulation: Simulation, most: number, change?: Parameters<Simulation["playRound"]>[0]): Course {
  const copy = simulation.restarted()
  const known = new Map([[stateOf(copy.now()), 0]])
  const rounds: Step[][] = []
  let groups: Groups | undefined = new Groups()
  while (rounds.length < most) {
    const steps = copy.playRound(change, (read, made) => {
      if (read.has(undefined) || made.some(({ key }) => key === undefined)) groups = undefined
      if (read.size > 0) groups?.join([...(read as ReadonlySet<string>), ...made.map(({ key }) => key as string)])
    })
    rounds.push(steps)
    if (!steps.some(({ before, after }) => before !== after)) return { settled: true, rounds, groups }
    const state = stateOf(copy.now())
    const cycle = known.get(state)
    if (cycle !== undefined) return { settled: false, rounds, cycle, groups }
    known.set(state, rounds.length)
  }
  return { settled: false, rounds, groups }
}

/** Objects that have to do with each other: a controller that has read the one wrote the other. What it writes blindly has not. */
class Groups {
  /** Another key of the group; none for the key that stands for the group. */
  private readonly next = new Map<string, string>()

  of(key: string): string {
    let last = key
    for (let next = this.next.get(last); next !== undefined; next = this.next.get(last)) last = next
    if (last !== key) this.next.set(key, last)
    return last
  }

  join([first, ...others]: readonly string[]): void {
    for (const key of others) {
      const [x, y] = [this.of(first as string), this.of(key)]
      if (x !== y) this.next.set(x, y)
    }
  }
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
  const byKey = last.map(byKeyOf)
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
          const writes = last.map((_, round) => (byKey[round]?.get(key) ?? []).flatMap(step => writeOf(step, path)))
          return { key, target, path, writes, period: periodOf(writes, cycle !== undefined) }
        })
        .filter(({ writes }) => writes.some(ofRound => ofRound.length > 0)),
    )
}

function byKeyOf<T extends { readonly key: string | undefined }>(all: readonly T[]): Map<string | undefined, T[]> {
  const found = new Map<string | undefined, T[]>()
  for (const one of all) {
    const known = found.get(one.key)
    if (known === undefined) found.set(one.key, [one])
    else known.push(one)
  }
  return found
}

/** The write that the step is, if it moves the field. */
function writeOf(step: Step, path: Path): Write[] {
  if (step.before === step.after) return []
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

/** A field, and a manager that might end the fight about it by leaving it out. */
interface Candidate {
  readonly movement: Movement
  readonly manager: string
}

/**
 * The candidates that end their fight, each by itself. Objects of different groups come to the same whatever happens to the others, so one
 * candidate of each group is tried at a time.
 */
function endings(simulation: Simulation, course: Course, all: readonly Candidate[], rounds: number): Set<Candidate> {
  const found = new Set<Candidate>()
  for (const batch of batches(all, course.groups)) {
    const ended = endedIn(simulation, batch, rounds) ?? batch.filter(one => endsAlone(simulation, one, rounds))
    for (const one of ended) found.add(one)
  }
  return found
}

function batches(all: readonly Candidate[], groups: Groups | undefined): Iterable<readonly Candidate[]> {
  if (groups === undefined) return all.map(one => [one])
  const made: Candidate[][] = []
  const counts = new Map<string, number>()
  for (const one of all) {
    const group = groups.of(one.movement.key)
    const count = counts.get(group) ?? 0
    counts.set(group, count + 1)
    const batch = made[count]
    if (batch === undefined) made.push([one])
    else batch.push(one)
  }
  return made
}

function endsAlone(simulation: Simulation, one: Candidate, rounds: number): boolean {
  return playWithout(simulation, [one], rounds).ended.length > 0
}

/** The candidates of the batch that end their fight; undefined if they turn out to have to do with each other, or nothing comes to an end. */
function endedIn(simulation: Simulation, batch: readonly Candidate[], rounds: number): Candidate[] | undefined {
  const { course, ended } = playWithout(simulation, batch, rounds)
  const { groups, settled, cycle } = course
  if (batch.length === 1) return ended
  if (groups === undefined || (!settled && cycle === undefined)) return undefined
  const apart = new Set(batch.map(({ movement }) => groups.of(movement.key)))
  return apart.size === batch.length ? ended : undefined
}

/** What is played if each manager of the batch leaves its field out, and whose fields come to rest. */
function playWithout(
  simulation: Simulation,
  batch: readonly Candidate[],
  rounds: number,
): { readonly course: Course; readonly ended: Candidate[] } {
  const byKey = new Map(batch.map(one => [one.movement.key, one]))
  const managers = new Set(batch.map(({ manager }) => manager))
  const course = play(simulation, rounds, (request, now, types) => {
    if (!("manager" in request) || !managers.has(request.manager ?? "")) return request
    const one = byKey.get(keyOfRequest(request, now) ?? "")
    if (one === undefined || one.manager !== request.manager) return request
    return leftOut(request, one.movement.key, one.movement.path, now, types)
  })
  const moved = byKeyOf(movements(course))
  const moves = ({ movement: { key, path } }: Candidate) => moved.get(key)?.some(other => areInLine(other.path, path))
  return { course, ended: batch.filter(one => moves(one) !== true) }
}
