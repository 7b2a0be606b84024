// The rules of unions (one-of groups): which member of a map stays, and what its discriminator becomes. This file looks at one map at a
// time.
//
// A CompiledUnion knows which members are set in a map and which member a discriminator value selects. The `decide` functions look at a map
// before and after an operation, at the applier's configuration of it, and at the policy. They return the necessary edits, but change
// nothing themselves: settling.ts walks typed values and makes the edits, and validate.ts checks results.

import type { CompiledUnion } from "../schema/compiled-union.js"
import { copyMap, own } from "../value/object.js"
import type { MapValue, Value } from "../value/value.js"
import type { UnionPolicy } from "./policy.js"

/** A map before an operation, after it, and in the applier's configuration; null if it does not exist there. */
export interface UnionState {
  readonly old: MapValue | null
  readonly next: MapValue
  readonly applied: MapValue | null
}

/** The edits that a map needs, or `problem` if they can't be determined. */
export interface Decision {
  /** The members to clear, in the schema's order. */
  readonly clear: readonly string[]
  /** The discriminator value that the engine wants, even if the map has it already. */
  readonly write?: string
  /** The member that `write` belongs to. */
  readonly because?: string
  /** The member to carry over from the old map. */
  readonly carry?: string
  readonly problem?: string
}

/** Decides about an update that replaces `old` by `next`; null if there is nothing to do. */
export function decideUpdate(policy: UnionPolicy, union: CompiledUnion, state: UnionState): Decision | null {
  const { old, next } = state
  if (union.discriminator === undefined) {
    return policy.undiscriminated === "skip" ? null : decideMembers(policy, union, state)
  }
  const changed = union.selectedIn(next) !== union.selectedIn(old)
  return changed || policy.alwaysEnforceDiscriminator
    ? decideSelected(policy, union, state, changed)
    : decideMembers(policy, union, state)
}

/**
 * Decides after admission turned `applied` into `next`. A request had made `applied` from `old`. Returns null if admission left the union
 * alone; otherwise the request and admission count as one update.
 */
export function decideAdmitted(policy: UnionPolicy, union: CompiledUnion, state: UnionState): Decision | null {
  const { next, applied } = state
  const [before, after] = [union.setIn(applied), union.setIn(next)]
  const isSame = before.length === after.length && before.every((member, i) => member === after[i])
  if (isSame && union.selectedIn(applied) === union.selectedIn(next)) return null
  return decideUpdate(policy, union, state)
}

/** Decides by the discriminator: because it changed, or because the policy always enforces it. */
function decideSelected(
  policy: UnionPolicy,
  union: CompiledUnion,
  state: UnionState,
  changed: boolean,
): Decision | null {
  const { old, next } = state
  const selected = union.selectedIn(next)
  if (selected === "") {
    const emptied = union.rawSelection(next) === "" ? policy.emptyDiscriminator : policy.removedDiscriminator
    return emptied === "not-a-change" ? decideMembers(policy, union, state) : clearAll(policy, union, state, emptied)
  }
  if (changed && policy.strictChange) {
    const added = addedMembers(union, old, next)
    const [only] = added
    if (added.length > 1) return severalAdded(added)
    if (only !== undefined && union.valueOf(only) !== selected) {
      return problem(`discriminator (${selected}) and field changed (${only}) don't match`)
    }
  }
  if (policy.onDiscriminatorChange === "ignore") return decideMembers(policy, union, state)
  const keep = selectedMember(policy, union, selected)
  const clear = others(policy, union, state, keep)
  const lost = keep !== undefined && !union.isSet(next, keep) && union.isSet(old, keep)
  return lost && policy.selectedAbsent === "carry-over" ? { clear, carry: keep } : toClear(clear)
}

/**
 * Decides about an apply; `next` is the merge of `applied`. If the policy compares the merged object, the apply counts as an update of
 * `old`. If `old` is unknown, it is taken to be the part of `next` that `applied` does not specify.
 */
