// Converts HorizontalPodAutoscalers between versions 1 and 2. Version 1 has a field for CPU utilization only; a server keeps everything else in
// annotations, in the names of an older version. Nobody else may write these annotations: they are replaced by each conversion.

import { formatGoJson, tryParseJson } from "../../../json/json.js"
import { metadataOf, withMetadata } from "../../../schema/metadata.js"
import { mapAt, mapsAt, textAt, withKeys } from "../../../value/fields.js"
import { copyMap, own, put } from "../../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../../value/value.js"

/** An autoscaler without metrics targets 80 % CPU utilization. */
export const defaultTarget = 80

const prefix = "autoscaling.alpha.kubernetes.io/"
export const metricsAnnotation = `${prefix}metrics`
const statusesAnnotation = `${prefix}current-metrics`
const behaviorAnnotation = `${prefix}behavior`
const conditionsAnnotation = `${prefix}conditions`
const ownAnnotations = [
  metricsAnnotation,
  statusesAnnotation,
  behaviorAnnotation,
  conditionsAnnotation,
  `${prefix}scale-down-tolerance`,
  `${prefix}scale-up-tolerance`,
]

export function toV1(object: MapValue): MapValue {
  const { metrics = [], behavior, ...spec } = mapAt(object, "spec")
  const { currentMetrics, conditions, ...status } = mapAt(object, "status")
  const all = mapsIn(metrics)
  const current = mapsIn(currentMetrics)
  const others = all.filter(metric => utilizationIn(metric, "target") === undefined)
  const annotations = {
    [metricsAnnotation]: others.length > 0 ? others.map(each => metricToV1(each, "target")) : undefined,
    [statusesAnnotation]: current.length > 0 ? current.map(each => metricToV1(each, "current")) : undefined,
    [behaviorAnnotation]: behavior === undefined ? undefined : behaviorToGo(behavior),
    [conditionsAnnotation]: mapsIn(conditions).length > 0 ? mapsIn(conditions).map(conditionInOrder) : undefined,
  }
  const [target] = defined(all.map(metric => utilizationIn(metric, "target")))
  const cpu = defined(current.map(metric => utilizationIn(metric, "current"))).at(-1)
  const converted = {
    ...object,
    apiVersion: "autoscaling/v1",
    spec: withKeys(withRequired(spec), { targetCPUUtilizationPercentage: target }),
    status: withKeys({ currentReplicas: 0, desiredReplicas: 0, ...status }, { currentCPUUtilizationPercentage: cpu }),
  }
  return withAnnotations(converted, annotations)
}

export function toV2(object: MapValue): MapValue {
  const { targetCPUUtilizationPercentage: target, ...spec } = mapAt(object, "spec")
  const { currentReplicas, currentCPUUtilizationPercentage: cpu, ...status } = mapAt(object, "status")
  const annotations = mapAt(metadataOf(object), "annotations")
  const read = (name: string) => tryParseJson(textAt(annotations, name))
  const kept = mapsIn(read(metricsAnnotation)).map(each => metricToV2(each, "target"))
  const metrics = [...kept, ...(isNumber(target) ? [cpuMetric(target)] : [])]
  const statuses = read(statusesAnnotation)
  const measured = isNumber(cpu) ? [currentCpu(cpu)] : null
  const behavior = read(behaviorAnnotation)
  const conditions = read(conditionsAnnotation)
  const converted = {
    ...object,
    apiVersion: "autoscaling/v2",
    spec: {
      ...withRequired(spec),
      metrics: metrics.length > 0 ? metrics : [cpuMetric(defaultTarget)],
      ...(isMap(behavior ?? null) && { behavior: behaviorFromGo(behavior as MapValue) }),
    },
    // Version 2 omits zero, which version 1 writes.
    status: {
      desiredReplicas: 0,
      ...status,
      currentMetrics: isList(statuses ?? null) ? mapsIn(statuses).map(each => metricToV2(each, "current")) : measured,
      ...(currentReplicas ? { currentReplicas } : {}),
      ...(isList(conditions ?? null) && { conditions: mapsIn(conditions) }),
    },
  }
  return withAnnotations(converted, {})
}

export function cpuMetric(averageUtilization: Value): MapValue {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } }
}

function currentCpu(averageUtilization: Value): MapValue {
  return { type: "Resource", resource: { name: "cpu", current: { averageUtilization } } }
}

/** Returns the object with these annotations, as JSON, instead of those of an earlier conversion. */
function withAnnotations(object: MapValue, values: Readonly<Record<string, Value | undefined>>): MapValue {
  const before = mapAt(metadataOf(object), "annotations")
  const annotations: Record<string, Value> = {}
  for (const key in before) if (!ownAnnotations.includes(key)) put(annotations, key, own(before, key) as Value)
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined) put(annotations, key, formatGoJson(value, { sorted: false }))
  }
  const isSame = Object.keys(annotations).length === 0 && own(metadataOf(object), "annotations") === undefined
  return isSame
    ? object
    : withMetadata(object, { annotations: Object.keys(annotations).length > 0 ? annotations : undefined })
}

/** Go writes these fields in every version, set or not. */
function withRequired(spec: MapValue): MapValue {
  return { maxReplicas: 0, ...spec, scaleTargetRef: { kind: "", name: "", ...mapAt(spec, "scaleTargetRef") } }
}

const isNumber = (value: Value | undefined) => typeof value === "number" || typeof value === "bigint"
const mapsIn = (value: Value | undefined): readonly MapValue[] => mapsAt({ items: value ?? null }, "items")
const defined = (values: readonly (Value | undefined)[]) => values.filter(value => value !== undefined)

