// What a check finds, and the table of all codes; docs/lint.md says more of each.

/** How much a finding matters: an `error` can't work, a `warning` will surprise, an `info` is good to know. */
export type LintSeverity = "error" | "warning" | "info"

/** The stable name of a finding. */
export type LintCode =
  | "union-invalid"
  | "union-unsatisfiable"
  | "union-member-required"
  | "union-value-unknown"
  | "union-discriminator-optional"
  | "union-undiscriminated"
  | "union-lookalike"
  | "merge-type-invalid"
  | "set-of-objects"
  | "list-key-refused"
  | "list-key-optional"
  | "list-type-missing"
  | "go-types-invalid"
  | "go-types-suspect"
  | "config-several-members"
  | "config-other-member"
  | "config-value-unknown"
  | "managed-fields-unreadable"
  | "version-gone-blocks"
  | "version-gone"
  | "applied-and-updated"
  | "dropped-field-kept"
  | "keys-only"
  | "ancient-changes"
  | "last-applied-left"
  | "managed-fields-large"

/** The severity of each code. */
export const lintSeverities: Readonly<Record<LintCode, LintSeverity>> = {
  "union-invalid": "error",
  "union-unsatisfiable": "error",
  "union-member-required": "error",
  "union-value-unknown": "error",
  "union-discriminator-optional": "warning",
  "union-undiscriminated": "info",
  "union-lookalike": "info",
  "merge-type-invalid": "error",
  "set-of-objects": "error",
  "list-key-refused": "error",
  "list-key-optional": "warning",
  "list-type-missing": "info",
  "go-types-invalid": "error",
  "go-types-suspect": "warning",
  "config-several-members": "error",
  "config-other-member": "error",
  "config-value-unknown": "error",
  "managed-fields-unreadable": "error",
  "version-gone-blocks": "error",
  "version-gone": "warning",
  "applied-and-updated": "warning",
  "dropped-field-kept": "warning",
  "keys-only": "warning",
  "ancient-changes": "warning",
  "last-applied-left": "info",
  "managed-fields-large": "info",
}

/** Something that a check found. */
export interface LintFinding {
  /** What was found, for programs. */
  readonly code: LintCode
  /** How much it matters. */
  readonly severity: LintSeverity
  /** The manager of managedFields that it is about; absent where it is about none. */
  readonly manager?: string
  /** Where it is: a JSON pointer in a definition (`/spec/versions/0/...`), a path in an object (`.spec.strategy`). */
  readonly path: string
  /** What is the matter, and why that is one. */
  readonly message: string
  /** What to do about it. */
  readonly remedy: string
}

export function finding(code: LintCode, path: string, message: string, remedy: string): LintFinding {
  return { code, severity: lintSeverities[code], path, message, remedy }
}
