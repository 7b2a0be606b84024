import { StructuredMergeError } from "../errors.js"
import { formatPath, type Path } from "../fieldpath/path.js"
import { FieldSet } from "../fieldpath/set.js"
import { compareStrings } from "../value/compare.js"
import { formatValue } from "../value/format.js"

/** A field that an applier wants to change and that another manager owns. */
export interface Conflict {
  readonly manager: string
  readonly path: Path
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

  /** The fields in conflict, whoever owns them. */
  toFieldSet(): FieldSet {
    return FieldSet.of(this.conflicts.map(conflict => conflict.path))
  }
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
