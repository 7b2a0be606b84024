// The plugin LimitRanger: default requests and limits of containers, and the bounds for containers, Pods and claims.

import { metadataOf, withMetadata } from "../../schema/metadata.js"
import { compareStrings } from "../../value/compare.js"
import { mapAt, mapsAt, textAt, withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { addQuantities, compareQuantities, quantityNumber } from "../../value/quantity.js"
import type { MapValue, Value } from "../../value/value.js"
import { type Attributes, type Cluster, refused } from "../attributes.js"

type Amounts = Readonly<Record<string, Value>>

interface Resources {
  readonly requests: Amounts
  readonly limits: Amounts
}

const rangesOf = ({ list }: Cluster, namespace: string) => list("/limitranges", namespace)
const itemsOf = (range: MapValue, type: string) =>
  mapsAt(mapAt(range, "spec"), "limits").filter(item => textAt(item, "type") === type)

function resourcesOf(container: MapValue): Resources {
  const resources = mapAt(container, "resources")
  return { requests: mapAt(resources, "requests"), limits: mapAt(resources, "limits") }
}

/** Returns a new Pod with the default requests and limits of its namespace, and an annotation that says what was set. */
export function withDefaultLimits(pod: MapValue, namespace: string, cluster: Cluster): MapValue {
  return rangesOf(cluster, namespace).reduce((out, range) => withLimitsOf(out, itemsOf(range, "Container")), pod)
}

function withLimitsOf(pod: MapValue, items: readonly MapValue[]): MapValue {
  const merged = (key: string): Amounts => Object.assign({}, ...items.map(item => mapAt(item, key)))
  const defaults = { requests: merged("defaultRequest"), limits: merged("default") }
  const notes: string[] = []
  const filled = (container: MapValue, what: string) => {
    const before = resourcesOf(container)
    const missing = (kind: keyof Resources) =>
      Object.keys(defaults[kind])
        .filter(name => own(before[kind], name) === undefined)
        .sort(compareStrings)
    const add = (kind: keyof Resources) => ({
      ...before[kind],
      ...Object.fromEntries(missing(kind).map(name => [name, defaults[kind][name] as Value])),
    })
    for (const kind of ["requests", "limits"] as const) {
      const names = missing(kind)
      if (names.length > 0)
        notes.push(`${names.join(", ")} ${kind.slice(0, -1)} for ${what} ${textAt(container, "name")}`)
    }
    if (missing("requests").length + missing("limits").length === 0) return container
    const resources = { requests: add("requests"), limits: add("limits") }
    const isSet = (kind: keyof Resources) => Object.keys(resources[kind]).length > 0
    return withKeys(container, {
      resources: withKeys(mapAt(container, "resources"), {
        ...(isSet("requests") && { requests: resources.requests }),
        ...(isSet("limits") && { limits: resources.limits }),
      }),
    })
  }
  const spec = mapAt(pod, "spec")
  const containers = mapsAt(spec, "containers").map(each => filled(each, "container"))
  const initContainers = mapsAt(spec, "initContainers").map(each => filled(each, "init container"))
  if (notes.length === 0) return pod
  const changed = withKeys(spec, { containers, ...(initContainers.length > 0 && { initContainers }) })
  const annotations = withKeys(mapAt(metadataOf(pod), "annotations"), {
    "kubernetes.io/limit-ranger": `LimitRanger plugin set: ${notes.join("; ")}`,
  })
  return withMetadata(withKeys(pod, { spec: changed }), { annotations })
}

/** Throws a RequestFailure with all bounds that a new Pod, or a claim, exceeds. */
export function checkLimits(request: Attributes, object: MapValue, cluster: Cluster): void {
  const isPod = request.resource.plural === "pods"
  const problems = rangesOf(cluster, request.namespace).flatMap(range =>
    isPod ? podProblems(object, range) : claimProblems(object, range),
  )
  const unique = [...new Set(problems)]
  if (unique.length > 0) throw refused(request, unique.length === 1 ? unique.join() : `[${unique.join(", ")}]`)
}

function podProblems(pod: MapValue, range: MapValue): string[] {
  const spec = mapAt(pod, "spec")
  const [containers, first] = ["containers", "initContainers"].map(key => mapsAt(spec, key).map(resourcesOf))
  const all = [...(containers ?? []), ...(first ?? [])]
  const total = (kind: keyof Resources): Amounts => {
    const sums: Record<string, Value> = {}
    for (const { [kind]: amounts } of containers ?? []) {
      for (const [name, amount] of Object.entries(amounts)) sums[name] = addQuantities(sums[name] ?? "0", amount)
    }
    // The containers that start first run one by one.
    for (const { [kind]: amounts } of first ?? []) {
      for (const [name, amount] of Object.entries(amounts)) {
        if (compareQuantities(amount, sums[name] ?? "0") > 0) sums[name] = amount
      }
    }
    return sums
  }
  const whole = { requests: total("requests"), limits: total("limits") }
  return [
    ...itemsOf(range, "Container").flatMap(item => all.flatMap(resources => itemProblems(item, resources))),
    ...itemsOf(range, "Pod").flatMap(item => itemProblems(item, whole)),
  ]
}

function claimProblems(claim: MapValue, range: MapValue): string[] {
  const { requests } = resourcesOf(mapAt(claim, "spec"))
  return itemsOf(range, "PersistentVolumeClaim").flatMap(item => [
    ...bounds(item, "min").flatMap(([name, least]) => belowProblem(item, name, least, { requests, limits: {} })),
    ...bounds(item, "max").flatMap(([name, most]) => {
      const given = own(requests, name)
      const text = `maximum ${name} usage per ${textAt(item, "type")} is ${most}`
      if (given === undefined) return `${text}.  No request is specified`
      return compareQuantities(given, most) > 0 ? `${text}, but request is ${given}` : []
    }),
  ])
}

function bounds(item: MapValue, key: string): [string, Value][] {
  return Object.entries(mapAt(item, key)).sort(([a], [b]) => compareStrings(a, b))
}

function itemProblems(item: MapValue, resources: Resources): string[] {
  return [
    ...bounds(item, "min").flatMap(([name, least]) => belowProblem(item, name, least, resources)),
    ...bounds(item, "max").flatMap(([name, most]) => aboveProblem(item, name, most, resources)),
    ...bounds(item, "maxLimitRequestRatio").flatMap(([name, ratio]) => ratioProblem(item, name, ratio, resources)),
  ]
}

function belowProblem(item: MapValue, name: string, least: Value, { requests, limits }: Resources): string | [] {
  const [request, limit] = [own(requests, name), own(limits, name)]
  const text = `minimum ${name} usage per ${textAt(item, "type")} is ${least}`
  if (request === undefined) return `${text}.  No request is specified`
  if (compareQuantities(request, least) < 0) return `${text}, but request is ${request}`
  return limit !== undefined && compareQuantities(limit, least) < 0 ? `${text}, but limit is ${limit}` : []
}

function aboveProblem(item: MapValue, name: string, most: Value, { requests, limits }: Resources): string | [] {
  const [request, limit] = [own(requests, name), own(limits, name)]
  const text = `maximum ${name} usage per ${textAt(item, "type")} is ${most}`
  if (limit === undefined) return `${text}.  No limit is specified`
  if (compareQuantities(limit, most) > 0) return `${text}, but limit is ${limit}`
  return request !== undefined && compareQuantities(request, most) > 0 ? `${text}, but request is ${request}` : []
}

function ratioProblem(item: MapValue, name: string, most: Value, { requests, limits }: Resources): string | [] {
  const [request, limit] = [own(requests, name), own(limits, name)].map(each => quantityNumber(each ?? "0")) as [
    number,
    number,
  ]
  const text = `${name} max limit to request ratio per ${textAt(item, "type")} is ${most}`
  if (request === 0) return `${text}, but no request is specified or request is 0`
  if (limit === 0) return `${text}, but no limit is specified or limit is 0`
  const ratio = limit / request
  return ratio > quantityNumber(most) ? `${text}, but provided ratio is ${ratio.toFixed(6)}` : []
}
