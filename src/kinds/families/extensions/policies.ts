// Checks of the policies of admission and of their bindings. policy/problems.ts compiles their expressions.
import type { Field } from "../../validation/field.js"
import { checkSelector } from "../../validation/labels.js"
import { dnsLabel1035, dnsSubdomain, labelKey, pathSegment } from "../../validation/names.js"
import { checkMatch, checkMatchConditions, failurePolicies, reinvocationPolicies } from "./webhooks.js"

export function checkValidatingPolicy(policy: Field): void {
  const spec = policy.at("spec")
  checkPolicy(spec)
  checkMatchConditions(spec.at("matchConditions"))
  checkVariables(spec.at("variables"))
  const [validations, annotations] = [spec.at("validations"), spec.at("auditAnnotations")]
  if (validations.size + annotations.size === 0) {
    for (const field of [validations, annotations]) {
      field.required("validations or auditAnnotations must contain at least one item")
    }
  }
  for (const validation of validations.items()) checkValidation(validation)
  if (annotations.size > 20) annotations.invalid("must not have more than 20 auditAnnotations")
  const keys = new Set<string>()
  for (const annotation of annotations.items()) {
    const key = annotation.at("key")
    key.holding(`${policy.at("metadata", "name").text}/${key.text}`).check(labelKey)
    const value = annotation.at("valueExpression")
    if (value.text.trim() === "") value.required("valueExpression is not specified")
    key.unique(keys)
  }
}

function checkPolicy(spec: Field): void {
  spec.at("failurePolicy").oneOf(failurePolicies)
  if (spec.at("paramKind").isSet) checkParamKind(spec.at("paramKind"))
  const match = spec.at("matchConstraints")
  if (!match.isSet) match.required()
  else {
    checkMatch(match)
    if (match.at("resourceRules").size === 0) match.at("resourceRules").required()
  }
}

function checkParamKind(param: Field): void {
  const [version, kind] = [param.at("apiVersion"), param.at("kind")]
  const parts = version.text === "/" ? ["", ""] : version.text.split("/")
  const [group = "", number = ""] = parts.length === 1 ? ["", ...parts] : parts
  if (version.text === "") version.required()
  else if (parts.length > 2) version.invalid(`unexpected GroupVersion string: ${version.text}`)
  else {
    if (group !== "") version.holding(group).checkAsOne(dnsSubdomain, ",")
    if (number === "") version.invalid("version must be specified")
    else version.holding(number).checkAsOne(dnsLabel1035, ",")
  }
  const wrong = dnsLabel1035(kind.text.toLowerCase())
  if (kind.text === "") kind.required()
  else if (wrong.length > 0) kind.invalid(`may have mixed case, but should otherwise match: ${wrong.join(",")}`)
}

function checkVariables(variables: Field): void {
  for (const variable of variables.items()) {
    const [name, expression] = [variable.at("name"), variable.at("expression")]
    if (name.text.trim() === "") name.required("name is not specified")
    else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name.text)) name.invalid("must be a valid CEL identifier")
    if (expression.text.trim() === "") expression.required("expression is not specified")
  }
}

function checkValidation(validation: Field): void {
  if (validation.at("expression").text.trim() === "") {
    validation.at("expression").required("expression is not specified")
  }
  for (const key of ["messageExpression", "message"]) {
    const { text } = validation.at(key)
    if (text !== "" && text.trim() === "") validation.at(key).invalid("must be non-empty if specified")
  }
  if (/[\n\r]/.test(validation.at("message").text.trim())) {
    validation.at("message").invalid("must not contain line breaks")
  }
  validation.at("reason").oneOfIfSet(["Forbidden", "Invalid", "RequestEntityTooLarge"])
}

export function checkMutatingPolicy(policy: Field): void {
  const spec = policy.at("spec")
  checkPolicy(spec)
  checkMutatingOperations(spec.at("matchConstraints"))
  checkMatchConditions(spec.at("matchConditions"))
  checkVariables(spec.at("variables"))
  const mutations = spec.at("mutations")
  if (mutations.size === 0) mutations.required("mutations must contain at least one item")
  for (const mutation of mutations.items()) checkMutation(mutation)
  spec.at("reinvocationPolicy").requiredOneOf(reinvocationPolicies)
}

/** Checks that a policy which changes objects is not asked when they are deleted. */
function checkMutatingOperations(match: Field): void {
  for (const rule of match.at("resourceRules").items()) {
    for (const { text } of rule.at("operations").items()) {
      match.at("resourceRules", "operations").holding(text).oneOf(["*", "CONNECT", "CREATE", "UPDATE"])
    }
  }
}

/** The field of each type of patch. */
const patches = { ApplyConfiguration: "applyConfiguration", JSONPatch: "jsonPatch" }

function checkMutation(mutation: Field): void {
  const type = mutation.at("patchType")
  type.requiredOneOf(Object.keys(patches))
  if (!Object.hasOwn(patches, type.text)) return
  for (const [name, key] of Object.entries(patches).sort(([name]) => (name === type.text ? -1 : 1))) {
    const patch = mutation.at(key)
    if (name !== type.text) {
      if (patch.isSet) patch.invalid(`must not be specified when patchType is ${type.text}`, `{${key}}`)
    } else if (!patch.isSet) patch.required(`must be specified when patchType is ${name}`)
    else if (patch.at("expression").text.trim() === "") patch.at("expression").required("expression is not specified")
  }
}

export function checkValidatingBinding(binding: Field): void {
  const spec = binding.at("spec")
  spec.at("policyName").checkIfGiven(dnsSubdomain)
  checkBinding(spec)
  const actions = spec.at("validationActions")
  const seen = new Set<string>()
  for (const action of actions.items()) {
    action.oneOf(["Audit", "Deny", "Warn"])
    action.unique(seen)
  }
  if (seen.has("Deny") && seen.has("Warn")) actions.invalid(denyAndWarn)
}

const denyAndWarn =
  "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)"

export function checkMutatingBinding(binding: Field): void {
  const spec = binding.at("spec")
  spec.at("policyName").requiredAnd(dnsSubdomain)
  checkBinding(spec)
  checkMutatingOperations(spec.at("matchResources"))
}

function checkBinding(spec: Field): void {
  if (spec.at("paramRef").isSet) checkParam(spec.at("paramRef"))
  if (spec.at("matchResources").isSet) checkMatch(spec.at("matchResources"))
}

function checkParam(param: Field): void {
  const [name, selector, action] = [param.at("name"), param.at("selector"), param.at("parameterNotFoundAction")]
  const isBoth = name.text !== "" && selector.isSet
  name.checkIfGiven(pathSegment)
  if (isBoth) name.forbidden("name and selector are mutually exclusive")
  checkSelector(selector)
  if (isBoth) selector.forbidden("name and selector are mutually exclusive")
  if (name.text === "" && !selector.isSet) param.required("one of name or selector must be specified")
  action.requiredOneOf(["Deny", "Allow"])
}
