// Checks Pods, and the changes of their fields by updates.

import { equalValues } from "../../../value/equal.js"
import { withKeys } from "../../../value/fields.js"
import { isMap, type Value } from "../../../value/value.js"
import { checkImageSpace } from "../../validation/containers.js"
import type { Field } from "../../validation/field.js"
import { checkPodSpec, checkTolerations } from "../../validation/pod-template.js"
import { structDiff } from "../../validation/struct-layout.js"
import { qosClassOf } from "./qos-class.js"

/** Checks a Pod that is created, or that replaces `before`. */
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

/** Checks a request that resizes the containers of a Pod: its QoS class must stay the same. */
export function checkPodResize(pod: Field, before: Field | undefined): void {
  const spec = pod.at("spec")
  const qosClass = before?.at("status", "qosClass").text ?? ""
  if (!isMap(spec.value) || qosClass === "" || qosClassOf(spec.value) === qosClass) return
  spec.invalid("Pod QOS Class may not change as a result of resizing", qosClass)
}

const changeable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join()

/** Checks an update of a Pod: only few of its fields may change. */
function checkPodUpdate(spec: Field, before: Field): void {
  for (const kind of ["containers", "initContainers"]) {
    if (spec.at(kind).size !== before.at(kind).size) {
      spec.at(kind).forbidden("pod updates may not add or remove containers")
      return
    }
    for (const container of spec.at(kind).items()) {
      container.at("image").requireText()
      checkImageSpace(container.at("image"))
    }
  }
  if (!checkDeadline(spec.at("activeDeadlineSeconds"), before.at("activeDeadlineSeconds"))) return
  checkAddedTolerations(spec.at("tolerations"), before.at("tolerations"))
  const oldGates = new Set(
    before
      .at("schedulingGates")
      .items()
      .map(gate => gate.at("name").text),
  )
  for (const gate of spec.at("schedulingGates").items()) {
    const name = gate.at("name").text
    if (!oldGates.has(name)) {
      gate.at("name").forbidden(`only deletion is allowed, but found new scheduling gate '${name}'`)
    }
  }
  const rest = withUnchangeable(spec, before)
  if (!equalValues(rest, before.value ?? null)) {
    spec.forbidden(
      `pod updates may not change fields other than ${changeable}\n${structDiff(before.value, rest, "PodSpec")}`,
    )
  }
}

/** Checks the deadline. Returns false if no further checks follow. */
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

/** Returns the spec with the old values of all fields that may change. */
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
