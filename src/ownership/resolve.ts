// Resolve: the configuration that is in no conflict any more, as it was decided for each.
import { hasCode } from "../errors.js"
import { stepsTo } from "../fieldpath/lookup.js"
import type { Path } from "../fieldpath/path.js"
import { type ValueChange, withChanges } from "../value/change.js"
import { equalValues } from "../value/equal.js"
import type { MapValue, Value } from "../value/value.js"
import { type Adopted, changesOfConfig, type JsonPatchOperation, jsonPatch, type Scene } from "./config-changes.js"
import { type ConflictOwner, type FieldInConflict, fieldsInConflict } from "./conflicts.js"
import { type ExplainedConflict, type ExplainRequest, explainConflicts, sceneOf } from "./explain.js"
import { type Finding, findingsAbout } from "./finding.js"
import { type Place, placeOf } from "./place.js"
import { type RequestedApply, requestedApply, type Trial, tryApply } from "./request.js"
import { findInSource, type SourceEdits } from "./source.js"
import { hasPath, pathsToCut, valueToAdopt } from "./ways-out.js"

/** What to do about a conflict: nothing, or one of the three ways of Kubernetes. */
export type OnConflict = "fail" | "relinquish" | "share" | "overwrite"

/** What `resolve` is told. */
export interface ResolveRequest extends ExplainRequest {
  /** What to do about each conflict. A function is called with each, also with those that come up later, and decides. */
  readonly onConflict: OnConflict | ((conflict: ExplainedConflict) => OnConflict)
}

/** A conflict that was decided. */
export interface ResolvedField extends Place {
  /** Who owned it. */
  readonly owners: readonly ConflictOwner[]
  /** What the live object has there; absent where it has nothing. Shared with the live object. */
  readonly live?: Value
  /** What the configuration would have made of it; absent where the field would have gone. Shared with the configuration. */
  readonly configured?: Value
}

/** Edits of the text, and the text with them. */
export interface ResolvedSource extends SourceEdits {
  /** The edited text; absent where it can't be edited. */
  readonly text?: string
}

/** A configuration whose conflicts were decided. Plain data throughout. */
export interface Resolution extends RequestedApply {
  /** Tells the results of this entry apart. */
  readonly type: "resolution"
  /** The version of this format: the one of `ownership.schema.json`. */
  readonly version: 1
  /** `conflict` where some are left: those under `failed`. */
  readonly outcome: "resolved" | "conflict"
  /** What to apply. Shares what did not change with the configuration that was given. */
  readonly config: MapValue
  /** Whether to apply it by force: where something is overwritten. */
  readonly force: boolean
  /** What was left to its owners, in the order in which it was decided; at the end what went with it, as members of a union do. */
  readonly relinquished: readonly ResolvedField[]
  /** What has the value of its owners now. */
  readonly shared: readonly ResolvedField[]
  /** What force takes from its owners; nothing that went with something else that was relinquished. */
  readonly overwritten: readonly ResolvedField[]
  /** What is in conflict still. */
  readonly failed: readonly ResolvedField[]
  /** What has changed in the configuration. */
  readonly patch: readonly JsonPatchOperation[]
  /** The same as edits of the text; absent where no text was given. */
  readonly source?: ResolvedSource
  /** What makes the answer doubtful. */
  readonly findings: readonly Finding[]
}

/**
 * The configuration to apply to `live` so that nothing, or only what is to be overwritten, is in conflict; and what was done for
 * that.
 *
 * - `relinquish` leaves a field out, together with what says nothing without it: maps, lists and items of which nothing is left,
 *   the discriminator or the members of its union. List keys stay with their items; an item of which only the keys are left stays
 *   where the object would lose it otherwise.
 * - `share` gives it the value it has. What can't be shared, since the object has nothing there or a union is behind it, is
 *   relinquished; so is all that was shared where an apply with it is refused.
 * - `overwrite` leaves it as it is, and sets `force`.
 * - `fail` leaves the conflict.
 *
 * Never throws on a conflict; otherwise as `explain`.
 *
 * @example
 * ```ts
 * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
 * import { FieldManager } from "structured-merge-diff/managedfields"
 * import { resolve } from "structured-merge-diff/ownership"
 *
 * const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } }
 * const manager = new FieldManager({ types: kubernetesTypes })
 * const live = manager.update(undefined, { ...web, spec: { replicas: 7 } }, { manager: "autoscaler" }).object
 *
 * const config = { ...web, spec: { replicas: 3, paused: true } }
 * const resolved = resolve(live, config, { types: kubernetesTypes, manager: "gitops", onConflict: "relinquish" })
 * console.log(JSON.stringify(resolved.config.spec), resolved.relinquished.map(({ path }) => path).join())
 * // {"paused":true} .spec.replicas
 * ```
 */
export function resolve(live: object | undefined, config: object, request: ResolveRequest): Resolution {
  const first = tryApply(live, config, { ...request, force: false })
  const resolver = new Resolver(first, request)
  const changes = resolver.run()
  const resolved = withChanges(resolver.scene.config, changes) as MapValue
  resolver.settle(resolved)
  const { scene, relinquished, shared, overwritten, failed } = resolver
  return {
    type: "resolution",
    version: 1,
    ...requestedApply(scene.config, request),
    outcome: failed.length > 0 ? "conflict" : "resolved",
    config: changes.length === 0 ? scene.config : resolved,
    force: overwritten.length > 0,
    relinquished,
    shared,
    overwritten,
    failed,
    patch: jsonPatch(scene.config, changes),
    ...(request.source !== undefined && { source: editedSource(request, scene, changes) }),
    findings: findingsAbout(first.live),
  }
}

