import { StructuredMergeError } from "../errors.js"
import { formatPath, type Path } from "../fieldpath/path.js"
import { FieldSet } from "../fieldpath/set.js"
import { type UnionChange, unionFieldPath } from "../union/report.js"
import { compareStrings } from "../value/compare.js"
import { formatValue } from "../value/format.js"

/** A field that an applier wants to change and that another manager owns. */
export interface Conflict {
  readonly manager: string
  readonly path: Path
  /** Set where not the configuration changes the field, but the engine, because of a union. */
  readonly union?: UnionCause
}

/** What the engine does to a field, and why. */
export interface UnionCause {
  /** The field is a discriminator, and the member implied another value; or it is (in) a member that is cleared. */
  readonly effect: "implied" | "cleared"
  /** The member that implied the discriminator, or the one that is cleared. */
  readonly member: string
  /** The name of the union policy. */
  readonly policy: string
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
    super("conflict", formatConflicts(sorted))
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

function formatConflicts(conflicts: readonly Conflict[]): string {
  const [only] = conflicts
  if (only !== undefined && conflicts.length === 1) {
    return `conflict with ${formatValue(only.manager)}: ${formatPath(only.path)}`
  }
  const lines: string[] = []
  let manager: string | undefined
  for (const conflict of conflicts) {
    if (conflict.manager !== manager) lines.push(`conflicts with ${formatValue(conflict.manager)}:`)
    manager = conflict.manager
    lines.push(`- ${formatPath(conflict.path)}`)
  }
  return lines.join("\n")
}
