// Unions within an apply or update: what is normalized when, who owns what came of it, and what others lose by it.
//
// An apply settles the configuration, merges it, settles the merged object, prunes, settles what pruning touched, and then looks
// for conflicts. To policies that go by the merged object an apply is an update by what merge and pruning made, so they settle
// that alone. The discriminators they write are added to what the applier owns, and members they clear are taken from it: it
// owns what the engine wrote on its behalf, and nothing that is not there.
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

/** What is known of the operation: the object before it, and who owned what of it. */
export interface UnionScene {
  readonly versions: Versions
  readonly live: TypedValue
  /** Who acts. */
  readonly manager: string
  /** Who owns what; what the actor owns may change under way. */
  readonly managers: Managers
  readonly apiVersion: string
}

/** The unions of one operation, or null where the policy is off or the type has none. */
export function unionsOf(policy: UnionPolicy, scene: UnionScene): OperationUnions | null {
  const plan = normalizationPlan(policy, scene.live.type)
  return plan === null ? null : new OperationUnions(policy, plan, scene)
}

/** What others own of a member that was cleared, in the fields of the manager's version. */
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

  /** What the engine did, with the owners of what it cleared. */
  report: readonly UnionChange[] = []
  private readonly policy: UnionPolicy
  private readonly plan: Plan
  private readonly scene: UnionScene
  /** The maps of the settled configuration in which the engine wrote discriminators, and of which unions. */
  private readonly implied = new Map<MapValue, CompiledUnion[]>()
  /** What was taken out of the configuration before it was merged: nulls and zeros beside the member that is set. */
  private readonly dropped: Finding[] = []
  /** The discriminators that single members of the configuration stand for, where they are written after the merge. */
  private readonly expected: Path[] = []
  /** Discriminators the engine wrote that are not in the configuration. */
  private readonly written: { readonly path: Path; readonly finding: Finding }[] = []
  /** Members of the configuration that were cleared. */
  private readonly lost: Path[] = []
  private readonly losses: Loss[] = []
  /** What the actor owned before. */
  private readonly last: VersionedSet | undefined
  private first: UnionScene | null = null

  constructor(policy: UnionPolicy, plan: Plan, scene: UnionScene) {
    this.policy = policy
    this.plan = plan
    this.scene = scene
    this.last = scene.managers?.get(scene.manager)
  }

  /** The new object of an update. */
  settleUpdate(next: TypedValue): TypedValue {
    const { policy, plan, scene } = this
    const settled = settleUpdate(policy, plan, scene.live, next)
    this.report = changesOf(policy, settled.findings).map(change => this.withOwners(change))
    return settled.object
  }

  /** The configuration of an apply, before it is merged. */
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

  /** What the merge of the settled configuration made of the live object, where the policy goes by the configuration. */
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
   * What the applier owns while `merged` is pruned: what it specifies, and the discriminators that stand for members of it and
   * were its own before.
   */
  whilePruning(specified: FieldSet): FieldSet {
    const { last } = this
    const kept = last === undefined ? [] : this.expected.filter(path => last.set.has(path))
    return kept.length === 0 ? specified : specified.union(FieldSet.of(kept))
  }

  /** What pruning left of the merged object. */
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

  /** What the applier owns of the settled object, of `owned` while it was pruned: not what was cleared, but what was written. */
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
   * Gives discriminators that were written for members of others to whoever owns these, if they changed or were pruned with the
   * applier's last set. `owners` is who owns what of `object`, and changes.
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
        const owner = owners.get(manager) as VersionedSet // it is in the scene
        const { apiVersion } = owner
        const gained = filter(apiVersion, fieldsAt(path, scene, apiVersion) ?? FieldSet.of([path]))
        owners.set(manager, { ...owner, set: owner.set.union(gained) })
      }
    }
  }

  /** What this manager loses with the members that were cleared, where the policy makes that a conflict. */
  conflictsWith(manager: string): FieldSet {
    if (this.policy.clearedOwnedByOthers === "silent") return FieldSet.empty
    return FieldSet.of(this.lossesOf(manager).flatMap(({ paths }) => Array.from(paths)))
  }

  /** Why fields in conflict with this manager would change: a function that knows of those that the engine itself changes. */
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

  /** The path of a discriminator as this manager has it, whose version may call it something else. */
  private pathsFor(manager: string, path: Path): Iterable<Path> {
    const { apiVersion = "" } = this.scene.managers.get(manager) ?? {}
    return fieldsAt(path, this.scene, apiVersion) ?? [path]
  }

  private lossesOf(manager: string): Loss[] {
    return this.losses.filter(loss => loss.manager === manager)
  }

  /** The nulls and zeros that the configuration lost, and members it contradicted, where `findings` don't tell of them. */
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

  /** What was edited, with owners. What was written, and cleared of the configuration, is noted. */
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

  /** The scene with what the actor owned at first. */
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

  /** The change with the owners of what was cleared, whose losses are noted. */
  private withOwners(change: UnionChange): UnionChange {
    const losses: Omit<Loss, "change">[] = []
    const cleared = change.cleared.map(({ field }) => {
      const owned = ownersOf(unionFieldPath(change, field), this.before())
      for (const [manager, paths] of owned) losses.push({ manager, paths, field })
      return { field, owners: Array.from(owned.keys()).sort(compareStrings) }
    })
    const out = { ...change, cleared }
    for (const loss of losses) this.losses.push({ ...loss, change: out })
    return out
  }
}

/** Whether a discriminator was written for a member that is the applier's own. */
function isForApplier({ union, decision, applied }: Finding): boolean {
  return union.isSet(applied, decision.because ?? "")
}

function byPath(a: { readonly path: Path }, b: { readonly path: Path }): number {
  return comparePaths(a.path, b.path)
}

/** A field that the engine changes, and why. */
interface Caused {
  readonly path: Path
  readonly cause: UnionCause
}

/** What each manager owns at and below `path`, in the fields of its own version; only the uppermost of it. */
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

/** What is at and below `path` in the fields of another version, or null where that has the same fields. */
function fieldsAt(path: Path, { versions, live, apiVersion }: UnionScene, other: string): FieldSet | null {
  if (other === apiVersion) return null
  const there = versions.find(live, other) // known, so it does not fail
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

/** The members that have no member above them. */
function uppermost(set: FieldSet): FieldSet {
  return new FieldSet(
    set.entries.map(({ element, member, children }) =>
      member || children === null ? leafEntry(element) : new Entry(element, false, uppermost(children)),
    ),
  )
}
