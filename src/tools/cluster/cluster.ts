// Reads objects and types from a live cluster. It sends nothing but GET requests.
//
// requests.ts sends them, discovery.ts reads the resources, resource-names.ts finds the resource that a word names, objects.ts reads
// objects, admission-objects.ts those by which admission decides, and documents.ts reads OpenAPI documents.
import { type ObjectKind, objectKindOf } from "../../schema/group-version-kind.js"
import { metaText } from "../../schema/metadata.js"
import { itemsOf } from "../../schema/object-list.js"
import {
  aFunction,
  aListOfObjects,
  aListOfStrings,
  aNumber,
  anObject,
  aString,
  optional,
  requireArgument,
  requireOptions,
} from "../../value/argument.js"
import type { MapValue } from "../../value/value.js"
import { readAdmissionObjects } from "./admission-objects.js"
import { type ClusterResource, discover } from "./discovery.js"
import { type ClusterDocument, type DocumentCache, DocumentIndex, namedVersions } from "./documents.js"
import {
  getObjects,
  listAll,
  listPages,
  type ObjectAddress,
  type ObjectPage,
  type ObjectSelection,
  objectPath,
  type ReadObjects,
  readObjects,
} from "./objects.js"
import { ClusterError, type ClusterFetch, type RequestLimits, Requests } from "./requests.js"
import { namedResources, preferredVersions } from "./resource-names.js"

/** Options of a Cluster. */
export interface ClusterOptions extends RequestLimits {
  /** Keeps OpenAPI documents between runs; without it, they are read once for each Cluster. */
  readonly cache?: DocumentCache | undefined
}

/** Options of `liveOf`. */
export interface LiveOptions {
  /** The namespace of configurations that need one but don't name it; `default` if absent. */
  readonly namespace?: string | undefined
}

/** Names an object by its kind. */
export interface NamedObject extends ObjectKind {
  /** If absent or "", `default` for kinds with namespaces. Ignored for others. */
  readonly namespace?: string | undefined
  /** The name of the object. */
  readonly name: string
}

/**
 * The live objects of configurations. `objects` are those that exist, and `failures` those that may exist but can't be read. The other
 * properties have an entry for each configuration; a list of objects counts as its items.
 */
export interface LiveConfigurations extends ReadObjects {
  /** The live object; undefined if it does not exist, or can't be read. */
  readonly live: readonly (MapValue | undefined)[]
  /** Whether the answer is sure: the live object was read, or does not exist. */
  readonly isKnown: readonly boolean[]
  /** Whether the cluster serves the kind at the version of the configuration. */
  readonly isServed: readonly boolean[]
}

/**
 * Reads objects and types from a live cluster. Every request is a GET. Resources and the list of OpenAPI documents are read once: create
 * another Cluster to see new ones. At most 8 requests are sent at a time, and each may take 30 seconds; the options change this. Methods
 * reject with a ClusterError if the server can't be reached, refuses the credentials, or gives unusable answers. If the server refuses one
 * object, the others are still returned.
 *
 * @example
 * ```ts
 * import { createApiServer } from "structured-merge-diff/apiserver"
 * import { Cluster } from "structured-merge-diff/cluster"
 *
 * const server = createApiServer({ objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } }] })
 * const cluster = new Cluster((path, request) => server.fetch(new Request(`http://server${path}`, request)))
 * const [resource] = await cluster.resourcesNamed("cm")
 * const { objects } = await cluster.get(resource ? [{ resource, namespace: "default", name: "settings" }] : [])
 * console.log(objects[0]?.kind)
 * // ConfigMap
 * ```
 */
export class Cluster {
  private readonly requests: Requests
  private readonly cache: DocumentCache | undefined
  private discovered: Promise<readonly ClusterResource[]> | undefined
  private index: Promise<DocumentIndex> | undefined

