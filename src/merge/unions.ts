// Unions within an apply or update: what is normalized when, who owns what came of it, and what others lose by it.
//
// An apply settles the configuration, merges it, settles the merged object, and only then prunes and looks for conflicts.
// Policies that go by the merged object leave the configuration as it is; the discriminators they write are added to what
// the applier owns, so that, in every policy, what the engine wrote belongs to whoever caused it.
import type { ManagedFields, VersionedSet } from "../fieldpath/managers.js"
import { equalPaths, type Path } from "../fieldpath/path.js"
import { FieldSet } from "../fieldpath/set.js"
import type { CompiledUnion } from "../typed/compiled-union.js"
import type { Type } from "../typed/type.js"
import type { TypedValue } from "../typed/typed-value.js"
import { requireOneFound } from "../union/accidents.js"
import { applyStays, changeOf, type Finding, hasEdit, settleApply, settleUpdate } from "../union/normalize.js"
import { type Plan, planOf } from "../union/plan.js"
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
  readonly manager: string
  readonly apiVersion: string
}

/** Whether one of the findings, which clears something, is about this union. */
function settles(findings: readonly Finding[], path: Path, union: CompiledUnion): boolean {
  return findings.some(
    finding => finding.union === union && finding.decision.clear.length > 0 && equalPaths(finding.path, path),
  )
}

/** The unions of one operation, or null where the policy is off or the type has none. */
export function unionsOf(policy: UnionPolicy, type: Type): OperationUnions | null {
  const plan = policy.enabled ? planOf(type, "granular") : null
  return plan === null ? null : new OperationUnions(policy, plan)
}

export class OperationUnions {
  /** What the engine did, with the owners of what it cleared. */
  report: readonly UnionChange[] = []
  private readonly policy: UnionPolicy
  private readonly plan: Plan
  /** The maps of the settled configuration in which the engine wrote discriminators, and of which unions. */
  private readonly implied = new Map<MapValue, CompiledUnion[]>()
  /** What was taken out of the configuration before it was merged: nulls and zeros beside the member that is set. */
  private readonly dropped: Finding[] = []
  /** Discriminators the engine wrote that are not in the configuration. */
  private readonly written: { readonly path: Path; readonly finding: Finding }[] = []
  /** What others own of the members that were cleared, by manager, in the fields of its version. */
  private readonly lost = new Map<
    string,
    { readonly paths: FieldSet; readonly change: UnionChange; readonly field: string }[]
  >()

  constructor(policy: UnionPolicy, plan: Plan) {
    this.policy = policy
    this.plan = plan
  }

  /** The new object of an update. */
  settleUpdate(next: TypedValue, scene: UnionScene): TypedValue {
    const { object, findings } = settleUpdate(this.policy, this.plan, scene.live, next)
    during("failed to compare objects", () => requireOneFound(scene.live, object))
    this.report = findings.filter(hasEdit).map(finding => this.withOwners(changeOf(this.policy, finding), scene))
    return object
  }

  /** The configuration of an apply, before it is merged. */
  settleConfig(config: TypedValue, { live }: UnionScene): TypedValue {
    if (this.policy.applyBasis !== "applied-fields" || applyStays(this.policy, config, config)) return config
    const { object, findings } = settleApply(this.policy, this.plan, undefined, config, config, true)
    during("failed to merge config", () => requireOneFound(live, object))
    for (const finding of findings) {
      const { union, decision, before, after } = finding
      if (decision.clear.length > 0) this.dropped.push(finding)
      const { write } = decision
      const known = this.implied.get(before) ?? []
      if (write !== undefined && union.rawSelection(before) !== write) known.push(union)
      this.implied.delete(before)
      if (known.length > 0) this.implied.set(after, known)
    }
    return object
  }

