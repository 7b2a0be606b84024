// Tries changes of a configuration, each as if it were the only one, with as few applies as possible.
//
// Independent changes are tried together: the outcome at each one's field is then the same as if it were made alone. Changes depend on each
// other if one is at or above the other, if the same holds for their fields, or if they are about the same union. Changes are also tried
// apart if together they would empty a map, a list or an item that each alone would not.

import { hasCode } from "../../errors.js"
import { Lookup } from "../../fieldpath/lookup.js"
import { areInLine, formatPath, type Path } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import type { ApplyConflictError } from "../../managedfields/chain/status.js"
import { outermost, type Steps, type ValueChange, withChanges } from "../../value/change.js"
import { textAt } from "../../value/fields.js"
import { addToGroup, DisjointGroups } from "../../value/groups.js"
import type { MapValue } from "../../value/value.js"
import { unionAbove } from "./config-changes.js"
import type { Share } from "./owners.js"
import { type AcceptedApply, isRefused, type OwnershipRequest, type RefusedApply, type Trial } from "./request.js"
import type { Scene } from "./scene.js"
import { byId } from "./transfers.js"

/** Changes to try, and the field that they are meant for. */
export interface Candidate {
  readonly path: Path
  readonly changes: readonly ValueChange[]
}

/** The result of a forced apply, or the message of its refusal. */
export type ForcedOutcome = ForcedResult | string

/** The object that results from an apply, and its owners. */
export interface ForcedResult {
  readonly object: Lookup
  readonly shares: ReadonlyMap<string, Share>
}

/** Tries changes of an apply's configuration. Candidates have to be in the order of their paths. */
export class Trials {
  private readonly trial: Trial
  private readonly scene: Scene
  private readonly areTriedTogether: boolean
  private refused: string | undefined

  /** If `together` is false, each candidate is tried alone. */
  constructor(trial: Trial, scene: Scene, together = true) {
    this.trial = trial
    this.scene = scene
    this.areTriedTogether = together && !isForeign(trial.request, trial)
  }

  /** Returns the outcome that each candidate has alone. */
  outcomes(candidates: readonly Candidate[]): Map<Candidate, ForcedOutcome> {
    const outcomes = new Map<Candidate, ForcedOutcome>()
    for (const batch of this.batches(candidates)) this.run(batch, outcomes)
    return outcomes
  }

  /** Returns the candidates whose fields stay in conflict without force. */
  inConflict(candidates: readonly Candidate[]): Set<Candidate> {
    const found = new Set<Candidate>()
    for (const batch of this.batches(candidates)) {
      const result = this.apply(batch, false)
      if (!isRefused(result) || !hasCode(result.error, "conflict")) continue
      const { conflicts } = result.error as ApplyConflictError
      const paths = FieldSet.of(conflicts.map(({ path }) => path))
      for (const candidate of batch) if (paths.has(candidate.path)) found.add(candidate)
    }
    return found
  }

  private run(batch: readonly Candidate[], outcomes: Map<Candidate, ForcedOutcome>): void {
    const result = this.apply(batch, true)
    const outcome = isRefused(result) ? result.failure.message : forcedResult(result)
    if (batch.length > 1 && !this.isOfEach(outcome)) {
      const middle = batch.length >> 1
      this.run(batch.slice(0, middle), outcomes)
      this.run(batch.slice(middle), outcomes)
      return
    }
    for (const candidate of batch) outcomes.set(candidate, outcome)
  }

  /**
   * Whether the outcome of several candidates is also the outcome of each. If the apply is refused, or no longer refused, one of them alone
   * may be the cause.
   */
  private isOfEach(outcome: ForcedOutcome): boolean {
    const refused = (this.refused ??= this.unchanged())
    return refused === "" ? typeof outcome !== "string" : outcome === refused
  }