  /** `fetch` sends the requests, for example to the address of `kubectl proxy`. */
  constructor(fetch: ClusterFetch, options: ClusterOptions = {}) {
    requireArgument("fetch", fetch, aFunction)
    requireOptions("options", options, {
      concurrency: optional(aNumber),
      timeout: optional(aNumber),
      maxBytes: optional(aNumber),
    })
    const { concurrency, timeout, maxBytes, cache } = options
    requireArgument("options.cache", cache, optional(anObject))
    for (const [name, value] of Object.entries({ concurrency, timeout, maxBytes })) {
      if (value !== undefined && !(value >= 1))
        throw new RangeError(`options.${name}: expected at least 1, got ${value}`)
    }
    this.requests = new Requests(fetch, options)
    this.cache = cache
  }

  /** Returns the resources that the server serves, without subresources: the core group first, and the preferred version of each group first. */
  resources(): Promise<readonly ClusterResource[]> {
    this.discovered ??= discover(this.requests).catch(error => {
      this.discovered = undefined
      throw error
    })
    return this.discovered
  }

  /**
   * Returns the resource that a word names as in kubectl: `deployments`, `deployment`, `Deployment`, `deploy`, `deployments.apps` or
   * `deployments.v1.apps`. For a category, such as `all`, returns all its resources. Rejects with a ClusterError for any other word.
   */
  async resourcesNamed(word: string): Promise<readonly ClusterResource[]> {
    requireArgument("word", word, aString)
    return namedResources(await this.resources(), word)
  }

  /**
   * Returns the resources whose objects can have owners: those that can be listed and written, each at its preferred version. Events are left
   * out.
   */
  async ownedResources(): Promise<readonly ClusterResource[]> {
    const can = ({ verbs, plural }: ClusterResource) =>
      plural !== "events" && verbs.includes("list") && (verbs.includes("patch") || verbs.includes("update"))
    return preferredVersions(await this.resources()).filter(can)
  }

  /**
   * Reads these objects: up to 20 of a resource and namespace one by one, more with lists. An object that does not exist or may not be read is
   * a failure.
   */
  async get(addresses: readonly ObjectAddress[]): Promise<ReadObjects> {
    requireArgument("addresses", addresses, aListOfObjects)
    addresses.forEach((address, i) => {
      requireOptions(`addresses[${i}]`, address, { name: aString, namespace: optional(aString) })
      requireResource(`addresses[${i}].resource`, address.resource)
    })
    return await getObjects(this.requests, addresses)
  }

  /** Reads the selected objects of these resources. A resource that may not be listed is a failure. */
  async list(resources: readonly ClusterResource[], selection: ObjectSelection = {}): Promise<ReadObjects> {
    requireArgument("resources", resources, aListOfObjects)
    for (const [i, resource] of resources.entries()) requireResource(`resources[${i}]`, resource)
    requireOptions("selection", selection, selectionTypes)
    return await listAll(this.requests, resources, selection)
  }

  /**
   * Reads the objects that `loadAdmission` of structured-merge-diff/ownership needs for requests in these namespaces: policies with their
   * bindings and parameters, webhook configurations, LimitRanges, ResourceQuotas with the objects that they count, PriorityClasses,
   * StorageClasses, the namespaces, and the definitions of kinds of parameters. Lists that the server refuses are failures.
   */
  async admissionObjects(namespaces: readonly string[]): Promise<ReadObjects> {
    requireArgument("namespaces", namespaces, aListOfStrings)
    return await readAdmissionObjects(this.requests, await this.resources(), namespaces)
  }

  /**
   * Reads the selected objects of a resource in pages of 500. If the server forgets the list halfway (410), the list begins again, and the next
   * page is marked as `restarted`. Rejects with a ClusterError if the resource may not be listed.
   */
  pages(resource: ClusterResource, selection: ObjectSelection = {}): AsyncIterable<ObjectPage> {
    requireResource("resource", resource)
    requireOptions("selection", selection, selectionTypes)
    return listPages(this.requests, resource, selection)
  }

