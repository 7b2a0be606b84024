// Kinds that keep Pods running: Deployment, ReplicaSet, ReplicationController, StatefulSet and DaemonSet.

import { metadataOf, withMetadata } from "../../schema/metadata.js"
import { equalValues } from "../../value/equal.js"
import { mapAt, mapsAt, textAt, withKeys } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"
import {
  ageColumn,
  containerColumns,
  countAt,
  counted,
  desiredColumn,
  type KindColumns,
  nameColumn,
  selectorColumn,
  text,
  wide,
} from "../kind/column.js"
import { change, type Fields } from "../kind/default-rule.js"
import type { Family } from "../kind/kind.js"
import { specOf, statusOf } from "../kind/spec-and-status.js"
import { amount, checkAtMostAll, checkIntOrPercent } from "../validation/amounts.js"
import type { Field } from "../validation/field.js"
import { checkFixedSelector, checkSelector, isEmptySelector, selects } from "../validation/labels.js"
import { dnsLabel } from "../validation/names.js"
import { checkPodTemplate } from "../validation/pod-template.js"
import { copyTemplateLabels, templateLabels } from "./pod-spec.js"

const apps = "io.k8s.api.apps.v1."

export const workloads: Family = {
  "apps/Deployment": {
    defaults: {
      [`${apps}DeploymentSpec`]: [
        { set: { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600, strategy: {} } },
      ],
      [`${apps}DeploymentStrategy`]: [
        { fill: { type: "RollingUpdate" } },
        { when: { type: "RollingUpdate" }, set: { rollingUpdate: {} } },
      ],
      [`${apps}RollingUpdateDeployment`]: [{ set: { maxSurge: "25%", maxUnavailable: "25%" } }],
    },
    countsGeneration: true,
    countsAnnotations: true,
    validate: { "": checkDeployment, status: checkReplicaStatus },
  },
  "apps/ReplicaSet": {
    defaults: { [`${apps}ReplicaSetSpec`]: [{ set: { replicas: 1 } }] },
    countsGeneration: true,
    validate: { "": checkReplicaSet, status: checkReplicaStatus },
    selectableFields: { "status.replicas": "0" },
  },
  "/ReplicationController": {
    defaults: { "io.k8s.api.core.v1.ReplicationController": [selectTemplate] },
    countsGeneration: true,
    validate: { "": checkReplicationController, status: checkReplicaStatus },
    selectableFields: { "status.replicas": "0" },
  },
  "apps/StatefulSet": {
    defaults: {
      [`${apps}StatefulSetSpec`]: [
        {
          fill: { podManagementPolicy: "OrderedReady" },
          set: { replicas: 1, revisionHistoryLimit: 10, persistentVolumeClaimRetentionPolicy: {}, updateStrategy: {} },
        },
      ],
      [`${apps}StatefulSetUpdateStrategy`]: [
        { when: { type: undefined }, set: { type: "RollingUpdate", rollingUpdate: {} } },
      ],
      [`${apps}RollingUpdateStatefulSetStrategy`]: [{ set: { partition: 0, maxUnavailable: 1 } }],
      [`${apps}StatefulSetPersistentVolumeClaimRetentionPolicy`]: [
        { fill: { whenDeleted: "Retain", whenScaled: "Retain" } },
      ],
    },
    countsGeneration: true,
    checkName: dnsLabel,
    validate: { "": checkStatefulSet },
  },
  "apps/DaemonSet": {
    read: daemonSet => withTemplateGeneration(daemonSet, templateGeneration(daemonSet)),
    defaults: {
      [`${apps}DaemonSetSpec`]: [{ set: { revisionHistoryLimit: 10, updateStrategy: {} } }],
      [`${apps}DaemonSetUpdateStrategy`]: [
        { fill: { type: "RollingUpdate" } },
        { when: { type: "RollingUpdate" }, set: { rollingUpdate: {} } },
      ],
      [`${apps}RollingUpdateDaemonSet`]: [{ set: { maxSurge: 0, maxUnavailable: 1 } }],
    },
    created: daemonSet => withTemplateGeneration(daemonSet, Math.max(templateGeneration(daemonSet), 1)),
    updated: countTemplate,
    countsGeneration: true,
    validate: { "": checkDaemonSet },
  },
}

