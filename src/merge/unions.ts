// Unions within an apply or update: what is normalized when, who owns what came of it, and what others lose by it.
//
// An apply settles the configuration, merges it, settles the merged object, and only then prunes and looks for conflicts.
// Policies that go by the merged object leave the configuration as it is; the discriminators they write are added to what
// the applier owns, so that, in every policy, what the engine wrote belongs to whoever caused it.
import type { ManagedFields, VersionedSet } from "../fieldpath/managers.js"
import { comparePaths, itemsAt, type Path } from "../fieldpath/path.js"
import { Entry, FieldSet, leafEntry } from "../fieldpath/set.js"
import type { CompiledUnion } from "../typed/compiled-union.js"
import type { TypedValue } from "../typed/typed-value.js"
import { requireOneFound } from "../union/accidents.js"
import { changeOf, changesOf, type Finding, isImplied } from "../union/finding.js"
import { applyStays, settleApply, settleUpdate } from "../union/normalize.js"
import { normalizationPlan, type Plan } from "../union/plan.js"
import type { UnionPolicy } from "../union/policy.js"
import { type UnionChange, unionFieldPath } from "../union/report.js"
import { compareStrings } from "../value/compare.js"
import type { MapValue } from "../value/value.js"
import type { UnionCause } from "./conflict.js"
import { during, type Versions } from "./versions.js"

/** What is known of the operation: the object before it, and who owned what of it. */
export interface UnionScene {
  readonly versions: Versions
  readonly live: TypedValue
  readonly managers: ManagedFields
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
  /** Kept for V8: see EntryStack. */
  static readonly kept: OperationUnions = new OperationUnions({} as UnionPolicy, {} as Plan, {} as UnionScene)

  /** What the engine did, with the owners of what it cleared. */
  report: readonly UnionChange[] = []
  private readonly policy: UnionPolicy
  private readonly plan: Plan
  private readonly scene: UnionScene
  /** The maps of the settled configuration in which the engine wrote discriminators, and of which unions. */
  private readonly implied = new Map<MapValue, CompiledUnion[]>()
  /** What was taken out of the configuration before it was merged: nulls and zeros beside the member that is set. */
  private readonly dropped: Finding[] = []
  /** Discriminators the engine wrote that are not in the configuration. */
  private readonly written: { readonly path: Path; readonly finding: Finding }[] = []
  private readonly losses: Loss[] = []

  constructor(policy: UnionPolicy, plan: Plan, scene: UnionScene) {
    this.policy = policy
    this.plan = plan
    this.scene = scene
  }

  /** The new object of an update. */
  settleUpdate(next: TypedValue): TypedValue {
    const { policy, plan, scene } = this
    const settled = settleUpdate(policy, plan, scene.live, next)
    during("failed to compare objects", () => requireOneFound(scene.live, settled.object))
    this.report = changesOf(policy, settled.findings).map(change => this.withOwners(change))
    return settled.object
  }

  /** The configuration of an apply, before it is merged. */
  settleConfig(config: TypedValue): TypedValue {
    const { policy, plan, scene, implied } = this
    if (policy.applyBasis !== "applied-fields" || applyStays(policy, config, config)) return config
    const { object, findings } = settleApply(policy, plan, undefined, config, config, true)
    during("failed to merge config", () => requireOneFound(scene.live, object))
    for (const finding of findings) {
      const { union, decision, before, after } = finding
      if (decision.clear.length > 0) this.dropped.push(finding)
      const known = implied.get(before) ?? []
      if (isImplied(union, decision, before)) known.push(union)
      implied.delete(before)
      if (known.length > 0) implied.set(after, known)
    }
    return object
  }

