// The engine's own edits to unions in one operation: the changes to report, the owners who lose fields by them, and the owners who gain
// discriminators.
import type { VersionedSet } from "../fieldpath/managers.js"
import { type Filters, filterAt } from "../fieldpath/matcher.js"
import { comparePaths, itemsAt, type Path } from "../fieldpath/path.js"
import { FieldSet } from "../fieldpath/set.js"
import type { TypedValue } from "../typed/typed-value.js"
import type { UnionPolicy } from "../union/policy.js"
import { type UnionChange, unionFieldPath } from "../union/report.js"
import { changeOf, type UnionDecision } from "../union/union-decision.js"
import { compareStrings } from "../value/compare.js"
import type { UnionCause } from "./conflict.js"
import { fieldsAt, type OwnedObject, ownersOf, pathsFor } from "./union-owners.js"

/** The consequences of the engine's edits in an apply. */
export interface UnionEdits {
  /** The changes to unions, with the owners of cleared members. */
  readonly report: readonly UnionChange[]

  /**
   * Returns the applier's final set: `owned`, its set during pruning, without cleared members and with discriminators that were written for
   * it.
   */
  ownedAfter(owned: FieldSet, config: TypedValue): FieldSet

  /**
   * Returns the fields that this manager loses with cleared members, if the policy makes that a conflict. `written` are the manager's
   * fields that the apply changes. If a discriminator is among them, it stands for its whole union.
   */
  conflictsWith(manager: string, written: FieldSet): FieldSet

  /** Returns a function that gives the reason why the engine changes a field of this manager; undefined if the configuration changes it. */
  causesFor(manager: string): (path: Path) => UnionCause | undefined

  /**
   * Discriminators may be written for a member of other managers. Gives each of them to the owners of that member, if it changed or was
   * pruned with the applier's last set. `managers` has the owners of the fields of `object`, and is changed.
   */
  handOver(managers: Map<string, VersionedSet>, object: TypedValue, filters: Filters): void
}

export const noEdits: UnionEdits = {
  report: [],
  ownedAfter: owned => owned,
  conflictsWith: () => FieldSet.empty,
  causesFor: () => () => undefined,
  handOver() {},
}

/** The fields of a cleared member that another manager owns, in the field names of that manager's version. */
interface MemberLoss {
  readonly manager: string
  readonly paths: FieldSet
  readonly field: string
  readonly change: UnionChange
}

/** A discriminator that the engine wrote. */
interface WrittenDiscriminator {
  readonly path: Path
  readonly decided: UnionDecision
}

/** The edits of one operation, recorded one by one. */
export class RecordedEdits implements UnionEdits {
  readonly report: UnionChange[] = []
  private readonly policy: UnionPolicy
  /** The live object, with its owners before the operation. */
  private readonly live: OwnedObject
  /** Discriminators that are not in the configuration. */
  private readonly written: WrittenDiscriminator[] = []
  /** Members of the configuration that were cleared. */
  private readonly cleared: Path[] = []
  private readonly losses: MemberLoss[] = []

  constructor(policy: UnionPolicy, live: OwnedObject) {
    this.policy = policy
    this.live = live
  }

  /** Adds the members that were removed from the configuration before the merge, except in unions on which `decisions` report too. */
  addDropped(dropped: readonly UnionDecision[], decisions: readonly UnionDecision[]): void {
    const { policy } = this
    const clearing = decisions.filter(({ decision }) => decision.clear.length > 0).sort(byPath)
    for (const decided of dropped) {
      if (itemsAt(clearing, decided.path).some(({ union }) => union === decided.union)) continue
      const { path, cleared } = changeOf(policy, decided)
      this.report.push({ path, policy: policy.name, cleared })
    }
  }

  /** Adds a decision of an apply, if it changed something. `isImplied` says whether the engine wrote the discriminator. */
  addDecision(decided: UnionDecision, isImplied: boolean): void {
    const { policy } = this
    const change = changeOf(policy, decided, isImplied)
    const { discriminator, cleared, carried } = change
    const written = isImplied ? discriminator : undefined
    if (written?.from !== written?.to || cleared.length > 0 || carried !== undefined) {
      this.add(change)
    }
    const { applied } = decided
    if (policy.applyBasis === "applied-fields" && applied !== null) return
    if (written !== undefined) this.written.push({ path: unionFieldPath(change, written.field), decided })
    for (const { field } of cleared) {
      if (decided.union.isSet(applied, field)) this.cleared.push(unionFieldPath(change, field))
    }
  }

