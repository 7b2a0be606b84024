// The findings of a command in one form, from which annotations and the reports for CI systems are written.
//
// findings.ts turns the results of lint, plan, validate, explain and schema diff into this form. github.ts, gitlab.ts, junit.ts, sarif.ts and
// ../markdown/findings.ts write it.
import type { LintSeverity } from "../../../tools/lint/finding.js"
import type { FilePlace } from "../../input/document.js"

/** Something that is wrong with an object, or that is good to know about it. Its texts are safe to print. */
export interface ReportedFinding {
  /** Names the check, and stays the same from run to run: `conflict`, `union-invalid`, `FieldValueRequired`. */
  readonly code: string
  readonly severity: LintSeverity
  /** A few words, for a heading. */
  readonly title: string
  /** The whole finding, with its path. May have several lines. */
  readonly message: string
  readonly place: FilePlace
  /** The path of the field, or a JSON pointer to it; "" for the whole object. */
  readonly path: string
}

/** An object or another document that a command checked. */
export interface CheckedObject {
  /** `Deployment shop/web`, safe to print. */
  readonly title: string
  readonly place: FilePlace
  /** In the order in which they were found; may be empty. */
  readonly findings: readonly ReportedFinding[]
}

/** The result of a command that checks objects. */
export interface Report {
  /** The name of the command: `lint`. */
  readonly command: string
  /** In the order of the input. */
  readonly objects: readonly CheckedObject[]
  /** The severities for which the command fails. */
  readonly failing: readonly LintSeverity[]
}
