// Kinds with few rules.
import type { Field } from "./field.js"
import { checkSelector } from "./labels.js"
import { labelKey } from "./names.js"
import { checkPodTemplate } from "./pod.js"
import { checkAtMostAll, checkIntOrPercent } from "./workloads.js"

export function checkPodTemplateObject(object: Field): void {
  checkPodTemplate(object.at("template"))
}

export function checkDisruptionBudget(budget: Field): void {
  const spec = budget.at("spec")
  if (spec.at("minAvailable").isSet && spec.at("maxUnavailable").isSet) {
    spec.invalid("minAvailable and maxUnavailable cannot be both set")
  }
  for (const key of ["minAvailable", "maxUnavailable"]) {
    if (!spec.at(key).isSet) continue
    checkIntOrPercent(spec.at(key))
    checkAtMostAll(spec.at(key))
  }
  checkSelector(spec.at("selector"))
  const policy = spec.at("unhealthyPodEvictionPolicy")
  if (policy.isSet) policy.oneOf(["AlwaysAllow", "IfHealthyBudget"])
}

export function checkPriorityClass(object: Field, before: Field | undefined): void {
  const value = object.at("value")
  const policy = object.at("preemptionPolicy")
  if (before !== undefined) {
    if (value.number !== before.at("value").number) value.forbidden("may not be changed in an update.")
    policy.immutable(before.at("preemptionPolicy"))
    return
  }
  const name = object.at("metadata", "name").text
  if (!name.startsWith("system-") && value.number > 1_000_000_000) {
    value.forbidden("maximum allowed value of a user defined priority is 1000000000")
  }
  if (policy.isSet) policy.oneOf(["PreemptLowerPriority", "Never"])
}

export function checkNode(node: Field, before: Field | undefined): void {
  const id = node.at("spec", "providerID")
  const old = before?.at("spec", "providerID").text ?? ""
  if (old === "" || id.text === old) return
  id.invalid(id.text === "" ? "field cannot be cleared once set" : "field cannot be modified once set", null)
}

const fixedOfStorageClasses = ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"]

export function checkStorageClass(object: Field, before: Field | undefined): void {
  if (before !== undefined) {
    for (const name of fixedOfStorageClasses) object.at(name).immutable(before.at(name))
    return
  }
  const provisioner = object.at("provisioner")
  for (const message of provisioner.text === "" ? [] : labelKey(provisioner.text.toLowerCase())) {
    provisioner.invalid(message)
  }
  const policy = object.at("reclaimPolicy")
  if (policy.text !== "") policy.oneOf(["Delete", "Retain"])
  object.at("volumeBindingMode").requiredOneOf(["Immediate", "WaitForFirstConsumer"])
  if (provisioner.text === "") provisioner.required()
}