/** Where a metric has its values: in the spec, or in the status. */
type Side = "target" | "current"

/** Returns the CPU utilization of a metric; undefined if it is about anything else. */
function utilizationIn(metric: MapValue, side: Side): Value | undefined {
  const resource = mapAt(metric, "resource")
  if (metric.type !== "Resource" || resource.name !== "cpu") return undefined
  const utilization = own(mapAt(resource, side), "averageUtilization")
  return isNumber(utilization) ? utilization : undefined
}

/** The name of a value in version 1: `targetAverageValue`. */
const named = (side: Side, name: string) => `${side}${name}`

/** Returns a metric, or its current values, with the fields of version 1. A quantity that Go can't omit is 0. */
function metricToV1(metric: MapValue, side: Side): MapValue {
  const key = sourceOf(metric)
  const source = mapAt(metric, key)
  const { value, averageValue, averageUtilization } = mapAt(source, side)
  const { name: metricName = "", selector } = mapAt(source, "metric")
  const zero = side === "current" ? "0" : undefined
  const bySource: Readonly<Record<string, Readonly<Record<string, Value | undefined>>>> = {
    object: {
      target: inOrder(mapAt(source, "describedObject"), ["kind", "name", "apiVersion"]),
      metricName,
      [named(side, "Value")]: value ?? "0",
      selector,
      averageValue,
    },
    pods: { metricName, [named(side, "AverageValue")]: averageValue ?? "0", selector },
    resource: {
      name: own(source, "name"),
      [named(side, "AverageUtilization")]: averageUtilization,
      [named(side, "AverageValue")]: averageValue ?? zero,
      container: own(source, "container"),
    },
    external: {
      metricName,
      metricSelector: selector,
      [named(side, "Value")]: value ?? zero,
      [named(side, "AverageValue")]: averageValue,
    },
  }
  const fields = bySource[key === "containerResource" ? "resource" : key] ?? {}
  return withKeys({ type: textAt(metric, "type") }, key === "" ? {} : { [key]: withKeys({}, fields) })
}

/** Returns a metric of version 1, or its current values, with the fields of version 2. */
function metricToV2(metric: MapValue, side: Side): MapValue {
  const key = sourceOf(metric)
  const source = mapAt(metric, key)
  const read = (name: string) => own(source, named(side, name))
  const average = key === "object" ? own(source, "averageValue") : read("AverageValue")
  const utilization = read("AverageUtilization")
  const given = read("Value")
  // Version 1 can't omit the value of an object metric.
  const value = key === "object" && side === "target" && average !== undefined && given === "0" ? undefined : given
  const hasValue = key === "object" ? average === undefined : key === "external" && value !== undefined
  const type = utilization !== undefined ? "Utilization" : hasValue ? "Value" : "AverageValue"
  const values = withKeys(side === "target" ? { type } : {}, {
    value,
    averageValue: average,
    averageUtilization: utilization,
  })
  const selector = key === "external" ? own(source, "metricSelector") : own(source, "selector")
  const about =
    key === "resource" || key === "containerResource"
      ? { name: own(source, "name"), container: own(source, "container") }
      : {
          describedObject: key === "object" ? mapAt(source, "target") : undefined,
          metric: withKeys({ name: textAt(source, "metricName") }, { selector }),
        }
  return withKeys(
    { type: textAt(metric, "type") },
    key === "" ? {} : { [key]: withKeys(withKeys({}, about), { [side]: values }) },
  )
}

const sources = ["object", "pods", "resource", "containerResource", "external"]

/** Returns the field of a metric that has its source; "" if it has none. */
function sourceOf(metric: MapValue): string {
  return sources.find(name => isMap(own(metric, name) ?? null)) ?? ""
}

function inOrder(map: MapValue, keys: readonly string[]): MapValue {
  const out: Record<string, Value> = {}
  for (const key of keys) {
    const value = own(map, key)
    if (value !== undefined) put(out, key, value)
  }
  return out
}

function conditionInOrder(condition: MapValue): MapValue {
  const keys = ["type", "status", "lastTransitionTime", "reason", "message", "observedGeneration"]
  return inOrder(condition, keys)
}

/** Go writes the behavior under the names of its internal struct, and writes every field. */
const goNames = {
  behavior: ["scaleUp", "scaleDown"],
  rules: ["stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance"],
  policy: ["type", "value", "periodSeconds"],
} as const

const capitalized = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

function behaviorToGo(behavior: Value): MapValue {
  return renamed(behavior, goNames.behavior, rules =>
    isMap(rules)
      ? renamed(rules, goNames.rules, value =>
          isList(value) ? value.map(policy => renamed(policy, goNames.policy, each => each)) : value,
        )
      : rules,
  )
}

function renamed(value: Value, names: readonly string[], change: (value: Value) => Value): MapValue {
  const map = isMap(value) ? value : {}
  return Object.fromEntries(names.map(name => [capitalized(name), change(own(map, name) ?? null)]))
}

function behaviorFromGo(behavior: MapValue): MapValue {
  const restored = (map: MapValue, names: readonly string[], change: (value: Value) => Value): MapValue => {
    const out = copyMap({})
    for (const name of names) {
      const value = own(map, capitalized(name)) ?? null
      if (value !== null) put(out, name, change(value))
    }
    return out
  }
  const ofPolicy = (policy: Value) => (isMap(policy) ? restored(policy, goNames.policy, each => each) : policy)
  const ofRules = (rules: Value) =>
    isMap(rules) ? restored(rules, goNames.rules, value => (isList(value) ? value.map(ofPolicy) : value)) : rules
  return restored(behavior, goNames.behavior, ofRules)
}