  /** What the merge of the settled configuration made of the live object. */
  settleMerged(merged: TypedValue, config: TypedValue): TypedValue {
    const { policy, plan, scene, dropped } = this
    if (this.implied.size + dropped.length === 0 && applyStays(policy, merged, config)) return merged
    const { live } = scene
    const { object, findings } = settleApply(policy, plan, live, merged, config, live.settled)
    const report: UnionChange[] = []
    const clearing = findings.filter(({ decision }) => decision.clear.length > 0).sort(byPath)
    for (const finding of dropped) {
      const { path, cleared } = changeOf(policy, finding)
      const again = itemsAt(clearing, path).some(({ union }) => union === finding.union)
      if (!again) report.push({ path, policy: policy.name, cleared })
    }
    for (const finding of findings) {
      const implied = this.isImplied(finding)
      const change = changeOf(policy, finding, implied)
      const { discriminator, cleared, carried } = change
      const written = implied ? discriminator : undefined
      if (written?.from !== written?.to || cleared.length > 0 || carried !== undefined) {
        report.push(this.withOwners(change))
      }
      if (written !== undefined && policy.applyBasis !== "applied-fields") {
        this.written.push({ path: unionFieldPath(change, written.field), finding })
      }
    }
    this.report = report
    return object
  }

  /**
   * What the applier owns: `applied`, and the discriminators that were written because of its members, or that changed, or
   * that it owned before for a member of somebody else.
   */
  withWritten(applied: FieldSet, last: VersionedSet | undefined): FieldSet {
    const before = last?.set ?? FieldSet.empty
    const owned: Path[] = []
    for (const { path, finding } of this.written) {
      const { union, from, after, decision } = finding
      const member = decision.because ?? ""
      const kept = before.has(path) && ownedBelow(before, unionFieldPath(finding, member)).isEmpty()
      if (union.isSet(finding.applied, member) || from !== union.rawSelection(after) || kept) owned.push(path)
    }
    return owned.length === 0 ? applied : applied.union(FieldSet.of(owned))
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
      causes.push({
        path: unionFieldPath(change, field),
        cause: { effect: "implied", member: because, policy, change },
      })
    }
    causes.sort(byPath)
    return path => itemsAt(causes, path)[0]?.cause
  }

  private lossesOf(manager: string): Loss[] {
    return this.losses.filter(loss => loss.manager === manager)
  }

  private isImplied({ union, decision, applied }: Finding): boolean {
    if (this.policy.applyBasis === "merged-vs-live") return isImplied(union, decision, applied)
    return decision.write !== undefined && applied !== null && this.implied.get(applied)?.includes(union) === true
  }

  /** The change with the owners of what was cleared, whose losses are noted. */
  private withOwners(change: UnionChange): UnionChange {
    const losses: Omit<Loss, "change">[] = []
    const cleared = change.cleared.map(({ field }) => {
      const owned = ownersOf(unionFieldPath(change, field), this.scene)
      for (const [manager, paths] of owned) losses.push({ manager, paths, field })
      return { field, owners: Array.from(owned.keys()).sort(compareStrings) }
    })
    const out = { ...change, cleared }
    for (const loss of losses) this.losses.push({ ...loss, change: out })
    return out
  }
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
function ownersOf(path: Path, { versions, live, managers, apiVersion }: UnionScene): Map<string, FieldSet> {
  const out = new Map<string, FieldSet>()
  const gone = new Map<string, FieldSet>()
  for (const [manager, owner] of managers) {
    const there = during("failed to convert old object", () => versions.find(live, owner.apiVersion))
    let owned: FieldSet
    if (owner.apiVersion === apiVersion || there === live || there === undefined) owned = ownedBelow(owner.set, path)
    else {
      let removed = gone.get(owner.apiVersion)
      if (removed === undefined) {
        const without = versions.find(live.removeItems(FieldSet.of([path])), owner.apiVersion)
        removed = without === undefined ? FieldSet.empty : there.compare(without).removed
        gone.set(owner.apiVersion, removed)
      }
      owned = uppermost(owner.set.intersection(removed))
    }
    if (!owned.isEmpty()) out.set(manager, owned)
  }
  return out
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
