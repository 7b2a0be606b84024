// The validation that Kubernetes declares for its own kinds in markers of Go types, next to the handwritten checks of this package. The rules are
// in declared-data.ts. Rules of level `alpha` run in the shadow of handwritten checks. All other rules are enforced, whatever the gates say:
// they replace handwritten checks, which this package does not have.
import { compileRules } from "../../validation/compile.js"
import { fieldErrorMessage, type FieldError as RuleError, type Validator } from "../../validation/rules/report.js"
import type { RuleType } from "../../validation/rules/rules.js"
import type { HandwrittenError } from "../../validation/shadow/compare.js"
import type { ValidationCounters } from "../../validation/shadow/metrics.js"
import { shadowed, type ValidationGates } from "../../validation/shadow/shadowed.js"
import type { MapValue } from "../../value/value.js"
import type { FieldError } from "../refusal/field-error.js"
import { type CoveredErrors, coveredErrors, errorKey } from "./covered.js"
import { declaredData } from "./declared-data.js"

/** The feature gates that rules depend on, with their values in the recorded release. */
const options: Readonly<Record<string, boolean>> = {
  DRAPartitionableDevicesType: false,
  HPAScaleToZero: true,
  InPlacePodVerticalScalingSchedulerPreemption: false,
  WorkloadWithJob: false,
}

type Types = Readonly<Record<string, RuleType>>

/** The declared rules of a kind. */
interface Declared {
  readonly validator: Validator
  /** The errors that handwritten checks may report too. */
  readonly covered: CoveredErrors
}

/** Decides between handwritten checks and rules of level `alpha`, and counts their differences. */
export interface Shadow {
  readonly gates: ValidationGates
  readonly metrics: ValidationCounters
}

let documents: Readonly<Record<string, Types>> | undefined
const validators = new Map<string, Declared | undefined>()

/** A version of a kind. */
interface Version {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/**
 * Returns the problems of an object of the version, which replaces `before`: the given ones of the handwritten checks, and the problems that
 * declared rules find. If `shadow` is absent, rules of level `alpha` are ignored.
 */
export function withDeclaredProblems(
  handwritten: readonly FieldError[],
  of: Version,
  subresource: string,
  object: MapValue,
  before: MapValue | undefined,
  shadow?: Shadow,
): readonly FieldError[] {
  const id = `${of.group}/${of.version}/${of.kind}/${subresource}`
  if (!validators.has(id)) validators.set(id, declaredFor(of, subresource))
  const declared = validators.get(id)
  if (declared === undefined) return handwritten
  const run = () => declared.validator.validate(object, before, { options, subresource })
  if (shadow === undefined || declared.covered.size === 0)
    return [...handwritten, ...run().filter(isEnforced).map(toProblem)]
  let enforced: readonly RuleError[] | undefined
  const { validate } = shadowed({
    handwritten: { validate: () => handwritten.map(problem => toHandwritten(problem, declared.covered)) },
    declarative: {
      validate() {
        enforced = []
        const errors = run()
        enforced = errors.filter(isEnforced)
        return errors.filter(error => !isEnforced(error))
      },
    },
    ...shadow,
    kind: of.kind,
  })
  const decided = validate(object, before, { subresource })
  return [...decided, ...(enforced ?? run().filter(isEnforced))].map(toProblem)
}

function isEnforced({ level }: RuleError): boolean {
  return level !== "alpha"
}

/** A handwritten error with the problem that it stands for. */
interface WrittenError extends HandwrittenError {
  readonly problem: FieldError
}

function toHandwritten(problem: FieldError, covered: CoveredErrors): WrittenError {
  const { reason: type, field, message } = problem
  const known = covered.get(errorKey(field, type))
  const coveredByDeclarative = known !== undefined && (known === "immutable") === (problem.origin === "immutable")
  const origin = coveredByDeclarative ? known : (problem.origin ?? "")
  return { type, field, detail: message, origin, badValue: "", coveredByDeclarative, problem }
}

function toProblem(error: RuleError | WrittenError): FieldError {
  if ("problem" in error) return error.problem
  return { reason: error.type, field: error.field, message: fieldErrorMessage(error) }
}

/** Returns undefined if nothing is declared for the subresource. */
function declaredFor({ group, version, kind }: Version, subresource: string): Declared | undefined {
  documents ??= JSON.parse(declaredData) as Readonly<Record<string, Types>>
  const [shortGroup] = (group || "core").split(".")
  const types = documents[`${shortGroup}/${version}`]
  if (types === undefined || !Object.hasOwn(types, kind)) return undefined
  const path = `/${subresource}`
  const isServed = (types[kind]?.rules ?? []).some(({ tag, value }) => tag === "supportsSubresource" && value === path)
  if (subresource !== "" && !isServed) return undefined
  return { validator: compileRules({ types }, kind), covered: coveredErrors(types, kind) }
}