  /** Reads the live objects of configurations, at their versions. A configuration without a name, or whose kind is not served, has no live object. */
  async liveOf(configs: readonly object[], options: LiveOptions = {}): Promise<LiveConfigurations> {
    requireArgument("configs", configs, aListOfObjects)
    requireOptions("options", options, { namespace: optional(aString) })
    const resources = await this.resources()
    const found = (configs as readonly MapValue[]).flatMap(itemsOf).map(config => {
      const { apiVersion, kind } = objectKindOf(config)
      const resource = resources.find(each => each.apiVersion === apiVersion && each.kind === kind)
      const name = metaText(config, "name")
      const namespace = metaText(config, "namespace") || (options.namespace ?? "default")
      return { resource, address: resource && name !== "" ? { resource, namespace, name } : undefined }
    })
    const addresses = found.flatMap(({ address }) => address ?? [])
    const results = await readObjects(this.requests, addresses)
    const byAddress = new Map(results.map((result, i) => [addresses[i], result]))
    const all = found.map(({ address }) => (address === undefined ? undefined : byAddress.get(address)))
    const live = all.map(result => result?.object)
    const failures = all.map(result => (result?.failure?.status === 404 ? undefined : result?.failure))
    return {
      objects: live.filter(object => object !== undefined),
      failures: failures.filter(failure => failure !== undefined),
      live,
      isKnown: failures.map(failure => failure === undefined),
      isServed: found.map(({ resource }) => resource !== undefined),
    }
  }

  /**
   * Returns the path of an object, to send other requests to: `/apis/apps/v1/namespaces/shop/deployments/web`. The name may be the `target`
   * of a plan or another result. Rejects with a ClusterError if the cluster does not serve the kind at its version, or if no object can have
   * the name.
   */
  async pathOf(target: NamedObject): Promise<string> {
    requireOptions("target", target, {
      apiVersion: aString,
      kind: aString,
      namespace: optional(aString),
      name: aString,
    })
    const { apiVersion, kind, name } = target
    const namespace = target.namespace || "default"
    const resource = (await this.resources()).find(each => each.apiVersion === apiVersion && each.kind === kind)
    if (resource === undefined) throw new ClusterError(`the cluster does not serve ${kind} in ${apiVersion}`)
    // A client would resolve these steps, and then delete something else.
    const wrong = [name, ...(resource.namespaced ? [namespace] : [])].find(part => ["", ".", ".."].includes(part))
    if (wrong !== undefined) throw new ClusterError(`no object or namespace is called ${JSON.stringify(wrong)}`)
    return objectPath({ resource, namespace, name })
  }

  /**
   * Returns the OpenAPI v3 documents for these objects: of their own apiVersions, and of those in their managedFields, as far as the cluster
   * serves them.
   */
  async documents(objects: readonly object[]): Promise<readonly ClusterDocument[]> {
    requireArgument("objects", objects, aListOfObjects)
    return (await this.documentIndex()).find(namedVersions(objects))
  }

  /** Returns the OpenAPI v3 documents of all versions of these groups. */
  async documentsOfGroups(groups: readonly string[]): Promise<readonly ClusterDocument[]> {
    requireArgument("groups", groups, aListOfStrings)
    const index = await this.documentIndex()
    const wanted = new Set(groups)
    return index.find(
      index.apiVersions().filter(version => wanted.has(version.includes("/") ? (version.split("/")[0] ?? "") : "")),
    )
  }

  private documentIndex(): Promise<DocumentIndex> {
    this.index ??= DocumentIndex.read(this.requests, this.cache).catch(error => {
      this.index = undefined
      throw error
    })
    return this.index
  }
}

const selectionTypes = {
  namespace: optional(aString),
  labelSelector: optional(aString),
  fieldSelector: optional(aString),
}

function requireResource(argument: string, resource: unknown): void {
  requireOptions(argument, resource, { group: aString, version: aString, plural: aString })
}
