// Checks of API priority and fairness: which requests belong together, and how many run at once.
import type { Field } from "../../validation/field.js"
import { dnsLabel, dnsSubdomain } from "../../validation/names.js"
import { checkNamespaceName } from "./checks.js"

export function checkFlowSchema(schema: Field): void {
  const spec = schema.at("spec")
  const precedence = spec.at("matchingPrecedence")
  if (precedence.number <= 0) precedence.invalid("must be a positive value")
  if (precedence.number > 10000) precedence.invalid("must not be greater than 10000")
  if (precedence.number === 1 && schema.at("metadata", "name").text !== "exempt") {
    precedence.invalid("only the schema named 'exempt' may have matchingPrecedence 1")
  }
  const method = spec.at("distinguisherMethod")
  const type = method.at("type")
  // Go: shows the whole method.
  if (method.isSet && !["ByNamespace", "ByUser"].includes(type.text)) {
    type.holding({ Type: type.text }).notSupported(["ByNamespace", "ByUser"])
  }
  const level = spec.at("priorityLevelConfiguration", "name")
  level.requiredAnd(dnsSubdomain, "must reference a priority level")
  for (const rule of spec.at("rules").items()) checkRule(rule)
}

function checkRule(rule: Field): void {
  const subjects = rule.at("subjects")
  if (subjects.size === 0) subjects.required("subjects must contain at least one value")
  for (const subject of subjects.items()) checkSubject(subject)
  const [resources, others] = [rule.at("resourceRules"), rule.at("nonResourceRules")]
  if (resources.size + others.size === 0) {
    rule.required("at least one of resourceRules and nonResourceRules has to be non-empty")
  }
  for (const each of resources.items()) checkResourceRule(each)
  for (const each of others.items()) {
    checkVerbs(each.at("verbs"))
    const urls = each.at("nonResourceURLs")
    if (checkWildcard(urls, "nonResourceURLs must contain at least one value", "non-resource URLs")) continue
    for (const url of urls.items()) checkUrl(url)
  }
}

/** The field of each kind of subject, in the order of their checks. */
const subjectFields = { Group: "group", ServiceAccount: "serviceAccount", User: "user" }

function checkSubject(subject: Field): void {
  const kind = subject.at("kind")
  if (!Object.hasOwn(subjectFields, kind.text)) {
    kind.notSupported(Object.keys(subjectFields))
    return
  }
  const own = subjectFields[kind.text as keyof typeof subjectFields]
  const field = subject.at(own)
  if (!field.isSet) field.required(`${own} is required when subject kind is '${kind.text}'`)
  else checkSubjectName(field, kind.text)
  for (const [other, key] of [...Object.entries(subjectFields)].reverse()) {
    if (key !== own && subject.at(key).isSet) {
      subject.at(key).forbidden(`${key} is forbidden when subject kind is not '${other}'`)
    }
  }
}

function checkSubjectName(subject: Field, kind: string): void {
  const [name, namespace] = [subject.at("name"), subject.at("namespace")]
  name.requireText()
  if (kind !== "ServiceAccount") return
  if (name.text !== "*") name.checkIfGiven(dnsSubdomain)
  namespace.requiredAnd(dnsLabel, "must specify namespace for service account")
}

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"]

function checkVerbs(field: Field): void {
  if (checkWildcard(field, "verbs must contain at least one value", "verbs")) return
  if (!field.items().every(({ text }) => verbs.includes(text))) field.notSupported(verbs)
}

/** Checks a list in which `*` must be alone. Returns whether there is nothing else to check. */
function checkWildcard(list: Field, ifEmpty: string, what: string): boolean {
  if (list.size === 0) list.required(ifEmpty)
  return list.size === 0 || list.wildcardAlone(what)
}

function checkResourceRule(rule: Field): void {
  checkVerbs(rule.at("verbs"))
  checkWildcard(rule.at("apiGroups"), "resource rules must supply at least one api group", "api groups")
  checkWildcard(rule.at("resources"), "resource rules must supply at least one resource", "resources")
  const namespaces = rule.at("namespaces")
  if (namespaces.size === 0 && rule.at("clusterScope").value === true) return
  const ifEmpty = "resource rules that are not cluster scoped must supply at least one namespace"
  if (!checkWildcard(namespaces, ifEmpty, "namespaces")) namespaces.items().forEach(checkNamespaceName)
}

function checkUrl(url: Field): void {
  const { text } = url
  const stars = text.split("*").length - 1
  if (text === "") url.invalid("must not be empty")
  else if (!text.startsWith("/")) url.invalid("must start with slash")
  else if (text.includes(" ")) url.invalid("must not contain white-space")
  else if (text.includes("//")) url.invalid("must not contain double slash")
  else if (stars > 1 || (stars === 1 && !text.endsWith("/*"))) url.invalid("wildcard can only do suffix matching")
}

export function checkPriorityLevel(level: Field): void {
  const [name, spec] = [level.at("metadata", "name").text, level.at("spec")]
  const type = spec.at("type")
  if ((name === "exempt") !== (type.text === "Exempt")) {
    type.invalid("must be 'Exempt' if and only if `name` is 'exempt'", type.text)
  }
  type.oneOf(["Exempt", "Limited"])
  if (type.text === "Exempt") checkShares(spec.at("exempt"))
  else if (type.text === "Limited") checkLimited(spec.at("limited"))
}

function checkShares(level: Field): void {
  const shares = level.at("nominalConcurrencyShares")
  if (shares.number < 0) shares.invalid("must be a non-negative integer")
  if (level.path.endsWith("limited")) checkResponse(level.at("limitResponse"))
  level.at("lendablePercent").between(0, 100)
}

function checkLimited(limited: Field): void {
  if (!limited.isSet) return
  checkShares(limited)
  const borrowing = limited.at("borrowingLimitPercent")
  if (borrowing.number < 0) borrowing.invalid("if specified, must be a non-negative integer")
}

function checkResponse(response: Field): void {
  const queuing = response.at("queuing")
  if (response.at("type").text !== "Queue" || !queuing.isSet) return
  const [length, queues, hand] = [queuing.at("queueLengthLimit"), queuing.at("queues"), queuing.at("handSize")]
  if (length.number <= 0) length.invalid("must be positive")
  if (queues.number <= 0) queues.invalid("must be positive")
  else if (queues.number > 10_000_000) queues.invalid("must not be greater than 10000000")
  if (hand.number <= 0) hand.invalid("must be positive")
  else if (hand.number > queues.number) hand.invalid(`should not be greater than queues (${queues.number})`)
  else {
    const bits = Math.ceil(hand.number * Math.log2(queues.number))
    if (bits > 60) {
      const sizes = `deckSize ${queues.number} and handSize ${hand.number}`
      hand.invalid(`required entropy bits of ${sizes} should not be greater than 60`)
    }
  }
}
