// Reads the objects by which the admission of a cluster decides: policies with their bindings and parameters, webhook configurations, limits,
// quotas with the objects that they count, classes and namespaces.
import { parseKind } from "../../schema/group-version-kind.js"
import { metaText } from "../../schema/metadata.js"
import { mapAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"
import type { ClusterResource } from "./discovery.js"
import { getObjects, listAll, type ObjectAddress, type ReadObjects } from "./objects.js"
import type { Requests } from "./requests.js"

const policyGroup = "admissionregistration.k8s.io"
const policies = "ValidatingAdmissionPolicy MutatingAdmissionPolicy".split(" ")

/** Groups and plurals of resources: admission needs all of their objects. */
const whole = [
  ...["validatingadmissionpolicies", "validatingadmissionpolicybindings"].map(plural => [policyGroup, plural]),
  ...["mutatingadmissionpolicies", "mutatingadmissionpolicybindings"].map(plural => [policyGroup, plural]),
  ...["validatingwebhookconfigurations", "mutatingwebhookconfigurations"].map(plural => [policyGroup, plural]),
  ["scheduling.k8s.io", "priorityclasses"],
  ["storage.k8s.io", "storageclasses"],
] as const

/** Plurals of core resources: admission needs their objects in the namespace of a request. */
const local = ["limitranges", "resourcequotas"] as const

/** All objects of a resource in a namespace, or in all namespaces if it is "". */
interface Listing {
  readonly resource: ClusterResource
  readonly namespace: string
}

/**
 * Reads the objects that admission needs for requests in these namespaces. A missing object does not count as a failure. Resources that the
 * cluster lacks are left out.
 */
export async function readAdmissionObjects(
  requests: Requests,
  resources: readonly ClusterResource[],
  namespaces: readonly string[],
): Promise<ReadObjects> {
  const find = (group: string, plural: string) =>
    resources.find(each => each.group === group && each.plural === plural && each.verbs.includes("list"))
  const listings = [
    ...whole.flatMap(([group = "", plural = ""]) => listing(find(group, plural), "")),
    ...local.flatMap(plural => namespaces.flatMap(namespace => listing(find("", plural), namespace))),
  ]
  const kind = find("", "namespaces")
  const first = await readAll(
    requests,
    listings,
    namespaces.flatMap(name => (kind === undefined ? [] : [{ resource: kind, name }])),
  )
  const needs = new Needs(resources, namespaces, first.objects)
  const second = await readAll(requests, needs.listings, needs.addresses)
  return { objects: [...first.objects, ...second.objects], failures: [...first.failures, ...second.failures] }
}

function listing(resource: ClusterResource | undefined, namespace: string): Listing[] {
  return resource === undefined ? [] : [{ resource, namespace }]
}

async function readAll(
  requests: Requests,
  listings: readonly Listing[],
  addresses: readonly ObjectAddress[],
): Promise<ReadObjects> {
  const [one, ...lists] = await Promise.all([
    getObjects(requests, addresses),
    ...listings.map(({ resource, namespace }) => listAll(requests, [resource], { namespace })),
  ])
  const all = [one, ...lists]
  return {
    objects: all.flatMap(({ objects }) => objects),
    failures: all.flatMap(({ failures }) => failures).filter(({ status }) => status !== 404),
  }
}

/** The objects that policies and quotas of a cluster refer to: parameters, the definitions of their kinds, and the objects that quotas count. */
class Needs {
  private readonly resources: readonly ClusterResource[]
  private readonly namespaces: readonly string[]
  private readonly listed = new Map<string, Listing>()
  private readonly named = new Map<string, ObjectAddress>()

  constructor(resources: readonly ClusterResource[], namespaces: readonly string[], objects: readonly MapValue[]) {
    this.resources = resources
    this.namespaces = namespaces
    for (const object of objects) {
      const kind = textAt(object, "kind")
      if (policies.includes(kind)) this.addParams(object, objects)
      if (kind === "ResourceQuota") this.addCounted(object)
    }
  }

  get listings(): readonly Listing[] {
    return [...this.listed.values()]
  }

  get addresses(): readonly ObjectAddress[] {
    return [...this.named.values()]
  }

  /** Adds the parameters of a policy that its bindings name or select, and the definition of their kind. */
  private addParams(policy: MapValue, objects: readonly MapValue[]): void {
    const param = mapAt(mapAt(policy, "spec"), "paramKind")
    const [apiVersion, kind] = [textAt(param, "apiVersion"), textAt(param, "kind")]
    const resource = this.resources.find(each => each.apiVersion === apiVersion && each.kind === kind)
    if (resource === undefined) return
    const definitions = this.find("apiextensions.k8s.io", "customresourcedefinitions")
    const { group } = parseKind(apiVersion, kind)
    if (definitions !== undefined && group.includes(".") && !group.endsWith(".k8s.io")) {
      this.addOne({ resource: definitions, name: `${resource.plural}.${group}` })
    }
    for (const binding of objects) {
      const spec = mapAt(binding, "spec")
      const ref = own(spec, "paramRef")
      const isBinding = textAt(binding, "kind") === `${textAt(policy, "kind")}Binding`
      if (!isBinding || textAt(spec, "policyName") !== metaText(policy, "name") || !isMap(ref)) continue
      const [name, given] = [textAt(ref, "name"), textAt(ref, "namespace")]
      for (const namespace of resource.namespaced ? (given === "" ? this.namespaces : [given]) : [""]) {
        if (name === "") this.addAll(resource, namespace)
        else this.addOne({ resource, namespace, name })
      }
    }
  }

  /** Adds the objects that a quota counts. */
  private addCounted(quota: MapValue): void {
    for (const name of Object.keys(mapAt(mapAt(quota, "spec"), "hard"))) {
      const [, plural = "", group = ""] = /^count\/([^.]+)(?:\.(.*))?$/.exec(name) ?? ["", countedFor(name)]
      const resource = this.find(group, plural)
      if (resource !== undefined) this.addAll(resource, metaText(quota, "namespace"))
    }
  }

  private find(group: string, plural: string): ClusterResource | undefined {
    return this.resources.find(each => each.group === group && each.plural === plural)
  }

  private addAll(resource: ClusterResource, namespace: string): void {
    this.listed.set(`${resource.group}/${resource.plural} ${namespace}`, { resource, namespace })
  }

  private addOne(address: ObjectAddress): void {
    const { resource, namespace = "", name } = address
    this.named.set(`${resource.group}/${resource.plural} ${namespace}/${name}`, address)
  }
}

/** Returns the plural of the resource that a quota limits by a name without `count/`. */
function countedFor(name: string): string {
  if (name.includes("storageclass.storage.k8s.io/") || name === "requests.storage") return "persistentvolumeclaims"
  const [first = ""] = name.split(".")
  return /^(?:cpu|memory|ephemeral-storage|requests|limits|hugepages-)/.test(first) ? "pods" : first
}
