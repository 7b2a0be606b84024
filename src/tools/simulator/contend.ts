// Finds fights: fields that controllers keep changing in turn.
//
// The requests of a controller depend only on the objects. So if a round ends in a state that was there some rounds before, the rounds in
// between repeat forever. If no state comes back, for example because of a counter, a field is in a fight if its own writes repeat.
import { areInLine, comparePaths, type Path } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { writeJson } from "../../json/json.js"
import { requireOptions } from "../../value/argument.js"
import { compareStrings } from "../../value/compare.js"
import type { MapValue, Value } from "../../value/value.js"
import { objectType } from "../ownership/fields.js"
import type { ObjectName } from "../ownership/object-name.js"
import { ownersAt, readShares } from "../ownership/owners.js"
import { type Place, pathsOf, placeOf } from "../ownership/place.js"
import { typedValueAt } from "../ownership/typed-lookup.js"
import type { SettleOptions } from "./controller.js"
import { keyOfRequest, leaveOut } from "./leave-out.js"
import { stateSignature } from "./signature.js"
import type { Simulation } from "./simulation.js"
import type { Step } from "./step.js"

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

/** A field that kept changing without a cycle for as long as the controllers were played. */
export interface Unsettled extends Place {
  /** The object that contains the field. */
  readonly target: ObjectName
  /** The managers that change the field, sorted. */
  readonly managers: readonly string[]
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

/** The rounds that were played. */
interface Course {
  readonly settled: boolean
  readonly rounds: readonly (readonly Step[])[]
  /** The index of the first round that repeats; undefined if no state came back. */
  readonly cycle?: number
  /** The groups of objects that may influence each other; undefined if all objects may. */
  readonly groups: ObjectGroups | undefined
}

function playRounds(
  simulation: Simulation,
  maxRounds: number,
  replace?: Parameters<Simulation["playRound"]>[0],
): Course {
  const copy = simulation.restarted()
  const known = new Map([[stateSignature(copy.now()), 0]])
  const rounds: Step[][] = []
  let groups: ObjectGroups | undefined = new ObjectGroups()
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

/**
 * Groups of objects that influence each other: a controller that read some objects of a group wrote the others. An object that is written
 * by a controller which reads nothing is not joined to others.
 */
class ObjectGroups {
  /** For each key another key of its group, except for the key that represents the group. */
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

/** A field that keeps changing. */
interface ChangingField {
  readonly key: string
  readonly target: ObjectName
  readonly path: Path
  /** The writes that change the field, for each round. */
  readonly writes: readonly (readonly FieldWrite[])[]
  /** The length of the cycle in rounds; undefined if the writes do not repeat. */
  readonly period: number | undefined
}

interface FieldWrite {
  readonly manager: string
  readonly value: Value | undefined
  /** The manager, value and owners as one text. */
  readonly text: string
}

/** Returns the fields that change in the rounds that repeat, or in the second half of all rounds if no state came back. */
function changingFields({ settled, rounds, cycle }: Course): ChangingField[] {
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
          const writes = last.map((_, round) => (byKey[round]?.get(key) ?? []).flatMap(step => fieldWrites(step, path)))
          return { key, target, path, writes, period: periodOf(writes, cycle !== undefined) }
        })
        .filter(({ writes }) => writes.some(ofRound => ofRound.length > 0)),
    )
}

function byKeyOf<T extends { readonly key: string | undefined }>(all: readonly T[]): Map<string | undefined, T[]> {
  const groups = new Map<string | undefined, T[]>()
  for (const one of all) {
    const group = groups.get(one.key)
    if (group === undefined) groups.set(one.key, [one])
    else group.push(one)
  }
  return groups
}

/** Returns the step as a write of the field; an empty list if the step does not change the field. */
function fieldWrites(step: Step, path: Path): FieldWrite[] {
  if (step.before === step.after) return []
  const [before, after] = [step.before, step.after].map(object => fieldOf(step, object, path))
  if (before === undefined || after === undefined || before.text === after.text) return []
  return [{ manager: step.manager, value: after.value, text: `${step.manager} ${after.text}` }]
}

function fieldOf(step: Step, object: MapValue | undefined, path: Path): { value: Value | undefined; text: string } {
  if (object === undefined) return { value: undefined, text: "" }
  const type = objectType(step.types, object)
  const value = type === undefined ? undefined : typedValueAt(type, object, path)
  const owners = ownersAt(readShares(object), path).map(({ time: _, ...owner }) => owner as unknown as MapValue)
  return { value, text: `${value === undefined ? "" : writeJson(value)} ${writeJson(owners)}` }
}

/**
 * Returns the number of rounds after which the writes repeat, or undefined if they do not. If the rounds are not known to be a whole cycle,
 * they must contain at least two periods.
 */
function periodOf(writes: ChangingField["writes"], isCycle: boolean): number | undefined {
  const texts = writes.map(ofRound => ofRound.map(({ text }) => text).join("\n"))
  for (let period = 1; period <= texts.length; period++) {
    const isWhole = isCycle ? texts.length % period === 0 : period * 2 <= texts.length
    if (isWhole && texts.every((text, i) => i < period || text === texts[i - period])) return period
  }
  return undefined
}

function fieldSummary({ target, path, writes }: ChangingField): Unsettled {
  const managers = new Set(writes.flat().map(({ manager }) => manager))
  return { target, ...placeOf(path), managers: [...managers].sort(compareStrings) }
}

function cycleSummary({ writes, period = 1 }: ChangingField): Pick<Fight, "period" | "writesPerRound" | "values"> {
  const once = writes.slice(0, period).flat()
  const values = new Map<string, Value>()
  for (const { value } of once) if (value !== undefined) values.set(writeJson(value), value)
  return { period, writesPerRound: once.length / period, values: [...values.values()] }
}

