// Unions in an apply or update: when they are settled, who owns the fields that the engine wrote, and what others lose by it.
//
// An apply settles the configuration, merges it, settles the merged object, prunes, settles the parts that pruning touched, and then looks
// for conflicts. A policy based on the merged object treats an apply as an update, so it settles only the result of merge and pruning. The
// applier gains the discriminators that the engine writes and loses the members that it clears: it owns everything that the engine wrote on
// its behalf, and nothing that does not exist.
import type { Managers, VersionedSet } from "../fieldpath/managers.js"
import { comparePaths, itemsAt, type Path } from "../fieldpath/path.js"
import { Entry, FieldSet, leafEntry } from "../fieldpath/set.js"
import type { CompiledUnion } from "../schema/compiled-union.js"
import type { TypedValue } from "../typed/typed-value.js"
import { changeOf, changesOf, type Finding, isImplied } from "../union/finding.js"
import { applyStays, settleApply, settleConfig, settlePruned, settleUpdate } from "../union/normalize.js"
import { normalizationPlan, type Plan } from "../union/plan.js"
import type { UnionPolicy } from "../union/policy.js"
import { type UnionChange, unionFieldPath } from "../union/report.js"
import { isSettled } from "../union/settled.js"
import { compareStrings } from "../value/compare.js"
import { keepLayout } from "../value/layout.js"
import type { MapValue } from "../value/value.js"
import type { UnionCause } from "./conflict.js"
import type { Versions } from "./versions.js"

/** The context of the operation: the object before it, and the owners of its fields. */
export interface UnionScene {
  readonly versions: Versions
  readonly live: TypedValue
  /** The manager that applies or updates: the actor. */
  readonly manager: string
  /** The owners of all fields. The actor's set may change during the operation. */
  readonly managers: Managers
  readonly apiVersion: string
}

/** Returns the unions of one operation, or null if the policy is off or the type has no unions. */
export function unionsOf(policy: UnionPolicy, scene: UnionScene): OperationUnions | null {
  const plan = normalizationPlan(policy, scene.live.type)
  return plan === null ? null : new OperationUnions(policy, plan, scene)
}

/** The fields of a cleared member that another manager owns, in the field names of that manager's version. */
interface Loss {
  readonly manager: string
  readonly paths: FieldSet
  readonly field: string
  readonly change: UnionChange
}

export class OperationUnions {
  static {
    keepLayout(new OperationUnions({} as UnionPolicy, {} as Plan, {} as UnionScene))
  }

  /** The changes that the engine made to unions, with the owners of cleared members. */
  report: readonly UnionChange[] = []
  private readonly policy: UnionPolicy
  private readonly plan: Plan
  private readonly scene: UnionScene
  /** The maps of the settled configuration in which the engine wrote discriminators, each with the unions of those discriminators. */
  private readonly implied = new Map<MapValue, CompiledUnion[]>()
  /** Members that were removed from the configuration before the merge: nulls and zeros next to the member that is set. */
  private readonly dropped: Finding[] = []
  /** The discriminators that single members of the configuration imply, if they are written only after the merge. */
  private readonly expected: Path[] = []
  /** Discriminators that the engine wrote and that are not in the configuration. */
  private readonly written: { readonly path: Path; readonly finding: Finding }[] = []
  /** Members of the configuration that were cleared. */
  private readonly lost: Path[] = []
  private readonly losses: Loss[] = []
  /** The actor's set before the operation. */
  private readonly last: VersionedSet | undefined
  private first: UnionScene | null = null

  constructor(policy: UnionPolicy, plan: Plan, scene: UnionScene) {
    this.policy = policy
    this.plan = plan
    this.scene = scene
    this.last = scene.managers?.get(scene.manager)
  }

  /** Returns the new object of an update, with its unions settled. */
  settleUpdate(next: TypedValue): TypedValue {
    const { policy, plan, scene } = this
    const settled = settleUpdate(policy, plan, scene.live, next)
    this.report = changesOf(policy, settled.findings).map(change => this.withOwners(change))
    return settled.object
  }

