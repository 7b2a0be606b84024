// The plugins of admission, in the order of an API server. They are loaded before the first write.

import type { Problem } from "../../kinds/refusal/failure.js"
import { notImplemented } from "../../kinds/refusal/failure.js"
import { celLibrary, celPackage } from "../../kinds/rules/library.js"
import { oncePer } from "../../value/once-per.js"
import type { MapValue } from "../../value/value.js"
import type { AdmissionPlugins, Attributes, Cluster, Notes } from "../attributes.js"
import { checkDefaultPriority, withPriority, withStorageClass } from "./classes.js"
import { checkLimits, withDefaultLimits } from "./limit-ranges.js"
import { checkPodSecurity } from "./pod-security.js"
import { checkQuotas } from "./quotas.js"
import { policyCompiler, validateByPolicies } from "./validating-policies.js"
import type { WebhookClient } from "./webhook-client.js"
import { mutateByWebhooks, Reinvocation, validateByWebhooks, type WebhookTools } from "./webhooks.js"

const compilerOf = oncePer(policyCompiler)

/** The names of the plugins, as in `--disable-admission-plugins` of an API server. */
export type AdmissionPlugin =
  | "LimitRanger"
  | "PodSecurity"
  | "Priority"
  | "DefaultStorageClass"
  | "MutatingAdmissionWebhook"
  | "ValidatingAdmissionPolicy"
  | "ValidatingAdmissionWebhook"
  | "ResourceQuota"

/** Returns the plugins of a cluster, which read its policies, webhooks and limits with each request. */
export function createPlugins(
  cluster: Cluster,
  client: WebhookClient = { functions: {} },
  disabled: readonly AdmissionPlugin[] = [],
): AdmissionPlugins {
  const off: ReadonlySet<AdmissionPlugin> = new Set(disabled)
  const toolsFor = (notes: Notes): WebhookTools => ({ client, cluster, notes })
  const mutate = (given: Attributes, notes: Notes): MapValue => {
    const request = withClusterDefaults(given, cluster, off)
    if (off.has("MutatingAdmissionWebhook")) return request.object ?? {}
    const tools = toolsFor(notes)
    const state = new Reinvocation()
    const object = mutateByWebhooks(tools, request, 0, state)
    return state.again.size === 0 ? object : mutateByWebhooks(tools, { ...request, object }, 1, state)
  }
  return {
    mutate,
    check: (request, notes) => checkPolicy(request, notes),
    validate: (request, notes) => {
      const { resource, subresource, operation, object, oldObject } = request
      const isNew = object !== undefined && oldObject === undefined && subresource === ""
      const key = `${resource.group}/${resource.plural}`
      if (operation === "DELETE") mutate(request, notes)
      const isLimited = (key === "/pods" && isNew) || (key === "/persistentvolumeclaims" && subresource === "")
      if (object !== undefined && isLimited && !off.has("LimitRanger")) checkLimits(request, object, cluster)
      if (!off.has("PodSecurity")) checkPodSecurity(request, cluster, notes)
      if (key === "scheduling.k8s.io/priorityclasses" && object !== undefined && !off.has("Priority")) {
        checkDefaultPriority(request, object, cluster)
      }
      const library = celLibrary()
      if (library !== undefined && !off.has("ValidatingAdmissionPolicy")) {
        validateByPolicies(compilerOf(library), request, cluster, notes)
      }
      if (!off.has("ValidatingAdmissionWebhook")) validateByWebhooks(toolsFor(notes), request)
      if (isNew && !off.has("ResourceQuota")) checkQuotas(request, object, cluster)
    },
  }
}

/** Fills in what the classes and limits of the cluster say about a new Pod or claim. */
function withClusterDefaults(request: Attributes, cluster: Cluster, off: ReadonlySet<AdmissionPlugin>): Attributes {
  const { resource, subresource, namespace, object, oldObject } = request
  if (object === undefined || oldObject !== undefined || subresource !== "" || resource.group !== "") return request
  if (resource.plural === "persistentvolumeclaims" && !off.has("DefaultStorageClass")) {
    return { ...request, object: withStorageClass(object, cluster) }
  }
  if (resource.plural !== "pods") return request
  const limited = off.has("LimitRanger") ? object : withDefaultLimits(object, namespace, cluster)
  return { ...request, object: off.has("Priority") ? limited : withPriority(request, limited, cluster) }
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
