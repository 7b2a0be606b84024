// HorizontalPodAutoscalers, and the Scale that they write.

import { metadataOf } from "../../schema/metadata.js"
import { mapAt, mapsAt, textAt } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import { compareQuantities } from "../../value/quantity.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import {
  ageColumn,
  countAt,
  counted,
  desiredColumn,
  type KindColumns,
  nameColumn,
  shown,
  text,
} from "../kind/column.js"
import { change, type Fields, isAbsent } from "../kind/default-rule.js"
import type { Family } from "../kind/kind.js"
import { specOf, statusOf } from "../kind/spec-and-status.js"
import type { Field } from "../validation/field.js"
import { dnsLabel, pathSegment } from "../validation/names.js"
import { cpuMetric, defaultTarget, metricsAnnotation, toV1, toV2 } from "./autoscaling/conversion.js"

const v2 = "io.k8s.api.autoscaling.v2."
const percentPolicy = { type: "Percent", value: 100, periodSeconds: 15 }

export const autoscaling: Family = {
  "autoscaling/HorizontalPodAutoscaler": {
    convert(autoscaler, apiVersion) {
      if (apiVersion === "autoscaling/v1") return toV1(autoscaler)
      return apiVersion === "autoscaling/v2" ? toV2(autoscaler) : undefined
    },
    defaults: {
      "io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler": [{ in: "spec", set: { minReplicas: 1 } }, setTarget],
      [`${v2}HorizontalPodAutoscalerSpec`]: [
        { set: { minReplicas: 1 }, fill: { metrics: [cpuMetric(defaultTarget)] } },
      ],
      [`${v2}HorizontalPodAutoscalerBehavior`]: [{ set: { scaleDown: { policies: [percentPolicy] } } }, setScaleUp],
      [`${v2}HPAScalingRules`]: [{ set: { selectPolicy: "Max", policies: [percentPolicy] } }],
    },
    countsGeneration: true,
    validate: { "": checkAutoscaler },
  },
}

export function autoscalingColumns(): KindColumns {
  return {
    "autoscaling/HorizontalPodAutoscaler": [
      nameColumn,
      text("Reference", object => {
        const target = mapAt(specOf(object), "scaleTargetRef")
        return `${textAt(target, "kind")}/${textAt(target, "name")}`
      }),
      text("Targets", targets),
      text("MinPods", object => shown(specOf(object), "minReplicas", "<unset>")),
      text("MaxPods", object => countAt(specOf(object), "maxReplicas")),
      text("Replicas", object => countAt(statusOf(object), "currentReplicas")),
      ageColumn,
    ],
    "autoscaling/Scale": [{ ...nameColumn, format: "" }, desiredColumn(), counted("Available", "replicas"), ageColumn],
  }
}

/** Shows the current and the target value of each metric. */
function targets(object: MapValue): string {
  const current = mapsAt(statusOf(object), "currentMetrics")
  const metrics = metricsOf(object).map((metric, index) => {
    const type = textAt(metric, "type")
    const key = type === "" ? "" : `${type.charAt(0).toLowerCase()}${type.slice(1)}`
    const source = own(metric, key)
    if (!isMap(source)) return "<unknown type>"
    return metricText(type, source, mapAt(mapAt(current[index] ?? {}, key), "current"))
  })
  const more = metrics.length > 2 ? ` + ${metrics.length - 2} more...` : ""
  return (metrics.slice(0, 2).join(", ") || "<none>") + more
}

/** Returns the metrics. CPU utilization is the only metric of autoscaling/v1. */
function metricsOf(object: MapValue): readonly MapValue[] {
  const averageUtilization = own(specOf(object), "targetCPUUtilizationPercentage")
  if (averageUtilization === undefined) return mapsAt(specOf(object), "metrics")
  return [{ type: "Resource", resource: { name: "cpu", target: { averageUtilization } } }]
}

function metricText(type: string, source: MapValue, current: MapValue): string {
  const target = mapAt(source, "target")
  const average = own(target, "averageValue")
  if (type === "Resource" || type === "ContainerResource") {
    const percent = (map: MapValue, absent: string) => {
      const value = own(map, "averageUtilization")
      return value === undefined ? absent : `${value}%`
    }
    const now = average === undefined ? percent(current, "<unknown>") : shown(current, "averageValue", "<unknown>")
    return `${textAt(source, "name")}: ${now}/${average ?? percent(target, "<auto>")}`
  }
  if (average === undefined) return `${shown(current, "value", "<unknown>")}/${shown(target, "value", "0")}`
  const mark = type === "Pods" ? "" : " (avg)"
  return `${shown(current, "averageValue", "<unknown>")}/${average}${mark}`
}

/** Version 1 has other metrics in an annotation. */
function setTarget(out: Fields): void {
  if (own(mapAt(metadataOf(out), "annotations"), metricsAnnotation) !== undefined) return
  change(out, "spec", spec => {
    if (isAbsent(own(spec, key))) put(spec, key, defaultTarget)
  })
}
const key = "targetCPUUtilizationPercentage"

/** Sets the defaults of the rules for scaling up, which differ from those for scaling down. */
function setScaleUp(out: Fields): void {
  change(out, "scaleUp", rules => {
    if (isAbsent(own(rules, "stabilizationWindowSeconds"))) put(rules, "stabilizationWindowSeconds", 0)
    if (isAbsent(own(rules, "policies"))) put(rules, "policies", upPolicies)
  })
}

const upPolicies: Value = [{ type: "Pods", value: 4, periodSeconds: 15 }, percentPolicy]

