// Resolve: edits a configuration until every conflict is solved the way the caller chose.

import { Lookup } from "../../fieldpath/lookup.js"
import type { Path } from "../../fieldpath/path.js"
import type { JsonPatchOperation } from "../../managedfields/entries/upgrade.js"
import { aFunction, either, oneOf, requireArgument, requireOptions } from "../../value/argument.js"
import { type ValueChange, withChanges } from "../../value/change.js"
import { equalIfPresent, equalValues } from "../../value/equal.js"
import type { MapValue, Value } from "../../value/value.js"
import { type Adopted, changesOfConfig, jsonPatch } from "./config-changes.js"
import { type ConflictOwner, type FieldInConflict, fieldsInConflict } from "./conflicts.js"
import { type ExplainedConflict, type ExplainRequest, explainConflicts, requireSource, sceneOf } from "./explain.js"
import { type Finding, findingsAbout } from "./finding.js"
import { PathMap } from "./path-map.js"
import { type Place, placeOf } from "./place.js"
import { refusedAs } from "./refusal.js"
import { findingsAboutKind, isRefused, type RequestedApply, requestedApply, type Trial, tryApply } from "./request.js"
import type { Scene } from "./scene.js"
import { findInSource, type SourceEdits } from "./source.js"
import { partToKeep, pathsToCut, valueToAdopt } from "./ways-out.js"

/** The action to take on a conflict: none, or one of the three ways of Kubernetes. */
export type OnConflict = "fail" | "relinquish" | "share" | "overwrite"

const anAction = oneOf("relinquish", "share", "overwrite", "fail")

/** The request of `resolve`. */
export interface ResolveRequest extends ExplainRequest {
  /**
   * The action to take on each conflict. A function is called with every conflict, including those that arise later, and returns the
   * action.
   */
  readonly onConflict: OnConflict | ((conflict: ExplainedConflict) => OnConflict)
}

/** A conflict that an action was chosen for. */
export interface ResolvedField extends Place {
  /** The owners before the apply. */
  readonly owners: readonly ConflictOwner[]
  /** The live value; absent if the live object has none. Shared with the live object. */
  readonly live?: Value
  /** The value that the configuration would have set; absent if the field would have been removed. Shared with the configuration. */
  readonly configured?: Value
}

/** Edits of the text, and the edited text. */
export interface ResolvedSource extends SourceEdits {
  /** The edited text; absent where it can't be edited. */
  readonly text?: string
}

/** A configuration whose conflicts were decided. Plain data throughout. */
export interface Resolution extends RequestedApply {
  /** Distinguishes the results of this entry point. */
  readonly type: "resolution"
  /** The version of this format, as in `ownership.schema.json`. */
  readonly version: 1
  /** `conflict` if some conflicts remain, which are listed in `failed`. */
  readonly outcome: "resolved" | "conflict"
  /** The configuration to apply. Unchanged parts are shared with the given configuration. */
  readonly config: MapValue
  /** Whether to apply it by force, which is necessary if something is overwritten. */
  readonly force: boolean
  /** The fields left to their owners, in the order of the decisions. Fields that had to go along, as union members do, are at the end. */
  readonly relinquished: readonly ResolvedField[]
  /** The fields that now have their owners' value. */
  readonly shared: readonly ResolvedField[]
  /** The fields that force takes from their owners. Fields that were relinquished along with another one are not listed. */
  readonly overwritten: readonly ResolvedField[]
  /** The fields that are still in conflict. */
  readonly failed: readonly ResolvedField[]
  /** The changes to the configuration. */
  readonly patch: readonly JsonPatchOperation[]
  /** The same changes as edits of the text; absent without a text. */
  readonly source?: ResolvedSource
  /** Reasons to doubt the answer. */
  readonly findings: readonly Finding[]
}

/**
 * Returns a configuration that can be applied to `live` with no conflicts other than those to be overwritten, and lists what was done about
 * each conflict.
 *
 * - `relinquish` omits a field, together with everything that is meaningless without it: maps, lists and items that would be left empty,
 *   and the discriminator or members of its union. List keys stay with their items. An item reduced to its keys stays if the object would
 *   lose it otherwise. Parts of the field that only the applier owns stay too and replace the value configured there.
 * - `share` sets the field to its live value. A field can't be shared if the object doesn't have it, if a union causes the conflict, or if
 *   the apply would still be in conflict about it; such a field is relinquished. If an apply with the shared fields is refused, all of them
 *   are relinquished.
 * - `overwrite` leaves the field as it is and sets `force`.
 * - `fail` leaves the conflict.
 *
 * If a server refuses the resolved configuration for a reason other than conflicts, a finding says so. Throws what `explain` throws.
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
  requireSource(request)
  requireOptions("request", request, { onConflict: either(anAction, aFunction) })
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
    force: overwritten.size > 0,
    relinquished,
    shared: shared.values(),
    overwritten: overwritten.values(),
    failed,
    patch: jsonPatch(scene.config, changes),
    ...(request.source !== undefined && { source: editedSource(request, scene, changes) }),
    findings: [
      ...findingsAbout(first.given, first.facts.sets),
      ...findingsAboutKind(first),
      ...refusedAs(resolver.last),
    ],
  }
}

function editedSource({ source }: ResolveRequest, { config }: Scene, changes: readonly ValueChange[]): ResolvedSource {
  const object = findInSource(source, config)
  if (object === undefined) return { impossible: "the text does not contain the object" }
  const found = object.editsFor(config, changes)
  return found.edits === undefined ? found : { ...found, text: object.edited(found.edits) }
}

/** Decides conflicts in rounds, because omitting or adopting a field may cause further conflicts. */
class Resolver {
  readonly scene: Scene
  readonly relinquished: ResolvedField[] = []
  readonly shared = new PathMap<ResolvedField>()
  readonly overwritten = new PathMap<ResolvedField>()
  failed: ResolvedField[] = []
  private readonly first: Trial
  private readonly request: ResolveRequest
  private readonly cut = new PathMap<Path>()
  private readonly adopted = new PathMap<Adopted>()
  /** The parts to keep of fields that are left to their owners. */
  private readonly kept = new PathMap<Adopted>()
  /** The apply of the latest changes. */
  last: Trial

