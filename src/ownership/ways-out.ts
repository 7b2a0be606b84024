// The ways out of a conflict: leave the field to its owner, agree with the owner, or take the field.
import { fieldElement } from "../fieldpath/element.js"
import { stepsTo, valueAt } from "../fieldpath/lookup.js"
import { equalPaths, formatPath, type Path } from "../fieldpath/path.js"
import type { FieldManager } from "../managedfields/field-manager.js"
import type { FieldManagerResult } from "../managedfields/request.js"
import { type ValueChange, withChanges } from "../value/change.js"
import { equalValues } from "../value/equal.js"
import { isMap, type MapValue } from "../value/value.js"
import {
  type Adopted,
  changesOfConfig,
  type JsonPatchOperation,
  jsonPatch,
  type Scene,
  unionFields,
} from "./config-changes.js"
import type { ConflictOwner, FieldInConflict } from "./conflicts.js"
import { readShares } from "./owners.js"
import type { Trial } from "./request.js"
import type { SourceEdits, SourceObject } from "./source.js"

/** Whether a way out can be taken without a second thought. */
export type Applicability = "safe" | "unsure" | "impossible"

/** One way out of a conflict. */
export interface WayOut {
  /** `safe`: tried, and it does what it says and nothing else. `unsure`: the reason says what to think about. */
  readonly applicability: Applicability
  /** Why, for people. */
  readonly reason: string
  /** What to change in the configuration; absent where nothing is, or nothing can be changed. The values are shared. */
  readonly patch?: readonly JsonPatchOperation[]
  /** The same as edits of the text; absent where no text was given. */
  readonly source?: SourceEdits
}

/** The three ways out of a conflict, by the names that `resolve` takes. */
export interface WaysOut {
  /** Leave the field out, so that its owner alone decides. */
  readonly relinquish: WayOut
  /** Configure the value that is there, and own the field together. */
  readonly share: WayOut
  /** Apply by force, which takes the field from its owner. */
  readonly overwrite: WayOut
}

/** What takes a field in conflict out of the configuration: the field, or the union that makes the engine change it. */
export function pathsToCut({ path, union }: FieldInConflict, scene: Scene): readonly Path[] {
  return union === undefined ? [path] : unionFields(scene, union.change.path, union.member)
}

/** The value to be configured to agree with the owners; undefined where there is none. */
export function valueToAdopt({ path, live, union }: FieldInConflict, scene: Scene): Adopted | undefined {
  if (union !== undefined || live === undefined || stepsTo(scene.config, path) === undefined) return undefined
  return { path, value: live }
}

/** Works out and tries the ways out of the conflicts of one apply. */
export class WayFinder {
  private readonly manager: FieldManager
  private readonly trial: Trial
  private readonly scene: Scene
  private readonly source: SourceObject | undefined
  private readonly hasText: boolean

  constructor(manager: FieldManager, trial: Trial, scene: Scene, source: SourceObject | undefined, hasText: boolean) {
    this.manager = manager
    this.trial = trial
    this.scene = scene
    this.source = source
    this.hasText = hasText
  }

  waysOut(field: FieldInConflict): WaysOut {
    return { relinquish: this.relinquish(field), share: this.share(field), overwrite: this.overwrite(field) }
  }

  private relinquish(field: FieldInConflict): WayOut {
    const { scene } = this
    const changes = changesOfConfig(scene, pathsToCut(field, scene), [])
    if (changes.length === 0) return impossible(this.notConfigured(field))
    const names = listOwners(field.owners)
    const after = this.tried(changes)
    if (typeof after === "string") return this.way("unsure", `an apply without it is refused: ${after}`, changes)
    const stays = this.isAsBefore(field, after.object)
    if (!stays) return this.way("unsure", `the field does not stay as ${names} left it`, changes)
    const further = this.furtherChanges(field, changes)
    if (further !== "") return this.way("unsure", `${names} alone would decide; ${further} would go too`, changes)
    return this.way("safe", `${names} alone would decide`, changes)
  }

  private share(field: FieldInConflict): WayOut {
    const { scene } = this
    const { path, live, union, owners } = field
    if (union !== undefined) return impossible("a union makes the engine change it, whatever is configured there")
    if (live === undefined) return impossible("the object has nothing there to agree with")
    const adopted = valueToAdopt(field, scene)
    if (adopted === undefined) return impossible(this.notConfigured(field))
    const changes = changesOfConfig(scene, [], [adopted])
    const after = this.tried(changes)
    if (typeof after === "string") return this.way("unsure", `an apply with it is refused: ${after}`, changes)
    const isOwner = readShares(after.object).some(({ id, set }) => id === scene.applier && set.has(path))
    if (!isOwner || !this.isAsBefore(field, after.object)) {
      return this.way("unsure", "the field would not stay as it is", changes)
    }
    return this.way("safe", `you would own it together with ${listOwners(owners)}`, changes)
  }

