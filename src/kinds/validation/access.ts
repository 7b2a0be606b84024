// Roles, and who has them.
import type { Field } from "./field.js"
import { checkSelector } from "./labels.js"
import { dnsSubdomain, pathSegment } from "./names.js"

const group = "rbac.authorization.k8s.io"

export function checkRole(role: Field): void {
  const isNamespaced = role.at("kind").text === "Role"
  const rules = role.at("rules").items()
  for (const rule of rules) checkRule(rule, isNamespaced)
  const aggregation = role.at("aggregationRule")
  const selectors = aggregation.at("clusterRoleSelectors")
  if (aggregation.isSet && selectors.size === 0) {
    selectors.required("at least one clusterRoleSelector required if aggregationRule is non-nil")
  }
  for (const selector of selectors.items()) checkSelector(selector)
  for (const rule of rules) if (rule.at("verbs").size === 0) rule.at("verbs").required()
}

function checkRule(rule: Field, isNamespaced: boolean): void {
  const urls = rule.at("nonResourceURLs")
  const groups = rule.at("apiGroups")
  const resources = rule.at("resources")
  if (urls.size > 0) {
    if (isNamespaced) urls.invalid("namespaced rules cannot apply to non-resource URLs")
    if (groups.size + resources.size + rule.at("resourceNames").size > 0) {
      urls.invalid("rules cannot apply to both regular resources and non-resource URLs")
    }
    return
  }
  if (groups.size === 0) groups.required("resource rules must supply at least one api group")
  if (resources.size === 0) resources.required("resource rules must supply at least one resource")
}

export function checkBinding(binding: Field, before: Field | undefined): void {
  const isNamespaced = binding.at("kind").text === "RoleBinding"
  const role = binding.at("roleRef")
  role.at("apiGroup").oneOf([group])
  role.at("kind").oneOf(isNamespaced ? ["Role", "ClusterRole"] : ["ClusterRole"])
  const name = role.at("name")
  if (name.text !== "") name.check(pathSegment)
  const subjects = binding.at("subjects").items()
  for (const subject of subjects) checkSubject(subject, isNamespaced)
  if (before !== undefined) role.immutable(before.at("roleRef"), goRole(role))
  if (name.text === "") name.required()
  for (const subject of subjects) if (subject.at("name").text === "") subject.at("name").required()
}

/** What a message shows of the role: the Go struct. */
function goRole(role: Field) {
  return { APIGroup: role.at("apiGroup").text, Kind: role.at("kind").text, Name: role.at("name").text }
}

function checkSubject(subject: Field, isNamespaced: boolean): void {
  const kind = subject.at("kind")
  const name = subject.at("name")
  const apiGroup = subject.at("apiGroup")
  switch (kind.text) {
    case "ServiceAccount": {
      if (name.text !== "") name.check(dnsSubdomain)
      if (apiGroup.text !== "") apiGroup.oneOf([""])
      const namespace = subject.at("namespace")
      if (!isNamespaced && namespace.text === "") namespace.required()
      break
    }
    case "User":
    case "Group":
      apiGroup.oneOf([group])
      break
    default:
      kind.oneOf(["ServiceAccount", "User", "Group"])
  }
}
