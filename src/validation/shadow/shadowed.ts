// Runs two validators of one type, a handwritten and a declarative one. Feature gates decide which one is authoritative. compare.ts finds
// the mismatches, metrics.ts counts them.
//
// Kubernetes' feature gates have changed between releases: from 1.33 to 1.35 one gate gave authority to all rules at once, since 1.36 each
// rule has a level.

import { anObject, type Expected, requireOptions } from "../../value/argument.js"
import type { Value } from "../../value/value.js"
import { type FieldError, fieldErrorMessage, type Validator, type ValidatorOptions } from "../rules/report.js"
import { compareErrors, type HandwrittenError, isSameError, type Mismatch, type PathNormalization } from "./compare.js"
import type { ValidationCounters } from "./metrics.js"

/** The feature gates of declarative validation, by their names in Kubernetes. */
export interface ValidationGates {
  /**
   * Whether the results are compared; true by default. With `DeclarativeValidationTakeover` it also says whether declarative
   * validation runs at all.
   */
  readonly DeclarativeValidation?: boolean | undefined
  /**
   * Whether rules of level `beta` are enforced; true by default. Rules without a level are always enforced, rules of level `alpha` never.
   */
  readonly DeclarativeValidationBeta?: boolean | undefined
  /**
   * If this is given, true or false, the gates are those of Kubernetes 1.33 to 1.35, which had no levels. The declarative validator decides
   * if both this and `DeclarativeValidation` are on, otherwise the handwritten one. Later releases ignore this gate.
   */
  readonly DeclarativeValidationTakeover?: boolean | undefined
}

/** A handwritten validator. */
export interface HandwrittenValidator {
  /** Returns the errors of `next`. If `old` is given, `next` replaces it. */
  validate(next: Value, old?: Value, options?: ValidatorOptions): readonly HandwrittenError[]
}

/** The validators to combine, and how. */
export interface ShadowOptions {
  /** The existing validator. Its exceptions are passed on. */
  readonly handwritten: HandwrittenValidator
  /** The validator that is meant to replace it. */
  readonly declarative: Validator
  /** The feature gates. They are read on each call, so changes to the object take effect on the next one. */
  readonly gates?: ValidationGates | undefined
  /** The kind of the objects, for the identifier under which mismatches and panics are counted. */
  readonly kind?: string | undefined
  /** Translate paths of declarative errors to the spelling of handwritten ones. The first normalization that changes a path applies. */
  readonly normalizations?: readonly PathNormalization[] | undefined
  /** Called with each mismatch, in the order of an API server's log. */
  readonly onMismatch?: ((mismatch: Mismatch, identifier: string) => void) | undefined
  /** Called with each exception of the declarative validator. */
  readonly onPanic?: ((thrown: unknown, identifier: string) => void) | undefined
  /** Counts mismatches and panics. Several validators may share one `ValidationMetrics`. */
  readonly metrics?: ValidationCounters | undefined
}

/**
 * Returns a validator that runs both and reports the errors of the one that the gates make authoritative: handwritten errors first, then
 * declarative ones. The error objects are those of the two validators.
 *
 * Handwritten errors that are `coveredByDeclarative` are compared with declarative ones by type, field and origin. An exception of the
 * declarative validator becomes an `InternalError` of the object if that validator has authority; otherwise it is dropped.
 *
 * @example
 * ```ts
 * import { compileRules, shadowed } from "structured-merge-diff/validation"
 *
 * const rules = [{ tag: "beta", payload: { tag: "maximum", value: 5 } }]
 * const declarative = compileRules(
 *   { types: { Widget: { fields: [{ name: "Size", json: "size", type: "int32", rules }] } } },
 *   "Widget",
 * )
 * const { validate } = shadowed({
 *   handwritten: { validate: () => [] },
 *   declarative,
 *   gates: { DeclarativeValidationBeta: false },
 *   onMismatch: ({ kind, error }) => console.log(kind, error.field, error.origin),
 * })
 * console.log(validate({ size: 9 }).length)
 * // extra size maximum
 * // 0
 * ```
 */
export function shadowed(setup: ShadowOptions): Validator {
  requireOptions("setup", setup, { handwritten: aValidator, declarative: aValidator })
  const { handwritten, gates = {}, normalizations = [], onMismatch, metrics } = setup
  return {
    validate(next, old, options = {}) {
      const written = handwritten.validate(next, old, options)
      const policy = policyOf(gates, normalizations)
      if (policy === undefined) return [...written]
      const identifier = identifierOf(setup.kind, options.subresource, old)
      const declared = runDeclarative(setup, policy.panics, identifier, next, old, options)
      const candidates = policy.candidates(declared)
      const mismatches =
        candidates === undefined ? [] : compareErrors(written, candidates, normalizations, policy.gateOf)
      for (const mismatch of mismatches) {
        metrics?.countMismatch(identifier)
        onMismatch?.(mismatch, identifier)
      }
      return policy.decide(written, declared)
    },
  }
}