/** A field, and a manager that might end the fight over the field by leaving it out. */
interface Candidate {
  readonly field: ChangingField
  readonly manager: string
}

/**
 * Returns the candidates that each end their fight alone. Objects of different groups do not influence each other, so candidates of
 * different groups are tried together.
 */
function endingCandidates(
  simulation: Simulation,
  course: Course,
  all: readonly Candidate[],
  maxRounds: number,
): Set<Candidate> {
  const ending = new Set<Candidate>()
  for (const batch of batches(all, course.groups)) {
    const ended = endedIn(simulation, batch, maxRounds) ?? batch.filter(one => endsAlone(simulation, one, maxRounds))
    for (const one of ended) ending.add(one)
  }
  return ending
}

/** Divides the candidates into batches with at most one candidate of each group. */
function batches(all: readonly Candidate[], groups: ObjectGroups | undefined): Iterable<readonly Candidate[]> {
  if (groups === undefined) return all.map(one => [one])
  const result: Candidate[][] = []
  const counts = new Map<string, number>()
  for (const one of all) {
    const group = groups.of(one.field.key)
    const count = counts.get(group) ?? 0
    counts.set(group, count + 1)
    const batch = result[count]
    if (batch === undefined) result.push([one])
    else batch.push(one)
  }
  return result
}

function endsAlone(simulation: Simulation, one: Candidate, maxRounds: number): boolean {
  return playWithout(simulation, [one], maxRounds).ended.length > 0
}

/** Returns the candidates of the batch that end their fight; undefined if they influence each other or the rounds neither settle nor repeat. */
function endedIn(simulation: Simulation, batch: readonly Candidate[], maxRounds: number): Candidate[] | undefined {
  const { course, ended } = playWithout(simulation, batch, maxRounds)
  const { groups, settled, cycle } = course
  if (batch.length === 1) return ended
  if (groups === undefined || (!settled && cycle === undefined)) return undefined
  const apart = new Set(batch.map(({ field }) => groups.of(field.key)))
  return apart.size === batch.length ? ended : undefined
}

/** Plays the rounds while each manager of the batch leaves out its field. Returns the candidates whose fields stop changing. */
function playWithout(
  simulation: Simulation,
  batch: readonly Candidate[],
  maxRounds: number,
): { readonly course: Course; readonly ended: Candidate[] } {
  const byKey = new Map(batch.map(one => [one.field.key, one]))
  const managers = new Set(batch.map(({ manager }) => manager))
  const course = playRounds(simulation, maxRounds, (request, now, types) => {
    if (!("manager" in request) || !managers.has(request.manager ?? "")) return request
    const one = byKey.get(keyOfRequest(request, now) ?? "")
    if (one === undefined || one.manager !== request.manager) return request
    return leaveOut(request, one.field.key, one.field.path, now, types)
  })
  const changing = byKeyOf(changingFields(course))
  const changes = ({ field: { key, path } }: Candidate) => changing.get(key)?.some(other => areInLine(other.path, path))
  return { course, ended: batch.filter(one => changes(one) !== true) }
}

/** A field that a manager leaves out. */
export interface LeftOutField extends Place {
  readonly target: ObjectName
  readonly manager: string
}

/**
 * Returns few fields, each with a manager, such that all controllers settle if these managers leave them out: the fewest if one or two are
 * enough, otherwise a set that needs each of its fields. Undefined if there is none, or if it takes more than `mostTrials` plays to find it.
 */
export function endingFields(simulation: Simulation, maxRounds = 100, mostTrials = 300): LeftOutField[] | undefined {
  const all: Candidate[] = changingFields(playRounds(simulation, maxRounds)).flatMap(field =>
    fieldSummary(field).managers.map(manager => ({ field, manager })),
  )
  let trials = 0
  const changingWithout = (some: readonly Candidate[]): number => {
    trials++
    const course = playLeavingOut(simulation, some, maxRounds)
    return course.settled ? 0 : Math.max(1, changingFields(course).length)
  }
  let chosen: Candidate[] = []
  for (const some of [
    ...all.map(one => [one]),
    ...all.flatMap((one, i) => all.slice(i + 1).map(other => [one, other])),
  ]) {
    if (trials >= mostTrials) return undefined
    if (changingWithout(some) === 0) return some.map(leftOutField)
  }
  for (let left = Number.POSITIVE_INFINITY; left > 0; ) {
    const scored = all
      .filter(one => !chosen.includes(one))
      .map(one => ({ one, left: trials < mostTrials ? changingWithout([...chosen, one]) : left }))
    const best = scored.sort((a, b) => a.left - b.left)[0]
    if (best === undefined || best.left >= left) return undefined
    chosen = [...chosen, best.one]
    left = best.left
  }
  for (const one of chosen) {
    const rest = chosen.filter(other => other !== one)
    if (trials < mostTrials && changingWithout(rest) === 0) chosen = rest
  }
  return chosen.map(leftOutField)
}

function leftOutField({ field: { target, path }, manager }: Candidate): LeftOutField {
  return { target, manager, ...placeOf(path) }
}

/** Plays the rounds while managers leave out their fields, of which an object may have several. */
function playLeavingOut(simulation: Simulation, some: readonly Candidate[], maxRounds: number): Course {
  return playRounds(simulation, maxRounds, (request, now, types) => {
    let left = request
    for (const { field, manager } of some) {
      if ("manager" in left && left.manager === manager && keyOfRequest(left, now) === field.key) {
        left = leaveOut(left, field.key, field.path, now, types)
      }
    }
    return left
  })
}
