// Checks Deployments and other kinds that keep Pods running.

import { isMap } from "../../../value/value.js"
import { amount, checkAtMostAll, checkIntOrPercent } from "../../validation/amounts.js"
import type { Field } from "../../validation/field.js"
import {
  checkAnnotations,
  checkFixedSelector,
  checkLabels,
  checkSelector,
  isEmptySelector,
  selects,
} from "../../validation/labels.js"
import { dnsLabel } from "../../validation/names.js"
import { checkPodTemplate } from "../../validation/pod-template.js"
import { goStruct } from "../../validation/struct-layout.js"
import { checkClaimSpec } from "../storage/volumes.js"

const noMatch = "`selector` does not match template `labels`"

export function checkDeployment(object: Field, before: Field | undefined): void {
  const spec = object.at("spec")
  spec.at("replicas").notNegative()
  if (requireSelector(spec, "deployment", "invalid label selector")) {
    checkTemplate(spec.at("template"), spec.at("selector"), "ReplicaSet")
  }
  checkDeploymentStrategy(spec.at("strategy"))
  spec.at("minReadySeconds").notNegative()
  spec.at("revisionHistoryLimit").notNegative()
  const deadline = spec.at("progressDeadlineSeconds")
  deadline.notNegative()
  if (deadline.isSet && deadline.number <= spec.at("minReadySeconds").number) {
    deadline.invalid("must be greater than minReadySeconds")
  }
  if (before !== undefined) checkFixedSelector(spec, before.at("spec"))
}

export function checkReplicaSet(object: Field, before: Field | undefined): void {
  const spec = object.at("spec")
  spec.at("replicas").notNegative()
  spec.at("minReadySeconds").notNegative()
  if (requireSelector(spec, "deployment", "invalid label selector")) {
    checkTemplate(spec.at("template"), spec.at("selector"), "ReplicaSet")
  }
  if (before !== undefined) checkFixedSelector(spec, before.at("spec"))
}

export function checkReplicationController(object: Field): void {
  const spec = object.at("spec")
  const labels = spec.at("selector")
  if (labels.size === 0) labels.required()
  const template = spec.at("template")
  if (!template.isSet) template.required()
  else {
    const selector = labels.holding({ matchLabels: labels.value ?? {} })
    checkTemplate(template, selector, "ReplicationController")
  }
}

export function checkDaemonSet(object: Field, before: Field | undefined): void {
  const spec = object.at("spec")
  const selector = spec.at("selector")
  if (before !== undefined) checkFixedSelector(spec, before.at("spec"))
  const problems = spec.problems
  checkSelector(selector)
  const isValid = spec.problems === problems
  const template = spec.at("template")
  const labels = template.at("metadata", "labels")
  if (isValid && !isEmpty(selector) && !selects(selector, labels)) labels.invalid(noMatch)
  if (selector.isSet && isEmptySelector(selector)) selector.invalid("empty selector is invalid for daemonset")
  checkPodTemplate(template)
  checkRestart(template, "DaemonSet")
  spec.at("minReadySeconds").notNegative()
  checkDaemonSetStrategy(spec.at("updateStrategy"))
  spec.at("revisionHistoryLimit").notNegative()
}

const fixedOfStatefulSets = ["volumeClaimTemplates", "serviceName", "podManagementPolicy"]

export function checkStatefulSet(object: Field, before: Field | undefined): void {
  const spec = object.at("spec")
  checkManagement(spec)
  checkRetention(spec.at("persistentVolumeClaimRetentionPolicy"))
  const templates = spec.at("volumeClaimTemplates")
  if (before === undefined || !templates.equals(before.at("spec", "volumeClaimTemplates"))) {
    for (const claim of templates.items()) checkClaimSpec(claim.at("spec"))
  }
  spec.at("replicas").notNegative()
  spec.at("minReadySeconds").notNegative()
  spec.at("serviceName").checkIfGiven(dnsLabel)
  const claims = spec.at("volumeClaimTemplates").items()
  const template = spec.at("template")
  if (requireSelector(spec, "statefulset", "")) {
    const complete = withClaims(template, claims)
    checkTemplateOf(complete, spec.at("selector"))
    // Go: checks these twice, here without `metadata` in the paths.
    checkLabels(complete.at("labels").holding(complete.at("metadata", "labels").value))
    checkAnnotations(complete.at("annotations").holding(complete.at("metadata", "annotations").value))
  }
  checkRestart(template, "StatefulSet")
  if (before === undefined) return
  checkFixedSelector(spec, before.at("spec"))
  for (const name of fixedOfStatefulSets) spec.at(name).immutable(before.at("spec", name))
}

function checkManagement(spec: Field): void {
  const management = spec.at("podManagementPolicy")
  if (management.text === "") management.required()
  else if (!["OrderedReady", "Parallel"].includes(management.text)) {
    management.invalid("must be 'OrderedReady' or 'Parallel'")
  }
  const strategy = spec.at("updateStrategy")
  const rolling = strategy.at("rollingUpdate")
  switch (strategy.at("type").text) {
    case "":
      strategy.required()
      break
    case "OnDelete":
      if (rolling.isSet) rolling.invalid("only allowed for updateStrategy 'RollingUpdate'")
      break
    case "RollingUpdate":
      rolling.at("partition").notNegative()
      checkIntOrPercent(rolling.at("maxUnavailable"))
      break
    default:
      strategy.invalid("must be 'RollingUpdate' or 'OnDelete'")
  }
}

