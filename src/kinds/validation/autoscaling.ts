// HorizontalPodAutoscalers.
import { compareQuantities } from "../../value/quantity.js"
import type { Field } from "./field.js"
import { dnsLabel, pathSegment } from "./names.js"

export function checkAutoscaler(autoscaler: Field): void {
  const spec = autoscaler.at("spec")
  const least = spec.at("minReplicas")
  const most = spec.at("maxReplicas")
  if (least.isSet && most.number < least.number) {
    most.invalid("must be greater than or equal to `minReplicas`", most.number)
  }
  checkReference(spec.at("scaleTargetRef"))
  for (const metric of spec.at("metrics").items()) checkMetric(metric)
  for (const way of ["scaleUp", "scaleDown"]) checkRules(spec.at("behavior", way))
  if (least.isSet && least.number < 1) least.invalid("must be greater than or equal to 1")
  if (most.number === 0) most.required()
  else if (most.number < 0) most.invalid("must be greater than or equal to 1")
}

function checkReference(reference: Field): void {
  for (const key of ["kind", "name"]) reference.at(key).requiredAnd(pathSegment)
  const version = reference.at("apiVersion")
  const parts = version.text.split("/")
  if (parts.length > 2) version.invalid(`unexpected GroupVersion string: ${version.text}`)
  else if (parts.length < 2) version.invalid("apiVersion must specify API group", version.text)
}

/** The field of each type of metric, in the order in which an API server looks at them. */
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
  if (type.text === "") type.required("must specify a metric source type")
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
    if (source.at("name").text === "") source.at("name").required("must specify a resource name")
    if (type === "containerResource") {
      const container = source.at("container")
      if (container.text === "") container.required("must specify a container")
      else container.check(dnsLabel)
    }
    checkTarget(source.at("target"))
    checkUtilization(source.at("target"))
    return
  }
  const name = source.at("metric", "name")
  if (name.text === "") name.required("must specify a metric name")
  else name.check(pathSegment)
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
  if (type.text === "") type.required("must specify a metric target type")
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
  const select = rules.at("selectPolicy")
  if (select.isSet) select.oneOf(["Disabled", "Max", "Min"])
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