  constructor(first: Trial, request: ResolveRequest) {
    this.first = first
    this.last = first
    this.request = request
    this.scene = sceneOf(first)
  }

  /** Returns the changes to the configuration. */
  run(): readonly ValueChange[] {
    let trial = this.first
    let changes: readonly ValueChange[] = []
    for (;;) {
      this.last = trial
      const fields = fieldsInConflict(trial)
      const open = fields.filter(({ path }) => !this.overwritten.has(path))
      if (open.length === 0) return changes
      const before = this.decisions()
      this.decide(fields, open, trial)
      const next = this.changes()
      const isStuck = this.decisions() === before || (this.overwritten.size === 0 && sameChanges(changes, next))
      changes = next
      if (isStuck) {
        this.failed = open.map(resolvedField)
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

  private changes(): readonly ValueChange[] {
    return changesOfConfig(this.scene, this.cut.values(), [...this.adopted.values(), ...this.kept.values()])
  }

  /**
   * Tries to apply the changed configuration. If it is refused, all adopted values are relinquished: an object may contain values that
   * can't be applied, such as duplicate items. Undefined if the apply is refused even then.
   */
  private nextTrial(changes: readonly ValueChange[]): { trial: Trial; changes: readonly ValueChange[] } | undefined {
    const config = withChanges(this.scene.config, changes) as MapValue
    const trial = tryApply(this.first.given, config, { ...this.request, force: false }, this.first.facts)
    if (trial.refusal !== null || !isRefused(trial.result) || trial.result.step !== "merge") return { trial, changes }
    const all = [...this.adopted.values(), ...this.kept.values()].filter(({ path }) => !this.cut.has(path))
    if (all.length === 0) return undefined
    for (const { path } of all) {
      this.cut.set(path, path)
      const shared = this.shared.delete(path)
      if (shared !== undefined) this.relinquished.push(shared)
    }
    return this.nextTrial(this.changes())
  }

  /**
   * Moves fields that were to be shared or overwritten to `relinquished` if they were cut along with another field, as union members are.
   */
  settle(config: MapValue): void {
    const configured = new Lookup(config)
    for (const { path } of this.adopted.values()) {
      if (configured.valueAt(path) === undefined) this.leave(this.shared.delete(path))
    }
    const left = new PathMap<FieldInConflict>()
    for (const field of fieldsInConflict(this.last)) left.set(field.path, field)
    for (const path of this.overwritten.paths()) {
      if (!left.has(path)) this.leave(this.overwritten.delete(path))
    }
  }

  private leave(field: ResolvedField | undefined): void {
    if (field !== undefined) this.relinquished.push(field)
  }

  private decisions(): number {
    return this.cut.size + this.adopted.size + this.kept.size + this.overwritten.size
  }

  private decide(all: readonly FieldInConflict[], open: readonly FieldInConflict[], trial: Trial): void {
    const { onConflict } = this.request
    if (typeof onConflict !== "function") {
      for (const field of open) this.take(onConflict, field)
      return
    }
    const explained = explainConflicts(trial, this.request, this.scene)
    const byField = new Map(all.map((field, i) => [field, explained[i] as ExplainedConflict]))
    for (const field of open) this.take(onConflict(byField.get(field) as ExplainedConflict), field)
  }

  /** Takes the action on a field, if anything can be done. */
  private take(choice: OnConflict, field: FieldInConflict): void {
    const { path } = field
    requireArgument("the result of onConflict", choice, anAction)
    if (choice === "fail") return
    if (choice === "overwrite") {
      this.overwritten.set(path, resolvedField(field))
      return
    }
    const adopted = choice === "share" && !this.adopted.has(path) ? valueToAdopt(field, this.scene) : undefined
    if (adopted !== undefined) {
      this.adopted.set(path, adopted)
      this.shared.set(path, resolvedField(field))
      return
    }
    const isKnown = this.kept.has(path)
    const kept = isKnown ? undefined : partToKeep(field, this.scene)
    const paths = pathsToCut(field, this.scene).filter(one => !this.cut.has(one))
    if (kept === undefined && paths.length === 0) return
    if (kept !== undefined) this.kept.set(path, kept)
    else for (const one of paths) this.cut.set(one, one)
    // The field may have been adopted earlier and still be in conflict.
    const shared = this.shared.delete(path)
    if (!isKnown) this.relinquished.push(shared ?? resolvedField(field))
  }
}

function sameChanges(a: readonly ValueChange[], b: readonly ValueChange[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ steps, value }, i) => {
      const other = b[i] as ValueChange
      return equalIfPresent(value, other.value) && equalValues(steps, other.steps)
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