function checkRetention(policy: Field): void {
  for (const key of ["whenDeleted", "whenScaled"]) {
    policy.at(key).oneOfIfSet(["Retain", "Delete"])
  }
}

/** Returns the template with the volumes for the claims of a StatefulSet. */
function withClaims(template: Field, claims: readonly Field[]): Field {
  if (claims.length === 0) return template
  const names = claims.map(claim => claim.at("metadata", "name").text)
  const own = names.map(name => ({ name, persistentVolumeClaim: { claimName: name } }))
  const others = template
    .at("spec", "volumes")
    .items()
    .filter(volume => !names.includes(volume.at("name").text))
  const volumes = [...own, ...others.map(({ value }) => value ?? null)]
  const spec = { ...(template.at("spec").value as object), volumes }
  return template.holding({ ...(template.value as object), spec })
}

/** Checks the selector. Returns whether objects can be selected by it; otherwise reports that with `wrong`. */
function requireSelector(spec: Field, kind: string, wrong: string): boolean {
  const selector = spec.at("selector")
  if (!selector.isSet) {
    selector.required()
    return true
  }
  const before = spec.problems
  checkSelector(selector)
  const isValid = spec.problems === before
  if (isEmptySelector(selector)) selector.invalid(`empty selector is invalid for ${kind}`)
  if (!isValid) selector.invalid(wrong, goStruct(selector.value, "LabelSelector"))
  return isValid
}

function isEmpty(selector: Field): boolean {
  return selector.isSet && isEmptySelector(selector)
}

function checkTemplate(template: Field, selector: Field, kind: string): void {
  checkTemplateOf(template, selector)
  checkRestart(template, kind)
}

function checkTemplateOf(template: Field, selector: Field): void {
  const labels = template.at("metadata", "labels")
  if (!isEmpty(selector) && !selects(selector, labels)) labels.invalid(noMatch)
  checkPodTemplate(template)
}

/** Checks that the Pods are always restarted and have no deadline. */
function checkRestart(template: Field, kind: string): void {
  template.at("spec", "restartPolicy").oneOf(["Always"])
  const deadline = template.at("spec", "activeDeadlineSeconds")
  if (deadline.isSet) deadline.forbidden(`activeDeadlineSeconds in ${kind} is not Supported`)
}

function checkDeploymentStrategy(strategy: Field): void {
  const rolling = strategy.at("rollingUpdate")
  const type = strategy.at("type")
  if (type.text === "Recreate") {
    if (rolling.isSet) rolling.forbidden("may not be specified when strategy `type` is 'Recreate'")
    return
  }
  if (type.text !== "RollingUpdate") {
    strategy.notSupported(["Recreate", "RollingUpdate"])
    return
  }
  if (!rolling.isSet) {
    rolling.required("this should be defaulted and never be nil")
    return
  }
  const unavailable = rolling.at("maxUnavailable")
  const surge = rolling.at("maxSurge")
  checkIntOrPercent(unavailable)
  checkIntOrPercent(surge)
  if (amount(unavailable) === 0 && amount(surge) === 0) unavailable.invalid("may not be 0 when `maxSurge` is 0")
  checkAtMostAll(unavailable)
}

function checkDaemonSetStrategy(strategy: Field): void {
  const type = strategy.at("type").text
  if (type === "OnDelete") return
  if (type !== "RollingUpdate") {
    strategy.notSupported(["RollingUpdate", "OnDelete"])
    return
  }
  const rolling = strategy.at("rollingUpdate")
  if (!rolling.isSet) {
    rolling.required()
    return
  }
  const unavailable = rolling.at("maxUnavailable")
  const surge = rolling.at("maxSurge")
  for (const field of [unavailable, surge]) checkIntOrPercent(field)
  for (const field of [unavailable, surge]) checkAtMostAll(field)
  const hasUnavailable = amount(unavailable) !== 0
  const hasSurge = amount(surge) !== 0
  if (hasUnavailable && hasSurge) surge.invalid("may not be set when maxUnavailable is non-zero")
  else if (!hasUnavailable && !hasSurge) unavailable.required("cannot be 0 when maxSurge is 0")
}

const counts = ["readyReplicas", "availableReplicas"]

/** Checks the counts in a status. No count may be greater than the number of replicas. */
export function checkReplicaStatus(object: Field): void {
  const status = object.at("status")
  const own = object.at("kind").text === "Deployment" ? "updatedReplicas" : "fullyLabeledReplicas"
  const replicas = status.at("replicas").number
  for (const key of ["observedGeneration", "replicas", own, ...counts, "unavailableReplicas"])
    status.at(key).notNegative()
  for (const key of [own, ...counts]) {
    if (status.at(key).number > replicas) status.at(key).invalid("cannot be greater than status.replicas")
  }
  const available = status.at("availableReplicas")
  if (available.number > status.at("readyReplicas").number) available.invalid("cannot be greater than readyReplicas")
}

export function checkRevision(revision: Field, before: Field | undefined): void {
  const data = revision.at("data")
  revision.at("revision").notNegative()
  if (before !== undefined) data.immutable(before.at("data"))
  else if (!data.isSet) data.required("data is mandatory")
  else if (!isMap(data.value)) data.required("data must be a valid JSON object")
}
