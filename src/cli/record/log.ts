// Reads the history of one object from a log, line by line: events of an audit log, or states that a watch printed.

import { managerOf } from "../../kinds/refusal/manager-name.js"
import { pluralOf } from "../../kinds/resource/plural.js"
import { parseKind } from "../../schema/group-version-kind.js"
import type { ObjectName } from "../../tools/ownership/object-name.js"
import { objectName } from "../../tools/ownership/object-name.js"
import { listAt, mapAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { InputError } from "../input/document.js"
import type { Input } from "../input/input.js"
import { logValues } from "../input/log-values.js"

/** A write in the log. */
export interface LoggedWrite {
  readonly line: number
  /** RFC 3339, whole seconds; absent if the log does not say. */
  readonly time?: string
  readonly verb: "create" | "update" | "patch" | "apply" | "delete"
  readonly manager: string
  /** The authenticated user; "" if the log does not say. */
  readonly user: string
  readonly subresource: string
  readonly force: boolean
  /** The body of the request; absent for a request without a body, or if it is not in the log. */
  readonly request?: MapValue | readonly MapValue[]
  /** The object afterwards, with managedFields if they are in the log; absent if the answer is something else. */
  readonly state?: MapValue
  /** The HTTP status. */
  readonly code: number
  /** The answer, if it is a Status. */
  readonly status?: MapValue
}

/** A state in the log; without `state` the object was deleted. */
export interface LoggedState {
  readonly line: number
  readonly verb: "state"
  readonly state?: MapValue
}

export type LogEntry = LoggedWrite | LoggedState

/** Reads the entries about one object, in the order of the log. Throws an InputError for a line that can't be used. */
export async function* readLog(file: string, target: ObjectName, input: Input): AsyncGenerator<LogEntry> {
  for await (const { line, value, at } of logValues(file, input)) {
    const kind = isMap(value) ? textAt(value, "kind") : ""
    if (isMap(value) && kind === "Event" && textAt(value, "apiVersion").startsWith("audit.k8s.io/")) {
      const write = readWrite(value, target, line, at)
      if (write !== undefined) yield write
    } else if (isMap(value)) {
      const entry = readState(value, target, line)
      if (entry === undefined) throw new InputError(`${at}: is neither an event of an audit log nor an object`)
      if (entry !== "other") yield entry
    } else throw new InputError(`${at}: is neither an event of an audit log nor an object`)
  }
}

const verbs = ["create", "update", "patch", "apply", "delete"] as const

/** Returns the write of an event; undefined for events that write nothing, or that write another object. */
function readWrite(event: MapValue, target: ObjectName, line: number, at: string): LoggedWrite | undefined {
  const verb = verbs.find(name => name === textAt(event, "verb"))
  if (verb === undefined || textAt(event, "stage") !== "ResponseComplete") return undefined
  const answer = mapAt(event, "responseObject")
  const ref = mapAt(event, "objectRef")
  if (!isAbout(ref, answer, target)) return undefined
  const url = new URL(textAt(event, "requestURI"), "http://server")
  if (url.searchParams.has("dryRun")) return undefined
  if (textAt(event, "level") !== "RequestResponse") {
    throw new InputError(
      `${at}: the event has level ${textAt(event, "level")}; only events with level RequestResponse contain the written object`,
    )
  }
  const state = isTarget(answer, target) ? answer : undefined
  const request = own(event, "requestObject")
  const subresource = textAt(ref, "subresource")
  const named = url.searchParams.get("fieldManager") ?? ""
  const manager = named === "" ? managerOf(textAt(event, "userAgent")) : named
  const time = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)/.exec(textAt(event, "requestReceivedTimestamp"))?.[1]
  const code = own(mapAt(event, "responseStatus"), "code")
  const isApplied =
    verb === "apply" || (verb === "patch" && named !== "" && isApply(request, state, manager, subresource))
  return {
    line,
    ...(time !== undefined && { time: `${time}Z` }),
    verb: isApplied ? "apply" : verb,
    manager,
    user: textAt(mapAt(event, "user"), "username"),
    subresource,
    force: url.searchParams.get("force") === "true",
    ...((isMap(request) || isList(request)) && { request: request as MapValue | readonly MapValue[] }),
    ...(state !== undefined && { state }),
    code: typeof code === "number" ? code : 200,
    ...(state === undefined && textAt(answer, "kind") === "Status" && { status: answer }),
  }
}

/** Whether the event is about the object. The reference of a create may lack the name. */
function isAbout(ref: MapValue, answer: MapValue, target: ObjectName): boolean {
  const { group } = parseKind(target.apiVersion, target.kind)
  const named = textAt(ref, "name") || textAt(mapAt(answer, "metadata"), "name")
  return (
    textAt(ref, "apiGroup") === group &&
    (textAt(ref, "resource") === pluralOf(target.kind) || isTarget(answer, target)) &&
    textAt(ref, "namespace") === (target.namespace ?? "") &&
    named === target.name
  )
}

function isTarget(object: MapValue, target: ObjectName): boolean {
  const { apiVersion, kind, namespace = "", name } = objectName(object)
  const groups = [apiVersion, target.apiVersion].map(version => parseKind(version, kind).group)
  const isOfKind = kind === target.kind && groups[0] === groups[1]
  return isOfKind && name === target.name && namespace === (target.namespace ?? "")
}

/**
 * Whether a patch is an apply. Events don't contain the content type. An apply names a manager and sends an object with apiVersion and
 * kind; and if the answer has managedFields, the manager has an Apply entry there.
 */
function isApply(
  request: Value | undefined,
  state: MapValue | undefined,
  manager: string,
  subresource: string,
): boolean {
  if (
    request === undefined ||
    !isMap(request) ||
    textAt(request, "apiVersion") === "" ||
    textAt(request, "kind") === ""
  ) {
    return false
  }
  const entries = state === undefined ? [] : listAt(mapAt(state, "metadata"), "managedFields").filter(isMap)
  const ofManager = entries.filter(
    entry => textAt(entry, "manager") === manager && textAt(entry, "subresource") === subresource,
  )
  return ofManager.length === 0 || ofManager.some(entry => textAt(entry, "operation") === "Apply")
}

/** Reads an object or an event of a watch as a state; "other" if it is about another object, undefined for any other value. */
function readState(value: MapValue, target: ObjectName, line: number): LoggedState | "other" | undefined {
  const type = textAt(value, "type")
  const object = mapAt(value, "object")
  const isEvent = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK"].includes(type) && own(value, "object") !== undefined
  const state = isEvent ? object : value
  if (type === "BOOKMARK") return "other"
  if (textAt(state, "apiVersion") === "" || textAt(state, "kind") === "") return undefined
  if (!isTarget(state, target)) return "other"
  return { line, verb: "state", ...(type !== "DELETED" && { state }) }
}
