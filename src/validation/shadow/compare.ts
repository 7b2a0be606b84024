// Where handwritten and declarative validation disagree about an object. What counts as the same error, and the messages, are those
// of an API server.
import { quoteGo } from "../../value/quote.js"
import { errorKinds, type FieldError } from "../rules/report.js"

/** An error of validation that was written by hand. */
export interface HandwrittenError extends FieldError {
  /** Whether a declarative rule says the same: only such errors are compared, and only they may give way to those of rules. */
  readonly coveredByDeclarative?: boolean | undefined
}

/** How the paths of declarative errors are spelled in handwritten ones, where the two validate different versions of a type. */
export interface PathNormalization {
  /** What to replace in the path; every match is. */
  readonly pattern: RegExp
  /** What to put in its place, as `String.replace` takes it: `$1` is the first group. */
  readonly replacement: string
}

/** One error that only one of the two validators has found. */
export interface Mismatch {
  /** `unmatched`: a handwritten error that a rule should have found; `extra`: a declarative error that nobody wrote by hand. */
  readonly kind: "unmatched" | "extra"
  /** The error. */
  readonly error: FieldError
  /** What an API server logs about it. */
  readonly message: string
}

/**
 * Whether the two are the same error: of the same type, origin and field. Invalid values are so only where their origin is known.
 * Only the path of the declarative error is normalized, by the first normalization that changes it.
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

/** A copy that finds every match, and keeps nothing from call to call. */
function globally({ source, flags }: RegExp): RegExp {
  return new RegExp(source, `${flags.replace(/[gy]/g, "")}g`)
}

/**
 * The mismatches, those of handwritten errors first. Several errors of one side may be the same as one of the other. `gateOf`
 * gives the gate to turn off against an error of its level, and undefined where the handwritten validator decides.
 */
export function compareErrors(
  handwritten: readonly HandwrittenError[],
  declarative: readonly FieldError[],
  normalizations: readonly PathNormalization[],
  gateOf: (error: FieldError) => string | undefined,
): Mismatch[] {
  const same = (a: FieldError, b: FieldError) => isSameError(a, b, normalizations)
  const describe = (kind: Mismatch["kind"], error: FieldError): Mismatch => {
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
  return [...unmatched.map(error => describe("unmatched", error)), ...extra.map(error => describe("extra", error))]
}

function messageOf(kind: Mismatch["kind"], error: string, advice: string): string {
  const difference = "Unexpected difference between hand written validation and declarative validation error results"
  return `${difference}, ${kind} error(s) found ${error}. This indicates an issue with declarative validation. ${advice}`
}

const harmless = "This difference should not affect system operation since hand written validation is authoritative."

function disable(gate: string): string {
  return `Consider disabling the ${gate} feature gate to keep data persisted in etcd consistent with prior versions of Kubernetes.`
}

/** What counts of an error, as Go prints it. */
function renderError({ type, field, origin }: FieldError, normalizations: readonly PathNormalization[]): string {
  const other = normalized(field, normalizations)
  const place = other === field ? quotePath(field) : `${quotePath(other)} (aka ${quotePath(field)})`
  return `{Type=${quoteGo(errorKinds[type])}, Field=${place}, Origin=${quoteGo(origin)}}`
}

/** Go's nil path is that of the object itself. */
function quotePath(field: string): string {
  return quoteGo(field === "" ? "<nil>" : field)
}
