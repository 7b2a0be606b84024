// Kinds that keep Pods running: Deployment, ReplicaSet, ReplicationController, StatefulSet and DaemonSet.
import { kindOf, nameInGroup } from "../../schema/group-version-kind.js"

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
import { change, changeItems, type Fields } from "../kind/default-rule.js"
import type { Family } from "../kind/kind.js"
import { specOf, statusOf } from "../kind/spec-and-status.js"
import { dnsLabel } from "../validation/names.js"
import { copyTemplateLabels, templateLabels, warnOfPodNames } from "./pod-spec.js"
import {
  checkDaemonSet,
  checkDeployment,
  checkReplicaSet,
  checkReplicaStatus,
  checkReplicationController,
  checkRevision,
  checkStatefulSet,
} from "./workloads/checks.js"

const apps = "io.k8s.api.apps.v1."

/**
 * The annotation of a DaemonSet that counts the changes of its template. A server keeps the number in an internal field, but reads and writes
 * it as the annotation.
 */
const generationKey = "deprecated.daemonset.template.generation"

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
    alsoCounts: "annotations",
    validate: { "": checkDeployment, status: checkReplicaStatus },
    warnings: warnOfPodNames,
  },
  "apps/ReplicaSet": {
    defaults: { [`${apps}ReplicaSetSpec`]: [{ set: { replicas: 1 } }] },
    countsGeneration: true,
    validate: { "": checkReplicaSet, status: checkReplicaStatus },
    warnings: warnOfPodNames,
    selectableFields: { "status.replicas": "0" },
  },
  "/ReplicationController": {
    defaults: { "io.k8s.api.core.v1.ReplicationController": [selectTemplate] },
    countsGeneration: true,
    validate: { "": checkReplicationController, status: checkReplicaStatus },
    warnings: warnOfPodNames,
    selectableFields: { "status.replicas": "0" },
    orphansDependents: true,
  },
  "apps/StatefulSet": {
    defaults: {
      [`${apps}StatefulSetSpec`]: [
        {
          fill: { podManagementPolicy: "OrderedReady" },
          set: { replicas: 1, revisionHistoryLimit: 10, persistentVolumeClaimRetentionPolicy: {}, updateStrategy: {} },
        },
        nameClaims,
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
  "apps/ControllerRevision": { validate: { "": checkRevision } },
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
    hiddenAnnotation: generationKey,
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
  const { group, kind } = kindOf(owner)
  return `${nameInGroup(kind.toLowerCase(), group)}/${textAt(owner, "name")}`
}

/** Gives the templates of claims the version and the kind of claims. */
function nameClaims(out: Fields): void {
  changeItems(out, "volumeClaimTemplates", claim => {
    put(claim, "apiVersion", "v1")
    put(claim, "kind", "PersistentVolumeClaim")
  })
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
