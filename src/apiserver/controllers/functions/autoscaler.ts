// HorizontalPodAutoscalers: replicas that follow metrics. Tests give the metrics in an annotation of the HorizontalPodAutoscaler.

import { formatTime } from "../../../managedfields/entries/time.js"
import { metadataOf, metaText } from "../../../schema/metadata.js"
import { mapAt, mapsAt, textAt, withKeys } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import { quantityNumber } from "../../../value/quantity.js"
import type { MapValue } from "../../../value/value.js"
import { annotationsOf, isDeleted, numberAt, specOf, statusOf, statusUpdate } from "./common.js"
import type { ClusterView, Step } from "./request.js"

/** The annotation with the current metrics, by their names: `cpu=80,requests=120`. */
const metricsAnnotation = "structured-merge-diff/metrics"

/** The time between two looks at the metrics, in milliseconds. */
const period = 15_000
/** A metric so close to its target changes nothing. */
const tolerance = 0.1

/** A metric of the spec with its current value. */
interface Metric {
  readonly name: string
  /** The replicas that the metric asks for. */
  readonly replicas: number
  readonly status: MapValue
}

/** Decides on the next step of a HorizontalPodAutoscaler. */
export function autoscale(object: MapValue, cluster: ClusterView): readonly Step[] {
  if (isDeleted(object)) return []
  const { now } = cluster
  const [spec, old] = [specOf(object), statusOf(object)]
  const reference = mapAt(spec, "scaleTargetRef")
  const [apiVersion, kind, name] = ["apiVersion", "kind", "name"].map(key => textAt(reference, key)) as [
    string,
    string,
    string,
  ]
  const target = cluster.find(apiVersion, kind, metaText(object, "namespace"), name)
  const conditions = new Conditions(mapsAt(old, "conditions"), now)
  if (target === undefined) {
    const why = `the HPA controller was unable to get the target's current scale: ${kind} "${name}" not found`
    conditions.set("AbleToScale", "False", "FailedGetScale", why)
    return [...statusUpdate(object, withKeys(old, { conditions: conditions.list })), { again: period }]
  }
  conditions.set(
    "AbleToScale",
    "True",
    "SucceededGetScale",
    "the HPA controller was able to get the target's current scale",
  )
  const current = numberAt(specOf(target), "replicas", 1)
  const [least, most] = [numberAt(spec, "minReplicas", 1), numberAt(spec, "maxReplicas", 1)]
  let desired = current
  let metrics: readonly Metric[] = []
  if (current === 0)
    conditions.set(
      "ScalingActive",
      "False",
      "ScalingDisabled",
      "scaling is disabled since the replica count of the target is zero",
    )
  else if (current > most || current < least) desired = Math.min(most, Math.max(least, current))
  else {
    metrics = readMetrics(object, current)
    const [first] = metrics
    if (first === undefined) {
      const why = `the HPA was unable to compute the replica count: the annotation ${metricsAnnotation} has none of its metrics`
      conditions.set("ScalingActive", "False", "FailedGetResourceMetric", why)
    } else {
      const chosen = metrics.reduce((a, b) => (b.replicas > a.replicas ? b : a), first)
      const found = `the HPA was able to successfully calculate a replica count from ${chosen.name}`
      conditions.set("ScalingActive", "True", "ValidMetricFound", found)
      desired = limited(conditions, chosen.replicas, current, least, most)
    }
  }
  if (desired !== current) {
    const scaled = `the HPA controller was able to update the target scale to ${desired}`
    conditions.set("AbleToScale", "True", "SucceededRescale", scaled)
  }
  const lastScaleTime = desired === current ? own(old, "lastScaleTime") : formatTime(now)
  const status: MapValue = {
    observedGeneration: numberAt(metadataOf(object), "generation"),
    ...(lastScaleTime !== undefined && { lastScaleTime }),
    ...(current > 0 && { currentReplicas: current }),
    desiredReplicas: desired,
    currentMetrics: metrics.length > 0 ? metrics.map(each => each.status) : null,
    conditions: conditions.list,
  }
  const scale: readonly Step[] = desired === current ? [] : [{ verb: "scale", object: target, replicas: desired }]
  return [...scale, ...statusUpdate(object, status), { again: period }]
}