function editedSource({ source }: ResolveRequest, { config }: Scene, changes: readonly ValueChange[]): ResolvedSource {
  const object = findInSource(source, config)
  if (object === undefined) return { impossible: "the text does not have the object" }
  const found = object.editsFor(config, changes)
  return found.edits === undefined ? found : { ...found, text: object.edited(found.edits) }
}

/** Decides conflicts, round by round: what is left out or adopted may bring up others. */
class Resolver {
  readonly scene: Scene
  readonly relinquished: ResolvedField[] = []
  shared: ResolvedField[] = []
  overwritten: ResolvedField[] = []
  failed: ResolvedField[] = []
  private readonly first: Trial
  private readonly request: ResolveRequest
  private readonly cut: Path[] = []
  private readonly adopted: Adopted[] = []
  private readonly forced: Path[] = []
  /** The apply of the changes that were made last. */
  private last: Trial

  constructor(first: Trial, request: ResolveRequest) {
    this.first = first
    this.last = first
    this.request = request
    this.scene = sceneOf(first)
  }

  /** The changes of the configuration. */
  run(): readonly ValueChange[] {
    let trial = this.first
    let changes: readonly ValueChange[] = []
    for (;;) {
      this.last = trial
      const open = fieldsInConflict(trial).filter(({ path }) => !hasPath(this.forced, path))
      if (open.length === 0) return changes
      const before = this.decisions()
      const failed = this.decide(open, trial)
      const next = changesOfConfig(this.scene, this.cut, this.adopted)
      const isStuck = this.decisions() === before || (this.forced.length === 0 && sameChanges(changes, next))
      changes = next
      if (isStuck || failed.length === open.length) {
        this.failed = (isStuck ? open : failed).map(resolvedField)
        return changes
      }
      const round = this.nextTrial(changes)
      if (round === undefined) {
        this.failed = open.map(resolvedField)
        return changes
      }
      trial = round.trial
      changes = round.changes
    }
  }

  /**
   * The apply of the changed configuration. Where it is refused, what was adopted is relinquished: an object may have what nobody
   * may apply, such as items that repeat. Undefined where it is refused then.
   */
  private nextTrial(changes: readonly ValueChange[]): { trial: Trial; changes: readonly ValueChange[] } | undefined {
    try {
      const config = withChanges(this.scene.config, changes) as MapValue
      return { trial: tryApply(this.first.live, config, { ...this.request, force: false }), changes }
    } catch (error) {
      if (!hasCode(error)) throw error
      if (this.adopted.length === 0) return undefined
      this.cut.push(...this.adopted.splice(0).map(({ path }) => path))
      this.relinquished.push(...this.shared)
      this.shared = []
      return this.nextTrial(changesOfConfig(this.scene, this.cut, this.adopted))
    }
  }

  /** What was adopted or to be taken, and then went together with something else, as members of a union do, is relinquished. */
  settle(config: MapValue): void {
    const left = this.adopted.filter(({ path }) => stepsTo(config, path) !== undefined)
    this.shared = this.relinquishAllBut(left, this.shared)
    this.overwritten = this.relinquishAllBut(fieldsInConflict(this.last), this.overwritten)
  }

  private relinquishAllBut(
    left: readonly { readonly path: Path }[],
    fields: readonly ResolvedField[],
  ): ResolvedField[] {
    const paths = new Set(left.map(({ path }) => placeOf(path).path))
    this.relinquished.push(...fields.filter(({ path }) => !paths.has(path)))
    return fields.filter(({ path }) => paths.has(path))
  }

  private decisions(): number {
    return this.cut.length + this.adopted.length + this.forced.length
  }

  /** Decides each of the fields; returns those that stay in conflict. */
  private decide(open: readonly FieldInConflict[], trial: Trial): FieldInConflict[] {
    const { onConflict } = this.request
    const explained = typeof onConflict === "function" ? explainConflicts(trial, this.request, this.scene) : []
    const all = fieldsInConflict(trial)
    return open.filter(field => {
      const index = all.findIndex(({ path }) => hasPath([path], field.path))
      const choice = typeof onConflict === "function" ? onConflict(explained[index] as ExplainedConflict) : onConflict
      return !this.take(choice, field)
    })
  }

  /** Whether something could be done. */
  private take(choice: OnConflict, field: FieldInConflict): boolean {
    if (choice === "fail") return false
    if (choice === "overwrite") {
      this.forced.push(field.path)
      this.overwritten.push(resolvedField(field))
      return true
    }
    const adopted = choice === "share" && !this.isAdopted(field.path) ? valueToAdopt(field, this.scene) : undefined
    if (adopted !== undefined) {
      this.adopted.push(adopted)
      this.shared.push(resolvedField(field))
      return true
    }
    const paths = pathsToCut(field, this.scene).filter(path => !hasPath(this.cut, path))
    if (paths.length === 0) return false
    this.cut.push(...paths)
    // It was adopted, and is in conflict still.
    const { path } = placeOf(field.path)
    this.shared = this.shared.filter(known => known.path !== path)
    this.relinquished.push(resolvedField(field))
    return true
  }

  private isAdopted(path: Path): boolean {
    return hasPath(
      this.adopted.map(adopted => adopted.path),
      path,
    )
  }
}

function sameChanges(a: readonly ValueChange[], b: readonly ValueChange[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ steps, value }, i) => {
      const other = b[i] as ValueChange
      const same =
        value === undefined || other.value === undefined ? value === other.value : equalValues(value, other.value)
      return same && equalValues(steps, other.steps)
    })
  )
}

function resolvedField({ path, owners, live, configured }: FieldInConflict): ResolvedField {
  return {
    ...placeOf(path),
    owners,
    ...(live !== undefined && { live }),
    ...(configured !== undefined && { configured }),
  }
}
