// Finds the resource, namespace, object name and subresource that a path names, and the verb of a request.

import { noSuchResource, notFound, PageNotFound } from "../../kinds/refusal/failure.js"
import { type Resource, type Subresource, subjectOf, type Verb } from "../../kinds/resource/resource.js"
import type { ResourceTable } from "../../kinds/resource/table.js"

/** The target of a request for objects. */
export interface ResourceRoute {
  readonly resource: Resource
  /** "" for a cluster-scoped resource, and for a request across all namespaces. */
  readonly namespace: string
  /** "" for the whole collection. */
  readonly name: string
  readonly subresource: Subresource | undefined
}

/**
 * Reads the route from a path; undefined if the path is not below a group and version. Warns of a deprecated resource. Throws a RequestFailure
 * if the path names no known resource.
 */
export function readRoute(
  path: string,
  table: ResourceTable,
  warn: (message: string) => void,
): ResourceRoute | undefined {
  if (path.includes("//")) throw noSuchResource()
  const parts = path
    .split("/")
    .filter(part => part !== "")
    .map(decode)
  const [root, ...rest] = parts
  if (root === "api" && rest.length >= 2) return found(routeIn("", rest[0] as string, rest.slice(1), table), warn)
  if (root !== "apis" || rest.length < 3) return undefined
  return found(routeIn(rest[0] as string, rest[1] as string, rest.slice(2), table), warn)
}

/** Warns of a deprecated resource. Throws a RequestFailure if it lacks the subresource: for a custom resource, a server warns even so. */
function found({ sub, ...route }: NamedRoute, warn: (message: string) => void): ResourceRoute {
  const { resource, name, subresource } = route
  const isMissing = sub !== undefined && subresource === undefined
  if (isMissing && resource.custom === undefined) throw noSuchResource()
  if (resource.deprecation !== undefined) warn(resource.deprecation)
  if (isMissing) throw notFound(subjectOf(resource), name)
  return route
}

/** A route with the name of the subresource in the path, which the resource may lack. */
interface NamedRoute extends ResourceRoute {
  readonly sub: string | undefined
}

function routeIn(group: string, version: string, parts: readonly string[], table: ResourceTable): NamedRoute {
  if (!table.hasGroup(group)) throw new PageNotFound()
  const find = (plural: string) => table.find(group, version, plural)
  // `namespaces/NAME/pods` names the Pods in a namespace; `namespaces/NAME` and `namespaces/NAME/status` name the namespace itself.
  const [first = "", second = "", third = ""] = parts
  const inside = first === "namespaces" ? find(third) : undefined
  if (inside?.namespaced === true) return routeTo(inside, second, parts.slice(3))
  const resource = find(first)
  if (resource === undefined) throw noSuchResource()
  if (resource.namespaced && parts.length > 1) throw noSuchResource()
  return routeTo(resource, "", parts.slice(1))
}

function routeTo(resource: Resource, namespace: string, rest: readonly string[]): NamedRoute {
  const [name = "", sub, ...more] = rest
  if (more.length > 0) throw noSuchResource()
  const subresource = resource.subresources.find(({ name }) => name === sub)
  return { resource, namespace, name, subresource, sub }
}

/** Whether a client posts requests to the route that the server performs and never stores, such as evictions. */
export function isAction({ resource, subresource }: ResourceRoute): boolean {
  return (
    resource.custom === undefined && ["Binding", "Eviction", "TokenRequest"].includes((subresource ?? resource).kind)
  )
}

function decode(part: string): string {
  if (!part.includes("%")) return part
  try {
    return decodeURIComponent(part)
  } catch {
    throw noSuchResource()
  }
}

/** Returns the verb for a method and path; undefined if the method is not allowed there. */
export function verbOf(method: string, { resource, name }: ResourceRoute, watches: boolean): Verb | undefined {
  // Go: the router of built-in resources has no routes for HEAD.
  if (method === "HEAD" && resource.custom === undefined) return undefined
  switch (method) {
    case "GET":
    case "HEAD":
      return watches ? "watch" : name === "" ? "list" : "get"
    case "POST":
      return "create"
    case "PUT":
      return name === "" ? undefined : "update"
    case "PATCH":
      return name === "" ? undefined : "patch"
    case "DELETE":
      return name === "" ? "deletecollection" : "delete"
    default:
      return undefined
  }
}
