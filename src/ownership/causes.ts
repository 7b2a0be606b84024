// Why a union makes the engine change a field, as data.
import { formatPath, type Path } from "../fieldpath/path.js"
import type { UnionCause } from "../merge/conflict.js"
import { formatUnionChange, type UnionChange, unionFieldPath } from "../union/report.js"

/** What the engine did to a field because of a union. */
export interface PlannedUnion {
  /** `implied`: a member gave the discriminator its value. `cleared`: the field is, or is in, a member that had to go. */
  readonly effect: "implied" | "cleared"
  /** The member that implied the discriminator, or the one that is cleared. */
  readonly member: string
  /** The struct that holds the union, as `path` of a place. */
  readonly struct: string
  /** The name of the union policy. */
  readonly policy: string
  /** What happened to the whole union, in a line for people. */
  readonly text: string
}

/** The cause of a conflict. */
export function plannedUnion({ effect, member, policy, change }: UnionCause): PlannedUnion {
  const cleared = change.cleared.map(member => ({ ...member, owners: [] })) // rows and conflicts say who
  return { effect, member, struct: formatPath(change.path), policy, text: formatUnionChange({ ...change, cleared }) }
}

/** Each field that the engine itself changed because of a union, and why. */
export function unionCauses(changes: readonly UnionChange[]): { readonly path: Path; readonly union: PlannedUnion }[] {
  return changes.flatMap(change => {
    const { discriminator, cleared, policy } = change
    const causes = cleared.map(({ field }) => ({
      path: unionFieldPath(change, field),
      union: plannedUnion({ effect: "cleared", member: field, policy, change }),
    }))
    if (discriminator?.because === undefined) return causes
    const member = discriminator.because
    const path = unionFieldPath(change, discriminator.field)
    return [{ path, union: plannedUnion({ effect: "implied", member, policy, change }) }, ...causes]
  })
}