export function decideApply(policy: UnionPolicy, union: CompiledUnion, state: UnionState): Decision | null {
  const { old, next, applied } = state
  if (union.discriminator === undefined && policy.undiscriminated === "skip") return null
  const set = union.setIn(applied)
  if (policy.applyBasis === "merged-vs-live") {
    const bare = set.length === 0 && union.rawSelection(applied) !== undefined
    if (bare && policy.discriminatorOnlyApply === "keep") return null
    return decideMerged(policy, union, { old: old ?? rest(union, next, applied), next, applied })
  }
  const selected = union.selectedIn(applied)
  const [member] = set
  if (set.length > 1) return problem(`more than one field of union applied: ${set.join(", ")}`)
  if (member === undefined) return decideSelection(policy, union, state, union.rawSelection(applied))
  const value = union.valueOf(member)
  if (selected !== "" && selected !== value) {
    return problem(`applied discriminator (${selected}) doesn't match applied field (${member})`)
  }
  return keepMember(policy, union, state, member)
}

/**
 * Decides about a configuration on its own, before its merge. If the policy compares the merged object, there is nothing to do yet, and the
 * decision only names the member that implies the discriminator.
 */
export function decideConfig(policy: UnionPolicy, union: CompiledUnion, { next }: UnionState): Decision | null {
  if (policy.applyBasis === "applied-fields") return decideApply(policy, union, { old: null, next, applied: next })
  if (!writes(policy, union) || union.rawSelection(next) !== undefined) return null
  const [member, second] = union.setIn(next)
  return member === undefined || second !== undefined ? null : { clear: none, because: member }
}

/**
 * Decides after pruning removed a discriminator or its member: `old` is the map before pruning, `next` the map after it. A discriminator
 * that agreed with the remaining member is written again.
 */
export function decidePruned(policy: UnionPolicy, union: CompiledUnion, { old, next }: UnionState): Decision | null {
  const [member, second] = union.setIn(next)
  if (old === null || member === undefined || second !== undefined || union.discriminator === undefined) return null
  const selected = union.selectedIn(next)
  const value = union.valueOf(member)
  if (selected === value) return null
  const untouched = selected === union.selectedIn(old) && union.setIn(old).length === 1
  const agreed = union.selectedIn(old) === value
  return !untouched && (agreed || writes(policy, union)) ? written(union, none, member) : null
}

/**
 * Decides about an apply that counts as an update to the merged object. The same configuration must lead to the same result each time, so a
 * discriminator in the configuration always counts as changed. A policy that leaves contradictions to validation also does so for those of
 * the configuration.
 */
function decideMerged(policy: UnionPolicy, union: CompiledUnion, state: UnionState): Decision | null {
  const { applied } = state
  const leaves = policy.unchangedMultiple === "leave-for-validation"
  const given = union.rawSelection(applied) !== undefined
  const decision = given && !leaves ? decideSelected(policy, union, state, true) : decideUpdate(policy, union, state)
  if (decision === null || decision.problem !== undefined) return decision
  const { clear, carry } = decision
  // A member that the configuration does not mention was pruned.
  if (carry !== undefined && (applied === null || own(applied, carry) === undefined)) return toClear(clear)
  if (policy.alwaysEnforceDiscriminator || (given && !leaves)) return decision
  return { ...decision, clear: clear.filter(member => !union.isSet(applied, member)) }
}

