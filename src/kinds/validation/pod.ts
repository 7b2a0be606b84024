// Pods, and the templates of Pods in other kinds.

import { withKeys } from "../../requests/metadata.js"
import { equalValues } from "../../value/equal.js"
import { isMap, type Value } from "../../value/value.js"
import { qosClassOf } from "../defaults/pods.js"
import { checkContainers, checkInitContainers } from "./containers.js"
import type { Field } from "./field.js"
import { checkAnnotations, checkLabels, checkSelector } from "./labels.js"
import { dnsLabel, dnsSubdomain, labelKey, labelValue } from "./names.js"
import { podSpecDiff } from "./pod-layout.js"
import { checkVolumes } from "./volumes.js"

/** Checks the template of a Pod. */
export function checkPodTemplate(template: Field): void {
  // Their errors say nothing of metadata.
  checkLabels(template.at("labels").holding(template.at("metadata", "labels").value))
  checkAnnotations(template.at("annotations").holding(template.at("metadata", "annotations").value))
  checkPodSpec(template.at("spec"))
  const ephemeral = template.at("spec", "ephemeralContainers")
  if (ephemeral.size > 0) ephemeral.forbidden("ephemeral containers not allowed in pod template")
}

function checkPodSpec(spec: Field): void {
  const volumes = checkVolumes(spec.at("volumes"))
  checkContainers(spec.at("containers"), volumes)
  checkInitContainers(spec.at("initContainers"), spec.at("containers"), volumes)
  spec.at("restartPolicy").requiredOneOf(["Always", "OnFailure", "Never"])
  spec.at("dnsPolicy").requiredOneOf(["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"])
  checkLabels(spec.at("nodeSelector"))
  for (const constraint of spec.at("topologySpreadConstraints").items()) checkSpread(constraint)
  for (const key of ["serviceAccountName", "nodeName"]) {
    if (spec.at(key).text !== "") spec.at(key).check(dnsSubdomain)
  }
  const deadline = spec.at("activeDeadlineSeconds")
  if (deadline.isSet) deadline.between(1, 2147483647)
  for (const key of ["hostname", "subdomain"]) {
    if (spec.at(key).text !== "") spec.at(key).check(dnsLabel)
  }
  checkTolerations(spec.at("tolerations"))
  for (const key of ["priorityClassName", "runtimeClassName"]) {
    if (spec.at(key).text !== "") spec.at(key).check(dnsSubdomain)
  }
}

function checkSpread(constraint: Field): void {
  const skew = constraint.at("maxSkew")
  if (skew.number <= 0) skew.invalid("must be greater than zero", skew.number)
  if (constraint.at("topologyKey").text === "") constraint.at("topologyKey").required("can not be empty")
  constraint.at("whenUnsatisfiable").oneOf(["DoNotSchedule", "ScheduleAnyway"])
  checkSelector(constraint.at("labelSelector"))
}

function checkTolerations(tolerations: Field): void {
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
    case "Equal": {
      const problems = labelValue(value)
      if (problems.length > 0) operator.invalid(problems.join(";"), value)
      break
    }
    case "Exists":
      if (value !== "") operator.invalid("value must be empty when `operator` is 'Exists'", value)
      break
    default:
      operator.oneOf(["Equal", "Exists"])
  }
}

/** Checks a Pod that is created, or that takes the place of `before`. */
export function checkPod(pod: Field, before: Field | undefined): void {
  const spec = pod.at("spec")
  checkPodSpec(spec)
  spec.at("terminationGracePeriodSeconds").notNegative()
  for (const kind of ["containers", "initContainers"]) {
    for (const container of spec.at(kind).items()) checkImageSpace(container.at("image"))
  }
  if (before !== undefined) checkPodUpdate(spec, before.at("spec"))
  else if (spec.at("ephemeralContainers").size > 0) {
    spec.at("ephemeralContainers").forbidden("cannot be set on create")
  }
}

/** Checks a request that resizes the containers of a Pod: how well it is served stays the same. */
export function checkPodResize(pod: Field, before: Field | undefined): void {
  const spec = pod.at("spec")
  const qosClass = before?.at("status", "qosClass").text ?? ""
  if (!isMap(spec.value) || qosClass === "" || qosClassOf(spec.value) === qosClass) return
  spec.invalid("Pod QOS Class may not change as a result of resizing", qosClass)
}

function checkImageSpace(image: Field): void {
  if (image.text !== image.text.trim()) image.invalid("must not have leading or trailing whitespace")
}

const changeable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join()

/** A Pod that exists can change in few of its fields. */
function checkPodUpdate(spec: Field, before: Field): void {
  for (const kind of ["containers", "initContainers"]) {
    if (spec.at(kind).size !== before.at(kind).size) {
      spec.at(kind).forbidden("pod updates may not add or remove containers")
      return
    }
    for (const container of spec.at(kind).items()) {
      if (container.at("image").text === "") container.at("image").required()
      checkImageSpace(container.at("image"))
    }
  }
  if (!checkDeadline(spec.at("activeDeadlineSeconds"), before.at("activeDeadlineSeconds"))) return
  checkAddedTolerations(spec.at("tolerations"), before.at("tolerations"))
  const rest = withUnchangeable(spec, before)
  if (!equalValues(rest, before.value ?? null)) {
    spec.forbidden(
      `pod updates may not change fields other than ${changeable}\n${podSpecDiff(before.value ?? null, rest)}`,
    )
  }
}

/** Returns whether the rest is to be checked. */
function checkDeadline(deadline: Field, before: Field): boolean {
  if (!deadline.isSet) {
    if (before.isSet) deadline.invalid("must not update from a positive integer to nil value")
    return true
  }
  if (deadline.number < 0 || deadline.number > 2147483647) {
    deadline.between(0, 2147483647)
    return false
  }
  const longer = before.isSet && before.number < deadline.number
  if (longer) deadline.invalid("must be less than or equal to previous value")
  return !longer
}

function checkAddedTolerations(tolerations: Field, before: Field): void {
  const fixed = ({ value }: Field): Value => (isMap(value) ? withKeys(value, { tolerationSeconds: undefined }) : null)
  const next = tolerations.items().map(fixed)
  if (before.items().every(old => next.some(each => equalValues(each, fixed(old))))) {
    checkTolerations(tolerations)
    return
  }
  tolerations.forbidden("existing toleration can not be modified except its tolerationSeconds")
}

/** The spec with those fields of the spec before that may change. */
function withUnchangeable(spec: Field, before: Field): Value {
  if (!isMap(spec.value)) return null
  const grace = before.at("terminationGracePeriodSeconds")
  const mayBeOne = grace.number < 0 && spec.at("terminationGracePeriodSeconds").number === 1
  return withKeys(spec.value, {
    containers: withImages(spec.at("containers"), before.at("containers")),
    initContainers: withImages(spec.at("initContainers"), before.at("initContainers")),
    activeDeadlineSeconds: before.at("activeDeadlineSeconds").value,
    tolerations: before.at("tolerations").value,
    schedulingGates: before.at("schedulingGates").value,
    ...(mayBeOne && { terminationGracePeriodSeconds: grace.value }),
  })
}

function withImages(containers: Field, before: Field): Value | undefined {
  if (!containers.isSet) return undefined
  const images = before.items().map(container => container.at("image").value)
  return containers.items().map(({ value }, i) => (isMap(value) ? withKeys(value, { image: images[i] }) : null))
}