/** Returns the replicas within the limits of the spec and of one step, and says why. */
function limited(conditions: Conditions, wanted: number, current: number, least: number, most: number): number {
  const step = Math.max(2 * current, 4)
  const limits = [
    {
      bound: most,
      reason: "TooManyReplicas",
      message: "the desired replica count is more than the maximum replica count",
    },
    {
      bound: step,
      reason: "ScaleUpLimit",
      message: "the desired replica count is increasing faster than the maximum scale rate",
    },
  ].sort((a, b) => a.bound - b.bound)
  const [upper] = limits
  if (upper !== undefined && wanted > upper.bound) {
    conditions.set("ScalingLimited", "True", upper.reason, upper.message)
    return upper.bound
  }
  if (wanted < least) {
    const message = "the desired replica count is less than the minimum replica count"
    conditions.set("ScalingLimited", "True", "TooFewReplicas", message)
    return least
  }
  conditions.set("ScalingLimited", "False", "DesiredWithinRange", "the desired count is within the acceptable range")
  return wanted
}

/** The kinds of metrics, with the member of the spec that describes each. */
const sources: Readonly<Record<string, string>> = {
  Resource: "resource",
  ContainerResource: "containerResource",
  Pods: "pods",
  Object: "object",
  External: "external",
}

/** Returns the metrics of the spec that have a value. */
function readMetrics(object: MapValue, current: number): readonly Metric[] {
  const given = new Map(
    textAt(annotationsOf(object), metricsAnnotation)
      .split(",")
      .map(pair => pair.split("=").map(part => part.trim()) as [string, string]),
  )
  return mapsAt(specOf(object), "metrics").flatMap(metric => {
    const type = textAt(metric, "type")
    const source = mapAt(metric, sources[type] ?? "")
    const name = textAt(source, "name") || textAt(mapAt(source, "metric"), "name")
    const value = given.get(name)
    if (value === undefined) return []
    const target = mapAt(source, "target")
    const targetType = textAt(target, "type")
    const key =
      targetType === "Utilization" ? "averageUtilization" : targetType === "AverageValue" ? "averageValue" : "value"
    const wanted = quantityNumber(own(target, key) ?? 0)
    // A total is given for metrics that are not those of the Pods.
    const isTotal = key === "averageValue" && (type === "External" || type === "Object")
    const now = quantityNumber(value)
    const ratio = now / (isTotal ? wanted * current : wanted)
    const replicas = Math.abs(ratio - 1) <= tolerance ? current : Math.ceil(ratio * current)
    const isResource = type === "Resource" || type === "ContainerResource"
    const shown = key === "averageUtilization" ? now : isTotal ? String(Math.ceil(now / current)) : value
    const { target: _, ...identity } = source
    const currently: MapValue =
      isResource && key === "averageUtilization" ? { averageUtilization: shown, averageValue: "0" } : { [key]: shown }
    const status: MapValue = { type, [sources[type] ?? ""]: { ...identity, current: currently } }
    const label =
      key === "averageUtilization"
        ? `${name} resource utilization (percentage of request)`
        : `${type.toLowerCase()} metric ${name}`
    return [{ name: label, replicas, status }]
  })
}

/** Conditions that change in place, as those of a HorizontalPodAutoscaler do. */
class Conditions {
  list: readonly MapValue[]
  private readonly now: Date

  constructor(list: readonly MapValue[], now: Date) {
    this.list = list
    this.now = now
  }

  set(type: string, status: "True" | "False", reason: string, message: string): void {
    const old = this.list.find(each => each.type === type)
    const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? null) : formatTime(this.now)
    const condition = { type, status, lastTransitionTime, reason, message }
    this.list = old === undefined ? [...this.list, condition] : this.list.map(each => (each === old ? condition : each))
  }
}
