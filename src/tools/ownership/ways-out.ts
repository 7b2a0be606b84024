// The ways out of a conflict: leave the field to its owner, agree with the owner, or take the field.

import { fieldElement } from "../../fieldpath/create-element.js"
import { below } from "../../fieldpath/parts.js"
import { equalPaths, formatPath, type Path } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import type { JsonPatchOperation } from "../../managedfields/entries/upgrade.js"
import { type UnionChange, unionFieldPath } from "../../union/report.js"
import type { ValueChange } from "../../value/change.js"
import { equalIfPresent } from "../../value/equal.js"
import { isMap, type MapValue } from "../../value/value.js"
import { listAnd } from "../../value/words.js"
import { type Adopted, changesOfConfig, jsonPatch, unionFields } from "./config-changes.js"
import type { ConflictOwner, FieldInConflict } from "./conflicts.js"
import { type Place, pathsOf, placeOf } from "./place.js"
import { isRefused, type Trial } from "./request.js"
import type { Scene } from "./scene.js"
import type { SourceEdits, SourceObject } from "./source.js"
import { type Candidate, type ForcedOutcome, type ForcedResult, Trials } from "./trials.js"
import { isUpdater, nextWrites } from "./writers.js"

/** Whether a way out can be taken without further thought. */
export type Applicability = "safe" | "unsure" | "impossible"

/** One way out of a conflict. */
export interface WayOut {
  /** `safe`: it was tried, and does what it says and nothing else. `unsure`: the reason says what to consider. */
  readonly applicability: Applicability
  /** The explanation, for people. */
  readonly reason: string
  /** The changes to the configuration; absent if there are none, or none are possible. The values are shared. */
  readonly patch?: readonly JsonPatchOperation[]
  /** The same changes as edits of the text; absent without a text. */
  readonly source?: SourceEdits
  /** For `overwrite` of a discriminator: the members of its union that the engine clears. Absent if it clears no member. */
  readonly clears?: readonly Place[]
}

/** The three ways out of a conflict, named as in `resolve`. */
export interface WaysOut {
  /** Omit the field, so that only its owner decides. */
  readonly relinquish: WayOut
  /** Configure the live value, and own the field together. `unsure` if an owner updates the field, because updates are never in conflict. */
  readonly share: WayOut
  /** Apply by force, which takes the field from its owner. */
  readonly overwrite: WayOut
}

/** Returns the paths to cut from the configuration in order to leave a field in conflict to its owners: the field, or its union. */
export function pathsToCut({ path, union }: FieldInConflict, scene: Scene): readonly Path[] {
  return union === undefined ? [path] : unionFields(scene, union.change.path, union.member)
}

/** Returns the value to configure in order to agree with the owners; undefined if that is impossible. */
export function valueToAdopt({ path, live, union }: FieldInConflict, scene: Scene): Adopted | undefined {
  if (union !== undefined || live === undefined || scene.configured.valueAt(path) === undefined) return undefined
  return { path, value: live }
}

/**
 * Returns the parts of a field in conflict that only the applier owns; undefined if it owns no part alone. They replace the configured
 * value when the field is left to its owners. Otherwise the object would lose them, and the field would not stay as it is.
 */
export function partToKeep({ path, live, union }: FieldInConflict, scene: Scene): Adopted | undefined {
  if (union !== undefined || live === undefined || scene.configured.valueAt(path) === undefined) return undefined
  const inside = below(scene.mine, path).difference(below(scene.others, path))
  if (inside.isEmpty()) return undefined
  const value = scene.partOfLive(FieldSet.of(pathsOf(inside).map(rest => [...path, ...rest])), path)
  return value === undefined ? undefined : { path, value }
}

/** A field, and a change of the configuration that may end its conflict. */
interface Attempt extends Candidate {
  readonly field: FieldInConflict
}

type Verdict = Pick<WayOut, "applicability" | "reason">

/** An attempt and its result. */
type Tried = Attempt & Verdict

const unstable = unsure("the field would not stay as it is")
const stillInConflict = impossible("the apply would still conflict over it")

/** Finds and tries the ways out of the conflicts of one apply. */
export class WayFinder {
  private readonly trial: Trial
  private readonly scene: Scene
  private readonly source: SourceObject | undefined
  private readonly hasText: boolean
  private readonly trials: Trials

  /** If `together` is false, each way is tried in an apply of its own. */
  constructor(trial: Trial, scene: Scene, source: SourceObject | undefined, hasText: boolean, together = true) {
    this.trial = trial
    this.scene = scene
    this.source = source
    this.hasText = hasText
    this.trials = new Trials(trial, scene, together)
  }

