// The plugin ResourceQuota. The server runs no controllers, so it counts the objects of the namespace with each request.

import { storeKey } from "../../kinds/resource/resource.js"
import { nameInGroup } from "../../schema/group-version-kind.js"
import { metaText } from "../../schema/metadata.js"
import { compareStrings } from "../../value/compare.js"
import { mapAt, mapsAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { addQuantities, compareQuantities } from "../../value/quantity.js"
import type { MapValue, Value } from "../../value/value.js"
import { type Attributes, type Cluster, refused } from "../attributes.js"
import { byName } from "./match.js"

type Usage = Readonly<Record<string, Value>>

/** Names for counts of objects from before `count/`. */
const plainCounts = new Set(
  "pods services replicationcontrollers resourcequotas secrets configmaps persistentvolumeclaims".split(" "),
)

/** Returns the amounts that one object uses. */
function usageOf(plural: string, group: string, object: MapValue): Usage {
  const spec = mapAt(object, "spec")
  const counts: Usage = {
    [`count/${nameInGroup(plural, group)}`]: "1",
    ...(group === "" && plainCounts.has(plural) && { [plural]: "1" }),
  }
  if (group !== "") return counts
  if (plural === "pods") return isFinished(object) ? counts : { ...counts, ...computeOf(spec) }
  if (plural === "services") {
    const type = textAt(spec, "type")
    const ports = String(mapsAt(spec, "ports").length)
    return {
      ...counts,
      ...(type === "LoadBalancer" && { "services.loadbalancers": "1" }),
      ...((type === "LoadBalancer" || type === "NodePort") && { "services.nodeports": ports }),
    }
  }
  if (plural !== "persistentvolumeclaims") return counts
  const storage = own(mapAt(mapAt(spec, "resources"), "requests"), "storage")
  const storageClass = textAt(spec, "storageClassName")
  const prefix = `${storageClass}.storageclass.storage.k8s.io/`
  return {
    ...counts,
    ...(storage !== undefined && { "requests.storage": storage }),
    ...(storageClass !== "" && { [`${prefix}persistentvolumeclaims`]: "1" }),
    ...(storageClass !== "" && storage !== undefined && { [`${prefix}requests.storage`]: storage }),
  }
}

/** Pods that have ended use nothing. */
function isFinished(pod: MapValue): boolean {
  return ["Succeeded", "Failed"].includes(textAt(mapAt(pod, "status"), "phase"))
}

/** Returns the sums of what the containers request and may use at most: `requests.cpu`, `limits.cpu`, and `cpu` for the request. */
function computeOf(spec: MapValue): Usage {
  const sums: Record<string, Value> = {}
  const each = (key: string, merge: (sum: Value, amount: Value) => Value) => {
    for (const container of mapsAt(spec, key)) {
      for (const kind of ["requests", "limits"]) {
        for (const [name, amount] of Object.entries(mapAt(mapAt(container, "resources"), kind))) {
          for (const label of kind === "requests" ? [`requests.${name}`, name] : [`limits.${name}`]) {
            sums[label] = merge(sums[label] ?? "0", amount)
          }
        }
      }
    }
  }
  each("containers", addQuantities)
  each("initContainers", (sum, amount) => (compareQuantities(amount, sum) > 0 ? amount : sum))
  return sums
}

/** Throws a RequestFailure if a new object exceeds a quota of its namespace. Quotas with scopes are not enforced. */
export function checkQuotas(request: Attributes, object: MapValue, cluster: Cluster): void {
  const { resource, namespace } = request
  const quotas = namespace === "" ? [] : [...cluster.list("/resourcequotas", namespace)].sort(byName)
  if (quotas.length === 0) return
  const wanted = usageOf(resource.plural, resource.group, object)
  for (const quota of quotas) {
    const spec = mapAt(quota, "spec")
    if (mapsAt(mapAt(spec, "scopeSelector"), "matchExpressions").length > 0 || own(spec, "scopes") !== undefined)
      continue
    const hard = mapAt(spec, "hard")
    const limited = Object.keys(hard).sort(compareStrings)
    if (resource.plural === "pods" && resource.group === "") requireCompute(request, quota, limited, object)
    const names = limited.filter(name => own(wanted, name) !== undefined)
    if (names.length === 0) continue
    const used: Record<string, Value> = Object.fromEntries(names.map(name => [name, "0"]))
    for (const each of cluster.list(storeKey(resource), namespace)) {
      const usage = usageOf(resource.plural, resource.group, each)
      for (const name of names) used[name] = addQuantities(used[name] as Value, usage[name] ?? "0")
    }
    const over = names.filter(
      name => compareQuantities(addQuantities(used[name] as Value, wanted[name] as Value), hard[name] as Value) > 0,
    )
    if (over.length === 0) continue
    const shown = (amounts: Usage) => over.map(name => `${name}=${amounts[name]}`).join(",")
    const numbers = `requested: ${shown(wanted)}, used: ${shown(used)}, limited: ${shown(hard)}`
    throw refused(request, `exceeded quota: ${metaText(quota, "name")}, ${numbers}`)
  }
}

/** The resources that every container must have if a quota limits them. */
const compute = new Set(["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"])

function requireCompute(request: Attributes, quota: MapValue, limited: readonly string[], pod: MapValue): void {
  const containers = [...mapsAt(mapAt(pod, "spec"), "containers"), ...mapsAt(mapAt(pod, "spec"), "initContainers")]
  const missing = limited.flatMap(name => {
    if (!compute.has(name)) return []
    const [resource = "", kind = "requests"] = name.split(".").reverse()
    const without = containers.filter(each => own(mapAt(mapAt(each, "resources"), kind), resource) === undefined)
    const names = without.map(each => textAt(each, "name")).sort(compareStrings)
    return names.length === 0 ? [] : [`${name} for: ${names.join(",")}`]
  })
  if (missing.length === 0) return
  throw refused(request, `failed quota: ${metaText(quota, "name")}: must specify ${missing.join("; ")}`)
}
