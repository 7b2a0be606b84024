// Unions in requests, and their validation before an object is stored.
//
// The FieldManager of an endpoint settles unions. Unions that admission changes are settled again. After the strategy, the object is validated
// against the stored object: if the policy ratchets, a union that was invalid there in the same way may stay invalid.
import type { VersionedSet } from "../fieldpath/managers.js"
import { FieldSet } from "../fieldpath/set.js"
import type { ParityOptions } from "../json/json.js"
import type { Problem } from "../kinds/refusal/failure.js"
import { readManagedFields, withManagedFields } from "../managedfields/entries/entry.js"
import { decodeManagedFields, encodeManagedFields } from "../managedfields/entries/managed.js"
import { managerName } from "../managedfields/entries/manager-id.js"
import type { Type } from "../typed/type.js"
import { TypedValue } from "../typed/typed-value.js"
import { bodyOf, type UnionFieldError } from "../union/check-union.js"
import { settleAdmitted } from "../union/normalize.js"
import { normalizationPlan } from "../union/plan.js"
import type { UnionPolicy } from "../union/policy.js"
import { formatUnionChange, type UnionChange, unionFieldPath } from "../union/report.js"
import { changesOf } from "../union/union-decision.js"
import { seesUnions, validateUnions } from "../union/validate.js"
import { compareStrings } from "../value/compare.js"
import type { MapValue } from "../value/value.js"

/** The object of a request, before and after admission. */
interface AdmittedObject {
  /** The stored object; undefined for a new one. */
  readonly live: MapValue | undefined
  /** The object before admission. */
  readonly requested: MapValue
  /** The object after admission. */
  readonly admitted: MapValue
}

/**
 * Returns the admitted object, with the unions settled that admission changed. As with any other change by admission, owners stay the same,
 * except that nobody owns a cleared member any longer; `unions` names its former owners. Throws a UnionError if the policy can't settle a
 * union.
 */
export function settledAgain(
  policy: UnionPolicy,
  type: Type | undefined,
  { live, requested, admitted }: AdmittedObject,
  options: ParityOptions = {},
): { readonly object: MapValue; readonly unions: readonly UnionChange[] } {
  const plan = type === undefined || admitted === requested ? null : normalizationPlan(policy, type)
  if (type === undefined || plan === null) return { object: admitted, unions: [] }
  const typed = (object: MapValue) => TypedValue.unvalidated(object, type)
  const { object, decisions } = settleAdmitted(policy, plan, live && typed(live), typed(requested), typed(admitted))
  const changes = changesOf(policy, decisions)
  return changes.length === 0
    ? { object: admitted, unions: [] }
    : withoutCleared(object.value as MapValue, changes, options)
}

/** Removes cleared members from the sets of their owners. Returns the object, and the changes with these owners. */
function withoutCleared(object: MapValue, changes: readonly UnionChange[], options: ParityOptions) {
  const managed = decodeManagedFields(readManagedFields(object) ?? [])
  const lost = FieldSet.of(changes.flatMap(change => change.cleared.map(({ field }) => unionFieldPath(change, field))))
  const fields = new Map<string, VersionedSet>()
  for (const [manager, owner] of managed.fields) {
    const set = owner.set.recursiveDifference(lost)
    if (!set.isEmpty()) fields.set(manager, { ...owner, set })
  }
  const unions = changes.map(change => ({
    ...change,
    cleared: change.cleared.map(member => {
      const path = FieldSet.of([unionFieldPath(change, member.field)])
      const owns = ({ set }: VersionedSet) => !set.recursiveDifference(path).equals(set)
      const owners = Array.from(managed.fields).flatMap(([manager, owner]) => (owns(owner) ? [manager] : []))
      return { ...member, owners: owners.sort(compareStrings) }
    }),
  }))
  return { object: withManagedFields(object, encodeManagedFields({ ...managed, fields }, options)), unions }
}

/** The problems of an object's unions. */
export interface UnionFindings {
  /** The problems for which the request is refused. */
  readonly refused: readonly UnionFieldError[]
  /** The number of further problems, which may stay because the stored object has them too. */
  readonly ratcheted: number
}

const nothing: UnionFindings = { refused: [], ratcheted: 0 }

/** Validates the unions of an object that replaces `live`; `live` is undefined for a new object. */
export function unionFindings(
  policy: UnionPolicy,
  type: Type | undefined,
  object: MapValue,
  live: MapValue | undefined,
): UnionFindings {
  if (type === undefined || policy.invalidResult === "accept" || !seesUnions(policy, type, true)) return nothing
  // Other checks report values that do not fit their types.
  const next = TypedValue.unvalidated(object, type)
  const all = validateUnions(undefined, next, { policy, ratchet: false })
  if (all.length === 0 || live === undefined) return { refused: all, ratcheted: 0 }
  const refused = validateUnions(TypedValue.unvalidated(live, type), next, { policy })
  return { refused, ratcheted: all.length - refused.length }
}

export function unionProblem(error: UnionFieldError): Problem {
  return { reason: error.type, field: error.field, message: bodyOf(error) }
}

/**
 * The events that are counted: a union that was settled, a discriminator that the engine wrote for a member, a member that it cleared, a problem
 * for which the request is refused, and a problem that may stay.
 */
export type UnionEvent = "settled" | "implied" | "cleared" | "refused" | "ratcheted"

/** Counts the events of unions in one request. */
export class UnionEvents {
  /** The name of the policy. */
  readonly policy: string
  readonly counts = new Map<UnionEvent, number>()

  constructor(policy: string) {
    this.policy = policy
  }

  add(event: UnionEvent, count: number): void {
    if (count > 0) this.counts.set(event, (this.counts.get(event) ?? 0) + count)
  }

  /** Counts changes by the engine. Returns a warning for each change that took a member from a manager other than `manager`. */
  addChanges(changes: readonly UnionChange[], manager: string): string[] {
    this.add("settled", changes.length)
    for (const { discriminator, cleared } of changes) {
      this.add("implied", discriminator?.implied === true ? 1 : 0)
      this.add("cleared", cleared.length)
    }
    const takes = ({ cleared }: UnionChange) =>
      cleared.some(({ owners }) => owners.some(owner => managerName(owner) !== manager))
    return changes.filter(takes).map(change => `union ${formatUnionChange(change)}`)
  }
}