  /** Returns the ways out of each conflict. The fields have to be in the order of their paths. */
  waysOut(fields: readonly FieldInConflict[]): WaysOut[] {
    const [relinquish, share] = [this.relinquish(fields), this.share(fields)].map(tried => this.ways(tried))
    return fields.map(field => ({
      relinquish: relinquish?.get(field) ?? impossible(this.notConfigured(field)),
      share: share?.get(field) ?? this.unshared(field),
      overwrite: this.overwrite(field),
    }))
  }

  private relinquish(fields: readonly FieldInConflict[]): Tried[] {
    const attempts = this.attempts(fields, field => {
      const kept = partToKeep(field, this.scene)
      return kept === undefined
        ? changesOfConfig(this.scene, pathsToCut(field, this.scene), [])
        : changesOfConfig(this.scene, [], [kept])
    })
    const outcomes = this.trials.outcomes(attempts)
    return attempts.map(attempt => ({
      ...attempt,
      ...this.relinquished(attempt, outcomes.get(attempt) as ForcedOutcome),
    }))
  }

  private relinquished({ field, changes }: Attempt, outcome: ForcedOutcome): Verdict {
    const names = listOwners(field.owners)
    if (typeof outcome === "string") return unsure(`an apply without it is refused: ${outcome}`)
    if (!isAsBefore(field, outcome)) return unsure(`the field does not stay as ${names} left it`)
    const further = this.furtherChanges(field, changes)
    if (further !== "") return unsure(`${names} alone would decide; ${further} would go too`)
    const isKept = changes.some(({ value }) => value !== undefined)
    const applicability = "safe"
    return { applicability, reason: `${names} alone would decide${isKept ? "; what only you own in it stays" : ""}` }
  }

  private share(fields: readonly FieldInConflict[]): Tried[] {
    const attempts = this.attempts(fields, field => {
      const adopted = valueToAdopt(field, this.scene)
      return adopted === undefined ? [] : changesOfConfig(this.scene, [], [adopted])
    })
    const outcomes = this.trials.outcomes(attempts)
    const verdicts = new Map(attempts.map(one => [one, this.shared(one, outcomes.get(one) as ForcedOutcome)]))
    const endless = this.trials.inConflict(attempts.filter(attempt => verdicts.get(attempt) === unstable))
    return attempts.map(one => ({ ...one, ...(endless.has(one) ? stillInConflict : (verdicts.get(one) as Verdict)) }))
  }

  private shared({ field, path }: Attempt, outcome: ForcedOutcome): Verdict {
    if (typeof outcome === "string") return unsure(`an apply with it is refused: ${outcome}`)
    const isOwner = outcome.shares.get(this.scene.applier)?.set.has(path) === true
    if (!isOwner || !isAsBefore(field, outcome)) return unstable
    const together = `you would own it together with ${listOwners(field.owners)}`
    const updaters = field.owners.filter(isUpdater)
    if (updaters.length === 0) return { applicability: "safe", reason: together }
    return unsure(
      `${together}, but be in conflict again once ${listOwners(updaters)} ${updaters.length === 1 ? "writes" : "write"} another value`,
    )
  }

  /** Returns the reason why there is nothing to configure. */
  private unshared(field: FieldInConflict): WayOut {
    const { live, union } = field
    if (union !== undefined) return impossible("a union makes the engine change it, whatever is configured there")
    if (live === undefined) return impossible("the object has nothing there to agree with")
    return impossible(this.notConfigured(field))
  }

  /** Returns the fields whose conflict a change of the configuration may end. */
  private attempts(
    fields: readonly FieldInConflict[],
    changesFor: (field: FieldInConflict) => readonly ValueChange[],
  ): Attempt[] {
    return fields.flatMap(field => {
      const changes = changesFor(field)
      return changes.length === 0 ? [] : [{ field, path: field.path, changes }]
    })
  }

  private overwrite({ path, owners }: FieldInConflict): WayOut {
    const { result, live, given } = this.trial
    if (isRefused(result)) return impossible(`not even force helps: ${result.failure.message}`)
    const clears = clearedWith(path, result.unions).map(member => placeOf(member))
    const goes = clears.length === 0 ? "" : `; a union clears ${listAnd(clears.map(member => member.path))}`
    const losses =
      owners.map(owner => `${ownerLabel(owner)} ${live === given ? lossOf(owner) : "loses the replicas"}`).join(", ") +
      goes
    const more = clears.length > 0 && { clears }
    const next = nextWrites(owners, listOwners)
    if (next === "") return { applicability: "safe", reason: losses, ...more }
    return { applicability: "unsure", reason: `${losses}; ${next}`, ...more }
  }

