// The specs of Pods, and the templates of Pods in other kinds.
import { checkAddress } from "./addresses.js"
import { checkAffinity, checkSpread } from "./affinity.js"
import { checkContainers, checkEphemeralContainers, checkInitContainers, type PodFacts } from "./containers.js"
import type { Field } from "./field.js"
import { checkAnnotations, checkLabels } from "./labels.js"
import { dnsLabel, dnsSubdomain, labelKey, labelValue, searchDomain } from "./names.js"
import { checkHostProcess, checkOperatingSystem, checkPodSecurity } from "./security.js"
import { goStruct } from "./struct-layout.js"
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
  const hasHostUsers = spec.at("hostUsers").value !== false
  const pod: PodFacts = { volumes, restartPolicy: spec.at("restartPolicy").text, hasHostUsers }
  checkResourceClaims(spec.at("resourceClaims"))
  checkContainers(spec.at("containers"), pod)
  checkInitContainers(spec.at("initContainers"), spec.at("containers"), pod)
  checkEphemeralContainers(spec, pod)
  spec.at("restartPolicy").requiredOneOf(["Always", "OnFailure", "Never"])
  spec.at("dnsPolicy").requiredOneOf(["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"])
  checkLabels(spec.at("nodeSelector"))
  checkPodSecurity(spec)
  const shared = spec.at("shareProcessNamespace")
  if (shared.value === true && spec.at("hostPID").value === true) {
    shared.invalid("ShareProcessNamespace and HostPID cannot both be enabled")
  }
  checkAffinity(spec.at("affinity"))
  checkNames(spec)
  for (const gate of spec.at("readinessGates").items()) gate.at("conditionType").check(labelKey)
  checkSchedulingGates(spec.at("schedulingGates"))
  checkSpread(spec.at("topologySpreadConstraints"))
  checkHostProcess(spec)
  // Go: the paths have the names of Go.
  if (!hasHostUsers) {
    if (spec.at("hostPID").value === true) spec.at("HostPID").forbidden("when `hostUsers` is false")
    if (spec.at("hostIPC").value === true) spec.at("HostIPC").forbidden("when `hostUsers` is false")
  }
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
  spec.at("priorityClassName").checkIfGiven(dnsSubdomain)
  if (spec.at("runtimeClassName").isSet) spec.at("runtimeClassName").check(dnsSubdomain)
  const preemption = spec.at("preemptionPolicy")
  if (preemption.isSet) preemption.requiredOneOf(["PreemptLowerPriority", "Never"])
  checkOperatingSystem(spec)
  checkFileVolumes(spec)
}

function checkResourceClaims(claims: Field): void {
  const names = new Set<string>()
  for (const claim of claims.items()) {
    const [name, direct, template] = ["name", "resourceClaimName", "resourceClaimTemplateName"].map(key =>
      claim.at(key),
    ) as [Field, Field, Field]
    const shown = goStruct(claim.value, "PodResourceClaim")
    if (name.text !== "" && names.has(name.text)) name.duplicate()
    else name.requiredAnd(dnsLabel)
    names.add(name.text)
    if (direct.isSet && template.isSet) {
      claim.invalid("at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified", shown)
    }
    if (!direct.isSet && !template.isSet) {
      claim.invalid("must specify one of: `resourceClaimName`, `resourceClaimTemplateName`", shown)
    }
    for (const field of [direct, template]) if (field.isSet) field.check(dnsSubdomain)
  }
}

function checkSchedulingGates(gates: Field): void {
  const seen = new Set<string>()
  for (const gate of gates.items()) {
    const name = gate.holding(gate.at("name").text)
    name.check(labelKey)
    name.unique(seen)
  }
}

/** Checks that variables which come from files name volumes that hold files. */
function checkFileVolumes(spec: Field): void {
  const volumes = new Map(
    spec
      .at("volumes")
      .items()
      .map(volume => [volume.at("name").text, volume]),
  )
  for (const list of ["initContainers", "containers", "ephemeralContainers"]) {
    for (const variable of spec
      .at(list)
      .items()
      .flatMap(container => container.at("env").items())) {
      const source = variable.at("valueFrom", "fileKeyRef")
      if (!source.isSet) continue
      const volume = volumes.get(source.at("volumeName").text)
      const name = source.at("volumeName").holding(source.at("volumeName").text)
      if (volume === undefined) name.notFound()
      else if (!volume.at("emptyDir").isSet) name.invalid("referenced volume must be of type emptyDir")
    }
  }
}

function checkNames(spec: Field): void {
  const [policy, config] = [spec.at("dnsPolicy").text, spec.at("dnsConfig")]
  if (policy === "None" && !config.isSet) config.required("must provide `dnsConfig` when `dnsPolicy` is None")
  else if (policy === "None" && config.at("nameservers").size === 0) {
    config.at("nameservers").required("must provide at least one DNS nameserver when `dnsPolicy` is None")
  } else if (config.isSet) checkNameServices(config)
}

function checkNameServices(config: Field): void {
  const [servers, searches] = [config.at("nameservers"), config.at("searches")]
  if (servers.size > 3) servers.invalid("must not have more than 3 nameservers")
  for (const server of servers.items()) checkAddress(server)
  if (searches.size > 32) searches.invalid("must not have more than 32 search paths")
  const texts = searches.items().map(search => search.text)
  if (texts.join(" ").length > 2048) {
    searches.invalid("must not have more than 2048 characters (including spaces) in the search list")
  }
  for (const search of searches.items()) {
    if (search.text !== ".") search.holding(search.text.replace(/\.$/, "")).check(searchDomain)
  }
  for (const option of config.at("options").items()) {
    if (option.at("name").text === "") option.required("must not be empty")
  }
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
