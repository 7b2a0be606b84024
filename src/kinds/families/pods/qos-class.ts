// The QoS class of a Pod.

import { listAt, mapAt } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import { compareQuantities } from "../../../value/quantity.js"
import { isMap, type MapValue, type Value } from "../../../value/value.js"

const resources = ["cpu", "memory"]

/** Returns the QoS class of a Pod, by the requests and limits of its containers: Guaranteed, Burstable or BestEffort. */
export function qosClassOf(spec: MapValue): string {
  const containers = [...listAt(spec, "initContainers"), ...listAt(spec, "containers")].filter(isMap)
  const ofContainers = containers.map(container => mapAt(container, "resources"))
  const amount = (of: MapValue, kind: string, resource: string): Value => own(mapAt(of, kind), resource) ?? 0
  const isGiven = (of: MapValue) =>
    ["limits", "requests"].some(kind => resources.some(each => compareQuantities(amount(of, kind, each), 0) > 0))
  if (!ofContainers.some(isGiven)) return "BestEffort"
  const isGuaranteed = (of: MapValue) =>
    resources.every(each => {
      const limit = amount(of, "limits", each)
      const request = own(mapAt(of, "requests"), each) ?? limit
      return compareQuantities(limit, 0) > 0 && compareQuantities(limit, request) === 0
    })
  return ofContainers.every(isGuaranteed) ? "Guaranteed" : "Burstable"
}
