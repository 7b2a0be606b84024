// ValidatingAdmissionPolicies: asks each policy about a request, and refuses it, warns or notes as the binding says.

import { formatGoJson } from "../../json/json.js"
import { specOf } from "../../kinds/kind/spec-and-status.js"
import type { CompiledValidatingPolicy, CompiledValidation } from "../../kinds/policy/compile-policy.js"
import { type Compiled, conditionsHold, Evaluation, mostOfPolicy, OutOfBudget } from "../../kinds/policy/expressions.js"
import { RequestFailure } from "../../kinds/refusal/failure.js"
import { metaText } from "../../schema/metadata.js"
import { byteLength } from "../../value/bytes.js"
import { textAt, textsAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"
import { type Attributes, type Cluster, type Notes, refused } from "../attributes.js"
import { type Invocation, invocationsOf } from "./policies.js"

/** A reason to refuse a request. */
interface Denial {
  readonly policy: MapValue
  readonly binding: MapValue | undefined
  readonly message: string
  readonly reason?: string
}

/** Asks the policies about a request. Throws a RequestFailure if one refuses it. */
export function validateByPolicies(
  compile: (policy: MapValue) => CompiledValidatingPolicy,
  request: Attributes,
  cluster: Cluster,
  notes: Notes,
): void {
  const kind = { policies: "validatingadmissionpolicies", bindings: "validatingadmissionpolicybindings" }
  const denials: Denial[] = []
  const failures: MapValue[] = []
  const annotations = new Map<string, Set<string>>()
  for (const invocation of invocationsOf(kind, request, cluster)) {
    const { policy, binding } = invocation
    const isStrict = textAt(specOf(policy), "failurePolicy") !== "Ignore"
    if ("error" in invocation) {
      if (isStrict) denials.push({ policy, binding, message: invocation.error })
      continue
    }
    const { decisions, values } = decide(compile(policy), invocation)
    for (const [index, decision] of decisions.entries()) {
      if (decision === undefined || (decision.reason === undefined && !isStrict)) continue
      actOn(invocation, { policy, binding, ...decision }, index, denials, failures, notes)
    }
    for (const { key, value, error } of values) {
      if (error !== undefined && isStrict) denials.push({ policy, binding, message: error })
      const name = `${metaText(policy, "name")}/${key}`
      if (value !== undefined) annotations.set(name, (annotations.get(name) ?? new Set()).add(value))
    }
  }
  for (const [key, values] of annotations) notes.audit?.(key, [...values].join(", "))
  if (failures.length > 0) notes.audit?.(failureKey, formatGoJson(failures.slice(0, mostFailures)))
  const [first] = denials
  if (first !== undefined) throw denied(request, first)
}

const failureKey = "validation.policy.admission.k8s.io/validation_failure"
const mostFailures = 50
const mostAnnotationBytes = 10 * 1024
const mostMessageBytes = 5 * 1024

/** A failed validation. It has a reason if its expression is false, and none if it can't be evaluated. */
type Decision = Pick<Denial, "message" | "reason"> | undefined

interface AnnotationValue {
  readonly key: string
  readonly value?: string
  readonly error?: string
}

/** Evaluates a policy: returns the failed validations by their positions, and the annotations for the audit log. */
function decide(
  { expressions, conditions, validations, annotations }: CompiledValidatingPolicy,
  { scope }: Invocation,
): { readonly decisions: readonly Decision[]; readonly values: readonly AnnotationValue[] } {
  const values = expressions.values(scope)
  const holds = conditionsHold(conditions, values)
  if (holds === false) return { decisions: [], values: [] }
  if (holds !== true) return { decisions: [{ message: holds.error }], values: [] }
  try {
    const evaluation = new Evaluation(values, mostOfPolicy)
    const outcomes = validations.map(({ expression }) => evaluation.run(expression))
    const decisions = validations.map((validation, i): Decision => {
      const outcome = outcomes[i]
      if (outcome !== undefined && "error" in outcome) return { message: outcome.error }
      if (outcome?.value === true) return undefined
      const reason = textAt(validation.given, "reason") || "Invalid"
      return { message: messageOf(validation, evaluation), reason }
    })
    const forAnnotations = new Evaluation(values, mostOfPolicy)
    return { decisions, values: annotations.map(each => annotationOf(each, forAnnotations)) }
  } catch (error) {
    if (error instanceof OutOfBudget) return { decisions: [{ message: error.message }], values: [] }
    throw error
  }
}

function messageOf({ given, message }: CompiledValidation, evaluation: Evaluation): string {
  const outcome = message && evaluation.run(message)
  const text =
    outcome !== undefined && "value" in outcome && typeof outcome.value === "string" ? outcome.value.trim() : ""
  const isUsable = text !== "" && byteLength(text) <= mostMessageBytes && !text.includes("\n")
  if (isUsable) return text
  return textAt(given, "message").trim() || `failed expression: ${textAt(given, "expression").trim()}`
}

function annotationOf(
  { key, value: compiled }: { readonly key: string; readonly value: Compiled },
  evaluation: Evaluation,
): AnnotationValue {
  const outcome = evaluation.run(compiled)
  if ("error" in outcome) return { key, error: outcome.error }
  const { value } = outcome
  if (value === null) return { key }
  if (typeof value === "string") {
    return value.trim() === "" ? { key } : { key, value: value.trim().slice(0, mostAnnotationBytes) }
  }
  const type = typeof value === "bigint" ? "int" : typeof value === "boolean" ? "bool" : typeof value
  const why = `resulted in unsupported return type: ${type}. Return type must be either string or null.`
  return { key, error: `valueExpression '${compiled.given}' ${why}` }
}

/** Does with a failed validation what the binding says. */
function actOn(
  { binding, policy }: Invocation,
  denial: Denial,
  expressionIndex: number,
  denials: Denial[],
  failures: MapValue[],
  notes: Notes,
): void {
  const actions = textsAt(specOf(binding), "validationActions")
  const { message } = denial
  const [policyName, bindingName] = [metaText(policy, "name"), metaText(binding, "name")]
  if (actions.includes("Deny")) denials.push(denial)
  if (actions.includes("Warn")) {
    const where = `ValidatingAdmissionPolicy '${policyName}' with binding '${bindingName}'`
    notes.warn(`Validation failed for ${where}: ${message}`)
  }
  if (actions.includes("Audit")) {
    failures.push({ message, policy: policyName, binding: bindingName, expressionIndex, validationActions: actions })
  }
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413, Invalid: 422 }

function denied(request: Attributes, { policy, binding, message, reason = "Invalid" }: Denial): RequestFailure {
  const bound = binding === undefined ? "" : ` with binding '${metaText(binding, "name")}'`
  const why = `ValidatingAdmissionPolicy '${metaText(policy, "name")}'${bound} denied request: ${message}`
  const { message: whole, status } = refused(request, why, [{ message: why }])
  const details = own(status, "details")
  return new RequestFailure(codes[reason] ?? 422, whole, reason, isMap(details) ? details : {})
}
