// Conversion of built-in kinds between their versions. The server serves two kinds in two versions: Event, which
// is in two groups, and HorizontalPodAutoscaler.

import type { ObjectConverter } from "../../managedfields/types/version-converter.js"
import { RequestFailure } from "../../requests/failure.js"
import { listAt, mapAt, withKeys } from "../../requests/metadata.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"

/** Returns undefined for versions that are not served: managers of those are dropped, as by a server. */
export const builtInConverter: ObjectConverter = {
  convert(object, apiVersion) {
    if (object.apiVersion === apiVersion) return object
    if (object.kind === "Event") return withEventNames(object, apiVersion)
    if (object.kind !== "HorizontalPodAutoscaler") return undefined
    if (apiVersion === "autoscaling/v1") return toV1(object)
    if (apiVersion === "autoscaling/v2") return toV2(object)
    return undefined
  },
}

/** What fields of Events are called in `v1`, and in `events.k8s.io/v1`. */
const eventNames = [
  ["count", "deprecatedCount"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["involvedObject", "regarding"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["message", "note"],
  ["reportingComponent", "reportingController"],
  ["source", "deprecatedSource"],
] as const

/** The Event at the other version, where the same fields have other names; undefined if there is no such version. */
function withEventNames(event: MapValue, apiVersion: string): MapValue | undefined {
  const isNew = apiVersion === "events.k8s.io/v1"
  if (!isNew && apiVersion !== "v1") return undefined
  const changes: Record<string, Value | undefined> = { apiVersion }
  for (const [older, newer] of eventNames) {
    const [from, to] = isNew ? [older, newer] : [newer, older]
    changes[to] = own(event, from)
    changes[from] = undefined
  }
  // Empty texts that v1 writes, and the other leaves out.
  if (isNew && changes.reportingController === "") changes.reportingController = undefined
  if (isNew && own(event, "reportingInstance") === "") changes.reportingInstance = undefined
  return withKeys(event, changes)
}

/** Version 1 has one metric, the use of the CPU; a server keeps the others in annotations. */
function toV1(object: MapValue): MapValue {
  const spec = mapAt(object, "spec")
  const metrics = listAt(spec, "metrics")
  const targets = metrics.map(cpuTarget)
  if (metrics.length > 1 || targets.includes(undefined) || spec.behavior !== undefined) {
    const message =
      "this HorizontalPodAutoscaler has metrics or a behavior that only autoscaling/v2 can express: ask for that version"
    throw new RequestFailure(501, message, "NotImplemented")
  }
  const { currentMetrics: _, conditions: __, ...status } = mapAt(object, "status")
  return {
    ...object,
    apiVersion: "autoscaling/v1",
    spec: withKeys(spec, { metrics: undefined, targetCPUUtilizationPercentage: targets[0] }),
    status: { currentReplicas: 0, desiredReplicas: 0, ...status },
  }
}

function cpuTarget(metric: unknown): number | undefined {
  const resource = isMap(metric as MapValue) ? mapAt(metric as MapValue, "resource") : {}
  const { type, averageUtilization } = mapAt(resource, "target")
  const isCpu = resource.name === "cpu" && type === "Utilization"
  return isCpu && typeof averageUtilization === "number" ? averageUtilization : undefined
}

/** What version 2 has for an object that names no metric: 80 % of the CPU. */
const defaultTarget = 80

function toV2(object: MapValue): MapValue {
  const { targetCPUUtilizationPercentage: averageUtilization = defaultTarget, ...spec } = mapAt(object, "spec")
  const target = { type: "Utilization", averageUtilization }
  const { currentReplicas, ...status } = mapAt(object, "status")
  return {
    ...object,
    apiVersion: "autoscaling/v2",
    spec: { ...spec, metrics: [{ type: "Resource", resource: { name: "cpu", target } }] },
    // Version 2 leaves out zero, which version 1 writes.
    status: { desiredReplicas: 0, currentMetrics: null, ...status, ...(currentReplicas ? { currentReplicas } : {}) },
  }
}