/** Runs the declarative validator. An exception becomes an error if `panics` is "fail". */
function runDeclarative(
  { declarative, onPanic, metrics }: ShadowOptions,
  panics: "fail" | "pass",
  identifier: string,
  ...[next, old, options]: Parameters<Validator["validate"]>
): readonly FieldError[] {
  try {
    return declarative.validate(next, old, options)
  } catch (thrown) {
    metrics?.countPanic(identifier)
    onPanic?.(thrown, identifier)
    if (panics === "pass") return []
    const detail = `panic during declarative validation: ${thrown instanceof Error ? thrown.message : String(thrown)}`
    return [{ type: "InternalError", field: "", detail, origin: "", badValue: {} }]
  }
}

/** Returns kind, subresource and operation in one name: `pod_status_update`. */
function identifierOf(kind: string | undefined, subresource = "", old?: Value): string {
  const below = subresource.replace(/^\//, "").replaceAll("/", "_")
  const parts = [
    kind?.toLowerCase() || "unknown_resource",
    below,
    old === undefined || old === null ? "create" : "update",
  ]
  return parts.filter(part => part !== "").join("_")
}

/** The consequences of the gates. */
interface Policy {
  /** Whether an exception of declarative validation becomes an error. */
  readonly panics: "fail" | "pass"
  /** The gate to turn off if the error is a mismatch; undefined if the handwritten validator decides. */
  gateOf(error: FieldError): string | undefined
  /** The declarative errors to compare; undefined if nothing is compared. */
  candidates(declared: readonly FieldError[]): readonly FieldError[] | undefined
  decide(written: readonly HandwrittenError[], declared: readonly FieldError[]): FieldError[]
}

/** Returns undefined if only handwritten validation runs. */
function policyOf(gates: ValidationGates, normalizations: readonly PathNormalization[]): Policy | undefined {
  const { DeclarativeValidation: compares = true, DeclarativeValidationBeta: beta = true } = gates
  const { DeclarativeValidationTakeover: takeover } = gates
  if (takeover === undefined) return policyOfLevels(compares, beta, normalizations)
  return compares ? policyOfTakeover(takeover) : undefined
}

/** Treats all rules alike, as Kubernetes 1.33 to 1.35 does. */
function policyOfTakeover(takeover: boolean): Policy {
  return {
    panics: takeover ? "fail" : "pass",
    gateOf: () => (takeover ? "DeclarativeValidationTakeover" : undefined),
    candidates: declared => declared,
    decide: (written, declared) =>
      takeover
        ? [...written.filter(({ coveredByDeclarative }) => coveredByDeclarative !== true), ...declared]
        : [...written],
  }
}

/**
 * Treats each rule by its level. A handwritten error is replaced only by the same error from an enforced rule of level beta. A rule without
 * a level replaces handwritten code that has already been removed, so it supersedes nothing.
 */
function policyOfLevels(compares: boolean, beta: boolean, normalizations: readonly PathNormalization[]): Policy {
  const isEnforced = ({ type, level }: FieldError) =>
    type === "InternalError" || level === undefined || (level === "beta" && beta)
  return {
    panics: "fail",
    gateOf: ({ level }) => (beta && level !== "alpha" ? "DeclarativeValidationBeta" : undefined),
    candidates: declared => (compares ? declared.filter(({ level }) => level !== undefined) : undefined),
    decide: (written, declared) => {
      const enforced = declared.filter(isEnforced)
      const superseding = enforced.filter(({ level }) => level === "beta")
      const isSuperseded = (error: HandwrittenError) =>
        error.coveredByDeclarative === true && superseding.some(other => isSameError(error, other, normalizations))
      return [...withoutRepeats(written).filter(error => !isSuperseded(error)), ...enforced]
    },
  }
}

/** Returns the errors without repetitions. Two errors are equal if their paths and messages are. */
function withoutRepeats(errors: readonly HandwrittenError[]): HandwrittenError[] {
  const seen = new Set<string>()
  return errors.filter(error => {
    const text = `${error.field}: ${fieldErrorMessage(error)}`
    return !seen.has(text) && seen.add(text)
  })
}

const aValidator: Expected = {
  name: "an object with a function validate",
  fits: value => anObject.fits(value) && typeof (value as Partial<HandwrittenValidator>).validate === "function",
}