  private overwrite({ owners }: FieldInConflict): WayOut {
    const { made } = this.trial
    if (made instanceof Error) return impossible(`not even force helps: ${made.message}`)
    const losses = owners.map(owner => `${nameOf(owner)} ${lossOf(owner)}`).join(", ")
    const writers = owners.filter(isWriter)
    if (writers.length === 0) return { applicability: "safe", reason: losses }
    const again = writers.some(({ operation }) => operation === "Apply")
      ? "would be in conflict with you next time"
      : "may write it again"
    return { applicability: "unsure", reason: `${losses}; ${listOwners(writers)} ${again}` }
  }

  private way(applicability: Applicability, reason: string, changes: readonly ValueChange[]): WayOut {
    const { config } = this.scene
    const patch = jsonPatch(config, changes)
    if (!this.hasText) return { applicability, reason, patch }
    const source = this.source?.editsFor(config, changes) ?? { impossible: "the text does not have the object" }
    return { applicability, reason, patch, source }
  }

  /** What the apply makes of the changed configuration, what else is in conflict by force; the message where it is refused. */
  private tried(changes: readonly ValueChange[]): FieldManagerResult | string {
    const { live, request } = this.trial
    const config = withChanges(this.scene.config, changes) as MapValue
    const { manager, subresource = "" } = request
    const attempt = this.manager.tryApply<MapValue>(live, config, { manager, subresource, force: true })
    return attempt.ok ? attempt : attempt.error.message
  }

  /** Whether the field has the value that it has now, and its owners. */
  private isAsBefore({ path, live, owners, union }: FieldInConflict, object: MapValue): boolean {
    const shares = readShares(object)
    if (
      !owners.every(({ id }) => shares.some(share => share.id === id && (union !== undefined || share.set.has(path))))
    )
      return false
    const now = valueAt(object, path)
    return live === undefined || now === undefined ? live === now : equalValues(live, now)
  }

  /** What the changes take that is not in conflict, for people; "" for nothing. */
  private furtherChanges({ path, union }: FieldInConflict, changes: readonly ValueChange[]): string {
    if (union !== undefined) return changes.map(({ steps }) => this.formatSteps(steps, path)).join(", ")
    const own = stepsTo(this.scene.config, path) ?? []
    const isAbove = ({ steps }: ValueChange): boolean => steps.every((step, i) => step === own[i])
    return changes
      .flatMap(change =>
        isAbove(change) ? this.besides(path, change.steps.length) : [this.formatSteps(change.steps, path)],
      )
      .join(", ")
  }

  /** The fields that go together with `path` because the map goes that they are in, `length` steps down or more. Keys of items don't count. */
  private besides(path: Path, length: number): string[] {
    const others: string[] = []
    for (let i = length; i < path.length; i++) {
      const [upper, last, next] = [path.slice(0, i), path[i - 1], path[i]]
      const map = valueAt(this.scene.config, upper)
      if (!isMap(map) || next?.kind !== "field") continue
      const known = [next.name, ...(last?.kind === "key" ? last.fields.map(({ name }) => name) : [])]
      for (const name of Object.keys(map))
        if (!known.includes(name)) others.push(formatPath([...upper, fieldElement(name)]))
    }
    return others
  }

  /** The way to a value of the configuration as a path, with the keys of items as far as it goes along with `path`. */
  private formatSteps(steps: readonly (string | number)[], path: Path): string {
    for (let length = path.length; length > 0; length--) {
      const upper = path.slice(0, length)
      const known = stepsTo(this.scene.config, upper)
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

function nameVersion(config: MapValue): string {
  return String(config.apiVersion ?? "")
}

function impossible(reason: string): WayOut {
  return { applicability: "impossible", reason }
}

function listOwners(owners: readonly ConflictOwner[]): string {
  return [...new Set(owners.map(nameOf))].join(" and ")
}

function nameOf({ manager, subresource }: ConflictOwner): string {
  return subresource === undefined ? manager : `${manager} (${subresource})`
}

function lossOf({ fields, keeps = 0 }: ConflictOwner): string {
  if (keeps === 0) return fields === 1 ? "loses its only field" : `loses all of its ${fields} fields`
  return `keeps ${keeps} of its ${fields} fields`
}

/** Whether it is a program that goes on writing; people and what was there before the first apply do not. */
function isWriter({ manager, operation }: ConflictOwner): boolean {
  return operation === "Apply" || !oneTimeManagers.has(manager)
}

const oneTimeManagers = new Set([
  "before-first-apply",
  "kubectl",
  "kubectl-client-side-apply",
  "kubectl-create",
  "kubectl-edit",
  "kubectl-patch",
  "kubectl-replace",
])

function formatRest(steps: readonly (string | number)[]): string {
  return steps.map(step => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("")
}

/** Whether the list has this path. */
export function hasPath(paths: readonly Path[], path: Path): boolean {
  return paths.some(known => equalPaths(known, path))
}
