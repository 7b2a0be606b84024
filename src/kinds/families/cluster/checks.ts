// Checks of namespaces, nodes, quotas and leases.
import { checkNetwork } from "../../validation/addresses.js"
import type { Field } from "../../validation/field.js"
import { checkFinalizerName } from "../../validation/metadata.js"
import { dnsLabel, labelKey, labelValue } from "../../validation/names.js"
import { goStruct } from "../../validation/struct-layout.js"

export function checkNamespace(namespace: Field, before: Field | undefined): void {
  if (before !== undefined) return
  const finalizers = namespace.at("spec", "finalizers")
  for (const { text } of finalizers.items()) {
    const name = finalizers.holding(text)
    name.check(labelKey)
    checkFinalizerName(name)
  }
}

export function checkNode(node: Field, before: Field | undefined): void {
  const spec = node.at("spec")
  if (before !== undefined) {
    checkNetworksKept(spec.at("podCIDRs"), before.at("spec", "podCIDRs"))
    checkProvider(spec.at("providerID"), before.at("spec", "providerID").text)
  }
  // Go: names a place outside of the spec.
  checkTaints(node.at("metadata", "taints").holding(spec.at("taints").value))
  const external = spec.at("externalID")
  if (before !== undefined && external.text !== before.at("spec", "externalID").text) {
    external.forbidden("may not be updated")
  }
  checkPodNetworks(spec.at("podCIDRs"))
}

function checkNetworksKept(networks: Field, before: Field): void {
  if (before.size === 0 || networks.equals(before)) return
  networks.forbidden('node updates may not change podCIDR except from "" to valid')
}

function checkProvider(id: Field, old: string): void {
  if (old === "" || id.text === old) return
  id.holding(null).invalid(`field cannot be ${id.text === "" ? "cleared" : "modified"} once set`)
}

function checkTaints(taints: Field): void {
  const seen = new Set<string>()
  for (const taint of taints.items()) {
    const [key, value, effect] = [taint.at("key"), taint.at("value"), taint.at("effect")]
    key.check(labelKey)
    value.checkAsOne(labelValue, ";")
    effect.requiredOneOf(["NoSchedule", "PreferNoSchedule", "NoExecute"])
    const id = `${key.text} ${effect.text}`
    if (seen.has(id)) taint.duplicate(goStruct(taint.value, "Taint"), "taints must be unique by key and effect pair")
    seen.add(id)
  }
}

function checkPodNetworks(networks: Field): void {
  for (const network of networks.items()) checkNetwork(network)
  const [first, second] = networks.items().map(({ text }) => text.includes(":"))
  if (networks.size > 2 || (networks.size === 2 && first === second)) {
    networks.invalid("may specify no more than one CIDR for each IP family")
  }
}

const scopesOfAnyPod = ["Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "CrossNamespacePodAffinity"]
const scopes = [...scopesOfAnyPod, "PriorityClass", "VolumeAttributesClass"]
const mustExist =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"

/** Checks the scopes of a quota. */
export function checkQuota(quota: Field): void {
  const named = quota.at("spec", "scopes")
  for (const { text } of named.items()) if (!scopes.includes(text)) named.invalid("unsupported scope")
  checkConflicts(
    named,
    named.items().map(({ text }) => text),
  )
  const expressions = quota.at("spec", "scopeSelector", "matchExpressions")
  for (const { value } of expressions.items()) {
    const expression = expressions.holding(value)
    const [scope, operator, values] = [expression.at("scopeName"), expression.at("operator"), expression.at("values")]
    if (!scopes.includes(scope.text)) scope.invalid("unsupported scope", scope.text)
    if (scopesOfAnyPod.includes(scope.text) && operator.text !== "Exists") operator.invalid(mustExist, operator.text)
    if (["In", "NotIn"].includes(operator.text)) {
      if (values.size === 0) {
        values.required("must be at least one value when `operator` is 'In' or 'NotIn' for scope selector")
      }
    } else if (!["Exists", "DoesNotExist"].includes(operator.text)) {
      operator.invalid("not a valid selector operator", operator.text)
    } else if (values.size > 0) {
      values.invalid("must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector")
    }
  }
  checkConflicts(
    named,
    expressions.items().map(expression => expression.at("scopeName").text),
  )
}

function checkConflicts(field: Field, names: readonly string[]): void {
  for (const pair of [
    ["BestEffort", "NotBestEffort"],
    ["Terminating", "NotTerminating"],
  ]) {
    if (pair.every(name => names.includes(name))) field.invalid("conflicting scopes")
  }
}

export function checkLease(lease: Field): void {
  const duration = lease.at("spec", "leaseDurationSeconds")
  if (duration.isSet && duration.number <= 0) duration.invalid("must be greater than 0")
  lease.at("spec", "leaseTransitions").notNegative()
}

/** Checks the name of a namespace in a list in which `*` stands for all. */
export function checkNamespaceName(name: Field): void {
  const introduction = "each member of this list must be '*' or a DNS-1123 label; "
  for (const message of dnsLabel(name.text)) name.invalid(introduction + message)
}
