import { StructuredMergeError } from "../errors.js"
import { valueAt } from "../fieldpath/lookup.js"
import { formatPath, type Path } from "../fieldpath/path.js"
import { FieldSet } from "../fieldpath/set.js"
import { type UnionChange, unionFieldPath } from "../union/report.js"
import { compareStrings } from "../value/compare.js"
import { formatValue } from "../value/format.js"
import type { Value } from "../value/value.js"

/** A field that an applier wants to change and that another manager owns. */
export interface Conflict {
  /** Who owns the field: the key it has in the managers. */
  readonly manager: string
  /** Where the field is, in the names of the owner's version. */
  readonly path: Path
  /** Set where not the configuration changes the field, but the engine, because of a union. */
  readonly union?: UnionCause | undefined
  /** What the live object has at the path, in the owner's version; undefined where it has nothing. Shared with the live object. */
  readonly live?: Value | undefined
  /**
   * What the apply would make of it; undefined where the field would go. That is what the configuration says, or what the engine writes
   * because of a union. Shared with the configuration.
   */
  readonly configured?: Value | undefined
}

/** A conflict that looks its two values up when they are asked for: most are only counted, or printed without. */
export class FoundConflict implements Conflict {
  readonly manager: string
  readonly path: Path
  declare readonly union?: UnionCause
  readonly #before: Value
  readonly #after: Value

  /** `before` and `after` are the live object and the one that the apply would make, both at the owner's version. */
  constructor(manager: string, path: Path, before: Value, after: Value, union: UnionCause | undefined) {
    this.manager = manager
    this.path = path
    if (union !== undefined) this.union = union
    this.#before = before
    this.#after = after
  }

  get live(): Value | undefined {
    return valueAt(this.#before, this.path)
  }

  get configured(): Value | undefined {
    return valueAt(this.#after, this.path)
  }
}

/** What the engine does to a field, and why. */
export interface UnionCause {
  /** The field is a discriminator, and the member implied another value; or it is (in) a member that is cleared. */
  readonly effect: "implied" | "cleared"
  /** The member that implied the discriminator, or the one that is cleared. */
  readonly member: string
  /** The name of the union policy. */
  readonly policy: string
  /** What the engine did to the whole union. */
  readonly change: UnionChange
}

/**
 * An apply that would change what others own. Either take the fields (`force`), leave them out of the configuration, or give
 * them the value they have, to own them together.
 */
export class ConflictError extends StructuredMergeError {
  /** Sorted by manager; the paths of a manager in the order of its set. */
  readonly conflicts: readonly Conflict[]

  constructor(conflicts: readonly Conflict[]) {
    const sorted = conflicts.toSorted((a, b) => compareStrings(a.manager, b.manager))
    super("conflict", formatConflicts(sorted, formatValue))
    this.conflicts = sorted
  }

  /** The message, and a line for each field that the engine itself changes, saying why. */
  explain(): string {
    const lines = [this.message]
    for (const { path, union } of this.conflicts) if (union !== undefined) lines.push(explainCause(path, union))
    return lines.join("\n")
  }

  /** The fields in conflict, whoever owns them. */
  toFieldSet(): FieldSet {
    return FieldSet.of(this.conflicts.map(conflict => conflict.path))
  }
}

function explainCause(path: Path, { effect, member, policy, change }: UnionCause): string {
  const { discriminator } = change
  const memberPath = formatPath(unionFieldPath(change, member))
  if (effect === "cleared") {
    const other =
      discriminator === undefined ? "another member is applied" : `${discriminator.field} selects another member`
    return `${formatPath(path)} goes with ${memberPath}: ${other} (union policy ${policy})`
  }
  const to = formatValue(discriminator?.to ?? null)
  return `${formatPath(path)} becomes ${to}: implied by ${memberPath} (union policy ${policy})`
}

/** The conflicts, sorted by manager, as messages list them. `nameOf` makes of a manager what stands for it there. */
export function formatConflicts(conflicts: readonly Conflict[], nameOf: (manager: string) => string): string {
  const [only] = conflicts
  if (only !== undefined && conflicts.length === 1) {
    return `conflict with ${nameOf(only.manager)}: ${formatPath(only.path)}`
  }
  const lines: string[] = []
  let manager: string | undefined
  for (const conflict of conflicts) {
    if (conflict.manager !== manager) lines.push(`conflicts with ${nameOf(conflict.manager)}:`)
    manager = conflict.manager
    lines.push(`- ${formatPath(conflict.path)}`)
  }
  return lines.join("\n")
}