  /** Returns the message with which a forced apply of the unchanged configuration is refused; "" if it is accepted. */
  private unchanged(): string {
    const { config, result } = this.trial
    if (config === this.scene.config) return messageOf(result)
    return messageOf(this.apply([], true))
  }

  private apply(batch: readonly Candidate[], force: boolean): AcceptedApply | RefusedApply {
    const config = withChanges(this.scene.config, outermost(batch.flatMap(({ changes }) => changes))) as MapValue
    return this.trial.apply(config, force)
  }

  /** Groups of candidates that are tried together. */
  private batches(candidates: readonly Candidate[]): Iterable<readonly Candidate[]> {
    if (!this.areTriedTogether) return candidates.map(candidate => [candidate])
    const groups = groupsOf(candidates, this.scene)
    const batches = new Map<string, Candidate[]>()
    const counts = new Map<number, number>()
    candidates.forEach((candidate, i) => {
      // Each batch takes at most one candidate of a group. Neighbors go to different batches, so that together they don't empty the map or
      // list that contains both.
      const group = groups[i] as number
      const round = counts.get(group) ?? 0
      counts.set(group, round + 1)
      addToGroup(batches, `${round} ${i % 2}`, candidate)
    })
    return batches.values()
  }
}

function forcedResult({ object, shares }: AcceptedApply): ForcedResult {
  return { object: new Lookup(object), shares: byId(shares) }
}

/** Returns the message of a refusal; "" for an apply that is accepted. */
function messageOf(result: AcceptedApply | RefusedApply): string {
  return isRefused(result) ? result.failure.message : ""
}

/** Whether the apply calls functions of the caller. Their results may depend on anything. */
function isForeign({ defaults, prepare, converter }: OwnershipRequest, { config, live, shares }: Trial): boolean {
  if (defaults !== undefined || prepare !== undefined) return true
  const versions = [
    ...shares.map(({ owner }) => owner.apiVersion),
    ...(live === undefined ? [] : [textAt(live, "apiVersion")]),
  ]
  return converter !== undefined && versions.some(version => version !== textAt(config, "apiVersion"))
}

/** Returns the group number of each candidate. Candidates that depend on each other have the same group. */
function groupsOf(candidates: readonly Candidate[], scene: Scene): number[] {
  const groups = new DisjointGroups<number>()
  const structs = new Map<string, number>()
  const places = new ChangedPart()
  const above: number[] = []
  candidates.forEach(({ path, changes }, i) => {
    const isAbove = (index: number): boolean => areInLine((candidates[index] as Candidate).path, path)
    while (above.length > 0 && !isAbove(above[above.length - 1] as number)) above.pop()
    groups.join([i, above[above.length - 1] ?? i])
    above.push(i)
    const struct = unionAbove(scene, path)
    if (struct !== undefined) {
      const text = formatPath(struct)
      groups.join([i, structs.get(text) ?? i])
      structs.set(text, i)
    }
    for (const { steps } of changes) places.at(steps).candidate ??= i
  })
  candidates.forEach(({ changes }, i) => {
    for (const { steps } of changes) for (const other of places.candidatesTo(steps)) groups.join([i, other])
  })
  return candidates.map((_, i) => groups.of(i))
}

/** A place in the configuration, with the first candidate that changes it and the places below it. */
class ChangedPart {
  candidate: number | undefined
  private readonly below = new Map<string | number, ChangedPart>()

  at(steps: Steps): ChangedPart {
    let place: ChangedPart = this
    for (const step of steps) {
      const next = place.below.get(step) ?? new ChangedPart()
      place.below.set(step, next)
      place = next
    }
    return place
  }

  /** Returns the candidates that change the place at these steps or a place above it. */
  candidatesTo(steps: Steps): number[] {
    const found: number[] = []
    let place: ChangedPart | undefined = this
    for (const step of steps) {
      place = place?.below.get(step)
      if (place?.candidate !== undefined) found.push(place.candidate)
    }
    return found
  }
}