export function workloadColumns(): KindColumns {
  const replicated = [
    nameColumn,
    desiredColumn(),
    counted("Current", "replicas"),
    counted("Ready", "readyReplicas"),
    ageColumn,
    ...containerColumns(templateSpec),
    wide(selectorColumn("Selector", selector)),
  ]
  const ready = text(
    "Ready",
    object => `${countAt(statusOf(object), "readyReplicas")}/${countAt(specOf(object), "replicas")}`,
  )
  return {
    "apps/Deployment": [
      nameColumn,
      ready,
      text("Up-to-date", object => countAt(statusOf(object), "updatedReplicas")),
      text("Available", object => countAt(statusOf(object), "availableReplicas")),
      ageColumn,
      ...containerColumns(templateSpec),
      wide(selectorColumn("Selector", selector)),
    ],
    "apps/StatefulSet": [nameColumn, ready, ageColumn, ...containerColumns(templateSpec)],
    "apps/ReplicaSet": replicated,
    "/ReplicationController": replicated,
    "apps/DaemonSet": [
      nameColumn,
      counted("Desired", "desiredNumberScheduled"),
      counted("Current", "currentNumberScheduled"),
      counted("Ready", "numberReady"),
      counted("Up-to-date", "updatedNumberScheduled"),
      counted("Available", "numberAvailable"),
      selectorColumn("Node Selector", object => mapAt(templateSpec(object), "nodeSelector")),
      ageColumn,
      ...containerColumns(templateSpec),
      wide(selectorColumn("Selector", selector)),
    ],
    "apps/ControllerRevision": [
      nameColumn,
      text("Controller", controllerOf),
      text("Revision", object => countAt(object, "revision")),
      ageColumn,
    ],
  }
}

const templateSpec = (object: MapValue): MapValue => mapAt(mapAt(specOf(object), "template"), "spec")
const selector = (object: MapValue): MapValue => mapAt(specOf(object), "selector")

function controllerOf(object: MapValue): string {
  const owner = mapsAt(mapAt(object, "metadata"), "ownerReferences").find(({ controller }) => controller === true)
  if (owner === undefined) return "<none>"
  const [group] = textAt(owner, "apiVersion").includes("/") ? textAt(owner, "apiVersion").split("/") : [""]
  const kind = textAt(owner, "kind").toLowerCase()
  return `${group === "" ? kind : `${kind}.${group}`}/${textAt(owner, "name")}`
}

/** Makes a ReplicationController without a selector select the labels of its Pods. */
function selectTemplate(out: Fields): void {
  const labels = templateLabels(out)
  if (!isMap(labels)) return
  change(out, "spec", spec => {
    if (Object.keys(mapAt(spec, "selector")).length === 0) put(spec, "selector", labels)
  })
  copyTemplateLabels(out)
}

// A DaemonSet has an annotation that counts the changes of its template. A server keeps the number in an internal field, but reads and writes it
// as the annotation.

const generationKey = "deprecated.daemonset.template.generation"

/** Returns the number in the annotation, or 0. */
function templateGeneration(daemonSet: MapValue): number {
  const text = own(mapAt(metadataOf(daemonSet), "annotations"), generationKey)
  return typeof text === "string" && /^[+-]?\d{1,15}$/.test(text) ? Number(text) : 0
}

function withTemplateGeneration(daemonSet: MapValue, number: number): MapValue {
  const annotations = withKeys(mapAt(metadataOf(daemonSet), "annotations"), { [generationKey]: String(number) })
  return withMetadata(daemonSet, { annotations })
}

