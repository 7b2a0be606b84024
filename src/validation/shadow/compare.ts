// Compares the errors of handwritten and declarative validation. It decides that two errors are the same, and words its messages, as an API
// server does.
import { quoteGo } from "../../value/quote.js"
import { errorKinds, type FieldError } from "../rules/report.js"

/** An error that handwritten validation reports. */
export interface HandwrittenError extends FieldError {
  /** Whether a declarative rule reports the same error. Only such errors are compared, and only they may be replaced by those of rules. */
  readonly coveredByDeclarative?: boolean | undefined
}

/**
 * Translates paths of declarative errors to the spelling of handwritten ones. Needed if the two validators work on different versions of a
 * type.
 */
export interface PathNormalization {
  /** The pattern to replace in the path. All matches are replaced. */
  readonly pattern: RegExp
  /** The replacement, as `String.replace` takes it: `$1` is the first group. */
  readonly replacement: string
}

/** An error that only one of the two validators reports. */
export interface Mismatch {
  /** `unmatched`: a handwritten error that a rule should have found; `extra`: a declarative error without a handwritten one. */
  readonly kind: "unmatched" | "extra"
  /** The error. */
  readonly error: FieldError
  /** The message that an API server logs for the mismatch. */
  readonly message: string
}

/**
 * Whether the two errors are the same: they have the same type, origin and field. Errors of type `FieldValueInvalid` without an origin are
 * never the same. Only the path of the declarative error is normalized, by the first normalization that changes it.
 */
export function isSameError(
  handwritten: FieldError,
  declarative: FieldError,
  normalizations: readonly PathNormalization[],
): boolean {
  const { type, origin, field } = handwritten
  if (type !== declarative.type || origin !== declarative.origin) return false
  if (type === "FieldValueInvalid" && origin === "") return false
  return field === declarative.field || field === normalized(declarative.field, normalizations)
}

function normalized(field: string, normalizations: readonly PathNormalization[]): string {
  for (const { pattern, replacement } of normalizations) {
    const changed = field.replaceAll(globally(pattern), replacement)
    if (changed !== field) return changed
  }
  return field
}

/** Returns a copy that finds every match and keeps no state between calls. */
function globally({ source, flags }: RegExp): RegExp {
  return new RegExp(source, `${flags.replace(/[gy]/g, "")}g`)
}

/**
 * Returns the mismatches, handwritten errors first. Several errors of one side may match one error of the other. `gateOf` returns the gate
 * to turn off for an error of that level, or undefined if the handwritten validator decides.
 */
export function compareErrors(
  handwritten: readonly HandwrittenError[],
  declarative: readonly FieldError[],
  normalizations: readonly PathNormalization[],
  gateOf: (error: FieldError) => string | undefined,
): Mismatch[] {
  const same = (a: FieldError, b: FieldError) => isSameError(a, b, normalizations)
  const mismatch = (kind: Mismatch["kind"], error: FieldError): Mismatch => {
    const gate = gateOf(error)
    const advice = gate === undefined ? harmless : disable(gate)
    return { kind, error, message: messageOf(kind, renderError(error, normalizations), advice) }
  }
  const distinct: HandwrittenError[] = []
  for (const error of handwritten) {
    if (!distinct.some(known => same(known, error))) distinct.push(error)
  }
  const covered = distinct.filter(({ coveredByDeclarative }) => coveredByDeclarative === true)
  const unmatched = covered.filter(error => !declarative.some(other => same(error, other)))
  const extra = declarative.filter(error => !covered.some(other => same(other, error)))
  return [...unmatched.map(error => mismatch("unmatched", error)), ...extra.map(error => mismatch("extra", error))]
}

function messageOf(kind: Mismatch["kind"], error: string, advice: string): string {
  const difference = "Unexpected difference between hand written validation and declarative validation error results"
  return `${difference}, ${kind} error(s) found ${error}. This indicates an issue with declarative validation. ${advice}`
}

const harmless = "This difference should not affect system operation since hand written validation is authoritative."

function disable(gate: string): string {
  return `Consider disabling the ${gate} feature gate to keep data persisted in etcd consistent with prior versions of Kubernetes.`
}

/** The parts of an error that are compared, as Go prints them. */
function renderError({ type, field, origin }: FieldError, normalizations: readonly PathNormalization[]): string {
  const other = normalized(field, normalizations)
  const place = other === field ? quotePath(field) : `${quotePath(other)} (aka ${quotePath(field)})`
  return `{Type=${quoteGo(errorKinds[type])}, Field=${place}, Origin=${quoteGo(origin)}}`
}

/** The object itself has a nil path in Go. */
function quotePath(field: string): string {
  return quoteGo(field === "" ? "<nil>" : field)
}
