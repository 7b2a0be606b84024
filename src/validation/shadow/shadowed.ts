// Two validators of one type, handwritten and declarative, of which one is authoritative. compare.ts says where they disagree,
// metrics.ts counts it.
//
// Who decides is what Kubernetes' feature gates say, which were others in earlier releases: from 1.33 to 1.35 one gate gave all rules
// authority at once, since 1.36 each rule has a level.

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
  /** Whether rules of level `beta` are enforced; true by default. Rules without a level always are, rules of level `alpha` never. */
  readonly DeclarativeValidationBeta?: boolean | undefined
  /**
   * If this is given, true or false, the gates are those of Kubernetes 1.33 to 1.35, which knew no levels: the declarative validator
   * decides if this and `DeclarativeValidation` are on, the handwritten one otherwise. Later releases ignore this gate.
   */
  readonly DeclarativeValidationTakeover?: boolean | undefined
}

/** Validation that was written by hand. */
export interface HandwrittenValidator {
  /** What is wrong with `next`; with `old`, `next` replaces that. */
  validate(next: Value, old?: Value, options?: ValidatorOptions): readonly HandwrittenError[]
}

/** What `shadowed` puts together. */
export interface ShadowOptions {
  /** The validator that is there already. What it throws is thrown. */
  readonly handwritten: HandwrittenValidator
  /** The validator that is to take its place. */
  readonly declarative: Validator
  /** The feature gates. They are read in each call, so a change of the object counts from the next one on. */
  readonly gates?: ValidationGates | undefined
  /** The kind of the objects, for the identifier under which mismatches and panics are counted. */
  readonly kind?: string | undefined
  /** How paths of declarative errors are spelled in handwritten ones, where they differ. The first one that changes a path counts. */
  readonly normalizations?: readonly PathNormalization[] | undefined
  /** Told of each mismatch, in the order of an API server's log. */
  readonly onMismatch?: ((mismatch: Mismatch, identifier: string) => void) | undefined
  /** Told of what the declarative validator has thrown. */
  readonly onPanic?: ((thrown: unknown, identifier: string) => void) | undefined
  /** Counts mismatches and panics: a `ValidationMetrics`, which several validators may share. */
  readonly metrics?: ValidationCounters | undefined
}

/**
 * A validator that runs both, and reports what the gates make authoritative: handwritten errors first, then declarative ones. Errors
 * are the objects that the two validators gave.
 *
 * Handwritten errors that are `coveredByDeclarative` are compared with declarative ones, by type, field and origin. What the
 * declarative validator throws is an `InternalError` of the object where that validator has authority, and otherwise no error at all.
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

/** What the declarative validator finds, or an error for what it throws if that is one. */
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

/** `pod_status_update`: kind, subresource and operation. */
function identifierOf(kind: string | undefined, subresource = "", old?: Value): string {
  const below = subresource.replace(/^\//, "").replaceAll("/", "_")
  const parts = [
    kind?.toLowerCase() || "unknown_resource",
    below,
    old === undefined || old === null ? "create" : "update",
  ]
  return parts.filter(part => part !== "").join("_")
}

/** What the gates say. */
interface Policy {
  /** Whether an exception of declarative validation is an error. */
  readonly panics: "fail" | "pass"
  /** The gate to turn off if the error is a mismatch; undefined where the handwritten validator decides. */
  gateOf(error: FieldError): string | undefined
  /** The declarative errors to compare; undefined where nothing is compared. */
  candidates(declared: readonly FieldError[]): readonly FieldError[] | undefined
  decide(written: readonly HandwrittenError[], declared: readonly FieldError[]): FieldError[]
}

/** Undefined where only handwritten validation runs. */
function policyOf(gates: ValidationGates, normalizations: readonly PathNormalization[]): Policy | undefined {
  const { DeclarativeValidation: compares = true, DeclarativeValidationBeta: beta = true } = gates
  const { DeclarativeValidationTakeover: takeover } = gates
  if (takeover === undefined) return policyOfLevels(compares, beta, normalizations)
  return compares ? policyOfTakeover(takeover) : undefined
}

/** All rules at once: Kubernetes 1.33 to 1.35. */
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
 * Each rule by its level. Handwritten errors stay unless an enforced rule of level beta has found the same: what has no level takes
 * the place of code that is gone already.
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

/** The errors without those that an earlier one says word for word. */
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
