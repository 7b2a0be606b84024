// Explains, as data, why a union makes the engine change a field.
import { formatPath, type Path } from "../../fieldpath/path.js"
import type { UnionCause } from "../../merge/conflict.js"
import { formatUnionChange, type UnionChange, unionFieldPath } from "../../union/report.js"

/** A change that the engine made to a field because of a union. */
export interface PlannedUnion {
  /** `implied`: a member determined the value of the discriminator. `cleared`: the field is, or is inside, a member that was removed. */
  readonly effect: "implied" | "cleared"
  /** The member that implied the discriminator, or the member that was cleared. */
  readonly member: string
  /** The struct that contains the union, in the form of a place's `path`. */
  readonly struct: string
  /** The name of the union policy. */
  readonly policy: string
  /** A one-line description, for people, of what happened to the whole union. */
  readonly text: string
}

/** Returns the cause of a conflict, as data. */
export function plannedUnion({ effect, member, policy, change }: UnionCause): PlannedUnion {
  const cleared = change.cleared.map(member => ({ ...member, owners: [] })) // rows and conflicts name the owners
  return { effect, member, struct: formatPath(change.path), policy, text: formatUnionChange({ ...change, cleared }) }
}

/** Returns the fields that the engine itself changed because of a union, each with the reason. */
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
