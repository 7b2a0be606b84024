// Reads one line of a log: states of objects, ends of objects, and gaps in the history.

import { type Manifest, withTypeOfItem } from "../../../io/manifests.js"
import { kindOf } from "../../../schema/group-version-kind.js"
import { metadataOf, metaText } from "../../../schema/metadata.js"
import { mapAt, mapsAt, textAt } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../../value/value.js"
import { isFinalized } from "../../../write/strategy.js"
import { type Exchange, exchangeOf } from "../../traffic/exchange.js"

/** A state of an object. */
export interface ObservedState {
  readonly is: "state"
  readonly line: number
  readonly object: MapValue
  /** Where the state is from: the response to a write or a read, an event of a watch, or an object that `kubectl get -w` printed. */
  readonly how: "created" | "written" | "read" | "added" | "modified" | "printed"
  /** The object had the state by this time, in milliseconds since 1970; undefined if the log has no such time. */
  readonly by?: number | undefined
  /** The object got the state after this time. */
  readonly since?: number | undefined
  /** The plural name of the resource; "" if the log does not have it. */
  readonly resource: string
}

/** The end of an object. */
export interface ObservedEnd {
  readonly is: "end"
  readonly line: number
  readonly by?: number | undefined
  readonly group: string
  /** The plural name of the resource; "" if the log does not have it. */
  readonly resource: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** "" if the log does not have it. */
  readonly uid: string
  /** The last state; undefined if the line does not have it. */
  readonly object?: MapValue | undefined
  /** Whether the object may have stayed, because something held it: the log does not have the response. */
  readonly isUnsure?: true
}

/** A part of the history that the log does not have. */
export interface Gap {
  readonly is: "gap"
  readonly line: number
  /** The reason, which is the same for all lines that have it. */
  readonly reason: string
  /** The subject of the line: `update of deployments default/web`. */
  readonly about: string
}

/** The events with which a watch of these objects begins are complete. */
interface InitialEnd {
  readonly is: "initial-end"
  readonly kind: string
}

export type Observation = ObservedState | ObservedEnd | Gap | InitialEnd

/**
 * Returns what a value of a log says about objects: an event of an audit log, a line of a recording, an event of a watch, a list, or an
 * object. Returns undefined for any other value.
 */
export function observe(value: MapValue, line: number): readonly Observation[] | undefined {
  const exchange = exchangeOf(value, line)
  if (exchange === "other") return []
  if (exchange !== undefined) {
    const isCut = own(value, "cut") === true
    const cut = gap(exchange, "the recording has only the first 8 MB of the watch")
    return isCut ? [...ofExchange(exchange), cut] : ofExchange(exchange)
  }
  const event = ofEvent(value, line)
  if (event !== undefined) return event
  if (own(value, "items") !== undefined) return reads(value, line)
  if (textAt(value, "apiVersion") === "" || textAt(value, "kind") === "") return undefined
  return [{ is: "state", line, object: value, how: "printed", resource: "" }]
}

function ofExchange(exchange: Exchange): readonly Observation[] {
  const { line, time, verb, code, answer, query, resource } = exchange
  if (code >= 300 || query.has("dryRun")) return []
  if (code === 0)
    return isWriting(exchange) ? [gap(exchange, "no response arrived, so nobody knows what was written")] : []
  if (verb === "get")
    return isStored(exchange)
      ? [{ is: "state", line, object: answer as MapValue, how: "read", by: time, resource }]
      : []
  if (verb === "list") return reads(answer, line, time, resource)
  if (verb === "watch") return eventsIn(answer).flatMap(event => ofEvent(event, line, time, resource) ?? [])
  if (verb === "delete") return ofDelete(exchange)
  if (verb === "deletecollection") return ofDeletes(exchange)
  return ofWrite(exchange)
}

function ofWrite(exchange: Exchange): readonly Observation[] {
  const { line, time: by, verb, answer, resource, subresource } = exchange
  if (isStored(exchange)) {
    const object = answer as MapValue
    if (isFinalized(object, object)) return [endOf(object, line, by, resource)]
    return [{ is: "state", line, object, how: verb === "create" ? "created" : "written", by, resource }]
  }
  if (!isWriting(exchange)) return []
  if (answer === undefined) return [gap(exchange, `${exchange.lack}: the written object is not in the log`)]
  const isOther = ["scale", "binding", "eviction"].includes(subresource) || resource === "bindings"
  return isOther ? [gap(exchange, "the response is not the object that was written")] : []
}

