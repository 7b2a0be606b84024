// Requests for objects with their responses, as a log has them: an event of an audit log, or a line that `smd serve --record` wrote.

import { type FaultVerb, faultVerbs } from "../../apiserver/faults/rules.js"
import { ParseError } from "../../errors.js"
import { parseYaml } from "../../io/yaml.js"
import { managerOf } from "../../kinds/refusal/manager-name.js"
import { mapAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { isAuditEvent } from "../stream/audit.js"

/** The verb of a request. An apply is not a `patch` here. */
export type ExchangeVerb = FaultVerb

/** The target of a request. A part that the request does not have is "". */
export interface Address {
  readonly group: string
  /** The plural name: `deployments`. */
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

/** A request and its response. */
export interface Exchange extends Address {
  readonly line: number
  /** The time of the response in an audit log, and of the request in a recording, in milliseconds; undefined if the log has none. */
  readonly time: number | undefined
  readonly verb: ExchangeVerb
  /** The field manager that the request names, or else the name of the client. */
  readonly manager: string
  readonly query: URLSearchParams
  /** The HTTP status; 0 if no response arrived. */
  readonly code: number
  /** The body of the request; undefined if it has none, or if the log does not have it. */
  readonly body: Value | undefined
  /** The response: an object, a list, a Status, or the events of a watch; undefined if the log does not have it. */
  readonly answer: Value | undefined
  /** Why the log does not have the response: `level Metadata`. */
  readonly lack: string
}

/**
 * Returns the exchange of a value in a log. "other" stands for a line that has none: a request for something other than objects, or an audit
 * event before the response. Returns undefined for a value that is neither an audit event nor a line of a recording.
 */
export function exchangeOf(value: MapValue, line: number): Exchange | "other" | undefined {
  if (isAuditEvent(value)) return fromAudit(value, line) ?? "other"
  const isRecorded =
    textAt(value, "method") !== "" && textAt(value, "path") !== "" && own(value, "status") !== undefined
  return isRecorded ? (fromRecording(value, line) ?? "other") : undefined
}

function fromAudit(event: MapValue, line: number): Exchange | undefined {
  const ref = mapAt(event, "objectRef")
  const verb = faultVerbs.find(name => name === textAt(event, "verb"))
  if (verb === undefined || textAt(event, "stage") !== "ResponseComplete" || textAt(ref, "resource") === "")
    return undefined
  const query = queryOf(textAt(event, "requestURI"))
  const body = own(event, "requestObject")
  const answer = own(event, "responseObject")
  const code = own(mapAt(event, "responseStatus"), "code")
  const isTruncated = textAt(mapAt(event, "annotations"), "audit.k8s.io/truncated") === "true"
  // Events do not have the type of a patch.
  const isApply =
    verb === "patch" && query.has("fieldManager") && isMap(body ?? null) && textAt(body as MapValue, "kind") !== ""
  return {
    line,
    time: timeOf(textAt(event, "stageTimestamp")) ?? timeOf(textAt(event, "requestReceivedTimestamp")),
    verb: isApply ? "apply" : verb,
    group: textAt(ref, "apiGroup"),
    resource: textAt(ref, "resource"),
    subresource: textAt(ref, "subresource"),
    namespace: textAt(ref, "namespace"),
    name: textAt(ref, "name"),
    manager: query.get("fieldManager") || managerOf(textAt(event, "userAgent")),
    query,
    code: typeof code === "number" ? code : 200,
    body,
    answer,
    lack: isTruncated ? "the event is truncated" : `level ${textAt(event, "level")}`,
  }
}

function fromRecording(entry: MapValue, line: number): Exchange | undefined {
  const path = textAt(entry, "path")
  const address = addressOf(path)
  const query = queryOf(path)
  const headers = mapAt(entry, "headers")
  const verb = address && verbOf(textAt(entry, "method"), address.name !== "", query, textAt(headers, "content-type"))
  if (address === undefined || verb === undefined) return undefined
  const body = own(entry, "body")
  const status = own(entry, "status")
  const answer = own(entry, "answer")
  return {
    line,
    time: timeOf(textAt(entry, "time")),
    verb,
    ...address,
    manager: query.get("fieldManager") || managerOf(textAt(headers, "user-agent")),
    query,
    code: typeof status === "number" ? status : 0,
    body: typeof body === "string" ? (mapInYaml(body) ?? body) : body,
    // A response that a fault cut off is a text.
    answer: typeof answer === "string" ? undefined : answer,
    lack: "the response was cut off",
  }
}

/** Returns the target of a path below a group and version; undefined for any other path. */
export function addressOf(path: string): Address | undefined {
  const [, group = "", rest = ""] = /^\/(?:api|apis\/([^/?]+))\/[^/?]+\/([^?]+)/.exec(path) ?? []
  const parts = rest.split("/").map(decoded)
  const [first = "", namespace = "", inside = ""] = parts
  if (first === "") return undefined
  // `namespaces/shop/status` is a part of the namespace itself.
  const isInside = first === "namespaces" && inside !== "" && inside !== "status" && inside !== "finalize"
  const [resource = "", name = "", subresource = ""] = isInside ? parts.slice(2) : parts
  return { group, resource, subresource, namespace: isInside ? namespace : "", name }
}

function verbOf(method: string, isNamed: boolean, query: URLSearchParams, type: string): ExchangeVerb | undefined {
  switch (method) {
    case "GET":
    case "HEAD":
      if (["1", "true"].includes(query.get("watch") ?? "")) return "watch"
      return isNamed ? "get" : "list"
    case "POST":
      return "create"
    case "PUT":
      return "update"
    case "PATCH":
      return type.startsWith("application/apply-patch") ? "apply" : "patch"
    case "DELETE":
      return isNamed ? "delete" : "deletecollection"
    default:
      return undefined
  }
}

function queryOf(uri: string): URLSearchParams {
  return new URLSearchParams(/\?(.*)$/s.exec(uri)?.[1] ?? "")
}

function timeOf(text: string): number | undefined {
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Returns the map in a YAML text, as clients may send an apply; undefined for any other text. */
export function mapInYaml(text: string): MapValue | undefined {
  try {
    const value = parseYaml(text)
    return isMap(value) ? value : undefined
  } catch (error) {
    if (error instanceof ParseError) return undefined
    throw error
  }
}
