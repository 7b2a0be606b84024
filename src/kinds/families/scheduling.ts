// Kinds that control where and when Pods run: disruption budgets, priorities, runtimes and devices.

import { metadataOf, withMetadata } from "../../schema/metadata.js"
import { listAt, mapAt, textAt } from "../../value/fields.js"
import type { MapValue } from "../../value/value.js"
import {
  ageColumn,
  ageOf,
  countAt,
  counted,
  field,
  flag,
  integer,
  type KindColumns,
  nameColumn,
  shown,
  text,
} from "../kind/column.js"
import type { DefaultRule } from "../kind/default-rule.js"
import type { Family } from "../kind/kind.js"
import { specOf, statusOf } from "../kind/spec-and-status.js"
import { checkAtMostAll, checkIntOrPercent } from "../validation/amounts.js"
import type { Field } from "../validation/field.js"
import { checkLabels, checkSelector } from "../validation/labels.js"
import { dnsLabel } from "../validation/names.js"
import { checkTolerations } from "../validation/pod-template.js"
import { goStruct } from "../validation/struct-layout.js"
import { checkClaim, checkClaimTemplate, checkClass, checkSlice } from "./scheduling/devices.js"

const resource = "io.k8s.api.resource.v1."
const deviceRequest: readonly DefaultRule[] = [
  { fill: { allocationMode: "ExactCount" } },
  { when: { allocationMode: "ExactCount" }, fill: { count: 1 } },
]

export const scheduling: Family = {
  "policy/PodDisruptionBudget": {
    needsResourceVersion: true,
    countsGeneration: true,
    validate: { "": checkDisruptionBudget },
  },
  "scheduling.k8s.io/PriorityClass": {
    defaults: { "io.k8s.api.scheduling.v1.PriorityClass": [{ set: { preemptionPolicy: "PreemptLowerPriority" } }] },
    created: priority => withMetadata(priority, { generation: 1 }),
    validate: { "": checkPriorityClass },
  },
  "node.k8s.io/RuntimeClass": {
    createdByPut: true,
    needsResourceVersion: true,
    validate: { "": checkRuntimeClass },
  },
  "resource.k8s.io/DeviceClass": { countsGeneration: true, validate: { "": checkClass }, returnedWhenDeleted: true },
  "resource.k8s.io/ResourceClaim": {
    validate: { "": checkClaim },
    defaults: { [`${resource}ExactDeviceRequest`]: deviceRequest, [`${resource}DeviceSubRequest`]: deviceRequest },
    returnedWhenDeleted: true,
  },
  "resource.k8s.io/ResourceClaimTemplate": { validate: { "": checkClaimTemplate }, returnedWhenDeleted: true },
  "resource.k8s.io/ResourceSlice": {
    countsGeneration: true,
    validate: { "": checkSlice },
    returnedWhenDeleted: true,
  },
}

export function schedulingColumns(): KindColumns {
  return {
    "policy/PodDisruptionBudget": [
      nameColumn,
      text("Min Available", object => shown(specOf(object), "minAvailable", "N/A")),
      text("Max Unavailable", object => shown(specOf(object), "maxUnavailable", "N/A")),
      counted("Allowed Disruptions", "disruptionsAllowed"),
      ageColumn,
    ],
    "scheduling.k8s.io/PriorityClass": [
      nameColumn,
      integer("Value", object => countAt(object, "value")),
      flag("Global-Default", object => object.globalDefault === true),
      ageColumn,
      text("PreemptionPolicy", object => textAt(object, "preemptionPolicy")),
    ],
    "node.k8s.io/RuntimeClass": [nameColumn, field("Handler", "handler"), ageColumn],
    "resource.k8s.io/DeviceClass": [nameColumn, ageColumn],
    "resource.k8s.io/ResourceClaimTemplate": [nameColumn, ageColumn],
    "resource.k8s.io/ResourceClaim": [nameColumn, text("State", claimState), ageColumn],
    "resource.k8s.io/ResourceSlice": [
      nameColumn,
      field("Node", "spec.nodeName"),
      field("Driver", "spec.driver"),
      field("Pool", "spec.pool.name"),
      ageColumn,
    ],
    "resource.k8s.io/DeviceTaintRule": [
      nameColumn,
      field("Key", "spec.taint.key"),
      field("Value", "spec.taint.value"),
      field("Effect", "spec.taint.effect"),
      text("TimeAdded", (object, now) => {
        const added = textAt(mapAt(specOf(object), "taint"), "timeAdded")
        return added === "" ? "" : ageOf(added, now)
      }),
      ageColumn,
    ],
  }
}

/** Says whether a claim has its devices, and whether somebody uses them. */
function claimState(claim: MapValue): string {
  const status = statusOf(claim)
  const isDeleted = metadataOf(claim).deletionTimestamp !== undefined
  const isAllocated = status.allocation !== undefined
  const states = isDeleted ? ["deleted"] : isAllocated ? [] : ["pending"]
  if (isAllocated) states.push("allocated", ...(listAt(status, "reservedFor").length > 0 ? ["reserved"] : []))
  return states.join(",")
}

function checkDisruptionBudget(budget: Field): void {
  const spec = budget.at("spec")
  if (spec.at("minAvailable").isSet && spec.at("maxUnavailable").isSet) {
    spec.invalid("minAvailable and maxUnavailable cannot be both set", goStruct(spec.value, "PodDisruptionBudgetSpec"))
  }
  for (const key of ["minAvailable", "maxUnavailable"]) {
    if (!spec.at(key).isSet) continue
    checkIntOrPercent(spec.at(key))
    checkAtMostAll(spec.at(key))
  }
  checkSelector(spec.at("selector"))
  const policy = spec.at("unhealthyPodEvictionPolicy")
  policy.oneOfIfSet(["AlwaysAllow", "IfHealthyBudget"])
}

function checkPriorityClass(object: Field, before: Field | undefined): void {
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
  policy.oneOfIfSet(["PreemptLowerPriority", "Never"])
}

function checkRuntimeClass(runtime: Field, before: Field | undefined): void {
  const [handler, scheduling] = [runtime.at("handler"), runtime.at("scheduling")]
  // The declared rules stop at a changed handler.
  if (before !== undefined && !handler.equals(before.at("handler"))) handler.checkIfGiven(dnsLabel)
  checkLabels(scheduling.at("nodeSelector"))
  checkTolerations(scheduling.at("tolerations"))
  const seen = new Set<string>()
  for (const toleration of scheduling.at("tolerations").items()) {
    const id = JSON.stringify(["key", "operator", "value", "effect"].map(key => toleration.at(key).text))
    if (seen.has(id)) toleration.duplicate(goStruct(toleration.value, "Toleration"))
    seen.add(id)
  }
}
