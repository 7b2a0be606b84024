// The specs of Pods, and the templates of Pods in other kinds.
import { checkAddress } from "./addresses.js"
import { checkAffinity, checkSpread } from "./affinity.js"
import { checkContainers, checkInitContainers } from "./containers.js"
import type { Field } from "./field.js"
import { checkAnnotations, checkLabels } from "./labels.js"
import { dnsLabel, dnsSubdomain, labelKey, labelValue } from "./names.js"
import { checkVolumes } from "./volumes.js"

/** Checks the template of a Pod. */
export function checkPodTemplate(template: Field): void {
  // The paths of these errors lack `metadata`.
  checkLabels(template.at("labels").holding(template.at("metadata", "labels").value))
  checkAnnotations(template.at("annotations").holding(template.at("metadata", "annotations").value))
  checkPodSpec(template.at("spec"))
  const ephemeral = template.at("spec", "ephemeralContainers")
  if (ephemeral.size > 0) ephemeral.forbidden("ephemeral containers not allowed in pod template")
}

/** Checks the parts of a Pod's spec that templates have too. */
export function checkPodSpec(spec: Field): void {
  const volumes = checkVolumes(spec.at("volumes"))
  checkContainers(spec.at("containers"), volumes)
  checkInitContainers(spec.at("initContainers"), spec.at("containers"), volumes)
  spec.at("restartPolicy").requiredOneOf(["Always", "OnFailure", "Never"])
  spec.at("dnsPolicy").requiredOneOf(["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"])
  checkLabels(spec.at("nodeSelector"))
  checkAffinity(spec.at("affinity"))
  checkNames(spec)
  checkSpread(spec.at("topologySpreadConstraints"))
  checkOverride(spec)
  for (const key of ["serviceAccountName", "nodeName"]) {
    spec.at(key).checkIfGiven(dnsSubdomain)
  }
  const deadline = spec.at("activeDeadlineSeconds")
  if (deadline.isSet) deadline.between(1, 2147483647)
  for (const key of ["hostname", "subdomain"]) {
    spec.at(key).checkIfGiven(dnsLabel)
  }
  checkTolerations(spec.at("tolerations"))
  for (const alias of spec.at("hostAliases").items()) {
    checkAddress(alias.at("ip"))
    for (const hostname of alias.at("hostnames").items()) hostname.check(dnsSubdomain)
  }
  for (const key of ["priorityClassName", "runtimeClassName"]) {
    spec.at(key).checkIfGiven(dnsSubdomain)
  }
}

function checkNames(spec: Field): void {
  const [policy, config] = [spec.at("dnsPolicy").text, spec.at("dnsConfig")]
  if (policy === "None" && !config.isSet) config.required("must provide `dnsConfig` when `dnsPolicy` is None")
  else if (policy === "None" && config.at("nameservers").size === 0) {
    config.at("nameservers").required("must provide at least one DNS nameserver when `dnsPolicy` is None")
  } else for (const server of config.at("nameservers").items()) checkAddress(server)
}

function checkOverride(spec: Field): void {
  const override = spec.at("hostnameOverride")
  if (!override.isSet) return
  for (const key of ["setHostnameAsFQDN", "hostNetwork"]) {
    if (spec.at(key).value === true) override.forbidden(`may not be specified when ${key} is true`)
  }
  if (override.text.length > 64) override.tooLong(64)
  override.check(dnsSubdomain)
}

export function checkTolerations(tolerations: Field): void {
  for (const toleration of tolerations.items()) {
    const { text: key } = toleration.at("key")
    const operator = toleration.at("operator")
    const { text: value } = toleration.at("value")
    const effect = toleration.at("effect")
    if (key !== "") toleration.at("key").check(labelKey)
    if (key === "" && operator.text !== "Exists") {
      const rule = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
      operator.invalid(rule, operator.text)
    }
    if (toleration.at("tolerationSeconds").isSet && effect.text !== "NoExecute") {
      effect.invalid("effect must be 'NoExecute' when `tolerationSeconds` is set", effect.text)
    }
    checkOperator(operator, value)
    if (effect.text !== "") effect.oneOf(["NoSchedule", "PreferNoSchedule", "NoExecute"])
  }
}

function checkOperator(operator: Field, value: string): void {
  switch (operator.text) {
    case "":
    case "Equal":
      operator.holding(value).checkAsOne(labelValue, ";")
      break
    case "Exists":
      if (value !== "") operator.invalid("value must be empty when `operator` is 'Exists'", value)
      break
    case "Gt":
    case "Lt":
      operator.notSupported(["Equal", "Exists", "Lt", "Gt"])
      break
    default:
      operator.oneOf(["Equal", "Exists"])
  }
}
