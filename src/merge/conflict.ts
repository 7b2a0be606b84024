import {
  hasCode,
  type ParseError,
  type SchemaError,
  StructuredMergeError,
  type UnionError,
  type ValidationError,
} from "../errors.js"
import type { Lookup } from "../fieldpath/lookup.js"
import { formatGoPath, formatPath, type Path } from "../fieldpath/path.js"
import { FieldSet } from "../fieldpath/set.js"
import { type UnionChange, unionFieldPath } from "../union/report.js"
import { compareStrings } from "../value/compare.js"
import { formatValue } from "../value/format.js"
import type { Value } from "../value/value.js"

/** A field that an applier wants to change and that another manager owns. */
export interface Conflict {
  /** Who owns the field: the key it has in the managers. */
  readonly manager: string
  /** Where the field is, in the field names of the owner's version. */
  readonly path: Path
  /** Set if it is not the configuration that changes the field, but the engine, because of a union. */
  readonly union?: UnionCause | undefined
  /** What the live object has at the path, in the owner's version; undefined if it has nothing. Shared with the live object. */
  readonly live?: Value | undefined
  /**
   * What the apply would set at the path: what the configuration says, or what the engine writes because of a union. Undefined if
   * it would remove the field. Shared with the configuration.
   */
  readonly configured?: Value | undefined
}

/** A conflict that looks up its two values when they are read, since most conflicts are only counted, or printed without them. */
export class FoundConflict implements Conflict {
  readonly manager: string
  readonly path: Path
  declare readonly union?: UnionCause
  readonly #before: Lookup
  readonly #after: Lookup

  /** `before` is for the live object and `after` for the one that the apply would make, both at the owner's version. */
  constructor(manager: string, path: Path, before: Lookup, after: Lookup, union: UnionCause | undefined) {
    this.manager = manager
    this.path = path
    if (union !== undefined) this.union = union
    this.#before = before
    this.#after = after
  }

  get live(): Value | undefined {
    return this.#before.valueAt(this.path)
  }

  get configured(): Value | undefined {
    return this.#after.valueAt(this.path)
  }
}

/** Why the engine itself changes a field. */
export interface UnionCause {
  /** `implied`: the field is a discriminator, and the member implies another value. `cleared`: it is (in) a cleared member. */
  readonly effect: "implied" | "cleared"
  /** The member that implies the discriminator, or the one that is cleared. */
  readonly member: string
  /** The name of the union policy. */
  readonly policy: string
  /** What the engine does to the whole union. */
  readonly change: UnionChange
}

/**
 * Thrown by an apply that would change what other managers own. The applier can take the fields (`force`), leave them out of its
 * configuration, or give them the value they have, to own them together with the others.
 */
export class ConflictError extends StructuredMergeError<"conflict"> {
  /** Sorted by manager, and for each manager in the order of its set. Never empty. */
  readonly conflicts: readonly Conflict[]

  constructor(conflicts: readonly Conflict[]) {
    const sorted = conflicts.toSorted((a, b) => compareStrings(a.manager, b.manager))
    super("conflict", formatConflicts(sorted, formatValue))
    this.conflicts = sorted
  }

  /** The message, followed by a line for each field that the engine itself changes, which says why. */
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

/** All errors about data, told apart by their `code`: that of a conflict has `conflicts`, that of an invalid value `issues`. */
export type SmdError =
  | ConflictError
  | ParseError
  | SchemaError
  | StructuredMergeError<"bad-request">
  | UnionError
  | ValidationError

/**
 * Whether `error` is an error about data, of any copy of the package.
 *
 * @example
 * ```ts
 * import { isStructuredMergeError, parsePath } from "structured-merge-diff"
 *
 * try {
 *   parsePath(".spec[")
 * } catch (error) {
 *   if (!isStructuredMergeError(error)) throw error
 *   console.log(error.code === "conflict" ? error.conflicts.length : error.code)
 * }
 * // parse
 * ```
 */
export function isStructuredMergeError(error: unknown): error is SmdError {
  return hasCode(error)
}

function explainCause(path: Path, cause: UnionCause): string {
  const { effect, change } = cause
  const becomes = effect === "cleared" ? "goes" : `becomes ${formatValue(change.discriminator?.to ?? null)}`
  return `${formatPath(path)} ${becomes}: ${reasonOf(cause)}`
}

/**
 * Why the engine changes a field, in words: `implied by .spec.strategy.rollingUpdate (union policy extended)`. A member is cleared by
 * the member that stays, or by the discriminator if none does.
 */
export function reasonOf({ effect, member, policy, change }: UnionCause): string {
  const cause = effect === "implied" ? member : (change.member?.field ?? change.discriminator?.field ?? member)
  return `${effect} by ${formatPath(unionFieldPath(change, cause))} (union policy ${policy})`
}

/** The conflicts, sorted by manager, as messages list them. `nameOf` returns the text that stands for a manager. */
export function formatConflicts(conflicts: readonly Conflict[], nameOf: (manager: string) => string): string {
  const [only] = conflicts
  if (only !== undefined && conflicts.length === 1) {
    return `conflict with ${nameOf(only.manager)}: ${formatGoPath(only.path)}`
  }
  const lines: string[] = []
  let manager: string | undefined
  for (const conflict of conflicts) {
    if (conflict.manager !== manager) lines.push(`conflicts with ${nameOf(conflict.manager)}:`)
    manager = conflict.manager
    lines.push(`- ${formatGoPath(conflict.path)}`)
  }
  return lines.join("\n")
}
