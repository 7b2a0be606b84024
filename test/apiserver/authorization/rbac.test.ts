/** Decisions by roles: random roles, and what the authorizer of Kubernetes answers about them. */

import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { accessDenied, type User } from "../../../src/apiserver/authorization/access.js"
import { answerAccessReview } from "../../../src/apiserver/authorization/access-reviews.js"
import { RoleAuthorizer } from "../../../src/apiserver/authorization/rbac.js"
import { type Rule, readRule } from "../../../src/apiserver/authorization/rules.js"
import type { Access } from "../../../src/kinds/policy/authorizer.js"
import { metaText } from "../../../src/schema/metadata.js"
import type { MapValue } from "../../../src/value/value.js"

interface Who {
  readonly user: string
  readonly groups: readonly string[]
}

interface Vector {
  readonly objects: readonly MapValue[]
  readonly questions: readonly (Who &
    Partial<Record<"namespace" | "group" | "resource" | "subresource" | "name" | "path", string>> & {
      readonly verb: string
      readonly allowed: boolean
      readonly reason?: string
      readonly refusal?: object
    })[]
  readonly rules: readonly (Who & {
    readonly namespace: string
    readonly rules: MapValue[] | null
    readonly error?: string
  })[]
  readonly escalations: readonly (Who & {
    readonly namespace: string
    readonly granted: MapValue[]
    readonly error?: string
  })[]
}

const file = new URL("../../vectors/rbac.json", import.meta.url)
const vectors = JSON.parse(readFileSync(file, "utf8")) as Vector[]
const userOf = ({ user, groups }: Who): User => ({ username: user, uid: "", groups, extra: {} })

/** Returns an authorizer for these roles and bindings. */
function authorizerOf(objects: readonly MapValue[]): RoleAuthorizer {
  const keyOf = (object: MapValue) => `rbac.authorization.k8s.io/${String(object.kind).toLowerCase()}s`
  const list = (key: string, namespace = "") =>
    objects.filter(object => keyOf(object) === key && metaText(object, "namespace") === namespace)
  return new RoleAuthorizer({
    list,
    get: (key, namespace, name) => list(key, namespace).find(object => metaText(object, "name") === name),
  })
}

/** The recorded resolver names a missing role in other words than a server. */
const serverWords = (text = "") =>
  text.replaceAll("clusterrole not found", 'clusterrole.rbac.authorization.k8s.io "missing" not found')

const questions = vectors.flatMap(({ objects, questions }) => questions.map(question => ({ objects, question })))

describe("an authorizer by roles", () => {
  it(`decides ${questions.length} requests as Kubernetes does, for the same reasons`, () => {
    for (const { objects, question } of questions) {
      const { verb, path, group = "", resource = "", subresource = "", namespace = "", name = "" } = question
      const access: Access =
        path === undefined ? { verb, group, resource, subresource, namespace, name } : { verb, path }
      const decision = authorizerOf(objects).decide(userOf(question), access)
      const reason = serverWords(question.reason)
      expect(decision, JSON.stringify({ question, objects })).toEqual({ allowed: question.allowed, reason })
      if (question.refusal === undefined) continue
      const { metadata: _, ...refusal } = JSON.parse(
        serverWords(JSON.stringify(question.refusal)).replace(/"missing"/g, String.raw`\"missing\"`),
      )
      expect(accessDenied(userOf(question), access, reason).status).toMatchObject(refusal)
    }
  })

  it("lists the rules of users as Kubernetes does", () => {
    for (const { objects, rules } of vectors) {
      for (const answer of rules) {
        const found = authorizerOf(objects).rulesOf(userOf(answer), answer.namespace)
        expect(found.rules).toEqual((answer.rules ?? []).map(readRule))
        if (answer.namespace === "") continue
        const review = answerAccessReview(authorizerOf(objects), userOf(answer), "SelfSubjectRulesReview", {
          spec: { namespace: answer.namespace },
        })
        expect(review.status).toMatchObject({ incomplete: false })
      }
    }
  })

  it("refuses to grant rights that the user lacks, in the words of Kubernetes", () => {
    for (const { objects, escalations } of vectors) {
      for (const { granted, namespace, error, ...who } of escalations) {
        const rules: readonly Rule[] = granted.map(readRule)
        const found = authorizerOf(objects).escalation(userOf(who), namespace, rules)
        expect(found ?? "", JSON.stringify({ who, namespace, granted, objects })).toBe(serverWords(error))
      }
    }
  })
})