  /** Returns the ways out that were tried, with patches and text edits. */
  private ways(all: readonly Tried[]): Map<FieldInConflict, WayOut> {
    const { config } = this.scene
    const possible = all.filter(({ applicability }) => applicability !== "impossible")
    const edits = this.source?.editsForEach(
      config,
      possible.map(({ changes }) => changes),
    )
    const ways = new Map<FieldInConflict, WayOut>()
    for (const { field, applicability, reason } of all) ways.set(field, { applicability, reason })
    possible.forEach(({ field, applicability, reason, changes }, i) => {
      const source = edits?.[i] ?? { impossible: "the text does not contain the object" }
      ways.set(field, { applicability, reason, patch: jsonPatch(config, changes), ...(this.hasText && { source }) })
    })
    return ways
  }

  /** Lists, for people, the fields that the changes remove although they are not in conflict; "" if nothing else is removed. */
  private furtherChanges({ path, union }: FieldInConflict, changes: readonly ValueChange[]): string {
    if (union !== undefined) return changes.map(({ steps }) => this.formatSteps(steps, path)).join(", ")
    const own = this.scene.configured.stepsTo(path) ?? []
    const isAbove = ({ steps }: ValueChange): boolean => steps.every((step, i) => step === own[i])
    return changes
      .flatMap(change =>
        isAbove(change) ? this.besides(path, change.steps.length) : [this.formatSteps(change.steps, path)],
      )
      .join(", ")
  }

  /**
   * Returns the fields that are removed along with `path` because a map that contains them is removed, `length` steps down or more. Keys of
   * items don't count.
   */
  private besides(path: Path, length: number): string[] {
    const others: string[] = []
    for (let i = length; i < path.length; i++) {
      const [upper, last, next] = [path.slice(0, i), path[i - 1], path[i]]
      const map = this.scene.configured.valueAt(upper)
      if (!isMap(map) || next?.kind !== "field") continue
      const known = [next.name, ...(last?.kind === "key" ? last.fields.map(({ name }) => name) : [])]
      for (const name of Object.keys(map))
        if (!known.includes(name)) others.push(formatPath([...upper, fieldElement(name)]))
    }
    return others
  }

  /** Returns the steps to a value of the configuration as a path. Items have their keys as far as the steps follow `path`. */
  private formatSteps(steps: readonly (string | number)[], path: Path): string {
    for (let length = path.length; length > 0; length--) {
      const upper = path.slice(0, length)
      const known = this.scene.configured.stepsTo(upper)
      const isPrefix = known?.every((step, i) => step === steps[i])
      if (isPrefix) return formatPath(upper) + formatRest(steps.slice(length))
    }
    return formatRest(steps)
  }

  private notConfigured({ path, owners }: FieldInConflict): string {
    const version = owners.find(({ apiVersion }) => apiVersion !== nameVersion(this.scene.config))?.apiVersion
    const where = version === undefined ? "" : `; ${version} may have another name for it`
    return `the configuration has nothing at ${formatPath(path)}${where}`
  }
}

/** Returns the members that the engine clears because the discriminator at this path has another value. */
function clearedWith(path: Path, changes: readonly UnionChange[]): Path[] {
  return changes
    .filter(change => change.discriminator && equalPaths(unionFieldPath(change, change.discriminator.field), path))
    .flatMap(change => change.cleared.map(({ field }) => unionFieldPath(change, field)))
}

/** Whether the field still has its live value and all its owners. */
function isAsBefore({ path, live, owners, union }: FieldInConflict, { object, shares }: ForcedResult): boolean {
  const owns = (id: string): boolean =>
    shares.has(id) && (union !== undefined || shares.get(id)?.set.has(path) === true)
  if (!owners.every(({ id }) => owns(id))) return false
  return equalIfPresent(live, object.valueAt(path))
}

function nameVersion(config: MapValue): string {
  return String(config.apiVersion ?? "")
}

function impossible(reason: string): Verdict {
  return { applicability: "impossible", reason }
}

function unsure(reason: string): Verdict {
  return { applicability: "unsure", reason }
}

function listOwners(owners: readonly ConflictOwner[]): string {
  return listAnd([...new Set(owners.map(ownerLabel))])
}

function ownerLabel({ manager, subresource }: ConflictOwner): string {
  return subresource === undefined ? manager : `${manager} (${subresource})`
}

function lossOf({ fields, keeps = 0 }: ConflictOwner): string {
  if (keeps === 0) return fields === 1 ? "loses its only field" : `loses all of its ${fields} fields`
  return `keeps ${keeps} of its ${fields} fields`
}

function formatRest(steps: readonly (string | number)[]): string {
  return steps.map(step => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("")
}