  /** Adds a change, with the owners of the members that it clears and the fields that they lose. */
  add(change: UnionChange): void {
    const owners = change.cleared.map(({ field }) => ownersOf(unionFieldPath(change, field), this.live))
    const cleared = change.cleared.map((member, i) => ({
      ...member,
      owners: Array.from((owners[i] as Map<string, FieldSet>).keys()).sort(compareStrings),
    }))
    const reported = { ...change, cleared }
    this.report.push(reported)
    cleared.forEach(({ field }, i) => {
      for (const [manager, paths] of owners[i] as Map<string, FieldSet>) {
        this.losses.push({ manager, paths, field, change: reported })
      }
    })
  }

  ownedAfter(owned: FieldSet, config: TypedValue): FieldSet {
    let left = owned
    if (this.cleared.length > 0) {
      const cleared = FieldSet.of(this.cleared)
      left = owned.recursiveDifference(cleared).union(config.removeItems(cleared).toFieldSet())
    }
    const written = this.written.filter(({ decided }) => isForApplier(decided)).map(({ path }) => path)
    return written.length === 0 ? left : left.union(FieldSet.of(written))
  }

  handOver(managers: Map<string, VersionedSet>, object: TypedValue, filters: Filters): void {
    const { actor } = this.live
    const last = this.live.managers.get(actor)
    const result = { ...this.live, object, managers }
    for (const { path, decided } of this.written) {
      const { union, from, after, decision } = decided
      const isChanged = from !== union.rawSelection(after)
      if (isForApplier(decided) || !(isChanged || last?.set.has(path) === true)) continue
      const owners = ownersOf(unionFieldPath(decided, decision.because ?? ""), result)
      for (const manager of owners.has(actor) ? [actor] : owners.keys()) {
        const owner = managers.get(manager) as VersionedSet // every manager in `owners` is an owner
        const { apiVersion } = owner
        const gained = filterAt(filters, apiVersion, fieldsAt(path, result, apiVersion) ?? FieldSet.of([path]))
        managers.set(manager, { ...owner, set: owner.set.union(gained) })
      }
    }
  }

  conflictsWith(manager: string, written: FieldSet): FieldSet {
    if (this.policy.clearedOwnedByOthers === "silent") return FieldSet.empty
    const losses = this.lossesOf(manager).filter(({ change }) => !this.hasDiscriminator(written, manager, change))
    return FieldSet.of(losses.flatMap(({ paths }) => Array.from(paths)))
  }

  private hasDiscriminator(set: FieldSet, manager: string, change: UnionChange): boolean {
    const { field } = change.discriminator ?? {}
    if (field === undefined || set.isEmpty()) return false
    return Array.from(pathsFor(manager, unionFieldPath(change, field), this.live)).some(path => set.has(path))
  }

  causesFor(manager: string): (path: Path) => UnionCause | undefined {
    const policy = this.policy.name
    const causes: FieldCause[] = []
    for (const { paths, change, field } of this.lossesOf(manager)) {
      for (const path of paths) causes.push({ path, cause: { effect: "cleared", member: field, policy, change } })
    }
    for (const change of this.report) {
      const { field, because } = change.discriminator ?? {}
      if (field === undefined || because === undefined) continue
      const cause: UnionCause = { effect: "implied", member: because, policy, change }
      for (const path of pathsFor(manager, unionFieldPath(change, field), this.live)) causes.push({ path, cause })
    }
    causes.sort(byPath)
    return path => itemsAt(causes, path)[0]?.cause
  }

  private lossesOf(manager: string): MemberLoss[] {
    return this.losses.filter(loss => loss.manager === manager)
  }
}

/** Whether a discriminator was written for a member that the configuration sets. */
function isForApplier({ union, decision, applied }: UnionDecision): boolean {
  return union.isSet(applied, decision.because ?? "")
}

/** A field that the engine changes, and the cause. */
interface FieldCause {
  readonly path: Path
  readonly cause: UnionCause
}

function byPath(a: { readonly path: Path }, b: { readonly path: Path }): number {
  return comparePaths(a.path, b.path)
}
