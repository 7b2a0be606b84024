// Reads the resources that a server lists: aggregated discovery documents, or the older lists of each group and version.
import { listedResources } from "../../kinds/resource/resource-list.js"
import { formatApiVersion } from "../../schema/group-version-kind.js"
import { mapAt, mapsAt, textAt, textsAt } from "../../value/fields.js"
import type { MapValue } from "../../value/value.js"
import { ClusterError, type Requests } from "./requests.js"

/** A resource that a server serves at one version. */
export interface ClusterResource {
  /** "" for the core group. */
  readonly group: string
  /** The version without the group: `v1`. */
  readonly version: string
  /** Group and version as objects spell them: `apps/v1`. */
  readonly apiVersion: string
  /** The kind of its objects. */
  readonly kind: string
  /** Its name in paths: `deployments`. */
  readonly plural: string
  /** `deployment`; "" if the server does not name it. */
  readonly singular: string
  /** Such as `deploy`. */
  readonly shortNames: readonly string[]
  /** Such as `all`. */
  readonly categories: readonly string[]
  /** Whether its objects are in namespaces. */
  readonly namespaced: boolean
  /** Such as `get`, `list` and `patch`. */
  readonly verbs: readonly string[]
}

const aggregatedForms = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",")

/** Returns all resources without subresources: the core group first, and in each group the preferred version first. */
export async function discover(requests: Requests): Promise<readonly ClusterResource[]> {
  const [core, groups] = await Promise.all(["/api", "/apis"].map(path => requests.json(path, aggregatedForms)))
  const found = await Promise.all([
    resourcesBelow(core as MapValue, requests),
    resourcesBelow(groups as MapValue, requests),
  ])
  return found.flat()
}

function resourcesBelow(document: MapValue, requests: Requests): Promise<readonly ClusterResource[]> {
  switch (textAt(document, "kind")) {
    case "APIGroupDiscoveryList":
      return Promise.resolve(mapsAt(document, "items").flatMap(aggregatedResources))
    case "APIVersions":
      return resourcesOfVersions(
        textsAt(document, "versions").map(version => ({ group: "", version })),
        requests,
      )
    case "APIGroupList":
      return resourcesOfVersions(mapsAt(document, "groups").flatMap(versionsOfGroup), requests)
    default:
      throw new ClusterError("the answers at /api and /apis are not those of a Kubernetes API server")
  }
}

function aggregatedResources(item: MapValue): ClusterResource[] {
  const group = textAt(mapAt(item, "metadata"), "name")
  return mapsAt(item, "versions").flatMap(entry => {
    const version = textAt(entry, "version")
    return mapsAt(entry, "resources").map(resource => ({
      group,
      version,
      apiVersion: formatApiVersion({ group, version }),
      kind: textAt(mapAt(resource, "responseKind"), "kind"),
      plural: textAt(resource, "resource"),
      singular: textAt(resource, "singularResource"),
      shortNames: textsAt(resource, "shortNames"),
      categories: textsAt(resource, "categories"),
      namespaced: textAt(resource, "scope") === "Namespaced",
      verbs: textsAt(resource, "verbs"),
    }))
  })
}

interface GroupVersion {
  readonly group: string
  readonly version: string
}

/** Returns the versions of a group, the preferred version first. */
function versionsOfGroup(group: MapValue): GroupVersion[] {
  const name = textAt(group, "name")
  const preferred = textAt(mapAt(group, "preferredVersion"), "version")
  const versions = mapsAt(group, "versions").map(entry => textAt(entry, "version"))
  const ordered = [
    ...versions.filter(version => version === preferred),
    ...versions.filter(other => other !== preferred),
  ]
  return ordered.map(version => ({ group: name, version }))
}

/** Reads the list of each version. As in kubectl, a version whose list can't be read has no resources: its own server may be down. */
async function resourcesOfVersions(
  versions: readonly GroupVersion[],
  requests: Requests,
): Promise<readonly ClusterResource[]> {
  const lists = await Promise.all(
    versions.map(async ({ group, version }) => {
      const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`
      try {
        const list = await requests.json(path)
        const apiVersion = formatApiVersion({ group, version })
        return listedResources(list).map(resource => ({ group, version, apiVersion, ...resource }))
      } catch (error) {
        if (error instanceof ClusterError && error.status !== 0) return []
        throw error
      }
    }),
  )
  return lists.flat()
}
