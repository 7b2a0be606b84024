// The plugins of admission, in the order of an API server. They are loaded before the first write.

import type { Problem } from "../../kinds/refusal/failure.js"
import { notImplemented } from "../../kinds/refusal/failure.js"
import { celLibrary, celPackage } from "../../kinds/rules/library.js"
import { oncePer } from "../../value/once-per.js"
import type { MapValue } from "../../value/value.js"
import type { AdmissionPlugins, Attributes, Cluster, Notes } from "../attributes.js"
import { checkPodSecurity } from "./pod-security.js"
import { policyCompiler, validateByPolicies } from "./validating-policies.js"
import type { WebhookClient } from "./webhook-client.js"
import { mutateByWebhooks, Reinvocation, validateByWebhooks, type WebhookTools } from "./webhooks.js"

const compilerOf = oncePer(policyCompiler)

/** Returns the plugins of a cluster, which read its policies and webhooks with each request. */
export function createPlugins(cluster: Cluster, client: WebhookClient = { functions: {} }): AdmissionPlugins {
  const toolsFor = (notes: Notes): WebhookTools => ({ client, cluster, notes })
  const mutate = (request: Attributes, notes: Notes): MapValue => {
    const tools = toolsFor(notes)
    const state = new Reinvocation()
    const object = mutateByWebhooks(tools, request, 0, state)
    return state.again.size === 0 ? object : mutateByWebhooks(tools, { ...request, object }, 1, state)
  }
  return {
    mutate,
    check: (request, notes) => checkPolicy(request, notes),
    validate: (request, notes) => {
      if (request.operation === "DELETE") mutate(request, notes)
      checkPodSecurity(request, cluster, notes)
      const library = celLibrary()
      if (library !== undefined) validateByPolicies(compilerOf(library), request, cluster, notes)
      validateByWebhooks(toolsFor(notes), request)
    },
  }
}

/** Returns the problems of a policy's expressions. Throws a RequestFailure if they need something that is missing here. */
function checkPolicy({ resource, subresource, object }: Attributes, { warn }: Notes): readonly Problem[] {
  if (subresource !== "" || object === undefined) return []
  if (resource.kind === "MutatingAdmissionPolicy") warn("this test API server does not enforce mutating policies")
  if (resource.kind !== "ValidatingAdmissionPolicy") return []
  const library = celLibrary()
  if (library === undefined) {
    warn(`this test API server does not enforce the policy: install ${celPackage}`)
    return []
  }
  const { problems, lacks } = compilerOf(library)(object)
  if (lacks.length > 0)
    throw notImplemented(`the expressions of this policy (${lacks.join(", ")})`, "use a real cluster")
  return problems
}
