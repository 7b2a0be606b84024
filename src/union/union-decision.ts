// The decision of normalization about one union, and the report of it.

import { fieldElement, keyElement } from "../fieldpath/create-element.js"
import type { PathElement } from "../fieldpath/element.js"
import type { Path } from "../fieldpath/path.js"
import type { CompiledUnion } from "../schema/compiled-union.js"
import type { MapValue, Value } from "../value/value.js"
import type { UnionPolicy } from "./policy.js"
import type { ReportedMember, UnionChange } from "./report.js"
import type { Decision } from "./union.js"

/** A decision, the maps before and after it, and their path. */
export interface UnionDecision {
  readonly path: PathElement[]
  readonly union: CompiledUnion
  readonly decision: Decision
  /** The discriminator before the operation: in the old object, or in the new one if no old one is known. */
  readonly from: Value | undefined
  /** `before` is the map without the edits, `after` the map with them, and `applied` the map at the same path in the configuration. */
  readonly before: MapValue
  readonly after: MapValue
  readonly applied: MapValue | null
}

/** Returns the changes of the decisions that edited their map. */
export function changesOf(policy: UnionPolicy, decisions: readonly UnionDecision[]): UnionChange[] {
  return decisions.filter(({ before, after }) => before !== after).map(decided => changeOf(policy, decided))
}

/** Returns the reported change for a decision. Callers may pass `implied` if they know better whether the discriminator was implied. */
export function changeOf(
  policy: UnionPolicy,
  { path, union, decision, from, before, after }: UnionDecision,
  implied: boolean = isImplied(union, decision, before),
): UnionChange {
  const { because, clear, carry } = decision
  const field = union.discriminator
  const [member, second] = union.setIn(after)
  return {
    path,
    ...(union.def.name !== undefined && { name: union.def.name }),
    policy: policy.name,
    ...(field !== undefined && {
      discriminator: {
        field,
        from,
        to: union.rawSelection(after),
        implied,
        ...(implied && because !== undefined && { because }),
      },
    }),
    cleared: clear.map(cleared => ({ ...reported(union, cleared), owners: [] })),
    ...(member !== undefined && second === undefined && { member: reported(union, member) }),
    ...(carry !== undefined && { carried: carry }),
  }
}

function reported(union: CompiledUnion, member: string): ReportedMember {
  return { field: member, ...(union.items !== null && { item: memberPath(union, member) }) }
}

/** The path of a member in its struct: a field, or an item of a list. */
export function memberPath({ items }: CompiledUnion, member: string): Path {
  const found = items?.get(member)
  return found === undefined ? [fieldElement(member)] : [fieldElement(found.list), keyElement(found.item)]
}

/** Whether the decision writes the discriminator and the one in `map` differs. */
export function isImplied(union: CompiledUnion, { write }: Decision, map: MapValue | null): boolean {
  return write !== undefined && union.rawSelection(map) !== write
}
