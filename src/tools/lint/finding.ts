// The findings of checks, and the table of all codes. docs/lint.md explains each.

import type { JsonPatchOperation } from "../../managedfields/entries/upgrade.js"

/** The severity of a finding: an `error` can't work, a `warning` will surprise, an `info` is good to know. */
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
  | "config-duplicate-key"
  | "config-not-canonical"
  | "managed-fields-unreadable"
  | "version-gone-blocks"
  | "version-gone"
  | "applied-and-updated"
  | "dropped-field-kept"
  | "keys-only"
  | "shadowed-applier"
  | "one-program-two-names"
  | "live-mixed-versions"
  | "idle-manager"
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
  "config-duplicate-key": "error",
  "config-not-canonical": "info",
  "managed-fields-unreadable": "error",
  "version-gone-blocks": "error",
  "version-gone": "warning",
  "applied-and-updated": "warning",
  "dropped-field-kept": "warning",
  "keys-only": "warning",
  "shadowed-applier": "warning",
  "one-program-two-names": "warning",
  "live-mixed-versions": "error",
  "idle-manager": "warning",
  "ancient-changes": "warning",
  "last-applied-left": "info",
  "managed-fields-large": "info",
}

/** A problem that a check found. */
export interface LintFinding {
  /** Identifies the finding, for programs. */
  readonly code: LintCode
  /** The severity. */
  readonly severity: LintSeverity
  /** The manager in managedFields that the finding is about; absent if it is not about a manager. */
  readonly manager?: string
  /** The place: a JSON pointer into a definition (`/spec/versions/0/...`), or a path in an object (`.spec.strategy`). */
  readonly path: string
  /** The problem, and why it is one. */
  readonly message: string
  /** The way to solve it. */
  readonly remedy: string
  /** The changes to the configuration that solve it; absent if none are known. */
  readonly patch?: readonly JsonPatchOperation[]
}

export function finding(code: LintCode, path: string, message: string, remedy: string): LintFinding {
  return { code, severity: lintSeverities[code], path, message, remedy }
}
