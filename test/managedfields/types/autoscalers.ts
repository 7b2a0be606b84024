// Converts a HorizontalPodAutoscaler between v1 and v2 as an API server does, as far as the recorded stories need it: the target for
// the CPU, and the fields that Go writes although nobody has set them.
import type { ObjectConverter } from "../../../src/managedfields/index.js"
import { isList, isMap, type MapValue, type Value } from "../../../src/value/value.js"

export const autoscalers: ObjectConverter = {
  convert(object, apiVersion) {
    if (apiVersion !== "autoscaling/v1" && apiVersion !== "autoscaling/v2") return undefined
    if (apiVersion === object.apiVersion) return object
    const spec = mapOf(object.spec)
    const required = { ...spec, scaleTargetRef: { kind: "", name: "", ...mapOf(spec.scaleTargetRef) } }
    const { currentMetrics: _, conditions: __, currentReplicas, ...status } = mapOf(object.status)
    const toV1 = apiVersion === "autoscaling/v1"
    return {
      ...object,
      apiVersion,
      spec: { maxReplicas: 0, ...(toV1 ? withoutMetrics(required) : withMetrics(required)) },
      status: toV1
        ? { currentReplicas: currentReplicas ?? 0, desiredReplicas: 0, ...status }
        : { desiredReplicas: 0, currentMetrics: null, ...status, ...(currentReplicas ? { currentReplicas } : {}) },
    }
  },
}

function withoutMetrics({ metrics, behavior: _, ...spec }: MapValue): MapValue {
  for (const metric of isList(metrics) ? metrics : []) {
    const { name, target } = mapOf(mapOf(metric).resource)
    const { type, averageUtilization } = mapOf(target)
    if (name === "cpu" && type === "Utilization" && averageUtilization !== undefined) {
      return { ...spec, targetCPUUtilizationPercentage: averageUtilization }
    }
  }
  return spec
}

/** The conversion has a default for the target. */
function withMetrics({ targetCPUUtilizationPercentage: averageUtilization = 80, ...spec }: MapValue): MapValue {
  const target = { type: "Utilization", averageUtilization }
  return { ...spec, metrics: [{ type: "Resource", resource: { name: "cpu", target } }] }
}

function mapOf(value: Value | undefined): MapValue {
  return isMap(value) ? value : {}
}