  /** Returns the configuration of an apply, with its unions settled before the merge. */
  settleConfig(config: TypedValue): TypedValue {
    const { policy, plan, implied } = this
    const { applyBasis, writeDiscriminator } = policy
    if (applyBasis === "merged-vs-live" && (writeDiscriminator === "never" || isSettled(plan, config))) return config
    if (applyStays(policy) && isSettled(plan, config)) return config
    const { object, findings } = settleConfig(policy, plan, config)
    for (const finding of findings) {
      const { union, decision, before, after } = finding
      if (decision.clear.length > 0) this.dropped.push(finding)
      const stands = decision.write === undefined && decision.because !== undefined
      if (stands) this.expected.push(unionFieldPath(finding, union.discriminator ?? ""))
      const known = implied.get(before) ?? []
      if (isImplied(union, decision, before)) known.push(union)
      implied.delete(before)
      if (known.length > 0) implied.set(after, known)
    }
    return object
  }

  /** Returns the merged object, with its unions settled if the policy is based on the configuration. */
  settleMerged(merged: TypedValue, config: TypedValue): TypedValue {
    const { policy, plan, scene, dropped } = this
    if (policy.applyBasis === "merged-vs-live") return merged
    const { live } = scene
    const asGiven = this.implied.size + dropped.length === 0 && applyStays(policy)
    if (asGiven && isSettled(plan, config) && isSettled(plan, merged, live, config)) return merged
    const { object, findings } = settleApply(policy, plan, live, merged, config)
    this.report = [...this.droppedBeside(findings), ...this.noteEdits(findings)]
    return object
  }

  /**
   * Returns the applier's set during pruning: the fields that its configuration specifies, and the discriminators that it owned before and
   * that members of the configuration imply.
   */
  whilePruning(specified: FieldSet): FieldSet {
    const { last } = this
    const kept = last === undefined ? [] : this.expected.filter(path => last.set.has(path))
    return kept.length === 0 ? specified : specified.union(FieldSet.of(kept))
  }

  /** Returns the pruned object, with its unions settled. */
  settlePruned(merged: TypedValue, pruned: TypedValue, config: TypedValue): TypedValue {
    const { policy, plan, scene } = this
    if (policy.applyBasis === "merged-vs-live") {
      const { object, findings } = settleApply(policy, plan, scene.live, pruned, config)
      this.report = [...this.droppedBeside(findings), ...this.noteEdits(findings)]
      return object
    }
    if (pruned === merged || policy.prunedDiscriminator === "goes" || isSettled(plan, pruned, merged)) return pruned
    const { object, findings } = settlePruned(policy, plan, merged, pruned)
    this.report = [...this.report, ...this.noteEdits(findings)]
    return object
  }

  /**
   * Returns the applier's final set: `owned`, its set during pruning, without cleared members and with discriminators that were written for
   * it.
   */
  ownedBy(owned: FieldSet, config: TypedValue): FieldSet {
    const written = this.written.filter(({ finding }) => isForApplier(finding)).map(({ path }) => path)
    let left = owned
    if (this.lost.length > 0) {
      const lost = FieldSet.of(this.lost)
      left = owned.recursiveDifference(lost).union(config.removeItems(lost).toFieldSet())
    }
    return written.length === 0 ? left : left.union(FieldSet.of(written))
  }

