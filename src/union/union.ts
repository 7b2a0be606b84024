// Unions (one-of groups): which member of a map stays, and what its discriminator says. One map at a time, no walking.
//
// A CompiledUnion answers what is set in a map and which member a discriminator value selects. `decide` looks at one map
// before and after, at what an applier specifies there, and at the policy, and returns what has to be edited. It changes
// nothing itself: normalize.ts walks typed values and makes the edits, validate.ts checks results.
import type { CompiledUnion } from "../typed/compiled-union.js"
import { copyMap } from "../value/object.js"
import type { MapValue, Value } from "../value/value.js"
import type { UnionPolicy } from "./policy.js"

/** One map before, after, and as an applier specifies it; null where there is none. */
export interface UnionState {
  readonly old: MapValue | null
  readonly next: MapValue
  readonly applied: MapValue | null
}

/** What has to be done to a map; or, where it has a problem, why that can't be said. */
export interface Decision {
  /** The members to take out: keys of the map, in the schema's order. */
  readonly clear: readonly string[]
  /** What the engine says the discriminator is, even where it says so already. */
  readonly write?: string
  /** The member that `write` belongs to. */
  readonly because?: string
  /** The member to take over from the old map. */
  readonly carry?: string
  readonly problem?: string
}

/** What the policy makes of an update: `next` takes the place of `old`. null where nothing is to be done. */
export function decideUpdate(policy: UnionPolicy, union: CompiledUnion, { old, next }: UnionState): Decision | null {
  if (union.discriminator === undefined) {
    return policy.undiscriminated === "skip" ? null : decideMembers(policy, union, old, next)
  }
  const selected = union.selectedIn(next)
  const changed = selected !== union.selectedIn(old)
  if (!changed && !policy.alwaysEnforceDiscriminator) return decideMembers(policy, union, old, next)
  if (selected === "") {
    const emptied = union.rawSelection(next) === "" ? policy.emptyDiscriminator : policy.removedDiscriminator
    return emptied === "not-a-change" ? decideMembers(policy, union, old, next) : clearAll(union, next, emptied)
  }
  if (changed && policy.strictChange) {
    const added = addedMembers(union, old, next)
    const [only] = added
    if (added.length > 1) return severalAdded(added)
    if (only !== undefined && union.valueOf(only) !== selected) {
      return problem(`discriminator (${selected}) and field changed (${only}) don't match`)
    }
  }
  if (policy.onDiscriminatorChange === "ignore") return decideMembers(policy, union, old, next)
  const keep = selectedMember(policy, union, selected)
  const clear = union.presentIn(next, keep)
  const lost = keep !== undefined && !union.isSet(next, keep) && union.isSet(old, keep)
  return lost && policy.selectedAbsent === "carry-over" ? { clear, carry: keep } : toClear(clear)
}

/**
 * What the policy makes of an apply: `next` is what a merge made of `applied`. Where the policy goes by the merged object,
 * that is an update of `old`; where `old` is not known, it is taken to be what `applied` does not specify.
 */
export function decideApply(policy: UnionPolicy, union: CompiledUnion, state: UnionState): Decision | null {
  const { old, next, applied } = state
  if (union.discriminator === undefined && policy.undiscriminated === "skip") return null
  const set = union.setIn(applied)
  if (policy.applyBasis === "merged-vs-live") {
    const bare = set.length === 0 && union.rawSelection(applied) !== undefined
    if (bare && policy.discriminatorOnlyApply === "keep") return null
    return decideUpdate(policy, union, { old: old ?? rest(next, applied), next, applied })
  }
  const selected = union.selectedIn(applied)
  const [member] = set
  if (set.length > 1) return problem(`more than one field of union applied: ${set.join(", ")}`)
  if (member === undefined) return decideSelection(policy, union, next, union.rawSelection(applied))
  const value = union.valueOf(member)
  if (selected !== "" && selected !== value) {
    return problem(`applied discriminator (${selected}) doesn't match applied field (${member})`)
  }
  return keepMember(policy, union, next, member)
}

/** The members decide alone: the discriminator did not change, or there is none. */
function decideMembers(
  policy: UnionPolicy,
  union: CompiledUnion,
  old: MapValue | null,
  next: MapValue,
): Decision | null {
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
      if (only !== undefined && added.length === 1) return keepMember(policy, union, next, only)
      return added.length > 1 && policy.severalAdded === "error" ? severalAdded(added) : null
    }
    default:
      return null
  }
}

/** An apply of the discriminator, or of nothing of the union. */
function decideSelection(
  policy: UnionPolicy,
  union: CompiledUnion,
  next: MapValue,
  selected: Value | undefined,
): Decision | null {
  if (typeof selected !== "string" || policy.discriminatorOnlyApply === "keep") return null
  if (selected === "") {
    return policy.emptyDiscriminator === "not-a-change" ? null : clearAll(union, next, policy.emptyDiscriminator)
  }
  return toClear(union.presentIn(next, selectedMember(policy, union, selected)))
}

function keepMember(policy: UnionPolicy, union: CompiledUnion, next: MapValue, member: string): Decision | null {
  const clear = union.presentIn(next, member)
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

/** Only a member with the value `""` stays, a spelling that plain schemas allow. */
function clearAll(union: CompiledUnion, next: MapValue, how: "clear-all" | "clear-all-or-fail"): Decision | null {
  const clear = union.presentIn(next, union.memberOf(""))
  return clear.length > 0 && how === "clear-all-or-fail" && union.required
    ? problem(`discriminator (${union.discriminator ?? ""}) must select one of: ${union.members.join(", ")}`)
    : toClear(clear)
}

function addedMembers(union: CompiledUnion, old: MapValue | null, next: MapValue): readonly string[] {
  const set = union.setIn(next)
  return old === null ? set : set.filter(member => !union.isSet(old, member))
}

/** What is in `next` and not in `applied`. */
function rest(next: MapValue, applied: MapValue | null): MapValue {
  const out = copyMap(next)
  for (const key in applied) delete out[key]
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