/** Decides by the members alone: the discriminator did not change or does not exist. */
function decideMembers(policy: UnionPolicy, union: CompiledUnion, state: UnionState): Decision | null {
  const { old, next, applied } = state
  const set = union.setIn(next)
  const [member] = set
  if (member === undefined) return null
  if (set.length === 1) return writes(policy, union) ? written(union, none, member) : null
  const added = addedMembers(union, old, next)
  if (added.length === 0 && policy.legacyMultiple === "ratchet") return null
  switch (policy.unchangedMultiple) {
    case "error":
      return problem(`multiple fields set without discriminator change: ${set.join(", ")}`)
    case "keep-single-added": {
      const [only] = added
      if (only === undefined) return null
      // A configuration with several members wants all of them, even those that were set before.
      const wanted = union.setIn(applied)
      const several = wanted.length > 1 ? wanted : added
      if (several.length === 1) return keepMember(policy, union, state, only)
      return policy.severalAdded === "error" ? severalAdded(several) : null
    }
    default:
      return null
  }
}

/** Decides about an apply of only the discriminator, or of no part of the union. */
function decideSelection(
  policy: UnionPolicy,
  union: CompiledUnion,
  state: UnionState,
  selected: Value | undefined,
): Decision | null {
  if (typeof selected !== "string" || policy.discriminatorOnlyApply === "keep") return null
  if (selected === "") {
    return policy.emptyDiscriminator === "not-a-change"
      ? null
      : clearAll(policy, union, state, policy.emptyDiscriminator)
  }
  return toClear(others(policy, union, state, selectedMember(policy, union, selected)))
}

function keepMember(policy: UnionPolicy, union: CompiledUnion, state: UnionState, member: string): Decision | null {
  const clear = others(policy, union, state, member)
  return writes(policy, union) ? written(union, clear, member) : toClear(clear)
}

function written(union: CompiledUnion, clear: readonly string[], member: string): Decision {
  return { clear, write: union.valueOf(member), because: member }
}

function writes(policy: UnionPolicy, union: CompiledUnion): boolean {
  if (union.discriminator === undefined || policy.writeDiscriminator === "never") return false
  return policy.writeDiscriminator === "always" || union.def.deduceInvalidDiscriminator === true
}

function selectedMember(policy: UnionPolicy, union: CompiledUnion, value: string): string | undefined {
  return union.memberOf(value) ?? (policy.fieldNameSelects ? value : undefined)
}

/** Clears all members. A schema may assign the value `""` to a member, which is then kept. */
function clearAll(
  policy: UnionPolicy,
  union: CompiledUnion,
  state: UnionState,
  how: "clear-all" | "clear-all-or-fail",
): Decision | null {
  const clear = others(policy, union, state, union.memberOf(""))
  return clear.length > 0 && how === "clear-all-or-fail" && union.required
    ? problem(`discriminator (${union.discriminator ?? ""}) must select one of: ${union.members.join(", ")}`)
    : toClear(clear)
}

/**
 * Returns the members to clear if `keep` stays. If the policy compares the merged object, nulls of the configuration itself stay, since the
 * next merge would bring them back.
 */
function others(
  policy: UnionPolicy,
  union: CompiledUnion,
  { next, applied }: UnionState,
  keep: string | undefined,
): readonly string[] {
  const present = union.presentIn(next, keep)
  if (applied === null || policy.applyBasis === "applied-fields") return present
  return present.filter(member => union.isSet(next, member) || own(applied, member) === undefined)
}

function addedMembers(union: CompiledUnion, old: MapValue | null, next: MapValue): readonly string[] {
  return union.setIn(next).filter(member => !union.isSet(old, member))
}

/**
 * Returns the part of `next` that is not in `applied`. If the members are items of a list, items of `applied` are removed from the list.
 */
function rest(union: CompiledUnion, next: MapValue, applied: MapValue | null): MapValue {
  const out = copyMap(next)
  if (union.items !== null) union.clear(out, union.setIn(applied))
  else for (const key in applied) delete out[key]
  return out
}

const none: readonly string[] = Object.freeze([])

function toClear(clear: readonly string[]): Decision | null {
  return clear.length === 0 ? null : { clear }
}

function severalAdded(added: readonly string[]): Decision {
  return problem(`multiple new fields added: ${added.join(", ")}`)
}

function problem(message: string): Decision {
  return { clear: none, problem: message }
}
