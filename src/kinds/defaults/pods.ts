// What the admission plugins that every cluster has add to Pods, and how well a Pod is served when its node runs short.

import { listAt, mapAt, withKeys } from "../../requests/metadata.js"
import { own } from "../../value/object.js"
import { compareQuantities } from "../../value/quantity.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"

/** A Pod leaves a node that fails after five minutes. */
const patience = 300
const failures = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]

/** The Pod with the tolerations and the priority of Pods that ask for none. `live` is the Pod that it takes the place of. */
export function admitPod(pod: MapValue, live: MapValue | undefined): MapValue {
  const spec = mapAt(pod, "spec")
  const before = live && mapAt(live, "spec")
  const asksForClass = (own(spec, "priorityClassName") ?? "") !== ""
  const inherited = (key: string, value: Value) =>
    own(spec, key) ?? (before ? own(before, key) : asksForClass ? undefined : value)
  const tolerations = listAt(spec, "tolerations")
  const missing = failures.filter(key => !tolerations.some(each => isMap(each) && toleratesFailure(each, key)))
  const added = missing.map(key => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: patience }))
  const next = withKeys(spec, {
    priority: inherited("priority", 0),
    preemptionPolicy: inherited("preemptionPolicy", "PreemptLowerPriority"),
    ...(added.length > 0 && { tolerations: [...tolerations, ...added] }),
  })
  return next === spec ? pod : withKeys(pod, { spec: next })
}

function toleratesFailure(toleration: MapValue, failure: string): boolean {
  const key = own(toleration, "key") ?? ""
  const effect = own(toleration, "effect") ?? ""
  return (key === failure || key === "") && (effect === "NoExecute" || effect === "")
}

const resources = ["cpu", "memory"]

/** The class of the Pod by what its containers request and are limited to: Guaranteed, Burstable or BestEffort. */
export function qosClassOf(spec: MapValue): string {
  const containers = [...listAt(spec, "initContainers"), ...listAt(spec, "containers")].filter(isMap)
  const given = containers.map(container => mapAt(container, "resources"))
  const amount = (of: MapValue, kind: string, resource: string): Value => own(mapAt(of, kind), resource) ?? 0
  const isGiven = (of: MapValue) =>
    ["limits", "requests"].some(kind => resources.some(each => compareQuantities(amount(of, kind, each), 0) > 0))
  if (!given.some(isGiven)) return "BestEffort"
  const isGuaranteed = (of: MapValue) =>
    resources.every(each => {
      const limit = amount(of, "limits", each)
      const request = own(mapAt(of, "requests"), each) ?? limit
      return compareQuantities(limit, 0) > 0 && compareQuantities(limit, request) === 0
    })
  return given.every(isGuaranteed) ? "Guaranteed" : "Burstable"
}