  /** What the merge of the settled configuration made of the live object. */
  settleMerged(merged: TypedValue, config: TypedValue, scene: UnionScene): TypedValue {
    if (this.implied.size + this.dropped.length === 0 && applyStays(this.policy, merged, config)) return merged
    const { object, findings } = settleApply(this.policy, this.plan, scene.live, merged, config, scene.live.settled)
    const report: UnionChange[] = this.dropped
      .filter(({ path, union }) => !settles(findings, path, union))
      .map(({ path, decision }) => ({
        path,
        policy: this.policy.name,
        cleared: decision.clear.map(field => ({ field, owners: [] })),
      }))
    for (const finding of findings) {
      const implied = this.isImplied(finding)
      const change = changeOf(this.policy, finding, implied)
      const { discriminator, cleared, carried } = change
      const rewritten = implied && discriminator !== undefined && discriminator.from !== discriminator.to
      if (rewritten || cleared.length > 0 || carried !== undefined) report.push(this.withOwners(change, scene))
      if (implied && discriminator !== undefined && this.policy.applyBasis !== "applied-fields") {
        this.written.push({ path: unionFieldPath(change, discriminator.field), finding })
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
      const member = finding.decision.because ?? ""
      const memberPath = unionFieldPath({ path: path.slice(0, -1) }, member)
      const kept = before.has(path) && ownedBelow(before, memberPath).isEmpty()
      const { union, from, after } = finding
      const changed = from !== union.rawSelection(after)
      if (union.isSet(finding.applied, member) || changed || kept) owned.push(path)
    }
    return owned.length === 0 ? applied : applied.union(FieldSet.of(owned))
  }

  /** What this manager loses with the members that were cleared, where the policy makes that a conflict. */
  conflictsWith(manager: string): FieldSet {
    if (this.policy.clearedOwnedByOthers === "silent") return FieldSet.empty
    let paths = FieldSet.empty
    for (const lost of this.lost.get(manager) ?? []) paths = paths.union(lost.paths)
    return paths
  }

  /** Why a field in conflict with this manager would change, where the engine itself changes it. */
  causeOf(manager: string, path: Path): UnionCause | undefined {
    for (const { paths, change, field } of this.lost.get(manager) ?? []) {
      if (paths.has(path)) return { effect: "cleared", member: field, policy: this.policy.name, change }
    }
    for (const change of this.report) {
      const { discriminator } = change
      if (discriminator?.because === undefined) continue
      if (equalPaths(unionFieldPath(change, discriminator.field), path)) {
        return { effect: "implied", member: discriminator.because, policy: this.policy.name, change }
      }
    }
    return undefined
  }

  private isImplied({ union, decision, applied }: Finding): boolean {
    if (decision.write === undefined) return false
    if (this.policy.applyBasis === "merged-vs-live") return union.rawSelection(applied) !== decision.write
    return applied !== null && this.implied.get(applied)?.includes(union) === true
  }

  private withOwners(change: UnionChange, scene: UnionScene): UnionChange {
    if (change.cleared.length === 0) return change
    const lost: [string, FieldSet, string][] = []
    const cleared = change.cleared.map(({ field }) => {
      const owned = ownersOf(unionFieldPath(change, field), scene)
      for (const [manager, paths] of owned) lost.push([manager, paths, field])
      return { field, owners: Array.from(owned.keys()).sort(compareStrings) }
    })
    const out = { ...change, cleared }
    for (const [manager, paths, field] of lost) {
      const known = this.lost.get(manager)
      if (known === undefined) this.lost.set(manager, [{ paths, change: out, field }])
      else known.push({ paths, change: out, field })
    }
    return out
  }
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
  return below.isEmpty() ? below : FieldSet.of(Array.from(uppermost(below), rest => [...path, ...rest]))
}

/** The members that have no member above them. */
function uppermost(set: FieldSet): FieldSet {
  const kept: Path[] = []
  for (const path of set) if (!kept.some(above => isBelow(path, above))) kept.push(path)
  return kept.length === set.size ? set : FieldSet.of(kept)
}

function isBelow(path: Path, above: Path): boolean {
  return path.length > above.length && equalPaths(path.slice(0, above.length), above)
}
