// What normalization finds at one union, and what is told of it.
import type { PathElement } from "../fieldpath/element.js"
import type { CompiledUnion } from "../schema/compiled-union.js"
import type { MapValue, Value } from "../value/value.js"
import type { UnionPolicy } from "./policy.js"
import type { UnionChange } from "./report.js"
import type { Decision } from "./union.js"

/** A decision that was made somewhere, and the map it was made for. */
export interface Finding {
  readonly path: PathElement[]
  readonly union: CompiledUnion
  readonly decision: Decision
  /** The discriminator before the operation: that of the old object, or of the new one where no old one is known. */
  readonly from: Value | undefined
  /** The map without and with the edits, and in what was applied. */
  readonly before: MapValue
  readonly after: MapValue
  readonly applied: MapValue | null
}

/** What was edited, as opposed to found as it should be. */
export function changesOf(policy: UnionPolicy, findings: readonly Finding[]): UnionChange[] {
  return findings.filter(({ before, after }) => before !== after).map(finding => changeOf(policy, finding))
}

/** What a finding says in a report. Whether the discriminator was implied, the caller may know better. */
export function changeOf(
  policy: UnionPolicy,
  { path, union, decision, from, before, after }: Finding,
  implied: boolean = isImplied(union, decision, before),
): UnionChange {
  const { because, clear, carry } = decision
  const field = union.discriminator
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
    cleared: clear.map(member => ({ field: member, owners: [] })),
    ...(carry !== undefined && { carried: carry }),
  }
}

/** Whether the decision says what the discriminator is, and `map` said otherwise. */
export function isImplied(union: CompiledUnion, { write }: Decision, map: MapValue | null): boolean {
  return write !== undefined && union.rawSelection(map) !== write
}
