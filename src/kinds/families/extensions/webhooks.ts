// Checks of the webhooks of admission, and of the rules by which webhooks and policies of admission match requests.
import type { Field } from "../../validation/field.js"
import { checkSelector } from "../../validation/labels.js"
import { dnsSubdomain, labelKey, pathSegment } from "../../validation/names.js"
import { checkClient, checkReviewVersions, reviewVersions } from "../../validation/webhook-client.js"

export const failurePolicies = ["Fail", "Ignore"]
const matchPolicies = ["Equivalent", "Exact"]
export const reinvocationPolicies = ["IfNeeded", "Never"]
const withoutSideEffects = ["None", "NoneOnDryRun"]

export function checkWebhooks(configuration: Field): void {
  const names = new Set<string>()
  for (const webhook of configuration.at("webhooks").items()) {
    checkWebhook(webhook)
    checkReviewVersions(webhook.at("admissionReviewVersions"), `must specify one of ${reviewVersions.join(", ")}`)
    if (webhook.at("name").text !== "") webhook.at("name").unique(names)
  }
}

function checkWebhook(webhook: Field): void {
  checkWebhookName(webhook.at("name"))
  for (const rule of webhook.at("rules").items()) checkRule(rule)
  webhook.at("failurePolicy").oneOf(failurePolicies)
  webhook.at("matchPolicy").oneOf(matchPolicies)
  const effects = webhook.at("sideEffects")
  if (effects.isSet) effects.oneOf(withoutSideEffects)
  else effects.required(`must specify one of ${withoutSideEffects.join(", ")}`)
  const timeout = webhook.at("timeoutSeconds")
  if (timeout.number < 1 || timeout.number > 30) timeout.invalid("the timeout value must be between 1 and 30 seconds")
  for (const key of ["namespaceSelector", "objectSelector"]) checkSelector(webhook.at(key))
  webhook.at("reinvocationPolicy").oneOfIfSet(reinvocationPolicies)
  checkClient(webhook.at("clientConfig"))
  checkMatchConditions(webhook.at("matchConditions"))
}

function checkWebhookName(name: Field): void {
  if (name.text === "") name.required()
  else if (dnsSubdomain(name.text).length > 0) name.checkAsOne(dnsSubdomain, ",")
  else if (name.text.split(".").length < 3) {
    name.invalid("should be a domain with at least three segments separated by dots")
  }
}

/** Checks the conditions under which a webhook or a policy is asked. policy/problems.ts compiles their expressions. */
export function checkMatchConditions(conditions: Field): void {
  conditions.tooMany(64)
  const names = new Set<string>()
  for (const condition of conditions.items()) {
    if (condition.at("expression").text.trim() === "") condition.at("expression").required()
    const name = condition.at("name")
    name.requiredAnd(labelKey)
    if (name.text !== "") name.unique(names)
  }
}

/** Checks which objects a policy is for. */
export function checkMatch(match: Field): void {
  match.at("matchPolicy").oneOf(matchPolicies)
  for (const key of ["namespaceSelector", "objectSelector"]) checkSelector(match.at(key))
  for (const key of ["resourceRules", "excludeResourceRules"]) {
    for (const rule of match.at(key).items()) {
      const names = new Set<string>()
      for (const name of rule.at("resourceNames").items()) {
        name.check(pathSegment)
        name.unique(names)
      }
      checkRule(rule)
    }
  }
}

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"]

function checkRule(rule: Field): void {
  const verbs = rule.at("operations")
  if (verbs.size === 0) verbs.required()
  verbs.wildcardAlone("operations")
  for (const verb of verbs.items()) verb.oneOf(operations)
  const [groups, versions] = [rule.at("apiGroups"), rule.at("apiVersions")]
  if (groups.size === 0) groups.required()
  groups.wildcardAlone("API groups")
  if (versions.size === 0) versions.required()
  versions.wildcardAlone("API versions")
  for (const version of versions.items()) version.requireText()
  checkResources(rule.at("resources"))
  rule.at("scope").oneOfIfSet(["*", "Cluster", "Namespaced"])
}

function checkResources(resources: Field): void {
  if (resources.size === 0) resources.required()
  const seen = new Set<string>()
  let hasWhole = false
  for (const resource of resources.items()) {
    const { text } = resource
    if (text === "") {
      resource.required()
      continue
    }
    const [name = "", subresource] = /^([^/]*)\/(.*)$/s.exec(text)?.slice(1) ?? [text]
    if (subresource === undefined) hasWhole = text !== "*"
    else {
      for (const all of [`${name}/*`, `*/${subresource}`]) {
        if (seen.has(all)) resource.invalid(`if '${all}' is present, must not specify ${text}`)
      }
    }
    seen.add(text)
  }
  if (resources.size > 1 && seen.has("*/*")) {
    resources.invalid("if '*/*' is present, must not specify other resources")
  }
  if (seen.has("*") && hasWhole) {
    resources.invalid("if '*' is present, must not specify other resources without subresources")
  }
}