function checkAutoscaler(autoscaler: Field): void {
  const spec = autoscaler.at("spec")
  const least = spec.at("minReplicas")
  const most = spec.at("maxReplicas")
  if (least.isSet && most.number < least.number) {
    most.invalid("must be greater than or equal to `minReplicas`", most.number)
  }
  checkReference(spec.at("scaleTargetRef"))
  const version = spec.at("scaleTargetRef", "apiVersion")
  if (!version.text.includes("/")) version.invalid("apiVersion must specify API group", version.text)
  for (const metric of spec.at("metrics").items()) checkMetric(metric)
  const target = spec.at("targetCPUUtilizationPercentage")
  // A server converts the field before it checks it.
  const average = spec.at("metrics[0]", "resource", "target", "averageUtilization").holding(target.value)
  if (target.isSet && target.number < 1) average.invalid("must be greater than 0")
  checkScaleToZero(spec)
  for (const direction of ["scaleUp", "scaleDown"]) checkRules(spec.at("behavior", direction))
}

/** Without Pods, only a metric about something else can ask for more of them. */
function checkScaleToZero(spec: Field): void {
  const metrics = spec.at("metrics")
  const isOther = (metric: Field) => ["Object", "External"].includes(metric.at("type").text)
  if (!spec.at("minReplicas").isSet || spec.at("minReplicas").number !== 0 || metrics.items().some(isOther)) return
  metrics.forbidden("must specify at least one Object or External metric to support scaling to zero replicas")
}

function checkReference(reference: Field): void {
  for (const key of ["kind", "name"]) reference.at(key).requiredAnd(pathSegment)
  const version = reference.at("apiVersion")
  if (version.text.split("/").length > 2) version.invalid(`unexpected GroupVersion string: ${version.text}`)
}

/** The field of each type of metric, in the order in which an API server checks them. */
const sources: Readonly<Record<string, string>> = {
  Object: "object",
  External: "external",
  Pods: "pods",
  Resource: "resource",
  ContainerResource: "containerResource",
}
const types = Object.keys(sources).sort()

function checkMetric(metric: Field): void {
  const type = metric.at("type")
  type.requireText("must specify a metric source type")
  type.oneOf(types)
  const present = Object.values(sources).filter(name => metric.at(name).isSet)
  const [first] = present
  if (first !== undefined) checkSource(metric.at(first), first)
  const expected = sources[type.text]
  if (expected === undefined) type.oneOf(types)
  else if (!metric.at(expected).isSet) {
    metric.at(expected).required("must populate information for the given metric source")
  }
  if (present.length === 1) return
  for (const name of present) {
    if (name !== expected) metric.at(name).forbidden("must populate the given metric source only")
  }
}

function checkSource(source: Field, type: string): void {
  if (type === "object") checkReference(source.at("describedObject"))
  if (type === "containerResource" || type === "resource") {
    source.at("name").requireText("must specify a resource name")
    if (type === "containerResource") source.at("container").requiredAnd(dnsLabel, "must specify a container")
    checkTarget(source.at("target"))
    checkUtilization(source.at("target"))
    return
  }
  const name = source.at("metric", "name")
  name.requiredAnd(pathSegment, "must specify a metric name")
  const target = source.at("target")
  checkTarget(target)
  checkAverage(target, type)
}

const missingValue: Readonly<Record<string, string>> = {
  object: "must set either a target value or averageValue",
  external: "must set either a target value for metric or a per-pod target",
  pods: "must specify a positive target averageValue",
}

function checkAverage(target: Field, type: string): void {
  const value = target.at("value")
  const average = target.at("averageValue")
  if (!average.isSet && (type === "pods" || !value.isSet)) average.required(missingValue[type])
  if (type === "external" && average.isSet && value.isSet) {
    value.forbidden("may not set both a target value for metric and a per-pod target")
  }
}

function checkUtilization(target: Field): void {
  const utilization = target.at("averageUtilization")
  const value = target.at("averageValue")
  if (!utilization.isSet && !value.isSet) {
    utilization.required("must set either a target raw value or a target utilization")
  }
  if (utilization.isSet && value.isSet) {
    value.forbidden("may not set both a target raw value and a target utilization")
  }
}

function checkTarget(target: Field): void {
  const type = target.at("type")
  type.requireText("must specify a metric target type")
  if (!["Utilization", "Value", "AverageValue"].includes(type.text)) {
    type.invalid("must be either Utilization, Value, or AverageValue", type.text)
  }
  for (const key of ["value", "averageValue"]) {
    const quantity = target.at(key)
    if (quantity.isSet && compareQuantities(quantity.value ?? 0, 0) <= 0) quantity.invalid("must be positive")
  }
  const utilization = target.at("averageUtilization")
  if (utilization.isSet && utilization.number < 1) utilization.invalid("must be greater than 0")
}

function checkRules(rules: Field): void {
  if (!rules.isSet) return
  const window = rules.at("stabilizationWindowSeconds")
  if (window.number < 0) window.invalid("must be greater than or equal to zero")
  if (window.number > 3600) window.invalid("must be less than or equal to 3600")
  rules.at("selectPolicy").oneOfIfSet(["Disabled", "Max", "Min"])
  const policies = rules.at("policies")
  if (policies.size === 0) policies.required("must specify at least one Policy")
  for (const policy of policies.items()) {
    policy.at("type").oneOf(["Percent", "Pods"])
    const seconds = policy.at("periodSeconds")
    for (const field of [policy.at("value"), seconds]) {
      if (field.number <= 0) field.invalid("must be greater than zero", field.number)
    }
    if (seconds.number > 1800) seconds.invalid("must be less than or equal to 1800")
  }
}