function ofDelete(exchange: Exchange): readonly Observation[] {
  const { line, time: by, group, resource, namespace, name, answer, subresource } = exchange
  if (subresource !== "") return []
  if (isStored(exchange)) {
    const object = answer as MapValue
    const isHeld = metaText(object, "deletionTimestamp") !== "" && !isFinalized(object, object)
    return [isHeld ? { is: "state", line, object, how: "written", by, resource } : endOf(object, line, by, resource)]
  }
  const uid = isMap(answer ?? null) ? textAt(mapAt(answer as MapValue, "details"), "uid") : ""
  const end = { is: "end", line, by, group, resource, kind: "", namespace, name, uid } as const
  return [answer === undefined ? { ...end, isUnsure: true } : end]
}

/** A response to `deletecollection` has the objects as they were before. */
function ofDeletes(exchange: Exchange): readonly Observation[] {
  const { line, time: by, resource, answer } = exchange
  if (!isMap(answer ?? null)) return [gap(exchange, `${exchange.lack}: the deleted objects are not in the log`)]
  return itemsOf(answer as MapValue).map(object => {
    const { object: _, ...end } = endOf(object, line, by, resource)
    return { ...end, isUnsure: true }
  })
}

/** Returns what an event of a watch says; undefined for any other value. `since` is the time at which the watch began. */
function ofEvent(event: MapValue, line: number, since?: number, resource = ""): readonly Observation[] | undefined {
  const object = own(event, "object")
  if (!isMap(object ?? null)) return undefined
  const state = object as MapValue
  switch (textAt(event, "type")) {
    case "ADDED":
    case "MODIFIED": {
      const how = textAt(event, "type") === "ADDED" ? "added" : "modified"
      return isPart(state) ? [] : [{ is: "state", line, object: state, how, since, resource }]
    }
    case "DELETED":
      return isPart(state) ? [] : [endOf(state, line, undefined, resource)]
    case "BOOKMARK": {
      const annotations = mapAt(metadataOf(state), "annotations")
      const { kind } = kindOf(state)
      return own(annotations, "k8s.io/initial-events-end") === undefined ? [] : [{ is: "initial-end", kind }]
    }
    case "ERROR": {
      const reason = "the watch ended with an error: later events may be missing"
      return [{ is: "gap", line, reason, about: textAt(state, "message") }]
    }
    default:
      return undefined
  }
}

function eventsIn(answer: Value | undefined): readonly MapValue[] {
  return answer !== undefined && isList(answer) ? answer.filter(isMap) : []
}

function reads(answer: Value | undefined, line: number, by?: number, resource = ""): readonly ObservedState[] {
  if (answer === undefined || !isMap(answer)) return []
  return itemsOf(answer).map(object => ({ is: "state", line, object, how: "read", by, resource }))
}

/** Returns the objects of a List, with their kinds. */
function itemsOf(list: MapValue): readonly MapValue[] {
  const head = { apiVersion: textAt(list, "apiVersion"), kind: textAt(list, "kind") } as Manifest
  return isPart(list) ? [] : mapsAt(list, "items").map(item => withTypeOfItem(item, head))
}

/** Whether the value is a table, or the metadata of objects, which is only a part of their state. */
function isPart(value: MapValue): boolean {
  const { group, kind } = kindOf(value)
  return group === "meta.k8s.io" || kind === "Status"
}

/** Whether the response is the object that the request is about. */
function isStored({ group, answer }: Exchange): boolean {
  return answer !== undefined && isMap(answer) && metaText(answer, "uid") !== "" && kindOf(answer).group === group
}

const notObjects = ["token", "exec", "attach", "portforward", "proxy", "log"]

/** Whether the request stores or deletes an object. */
function isWriting({ verb, resource, subresource }: Exchange): boolean {
  return !["get", "list", "watch"].includes(verb) && !notObjects.includes(subresource) && !resource.endsWith("reviews")
}

function endOf(object: MapValue, line: number, by: number | undefined, resource: string): ObservedEnd {
  const { group, kind } = kindOf(object)
  const namespace = metaText(object, "namespace")
  const name = metaText(object, "name")
  return { is: "end", line, by, group, resource, kind, namespace, name, uid: metaText(object, "uid"), object }
}

function gap({ line, verb, resource, subresource, namespace, name }: Exchange, reason: string): Gap {
  const what = subresource === "" ? resource : `${resource}/${subresource}`
  const which = [namespace, name].filter(part => part !== "").join("/")
  return { is: "gap", line, reason, about: `${verb} of ${what} ${which}`.trimEnd() }
}
