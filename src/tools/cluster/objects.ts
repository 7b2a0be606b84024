// Reads objects: each with a GET, or many with lists in pages.

import { nameInGroup } from "../../schema/group-version-kind.js"
import { metaText } from "../../schema/metadata.js"
import { mapAt, mapsAt, textAt } from "../../value/fields.js"
import { addToGroup } from "../../value/groups.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import type { ClusterResource } from "./discovery.js"
import { ClusterError, type Requests } from "./requests.js"

/** Names an object. */
export interface ObjectAddress {
  /** The resource, at the version in which the object is read. */
  readonly resource: ClusterResource
  /** Ignored for resources without namespaces. */
  readonly namespace?: string | undefined
  /** The name of the object. */
  readonly name: string
}

/** Selects objects of a resource. */
export interface ObjectSelection {
  /** If absent, all namespaces. Ignored for resources without namespaces. */
  readonly namespace?: string | undefined
  /** As in `kubectl get -l`. */
  readonly labelSelector?: string | undefined
  /** As in `kubectl get --field-selector`. */
  readonly fieldSelector?: string | undefined
}

/** Objects that could not be read: one object, or all selected objects of a resource. */
export interface ReadFailure {
  /** The resource. */
  readonly resource: ClusterResource
  /** "" for all namespaces, and for resources without namespaces. */
  readonly namespace: string
  /** "" for all selected objects. */
  readonly name: string
  /** The HTTP status, such as 403 or 404. */
  readonly status: number
  /** The reason in the server's Status, such as `Forbidden`. */
  readonly reason: string
  /** The server's message. */
  readonly message: string
}

/** Objects, and those that could not be read. */
export interface ReadObjects {
  /** In the order of the request. */
  readonly objects: readonly MapValue[]
  /** In the order of the request. */
  readonly failures: readonly ReadFailure[]
}

/** A page of a list. */
export interface ObjectPage {
  /** In the order of the server. */
  readonly objects: readonly MapValue[]
  /** Whether the server has forgotten the list (410), so that the list begins again with this page. */
  readonly restarted: boolean
}

/** The most objects of a resource and namespace that are read one by one. */
const mostSingle = 20
const pageSize = 500

/** How often a list may begin again before it counts as failed. */
const maxRestarts = 5

/** An object, or the reason why it can't be read. */
export type ReadResult =
  | { readonly object: MapValue; readonly failure?: never }
  | { readonly object?: never; readonly failure: ReadFailure }

/** Reads the objects at these addresses. */
export async function getObjects(requests: Requests, addresses: readonly ObjectAddress[]): Promise<ReadObjects> {
  const results = await readObjects(requests, addresses)
  return {
    objects: results.map(({ object }) => object).filter(object => object !== undefined),
    failures: results.map(({ failure }) => failure).filter(failure => failure !== undefined),
  }
}

/** Reads the selected objects of these resources. A resource that may not be listed is a failure. */
export async function listAll(
  requests: Requests,
  resources: readonly ClusterResource[],
  selection: ObjectSelection,
): Promise<ReadObjects> {
  const found = await Promise.all(
    resources.map(async (resource): Promise<ReadObjects> => {
      try {
        return { objects: await listObjects(requests, resource, selection), failures: [] }
      } catch (error) {
        const failure = failureOf(error, { resource, namespace: selection.namespace ?? "", name: "" })
        return { objects: [], failures: [failure] }
      }
    }),
  )
  return { objects: found.flatMap(({ objects }) => objects), failures: found.flatMap(({ failures }) => failures) }
}

/** Reads the object at each address. */
export async function readObjects(
  requests: Requests,
  addresses: readonly ObjectAddress[],
): Promise<readonly ReadResult[]> {
  const results = new Array<ReadResult>(addresses.length)
  const folders = [...sameFolder(addresses).values()]
  await Promise.all(folders.map(indexes => readFolder(requests, addresses, indexes, results)))
  return results
}

/** Groups the addresses by the path of their list, as indexes. */
function sameFolder(addresses: readonly ObjectAddress[]): ReadonlyMap<string, readonly number[]> {
  const folders = new Map<string, number[]>()
  addresses.forEach(({ resource, namespace }, i) => addToGroup(folders, listPath(resource, namespace), i))
  return folders
}

/** Reads the objects of one resource and namespace: with GETs if they are few, or if the server refuses the list. */
async function readFolder(
  requests: Requests,
  addresses: readonly ObjectAddress[],
  indexes: readonly number[],
  results: ReadResult[],
): Promise<void> {
  const listed = indexes.length > mostSingle ? await listByName(requests, addresses[indexes[0] as number]) : undefined
  await Promise.all(
    indexes.map(async i => {
      const address = addresses[i] as ObjectAddress
      if (listed === undefined) results[i] = await readObject(requests, address)
      else {
        const object = listed.get(address.name)
        results[i] = object === undefined ? missing(address) : { object }
      }
    }),
  )
}

