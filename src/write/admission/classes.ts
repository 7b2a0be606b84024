// The plugins Priority and DefaultStorageClass: what the classes of a cluster say about new Pods and claims.

import { metadataOf, metaText } from "../../schema/metadata.js"
import { compareStrings } from "../../value/compare.js"
import { mapAt, textAt, withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import { type Attributes, type Cluster, refused } from "../attributes.js"

/** The classes that every cluster has, and their values. */
const systemClasses: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
}

/** Returns a new Pod with the priority of its class, or of the default class. Throws a RequestFailure if there is no such class. */
export function withPriority(request: Attributes, pod: MapValue, { get, list }: Cluster): MapValue {
  const spec = mapAt(pod, "spec")
  const name = textAt(spec, "priorityClassName")
  const key = "scheduling.k8s.io/priorityclasses"
  const defaults = name === "" ? list(key).filter(each => own(each, "globalDefault") === true) : []
  const lowest = defaults.sort((a, b) => priorityOf(a) - priorityOf(b))[0]
  const found = name === "" ? lowest : (get(key, "", name) ?? systemClass(name))
  if (found === undefined) {
    if (name === "") return pod
    throw refused(request, `no PriorityClass with name ${name} was found`)
  }
  const priority = priorityOf(found)
  const preemptionPolicy = textAt(found, "preemptionPolicy") || "PreemptLowerPriority"
  const given = own(spec, "priority") ?? undefined
  // A Pod without a class has got the priority 0 before.
  if (given !== undefined && given !== priority && (name !== "" || given !== 0)) {
    throw refused(request, notBoth(`integer value of priority (${given})`, String(priority)))
  }
  const policy = own(spec, "preemptionPolicy") ?? undefined
  if (name !== "" && policy !== undefined && policy !== preemptionPolicy) {
    throw refused(request, notBoth(`string value of PreemptionPolicy (${policy})`, preemptionPolicy))
  }
  const priorityClassName = name || metaText(found, "name")
  return withKeys(pod, { spec: withKeys(spec, { priorityClassName, priority, preemptionPolicy }) })
}

function notBoth(what: string, computed: string): string {
  return `the ${what} must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`
}

function systemClass(name: string): MapValue | undefined {
  return Object.hasOwn(systemClasses, name) ? { value: systemClasses[name] as number } : undefined
}

function priorityOf(priorityClass: MapValue): number {
  return Number(own(priorityClass, "value") ?? 0)
}

/** Throws a RequestFailure if a PriorityClass is to become a second default. */
export function checkDefaultPriority(request: Attributes, priorityClass: MapValue, { list }: Cluster): void {
  if (own(priorityClass, "globalDefault") !== true) return
  const other = list("scheduling.k8s.io/priorityclasses").find(
    each => own(each, "globalDefault") === true && metaText(each, "name") !== metaText(priorityClass, "name"),
  )
  if (other === undefined) return
  const name = metaText(other, "name")
  throw refused(request, `PriorityClass ${name} is already marked as default. Only one default can exist`)
}

/** Returns a new claim with the default class, if there is one and the claim names none. The youngest of several defaults counts. */
export function withStorageClass(claim: MapValue, { list }: Cluster): MapValue {
  const spec = mapAt(claim, "spec")
  const old = own(mapAt(metadataOf(claim), "annotations"), "volume.beta.kubernetes.io/storage-class")
  if ((own(spec, "storageClassName") ?? undefined) !== undefined || old !== undefined) return claim
  const isDefault = (each: MapValue) =>
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"].some(
      key => own(mapAt(metadataOf(each), "annotations"), key) === "true",
    )
  const created = (each: MapValue) => metaText(each, "creationTimestamp")
  const [chosen] = list("storage.k8s.io/storageclasses")
    .filter(isDefault)
    .sort((a, b) => compareStrings(created(b), created(a)) || compareStrings(metaText(a, "name"), metaText(b, "name")))
  if (chosen === undefined) return claim
  return withKeys(claim, { spec: withKeys(spec, { storageClassName: metaText(chosen, "name") }) })
}
