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

/** A field that an applier wants to change but another manager owns. */
export interface Conflict {
  /** The owner of the field: its key in the managers. A FieldManager's keys are identifiers, which `parseManagerId` reads. */
  readonly manager: string
  /** The elements of the path of the field, in the field names of the owner's version. `formatPath` returns its text. */
  readonly path: Path
  /** Set if the engine, not the configuration, changes the field because of a union. */
  readonly union?: UnionCause | undefined
  /** The value of the live object at the path, in the owner's version; undefined if it has none. Shared with the live object. */
  readonly live?: Value | undefined
  /**
   * The value that the apply would set at the path: from the configuration, or written by the engine because of a union. Undefined if the
   * apply would remove the field. Shared with the configuration.
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

  /** `before` is for the live object and `after` for the result of the apply, both at the owner's version. */
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

/** The reason why the engine itself changes a field. */
export interface UnionCause {
  /**
   * `implied`: the field is a discriminator, and the member implies another value. `cleared`: the field is a cleared member or inside one.
   */
  readonly effect: "implied" | "cleared"
  /** The member that implies the discriminator or is cleared. */
  readonly member: string
  /** The name of the union policy. */
  readonly policy: string
  /** The engine's change to the whole union. */
  readonly change: UnionChange
}

/**
 * Thrown by an apply that would change fields of other managers. The applier can take the fields (`force`), leave them out of its
 * configuration, or give them their current values and so become a co-owner.
 */
export class ConflictError extends StructuredMergeError<"conflict"> {
  /** Sorted by manager, and for each manager in the order of its set. Never empty. */
  readonly conflicts: readonly Conflict[]

  constructor(conflicts: readonly Conflict[]) {
    const sorted = conflicts.toSorted((a, b) => compareStrings(a.manager, b.manager))
    super("conflict", formatConflicts(sorted, formatValue))
    this.conflicts = sorted
  }

  /** Returns the message, followed by the reason for each field that the engine itself changes, one per line. */
  explain(): string {
    const lines = [this.message]
    for (const { path, union } of this.conflicts) if (union !== undefined) lines.push(explainCause(path, union))
    return lines.join("\n")
  }

  /** The fields in conflict, for all owners together. */
  toFieldSet(): FieldSet {
    return FieldSet.of(this.conflicts.map(conflict => conflict.path))
  }
}

/** All errors about data. The `code` tells them apart: a conflict has `conflicts`, an invalid value `issues`. */
export type SmdError =
  | ConflictError
  | ParseError
  | SchemaError
  | StructuredMergeError<"bad-request">
  | UnionError
  | ValidationError

/**
 * Whether `error` is an error about data, from any copy of the package.
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
 * Returns the reason why the engine changes a field: `implied by .spec.strategy.rollingUpdate (union policy extended)`. A member is cleared
 * by the member that stays, or by the discriminator if no member stays.
 */
export function reasonOf({ effect, member, policy, change }: UnionCause): string {
  const cause = effect === "implied" ? member : (change.member?.field ?? change.discriminator?.field ?? member)
  return `${effect} by ${formatPath(unionFieldPath(change, cause))} (union policy ${policy})`
}

/** Formats conflicts, which must be sorted by manager, as messages list them. `nameOf` returns the text for a manager. */
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