async function listByName(
  requests: Requests,
  address: ObjectAddress | undefined,
): Promise<ReadonlyMap<string, MapValue> | undefined> {
  if (address === undefined) return undefined
  const { resource, namespace } = address
  try {
    const objects = await listObjects(requests, resource, { namespace })
    return new Map(objects.map(object => [metaText(object, "name"), object]))
  } catch (error) {
    failureOf(error, { resource, namespace: namespace ?? "", name: "" }) // Throws if the server can't be reached.
    return undefined
  }
}

async function readObject(requests: Requests, address: ObjectAddress): Promise<ReadResult> {
  const { resource, namespace = "", name } = address
  // Clients and proxies would resolve these steps.
  if (name === "" || name === "." || name === "..") return missing(address)
  try {
    const object = await requests.json(objectPath({ resource, namespace, name }))
    return { object: typed(object, resource) }
  } catch (error) {
    return { failure: failureOf(error, { resource, namespace, name }) }
  }
}

/** Returns the failure for an error of a request. Throws an error without a status again, because the server can't be reached then. */
function failureOf(error: unknown, { resource, namespace, name }: FailedObject): ReadFailure {
  if (!(error instanceof ClusterError) || error.status === 0 || error.status === 401) throw error
  const { status, reason, message } = error
  return { resource, namespace: resource.namespaced ? namespace : "", name, status, reason, message }
}

type FailedObject = Pick<ReadFailure, "resource" | "namespace" | "name">

/** Returns the failure that a server reports for an object that does not exist. */
function missing({ resource, namespace = "", name }: ObjectAddress): { readonly failure: ReadFailure } {
  const { plural, group, namespaced } = resource
  const message = `${nameInGroup(plural, group)} "${name}" not found`
  return {
    failure: { resource, namespace: namespaced ? namespace : "", name, status: 404, reason: "NotFound", message },
  }
}

/** Returns all selected objects. If the server forgets the list halfway, reads it from the beginning. */
async function listObjects(
  requests: Requests,
  resource: ClusterResource,
  selection: ObjectSelection,
): Promise<readonly MapValue[]> {
  let all: MapValue[] = []
  for await (const { objects, restarted } of listPages(requests, resource, selection)) {
    if (restarted) all = []
    for (const object of objects) all.push(object)
  }
  return all
}

/** Returns the selected objects in pages. */
export async function* listPages(
  requests: Requests,
  resource: ClusterResource,
  { namespace = "", labelSelector = "", fieldSelector = "" }: ObjectSelection,
): AsyncGenerator<ObjectPage> {
  const query = new URLSearchParams({ limit: String(pageSize) })
  if (labelSelector !== "") query.set("labelSelector", labelSelector)
  if (fieldSelector !== "") query.set("fieldSelector", fieldSelector)
  const path = listPath(resource, namespace)
  let restarts = 0
  let restarted = false
  do {
    let list: MapValue
    try {
      list = await requests.json(`${path}?${query}`)
    } catch (error) {
      const isExpired = error instanceof ClusterError && error.status === 410 && query.has("continue")
      if (!isExpired || restarts === maxRestarts) throw error
      restarts++
      restarted = true
      query.delete("continue")
      continue
    }
    yield { objects: mapsAt(list, "items").map(item => typed(item, resource)), restarted }
    restarted = false
    query.set("continue", textAt(mapAt(list, "metadata"), "continue"))
  } while (query.get("continue") !== "")
}

/** Returns the object with apiVersion and kind, which servers leave out of the items of lists. */
function typed(object: MapValue, { apiVersion, kind }: ClusterResource): MapValue {
  if (own(object, "apiVersion") !== undefined && own(object, "kind") !== undefined) return object
  return { apiVersion, kind, ...object }
}

/** Returns the path of an object. */
export function objectPath({ resource, namespace, name }: ObjectAddress): string {
  return `${listPath(resource, namespace)}/${encodeURIComponent(name)}`
}

function listPath({ group, version, plural, namespaced }: ClusterResource, namespace = ""): string {
  const root = group === "" ? "/api" : `/apis/${encodeURIComponent(group)}`
  const folder = namespaced && namespace !== "" ? `/namespaces/${encodeURIComponent(namespace)}` : ""
  return `${root}/${encodeURIComponent(version)}${folder}/${encodeURIComponent(plural)}`
}
