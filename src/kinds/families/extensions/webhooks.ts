// Checks of the webhooks of admission, and of the rules by which webhooks and policies of admission match requests.
import type { Field } from "../../validation/field.js"
import { checkSelector } from "../../validation/labels.js"
import { dnsLabel1035, dnsSubdomain, labelKey, pathSegment } from "../../validation/names.js"

export const failurePolicies = ["Fail", "Ignore"]
export const matchPolicies = ["Equivalent", "Exact"]
export const reinvocationPolicies = ["IfNeeded", "Never"]
const withoutSideEffects = ["None", "NoneOnDryRun"]
const reviewVersions = ["v1", "v1beta1"]

export function checkWebhooks(configuration: Field): void {
  const names = new Set<string>()
  for (const webhook of configuration.at("webhooks").items()) {
    checkWebhook(webhook)
    checkReviewVersions(webhook.at("admissionReviewVersions"))
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
  const reinvocation = webhook.at("reinvocationPolicy")
  if (reinvocation.isSet) reinvocation.oneOf(reinvocationPolicies)
  const client = webhook.at("clientConfig")
  const [url, service] = [client.at("url"), client.at("service")]
  if (url.isSet === service.isSet) client.required("exactly one of url or service is required")
  else if (url.isSet) checkUrl(url)
  else checkService(service)
  checkMatchConditions(webhook.at("matchConditions"))
}

function checkWebhookName(name: Field): void {
  const problems = dnsSubdomain(name.text)
  if (name.text === "") name.required()
  else if (problems.length > 0) name.invalid(problems.join(","))
  else if (name.text.split(".").length < 3) {
    name.invalid("should be a domain with at least three segments separated by dots")
  }
}

const urlForm = "; desired format: https://host[/path]"

function checkUrl(url: Field): void {
  const parts =
    /^(?:([a-zA-Z][-a-zA-Z0-9+.]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(url.text) ?? []
  const [, scheme = "", authority = "", query = "", fragment = ""] = parts
  const user = authority.includes("@") ? authority.slice(0, authority.lastIndexOf("@")) : ""
  if (scheme !== "https") url.invalid(`'https' is the only allowed URL scheme${urlForm}`, scheme)
  if (authority.slice(user.length) === "") url.invalid(`host must be specified${urlForm}`, "")
  if (user !== "") url.invalid("user information is not permitted in the URL", user)
  if (fragment !== "") url.invalid("fragments are not permitted in the URL", fragment)
  if (query !== "") url.invalid("query parameters are not permitted in the URL", query)
}

function checkService(service: Field): void {
  // Go: confuses the two.
  if (service.at("namespace").text === "") service.at("name").required()
  if (service.at("name").text === "") service.at("namespace").required()
  checkServicePort(service.at("port"))
  const path = service.at("path")
  if (path.text === "" || path.text === "/") return
  if (path.text === "//") {
    path.invalid("segment[0] may not be empty")
    return
  }
  if (!path.text.startsWith("/")) path.invalid("must start with a '/'")
  const steps = path.text.slice(1).replace(/\/$/, "").split("/")
  for (const [index, step] of steps.entries()) {
    if (step === "") path.invalid(`segment[${index}] may not be empty`)
    else for (const message of dnsSubdomain(step)) path.invalid(`segment[${index}]: ${message}`)
  }
}

/** Checks the port of the service of an extension. */
export function checkServicePort(port: Field): void {
  if (port.number >= 1 && port.number <= 65535) return
  port.invalid("port is not valid: must be between 1 and 65535, inclusive", port.number)
}

function checkReviewVersions(versions: Field): void {
  if (versions.size === 0) {
    versions.required(`must specify one of ${reviewVersions.join(", ")}`)
    return
  }
  const seen = new Set<string>()
  for (const version of versions.items()) {
    if (seen.has(version.text)) version.invalid("duplicate version")
    else version.check(dnsLabel1035)
    seen.add(version.text)
  }
  if (!reviewVersions.some(version => seen.has(version))) {
    versions.invalid(`must include at least one of ${reviewVersions.join(", ")}`)
  }
}

/** Checks the conditions under which a webhook or a policy is asked. Their expressions are not compiled. */
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
  checkWildcard(verbs, "operations")
  for (const verb of verbs.items()) verb.oneOf(operations)
  const [groups, versions] = [rule.at("apiGroups"), rule.at("apiVersions")]
  if (groups.size === 0) groups.required()
  checkWildcard(groups, "API groups")
  if (versions.size === 0) versions.required()
  checkWildcard(versions, "API versions")
  for (const version of versions.items()) if (version.text === "") version.required()
  checkResources(rule.at("resources"))
  const scope = rule.at("scope")
  if (scope.isSet) scope.oneOf(["*", "Cluster", "Namespaced"])
}

function checkWildcard(list: Field, what: string): void {
  const hasWildcard = list.items().some(({ text }) => text === "*")
  if (list.size > 1 && hasWildcard) list.invalid(`if '*' is present, must not specify other ${what}`)
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
