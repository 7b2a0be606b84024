// Checks of the policies that decide which failed Pods of a Job count, and when a Job has succeeded.
import { quoteGo } from "../../../value/quote.js"
import type { Field } from "../../validation/field.js"
import { labelKey } from "../../validation/names.js"

/** Checks what a Job does about failed Pods. */
export function checkFailurePolicy(job: Field): void {
  const policy = job.at("podFailurePolicy")
  if (!policy.isSet) return
  const containers = ["containers", "initContainers"].flatMap(key => job.at("template", "spec", key).items())
  const names = new Set(containers.map(container => container.at("name").text))
  policy.at("rules").tooMany(20)
  for (const rule of policy.at("rules").items()) {
    const action = rule.at("action")
    if (action.text !== "FailIndex") requireOneOf(action, ["Count", "FailIndex", "FailJob", "Ignore"])
    else if (!job.at("backoffLimitPerIndex").isSet) action.invalid("requires the backoffLimitPerIndex to be set")
    const [codes, conditions] = [rule.at("onExitCodes"), rule.at("onPodConditions")]
    if (codes.isSet) checkExitCodes(codes, names)
    checkConditions(conditions)
    const given = (codes.isSet ? 1 : 0) + (conditions.size > 0 ? 1 : 0)
    if (given === 2) rule.invalidUnseen("specifying both OnExitCodes and OnPodConditions is not supported")
    if (given === 0) rule.invalidUnseen("specifying one of OnExitCodes and OnPodConditions is required")
  }
}

function checkExitCodes(codes: Field, containers: ReadonlySet<string>): void {
  const [operator, name, values] = [codes.at("operator"), codes.at("containerName"), codes.at("values")]
  requireOneOf(operator, ["In", "NotIn"])
  if (name.isSet && !containers.has(name.text)) {
    name.invalid("must be one of the container or initContainer names in the pod template")
  }
  if (values.size === 0) values.invalid("at least one value is required")
  else values.tooMany(255)
  const numbers = values.items().map(value => value.number)
  const seen = new Set<number>()
  for (const value of values.items()) {
    if (operator.text === "In" && value.number === 0) value.invalid("must not be 0 for the In operator")
    if (seen.has(value.number)) value.duplicate()
    seen.add(value.number)
  }
  if (numbers.some((number, i) => i > 0 && (numbers[i - 1] as number) > number)) values.invalid("must be ordered")
}

function checkConditions(conditions: Field): void {
  conditions.tooMany(20)
  for (const pattern of conditions.items()) {
    pattern.at("type").check(labelKey)
    requireOneOf(pattern.at("status"), ["False", "True", "Unknown"])
  }
}

function requireOneOf(field: Field, supported: readonly string[]): void {
  if (field.text === "") field.required(`valid values: [${supported.map(quoteGo).join(" ")}]`)
  else field.oneOf(supported)
}

/** Checks when a Job has succeeded. */
export function checkSuccessPolicy(job: Field): void {
  const policy = job.at("successPolicy")
  if (!policy.isSet) return
  const rules = policy.at("rules")
  if (job.at("completionMode").text !== "Indexed") {
    const shown = rules.items().map(({ map }) => {
      return { SucceededIndexes: map.succeededIndexes ?? null, SucceededCount: map.succeededCount ?? null }
    })
    policy.invalid("requires indexed completion mode", { Rules: shown })
    return
  }
  if (rules.size === 0) rules.required("at least one rules must be specified when the successPolicy is specified")
  rules.tooMany(20)
  const completions = job.at("completions").number
  for (const rule of rules.items()) {
    const [indexes, count] = [rule.at("succeededIndexes"), rule.at("succeededCount")]
    if (!indexes.isSet && !count.isSet) {
      rule.required("at least one of succeededCount or succeededIndexes must be specified")
    }
    if (indexes.text.length > 65_536) indexes.tooLong(65_536)
    if (!count.isSet) continue
    count.notNegative()
    if (count.number > completions) {
      count.invalid(`must be less than or equal to ${completions} (the number of specified completions)`)
    }
  }
}
