// The plugins of admission, in the order of an API server. They are loaded before the first write.

import { compileMutatingPolicy, compileValidatingPolicy } from "../../kinds/policy/compile-policy.js"
import { notImplemented } from "../../kinds/refusal/failure.js"
import { type CelLibrary, celLibrary, celPackage } from "../../kinds/rules/library.js"
import { oncePer } from "../../value/once-per.js"
import type { MapValue } from "../../value/value.js"
import type { AdmissionPlugins, Attributes, Cluster, Notes } from "../attributes.js"
import { checkDefaultPriority, withPriority, withStorageClass } from "./classes.js"
import { checkLimits, withDefaultLimits } from "./limit-ranges.js"
import { mutateByPolicies } from "./mutating-policies.js"
import { checkNamespace } from "./namespace-lifecycle.js"
import { checkPodSecurity } from "./pod-security.js"
import { checkQuotas } from "./quotas.js"
import { Reinvocation } from "./reinvocation.js"
import { validateByPolicies } from "./validating-policies.js"
import type { WebhookClient } from "./webhook-client.js"
import { mutateByWebhooks, validateByWebhooks, type WebhookTools } from "./webhooks.js"

/** The names of the plugins, as in `--disable-admission-plugins` of an API server. */
export type AdmissionPlugin =
  | "NamespaceLifecycle"
  | "LimitRanger"
  | "PodSecurity"
  | "Priority"
  | "DefaultStorageClass"
  | "MutatingAdmissionPolicy"
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
  const hasAuthorizer = cluster.authorize !== undefined
  // A policy is compiled once.
  const compilerOf = oncePer((library: CelLibrary) =>
    oncePer((policy: MapValue) => compileValidatingPolicy(library, policy, hasAuthorizer)),
  )
  const mutationsOf = oncePer((library: CelLibrary) =>
    oncePer((policy: MapValue) => compileMutatingPolicy(library, policy, hasAuthorizer)),
  )
  const mutate = (given: Attributes, notes: Notes): MapValue => {
    if (!off.has("NamespaceLifecycle")) checkNamespace(given, cluster)
    const library = off.has("MutatingAdmissionPolicy") ? undefined : celLibrary()
    const compile = library && mutationsOf(library)
    const policies = new Reinvocation()
    const hooks = new Reinvocation()
    const tools = toolsFor(notes)
    let object = given.object ?? {}
    for (const round of [0, 1] as const) {
      let request = withClusterDefaults({ ...given, ...(given.object && { object }) }, cluster, off)
      if (round === 1) policies.restart(request.object)
      if (compile !== undefined) object = mutateByPolicies(compile, request, round, policies, cluster)
      if (request.object !== undefined && compile !== undefined) request = { ...request, object }
      if (round === 1) hooks.restart(request.object)
      object = off.has("MutatingAdmissionWebhook")
        ? (request.object ?? {})
        : mutateByWebhooks(tools, request, round, hooks)
      if (!policies.hasChanged && !hooks.hasChanged) break
    }
    return object
  }
  return {
    mutate,
    check: (request, notes) => {
      const library = celLibrary()
      const compilers = library && {
        ValidatingAdmissionPolicy: compilerOf(library),
        MutatingAdmissionPolicy: mutationsOf(library),
      }
      checkPolicy(request, notes, compilers)
    },
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

type Compiler = (policy: MapValue) => { readonly lacks: readonly string[] }

/** Warns of a policy that is not enforced. Throws a RequestFailure if its expressions need something that is missing here. */
function checkPolicy(
  { resource, subresource, object }: Attributes,
  { warn }: Notes,
  compilers: Readonly<Record<string, Compiler>> | undefined,
): void {
  if (subresource !== "" || object === undefined || !/^(Validat|Mutat)ingAdmissionPolicy$/.test(resource.kind)) return
  const compile = compilers?.[resource.kind]
  if (compile === undefined) {
    warn(`this test API server does not enforce the policy: install ${celPackage}`)
    return
  }
  const { lacks } = compile(object)
  if (lacks.length === 0) return
  const remedy = lacks.some(each => each.includes("authorizer"))
    ? `create the server with authorization: "rbac", or `
    : ""
  throw notImplemented(`the expressions of this policy (${lacks.join(", ")})`, `${remedy}use a real cluster`)
}
