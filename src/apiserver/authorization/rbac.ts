// Decides by Roles, ClusterRoles and their bindings what a user may do.

import type { Access, Decision } from "../../kinds/policy/authorizer.js"
import { metaText } from "../../schema/metadata.js"
import { mapAt, mapsAt, textAt, textsAt } from "../../value/fields.js"
import { oncePer } from "../../value/once-per.js"
import { quoteGo } from "../../value/quote.js"
import type { MapValue } from "../../value/value.js"
import { byName } from "../../write/admission/match.js"
import type { Cluster } from "../../write/attributes.js"
import type { User } from "./access.js"
import { allows, missingRights, quoted, type Rule, readRule } from "./rules.js"

/** The group of users that may do everything. */
export const superusers = "system:masters"

const group = "rbac.authorization.k8s.io"

/** The rules of a user, and what is wrong with the bindings that have none. */
export interface FoundRules {
  readonly rules: readonly Rule[]
  readonly problems: readonly string[]
}

/** The roles and bindings of a cluster. Each question reads them. */
export class RoleAuthorizer {
  private readonly cluster: Pick<Cluster, "list" | "get">

  constructor(cluster: Pick<Cluster, "list" | "get">) {
    this.cluster = cluster
  }

  /** Returns whether a user may do something, and why, or what is wrong with the roles. */
  decide(user: User, access: Access): Decision {
    if (user.groups.includes(superusers)) return { allowed: true, reason: "" }
    const problems: string[] = []
    for (const { rules, problem, source } of this.bindingsOf(user, "path" in access ? "" : access.namespace)) {
      if (problem !== undefined) problems.push(problem)
      if (rules.some(rule => allows(rule, access))) return { allowed: true, reason: `RBAC: allowed by ${source()}` }
    }
    return { allowed: false, reason: problems.length === 0 ? "" : `RBAC: ${joinedProblems(problems)}` }
  }

  /** Whether a user, given as in an AdmissionRequest, may do something. */
  answer(userInfo: MapValue, access: Access): Decision {
    const user = { username: textAt(userInfo, "username"), uid: "", groups: textsAt(userInfo, "groups"), extra: {} }
    return this.decide(user, access)
  }

  /** Returns the rules of a user in a namespace, with those of the whole cluster. */
  rulesOf(user: User, namespace: string): FoundRules {
    const found = [...this.bindingsOf(user, namespace)]
    return { rules: found.flatMap(({ rules }) => rules), problems: found.flatMap(({ problem }) => problem ?? []) }
  }

  /** Returns why a user may not give others the rights of these rules; undefined if the user has them all. */
  escalation(user: User, namespace: string, granted: readonly Rule[]): string | undefined {
    const { rules, problems } = this.rulesOf(user, namespace)
    const missing = missingRights(rules, granted)
    if (missing.length === 0) return undefined
    const who = `user ${quoteGo(user.username)} (groups=${quoted(user.groups)})`
    const errors = problems.length === 0 ? "" : `; resolution errors: [${joinedProblems(problems)}]`
    return `${who} is attempting to grant RBAC permissions not currently held:\n${missing.join("\n")}${errors}`
  }

  /** Returns the rules of the role that a binding refers to, or the reason why the role can't be found. */
  rulesOfRole(roleRef: MapValue, namespace: string): readonly Rule[] | string {
    const [kind, name] = [textAt(roleRef, "kind"), textAt(roleRef, "name")]
    const isCluster = kind === "ClusterRole"
    const role = this.cluster.get(`${group}/${isCluster ? "clusterroles" : "roles"}`, isCluster ? "" : namespace, name)
    return role === undefined ? `${kind.toLowerCase()}.${group} ${quoteGo(name)} not found` : rulesIn(role)
  }

  /** Finds the bindings for a user: first those for the whole cluster, then those of the namespace. */
  private *bindingsOf(user: User, namespace: string) {
    const places = namespace === "" ? [""] : ["", namespace]
    for (const place of places) {
      const plural = place === "" ? "clusterrolebindings" : "rolebindings"
      const list =
        place === "" ? this.cluster.list(`${group}/${plural}`) : this.cluster.list(`${group}/${plural}`, place)
      for (const binding of [...list].sort(byName)) {
        const subject = mapsAt(binding, "subjects").find(each => isSubject(user, each, place))
        if (subject === undefined) continue
        const roleRef = mapAt(binding, "roleRef")
        const found = this.rulesOfRole(roleRef, place)
        const [rules, problem] = typeof found === "string" ? [[], found] : [found, undefined]
        yield { rules, problem, source: () => bindingLabel(binding, roleRef, subject, place) }
      }
    }
  }
}

const rulesIn = oncePer((role: MapValue): readonly Rule[] => mapsAt(role, "rules").map(readRule))

function isSubject({ username, groups }: User, subject: MapValue, namespace: string): boolean {
  const name = textAt(subject, "name")
  switch (textAt(subject, "kind")) {
    case "User":
      return username === name
    case "Group":
      return groups.includes(name)
    case "ServiceAccount": {
      const inside = textAt(subject, "namespace") || namespace
      return inside !== "" && username === `system:serviceaccount:${inside}:${name}`
    }
    default:
      return false
  }
}

function bindingLabel(binding: MapValue, roleRef: MapValue, subject: MapValue, namespace: string): string {
  const name = metaText(binding, "name")
  const bound =
    namespace === "" ? `ClusterRoleBinding ${quoteGo(name)}` : `RoleBinding ${quoteGo(`${name}/${namespace}`)}`
  const kind = textAt(subject, "kind")
  const inside = kind === "ServiceAccount" ? `/${textAt(subject, "namespace") || namespace}` : ""
  const who = `${kind} ${quoteGo(textAt(subject, "name") + inside)}`
  return `${bound} of ${textAt(roleRef, "kind")} ${quoteGo(textAt(roleRef, "name"))} to ${who}`
}

/** Joins problems as Go's lists of errors do. */
export function joinedProblems(problems: readonly string[]): string {
  const unique = [...new Set(problems)]
  return unique.length === 1 ? unique.join() : `[${unique.join(", ")}]`
}
