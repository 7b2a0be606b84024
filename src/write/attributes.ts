// A request as the plugins of admission see it, and the cluster around it. Only types and short functions: the plugins themselves are loaded
// when they are needed.

import type { Authorize } from "../kinds/policy/authorizer.js"
import { forbidden } from "../kinds/refusal/failure.js"
import { type Resource, subjectOf } from "../kinds/resource/resource.js"
import type { TypeFinder } from "../managedfields/types/object-types.js"
import { metaText } from "../schema/metadata.js"
import type { MapValue } from "../value/value.js"
import type { Calls } from "./calls.js"
import type { Endpoint } from "./endpoint.js"

/** A request that admission may change or refuse. */
export interface Attributes {
  readonly resource: Resource
  /** "" for the resource itself. The objects of `scale` are Scales. */
  readonly subresource: string
  readonly operation: "CREATE" | "UPDATE" | "DELETE"
  /** The namespace; "" for an object without one. A Namespace is in itself. */
  readonly namespace: string
  /** The name in the request; "" if the server generates it. */
  readonly name: string
  /** The object at the version of the request; undefined for a delete. */
  readonly object: MapValue | undefined
  /** The stored object; undefined if the request creates the object. */
  readonly oldObject: MapValue | undefined
  readonly dryRun: boolean
  /** CreateOptions and the like. */
  readonly options: MapValue
  /** The sender of the request. */
  readonly userInfo: MapValue
}

/** The objects and kinds of a cluster. */
export interface Cluster {
  /** Returns the objects of a resource (`apps/deployments`, `/pods`) at their storage version, in one namespace or in all. */
  readonly list: (key: string, namespace?: string) => readonly MapValue[]
  readonly get: (key: string, namespace: string, name: string) => MapValue | undefined
  readonly findKind: (apiVersion: string, kind: string) => Resource | undefined
  readonly endpointOf: (resource: Resource) => Endpoint
  /** Decides what users may do; undefined if everybody may do everything. */
  readonly authorize?: Authorize | undefined
}

/** The effects of admission on a request besides changing or refusing its object. */
export interface Notes {
  /** Called with each warning for the client. */
  readonly warn: (message: string) => void
  /** Called with each annotation for the audit log. */
  readonly audit?: ((key: string, value: string) => void) | undefined
  /** The answers of webhooks to the request; absent if it can't wait for any. */
  readonly calls?: Calls | undefined
}

/** The plugins of a server. */
export interface AdmissionPlugins {
  /** Returns the object to store. Throws a RequestFailure if a plugin refuses the request. */
  readonly mutate: (request: Attributes, notes: Notes) => MapValue
  /** Warns of an object that configures admission and has no effect here. Throws a RequestFailure if only a real server can run it. */
  readonly check: (request: Attributes, notes: Notes) => void
  /** Throws a RequestFailure if a plugin refuses the object. */
  readonly validate: (request: Attributes, notes: Notes) => void
}

/** The admission of a cluster; `loadAdmission` returns one. Pass it to `plan`, `planAll`, `explain`, `resolve` or `simulate`. */
export interface Admission {
  /**
   * Returns the plugins for requests about kinds of these types.
   * @internal
   */
  readonly pluginsFor: (types: TypeFinder) => AdmissionPlugins
  /**
   * Returns the admission of the cluster that also has the objects that `current` returns. They replace those with the same names.
   * @internal
   */
  readonly with: (current: () => Iterable<MapValue>) => Admission
  /** @internal */
  readonly userInfo: MapValue | undefined
  /**
   * The namespace of objects that name none.
   * @internal
   */
  readonly namespace: string
}

/** Returns the part of the attributes of a delete that its object determines. */
export function deleteAttributes(resource: Resource, namespace: string, name: string, oldObject: MapValue) {
  const inside = resource.builtIn?.emptied === undefined ? namespace : name
  const request = { resource, subresource: "", namespace: inside, name, object: undefined, oldObject }
  return { ...request, operation: "DELETE" as const }
}

/** The name of the object in refusals. It may not have been generated yet. */
export function shownName({ name, object }: Attributes): string {
  return name || (object && (metaText(object, "name") || metaText(object, "generateName"))) || "Unknown"
}

/** Returns the refusal of a request by a plugin. */
export function refused(request: Attributes, why: string, causes: readonly MapValue[] = []) {
  return forbidden(subjectOf(request.resource), shownName(request), why, causes)
}

/** The sender of requests to a server that does not tell users apart. */
export const adminInfo: MapValue = {
  username: "admin",
  uid: "admin",
  groups: ["system:masters", "system:authenticated"],
}

/** Returns the kind of the objects of a request. */
export function kindOfRequest({ resource, subresource }: Attributes): {
  group: string
  version: string
  kind: string
} {
  const { group, version, kind, subresources } = resource
  const own = subresources.find(each => each.name === subresource)
  if (own === undefined) return { group, version, kind }
  const [first = "", second] = own.apiVersion.split("/")
  return { group: second === undefined ? "" : first, version: second ?? first, kind: own.kind }
}
