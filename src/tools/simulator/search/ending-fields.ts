// Finds fields that end fights: the controllers settle, or a field stops changing, if a manager leaves such a field out.

import { areInLine } from "../../../fieldpath/path.js"
import { addToGroup, type DisjointGroups, groupBy } from "../../../value/groups.js"
import type { ObjectName } from "../../ownership/object-name.js"
import { type Place, placeOf } from "../../ownership/place.js"
import type { Simulation } from "../simulation/simulation.js"
import { type ChangingField, changingFields, fieldSummary } from "./changing-fields.js"
import { keyOfRequest, leaveOut } from "./leave-out.js"
import { type Course, playRounds } from "./rounds.js"

/** A field, and a manager that might end the fight over the field by leaving it out. */
export interface Candidate {
  readonly field: ChangingField
  readonly manager: string
}

/**
 * Returns the candidates that each end their fight alone. Objects of different groups do not influence each other, so candidates of
 * different groups are tried together.
 */
export function endingCandidates(
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
function batches(
  all: readonly Candidate[],
  groups: DisjointGroups<string> | undefined,
): Iterable<readonly Candidate[]> {
  if (groups === undefined) return all.map(one => [one])
  const result = new Map<number, Candidate[]>()
  const counts = new Map<string, number>()
  for (const one of all) {
    const group = groups.of(one.field.key)
    const count = counts.get(group) ?? 0
    counts.set(group, count + 1)
    addToGroup(result, count, one)
  }
  return result.values()
}

export function endsAlone(simulation: Simulation, one: Candidate, maxRounds: number): boolean {
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
  const changing = groupBy(changingFields(course), ({ key }) => key)
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

/** Plays the rounds while managers leave out their fields. An object may have several such fields. */
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
