// Users, and a request as authorization sees it, before the server knows whether its resource exists.

import type { Access } from "../../kinds/policy/authorizer.js"
import { forbidden, RequestFailure } from "../../kinds/refusal/failure.js"
import { nameInGroup } from "../../schema/group-version-kind.js"
import { quoteGo } from "../../value/quote.js"
import type { MapValue } from "../../value/value.js"
import { booleanParameter } from "../request/options.js"
import type { ServerRequest } from "../request/request.js"

/** The sender of a request. */
export interface User {
  readonly username: string
  /** "" if the user has none. */
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** Returns a user as reviews and expressions show it. */
export function userInfoOf({ username, uid, groups, extra }: User): MapValue {
  return {
    username,
    ...(uid !== "" && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
}

/** Returns what a request wants. */
export function accessOf({ method, path, query }: ServerRequest): Access {
  const parts = path.split("/").filter(part => part !== "")
  const [root, group = ""] = parts
  const isCore = root === "api"
  if ((!isCore && root !== "apis") || parts.length < (isCore ? 3 : 4)) return { verb: method.toLowerCase(), path }
  const [first = "", second = "", third, ...more] = parts.slice(isCore ? 2 : 3).map(decoded)
  const isInside = first === "namespaces" && third !== undefined && third !== "status" && third !== "finalize"
  const [resource = "", given = "", subresource = ""] = isInside ? [third, ...more] : [first, second, third]
  const byMethod = verbs[method] ?? ""
  const name = given === "" && byMethod === "get" ? nameInSelector(query) : given
  return {
    verb: given === "" ? collectionVerb(byMethod, query) : byMethod,
    group: isCore ? "" : group,
    resource,
    subresource,
    namespace: first === "namespaces" ? second : "",
    name,
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function collectionVerb(verb: string, query: URLSearchParams): string {
  if (verb === "delete") return "deletecollection"
  if (verb !== "get") return verb
  return booleanParameter(query, "watch") === true ? "watch" : "list"
}

/** Returns the only name that a field selector selects; "" if it selects by something else. */
function nameInSelector(query: URLSearchParams): string {
  const [, name = ""] = /(?:^|,)metadata\.name==?([^,=!]+)/.exec(query.get("fieldSelector") ?? "") ?? []
  return name
}

/** Returns the refusal of a request whose user lacks the right to send it. */
export function accessDenied({ username }: User, access: Access, reason: string): RequestFailure {
  const why = (text: string) => escaped(`User ${quoteGo(username)} cannot ${access.verb} ${text}`) + suffix
  const suffix = reason === "" ? "" : `: ${reason}`
  if ("path" in access)
    return new RequestFailure(403, `forbidden: ${why(`path ${quoteGo(access.path)}`)}`, "Forbidden", {})
  const { group, resource, subresource, namespace, name } = access
  const whole = subresource === "" ? resource : `${resource}/${subresource}`
  const scope = namespace === "" ? "at the cluster scope" : `in the namespace ${quoteGo(namespace)}`
  const text = why(`resource ${quoteGo(whole)} in API group ${quoteGo(group)} ${scope}`)
  if (name !== "") return forbidden({ group, name: resource }, name, text)
  const details = { ...(group !== "" && { group }), kind: resource }
  return new RequestFailure(403, `${nameInGroup(resource, group)} is forbidden: ${text}`, "Forbidden", details)
}

/** Returns a text that no browser reads as HTML. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}