  /**
   * Discriminators may be written for a member of other managers. Gives each of them to the owners of that member, if it changed or was
   * pruned with the applier's last set. `owners` has the owners of the fields of `object`, and is changed.
   */
  handOver(
    owners: Map<string, VersionedSet>,
    object: TypedValue,
    filter: (apiVersion: string, set: FieldSet) => FieldSet,
  ): void {
    const scene = { ...this.scene, live: object, managers: owners }
    for (const { path, finding } of this.written) {
      const { union, from, after, decision } = finding
      const changed = from !== union.rawSelection(after)
      if (isForApplier(finding) || !(changed || this.last?.set.has(path) === true)) continue
      const member = unionFieldPath(finding, decision.because ?? "")
      const whose = ownersOf(member, scene)
      for (const manager of whose.has(scene.manager) ? [scene.manager] : whose.keys()) {
        const owner = owners.get(manager) as VersionedSet // every manager in `whose` is an owner
        const { apiVersion } = owner
        const gained = filter(apiVersion, fieldsAt(path, scene, apiVersion) ?? FieldSet.of([path]))
        owners.set(manager, { ...owner, set: owner.set.union(gained) })
      }
    }
  }

  /**
   * Returns the fields that this manager loses with cleared members, if the policy makes that a conflict. `written` are the manager's
   * fields that the apply changes. If a discriminator is among them, it stands for its whole union.
   */
  conflictsWith(manager: string, written: FieldSet): FieldSet {
    if (this.policy.clearedOwnedByOthers === "silent") return FieldSet.empty
    const losses = this.lossesOf(manager).filter(({ change }) => !this.hasDiscriminator(written, manager, change))
    return FieldSet.of(losses.flatMap(({ paths }) => Array.from(paths)))
  }

  private hasDiscriminator(set: FieldSet, manager: string, change: UnionChange): boolean {
    const { field } = change.discriminator ?? {}
    if (field === undefined || set.isEmpty()) return false
    return Array.from(this.pathsFor(manager, unionFieldPath(change, field))).some(path => set.has(path))
  }

  /** Returns a function that gives the reason why the engine changes a field of this manager; undefined if the configuration changes it. */
  causesFor(manager: string): (path: Path) => UnionCause | undefined {
    const policy = this.policy.name
    const causes: Caused[] = []
    for (const { paths, change, field } of this.lossesOf(manager)) {
      for (const path of paths) causes.push({ path, cause: { effect: "cleared", member: field, policy, change } })
    }
    for (const change of this.report) {
      const { field, because } = change.discriminator ?? {}
      if (field === undefined || because === undefined) continue
      const cause: UnionCause = { effect: "implied", member: because, policy, change }
      for (const path of this.pathsFor(manager, unionFieldPath(change, field))) causes.push({ path, cause })
    }
    causes.sort(byPath)
    return path => itemsAt(causes, path)[0]?.cause
  }

  /** Returns the path of a discriminator in the version of this manager, which may have another name for it. */
  private pathsFor(manager: string, path: Path): Iterable<Path> {
    const { apiVersion = "" } = this.scene.managers.get(manager) ?? {}
    return fieldsAt(path, this.scene, apiVersion) ?? [path]
  }

  private lossesOf(manager: string): Loss[] {
    return this.losses.filter(loss => loss.manager === manager)
  }

  /** Returns the changes of members that were removed from the configuration before the merge, unless `findings` report the same union. */
  private droppedBeside(findings: readonly Finding[]): UnionChange[] {
    const { policy } = this
    const clearing = findings.filter(({ decision }) => decision.clear.length > 0).sort(byPath)
    const untold = this.dropped.filter(
      ({ union, path }) => !itemsAt(clearing, path).some(other => other.union === union),
    )
    return untold.map(finding => {
      const { path, cleared } = changeOf(policy, finding)
      return { path, policy: policy.name, cleared }
    })
  }

  /**
   * Reports the edits with the owners concerned. Notes discriminators that were written and members of the configuration that were cleared.
   */
  private noteEdits(findings: readonly Finding[]): UnionChange[] {
    const { policy } = this
    const out: UnionChange[] = []
    for (const finding of findings) {
      const implied = this.isImplied(finding)
      const change = changeOf(policy, finding, implied)
      const { discriminator, cleared, carried } = change
      const written = implied ? discriminator : undefined
      if (written?.from !== written?.to || cleared.length > 0 || carried !== undefined)
        out.push(this.withOwners(change))
      const { applied } = finding
      if (policy.applyBasis === "applied-fields" && applied !== null) continue
      if (written !== undefined) this.written.push({ path: unionFieldPath(change, written.field), finding })
      for (const { field } of cleared) {
        if (finding.union.isSet(applied, field)) this.lost.push(unionFieldPath(change, field))
      }
    }
    return out
  }