/** Increases the number if the template has changed. Requests can't write it. */
function countTemplate(daemonSet: MapValue, live: MapValue): MapValue {
  const template = (object: MapValue) => mapAt(mapAt(object, "spec"), "template")
  const grown = equalValues(template(daemonSet), template(live)) ? 0 : 1
  return withTemplateGeneration(daemonSet, templateGeneration(live) + grown)
}

const noMatch = "`selector` does not match template `labels`"

function checkDeployment(object: Field, before: Field | undefined): void {
  const spec = object.at("spec")
  spec.at("replicas").notNegative()
  requireSelector(spec, "deployment")
  checkTemplate(spec.at("template"), spec.at("selector"), "ReplicaSet")
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

function checkReplicaSet(object: Field, before: Field | undefined): void {
  const spec = object.at("spec")
  spec.at("replicas").notNegative()
  spec.at("minReadySeconds").notNegative()
  requireSelector(spec, "deployment")
  checkTemplate(spec.at("template"), spec.at("selector"), "ReplicaSet")
  if (before !== undefined) checkFixedSelector(spec, before.at("spec"))
}

function checkReplicationController(object: Field): void {
  const spec = object.at("spec")
  const labels = spec.at("selector")
  if (labels.size === 0) labels.required()
  const template = spec.at("template")
  if (!template.isSet) template.required()
  else {
    const selector = labels.holding({ matchLabels: labels.value ?? {} })
    checkTemplate(template, selector, "ReplicationController")
  }
  spec.at("minReadySeconds").notNegative()
  spec.at("replicas").notNegative()
}

function checkDaemonSet(object: Field, before: Field | undefined): void {
  const spec = object.at("spec")
  const selector = spec.at("selector")
  if (before !== undefined) checkFixedSelector(spec, before.at("spec"))
  checkSelector(selector)
  const template = spec.at("template")
  const labels = template.at("metadata", "labels")
  if (!isEmpty(selector) && !selects(selector, labels)) labels.invalid(noMatch)
  if (selector.isSet && isEmptySelector(selector)) selector.invalid("empty selector is invalid for daemonset")
  checkPodTemplate(template)
  checkRestart(template, "DaemonSet")
  spec.at("minReadySeconds").notNegative()
  checkDaemonSetStrategy(spec.at("updateStrategy"))
  spec.at("revisionHistoryLimit").notNegative()
}

const fixedOfStatefulSets = ["volumeClaimTemplates", "serviceName", "podManagementPolicy"]

function checkStatefulSet(object: Field, before: Field | undefined): void {
  const spec = object.at("spec")
  checkManagement(spec)
  checkRetention(spec.at("persistentVolumeClaimRetentionPolicy"))
  spec.at("replicas").notNegative()
  spec.at("minReadySeconds").notNegative()
  if (spec.at("serviceName").text !== "") spec.at("serviceName").check(dnsLabel)
  requireSelector(spec, "statefulset")
  const claims = spec.at("volumeClaimTemplates").items()
  const template = spec.at("template")
  checkTemplate(withClaims(template, claims), spec.at("selector"), "StatefulSet")
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
    if (policy.at(key).isSet) policy.at(key).oneOf(["Retain", "Delete"])
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

function requireSelector(spec: Field, kind: string): void {
  const selector = spec.at("selector")
  if (!selector.isSet) {
    selector.required()
    return
  }
  checkSelector(selector)
  if (isEmptySelector(selector)) selector.invalid(`empty selector is invalid for ${kind}`)
}

function isEmpty(selector: Field): boolean {
  return selector.isSet && isEmptySelector(selector)
}

function checkTemplate(template: Field, selector: Field, kind: string): void {
  const labels = template.at("metadata", "labels")
  if (!isEmpty(selector) && !selects(selector, labels)) labels.invalid(noMatch)
  checkPodTemplate(template)
  checkRestart(template, kind)
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
function checkReplicaStatus(object: Field): void {
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
