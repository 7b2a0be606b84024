// Answers reviews of access: may a user do something, and what may the sender do?

import type { Access } from "../../kinds/policy/authorizer.js"
import { badRequest, invalid } from "../../kinds/refusal/failure.js"
import { type FieldError, fieldError } from "../../kinds/refusal/field-error.js"
import { Field } from "../../kinds/validation/field.js"
import { mapAt, textAt, textsAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"
import type { User } from "./access.js"
import { joinedProblems, type RoleAuthorizer } from "./rbac.js"
import { checkSelector, unreadSelectors } from "./review-selectors.js"

/** Returns a review of the group `authorization.k8s.io` with its status. Throws a RequestFailure for a malformed one. */
export function answerAccessReview(roles: RoleAuthorizer, sender: User, kind: string, review: MapValue): MapValue {
  const spec = mapAt(review, "spec")
  if (kind === "SelfSubjectRulesReview")
    return { ...review, status: rulesStatus(roles, sender, textAt(spec, "namespace")) }
  const isSelf = kind === "SelfSubjectAccessReview"
  const problems = specProblems(spec, isSelf)
  if (problems.length > 0) throw invalid({ group: "authorization.k8s.io", name: kind }, "", problems)
  const { allowed, reason } = roles.decide(isSelf ? sender : subjectIn(spec), accessIn(spec))
  const errors = unreadSelectors(mapAt(spec, "resourceAttributes"))
  const evaluationError = errors.length > 0 && { evaluationError: errors.join("; ") }
  return { ...review, status: { allowed, ...(reason !== "" && { reason }), ...evaluationError } }
}

function specProblems(spec: MapValue, isSelf: boolean): FieldError[] {
  const [resource, path] = [own(spec, "resourceAttributes"), own(spec, "nonResourceAttributes")]
  const problems: FieldError[] = []
  if (isMap(resource) === isMap(path)) {
    const why = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
    problems.push(fieldError("FieldValueInvalid", "spec", path ?? null, why))
  }
  if (!isSelf && textAt(spec, "user") === "" && textsAt(spec, "groups").length === 0) {
    problems.push(fieldError("FieldValueInvalid", "spec.user", "", "at least one of user or group must be specified"))
  }
  const resourceField = new Field(spec, "spec", problems).at("resourceAttributes")
  for (const name of ["fieldSelector", "labelSelector"] as const) checkSelector(resourceField.at(name), name)
  return problems
}

function subjectIn(spec: MapValue): User {
  const extra = mapAt(spec, "extra") as Readonly<Record<string, readonly string[]>>
  return { username: textAt(spec, "user"), uid: textAt(spec, "uid"), groups: textsAt(spec, "groups"), extra }
}

function accessIn(spec: MapValue): Access {
  const resource = own(spec, "resourceAttributes")
  const path = mapAt(spec, "nonResourceAttributes")
  if (!isMap(resource)) return { verb: textAt(path, "verb"), path: textAt(path, "path") }
  const text = (key: string) => textAt(resource, key)
  const [verb, group, name, namespace] = [text("verb"), text("group"), text("name"), text("namespace")]
  return { verb, group, resource: text("resource"), subresource: text("subresource"), namespace, name }
}

function rulesStatus(roles: RoleAuthorizer, sender: User, namespace: string): MapValue {
  if (namespace === "") throw badRequest("no namespace on request")
  const { rules, problems } = roles.rulesOf(sender, namespace)
  const filled = (lists: Readonly<Record<string, readonly string[]>>): MapValue =>
    Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))
  return {
    resourceRules: rules
      .filter(({ resources }) => resources.length > 0)
      .map(({ verbs, apiGroups, resources, resourceNames }) => filled({ verbs, apiGroups, resources, resourceNames })),
    nonResourceRules: rules
      .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs }) => filled({ verbs, nonResourceURLs })),
    incomplete: false,
    ...(problems.length > 0 && { evaluationError: joinedProblems(problems) }),
  }
}