  private isImplied({ union, decision, applied, before }: Finding): boolean {
    if (this.policy.applyBasis === "merged-vs-live") return isImplied(union, decision, applied)
    if (applied === null) return isImplied(union, decision, before)
    return decision.write !== undefined && this.implied.get(applied)?.includes(union) === true
  }

  /** Returns the scene with the actor's set before the operation. */
  private before(): UnionScene {
    if (this.first === null) {
      const { scene, last } = this
      const managers = new Map(scene.managers)
      if (last === undefined) managers.delete(scene.manager)
      else managers.set(scene.manager, last)
      this.first = { ...scene, managers }
    }
    return this.first
  }

  /** Returns the change with the owners of cleared members. Notes the fields that they lose. */
  private withOwners(change: UnionChange): UnionChange {
    const losses: Omit<Loss, "change">[] = []
    const cleared = change.cleared.map(member => {
      const { field } = member
      const owned = ownersOf(unionFieldPath(change, field), this.before())
      for (const [manager, paths] of owned) losses.push({ manager, paths, field })
      return { ...member, owners: Array.from(owned.keys()).sort(compareStrings) }
    })
    const out = { ...change, cleared }
    for (const loss of losses) this.losses.push({ ...loss, change: out })
    return out
  }
}

/** Whether a discriminator was written for a member that the configuration sets. */
function isForApplier({ union, decision, applied }: Finding): boolean {
  return union.isSet(applied, decision.because ?? "")
}

function byPath(a: { readonly path: Path }, b: { readonly path: Path }): number {
  return comparePaths(a.path, b.path)
}

/** A field that the engine changes, and the cause. */
interface Caused {
  readonly path: Path
  readonly cause: UnionCause
}

/**
 * Returns the fields that each manager owns at and below `path`, in the field names of its own version. Contains only members that have no
 * other member above them.
 */
function ownersOf(path: Path, scene: UnionScene): Map<string, FieldSet> {
  const out = new Map<string, FieldSet>()
  const known = new Map<string, FieldSet | null>()
  for (const [manager, { set, apiVersion }] of scene.managers) {
    let fields = known.get(apiVersion)
    if (fields === undefined) {
      fields = fieldsAt(path, scene, apiVersion)
      known.set(apiVersion, fields)
    }
    const owned = fields === null ? ownedBelow(set, path) : uppermost(set.intersection(fields))
    if (!owned.isEmpty()) out.set(manager, owned)
  }
  return out
}

/** Returns the fields at and below `path` in the field names of another version, or null if that version has the same fields. */
function fieldsAt(path: Path, { versions, live, apiVersion }: UnionScene, other: string): FieldSet | null {
  if (other === apiVersion) return null
  const there = versions.find(live, other) // converted before, so it does not fail
  if (there === live || there === undefined) return null
  const without = versions.find(live.removeItems(FieldSet.of([path])), other)
  return without === undefined ? FieldSet.empty : there.compare(without).removed
}

function ownedBelow(set: FieldSet, path: Path): FieldSet {
  if (set.has(path)) return FieldSet.of([path])
  let below = set
  for (const element of path) below = below.withPrefix(element)
  return path.reduceRight(
    (under, element) => (under.isEmpty() ? under : new FieldSet([new Entry(element, false, under)])),
    uppermost(below),
  )
}

/** Returns the members that have no member above them. */
function uppermost(set: FieldSet): FieldSet {
  return new FieldSet(
    set.entries.map(({ element, member, children }) =>
      member || children === null ? leafEntry(element) : new Entry(element, false, uppermost(children)),
    ),
  )
}
