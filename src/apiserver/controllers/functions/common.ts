// Parts that the functions of several controllers share.

import { formatGoJson } from "../../../json/json.js"
import { formatTime } from "../../../managedfields/entries/time.js"
import { metadataOf, metaText, withMetadata } from "../../../schema/metadata.js"
import { equalValues } from "../../../value/equal.js"
import { listAt, mapAt, mapsAt, textAt, withKeys } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import type { MapValue, Value } from "../../../value/value.js"
import type { Step } from "./request.js"

export const specOf = (object: MapValue): MapValue => mapAt(object, "spec")
export const statusOf = (object: MapValue): MapValue => mapAt(object, "status")
export const isDeleted = (object: MapValue): boolean => metaText(object, "deletionTimestamp") !== ""
export const labelsOf = (object: MapValue): MapValue => mapAt(metadataOf(object), "labels")
export const annotationsOf = (object: MapValue): MapValue => mapAt(metadataOf(object), "annotations")

/** Returns the number at `key`, or `absent`. */
export function numberAt(map: MapValue, key: string, absent = 0): number {
  const value = own(map, key)
  return typeof value === "number" ? value : absent
}

/** Returns the fields that are not 0: Go leaves zeros out. */
export function withoutZeros(fields: Readonly<Record<string, number>>): MapValue {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== 0))
}

/** Returns a number or percentage of a total. */
export function shareOf(value: Value | undefined, total: number, round: (value: number) => number): number {
  if (typeof value === "string") return round((Number.parseInt(value, 10) * total) / 100)
  return typeof value === "number" ? value : 0
}

export const secondsSince = (time: string, now: Date): number => (now.getTime() - Date.parse(time)) / 1000

/** Returns an update of the status, or nothing if the object has it already. */
export function statusUpdate(object: MapValue, status: MapValue): readonly Step[] {
  if (equalValues(statusOf(object), status)) return []
  return [{ verb: "update", object: withKeys(object, { status }), subresource: "status" }]
}

/** Returns the condition of this type. */
export function conditionOf(object: MapValue, type: string): MapValue | undefined {
  return mapsAt(statusOf(object), "conditions").find(each => each.type === type)
}

export const hasCondition = (object: MapValue, type: string): boolean =>
  textAt(conditionOf(object, type) ?? {}, "status") === "True"

/** The text members of a condition. */
export interface Condition {
  readonly type: string
  readonly status: "True" | "False" | "Unknown"
  readonly reason: string
  readonly message: string
}

/**
 * Returns conditions with this one, which comes last. A condition with the same status and reason stays as it is; one with the same status keeps the time of its
 * transition.
 */
export function withCondition(
  conditions: readonly MapValue[],
  condition: Condition,
  now: Date,
  times: readonly string[],
): readonly MapValue[] {
  const old = conditions.find(each => each.type === condition.type)
  if (old !== undefined && old.status === condition.status && old.reason === condition.reason) return conditions
  const time = formatTime(now)
  const added: Record<string, Value> = { ...condition }
  for (const key of times) added[key] = time
  if (old?.status === condition.status && old.lastTransitionTime !== undefined)
    added.lastTransitionTime = old.lastTransitionTime
  return [...conditions.filter(each => each !== old), added]
}

/** Returns the reference to a controller, as an object that it owns has it. */
export function controllerReference(owner: MapValue): MapValue {
  return {
    apiVersion: textAt(owner, "apiVersion"),
    kind: textAt(owner, "kind"),
    name: metaText(owner, "name"),
    uid: metaText(owner, "uid"),
    controller: true,
    blockOwnerDeletion: true,
  }
}

/** Returns a new Pod from a template. Its name is generated unless `changes` has one. */
export function podOf(
  owner: MapValue,
  template: MapValue,
  changes: { readonly metadata?: MapValue; readonly spec?: MapValue } = {},
): MapValue {
  const { labels, annotations, finalizers } = metadataOf(template)
  const name = metaText(owner, "name")
  const metadata: MapValue = {
    namespace: metaText(owner, "namespace"),
    ...(own(changes.metadata ?? {}, "name") === undefined && { generateName: `${name}-` }),
    ownerReferences: [controllerReference(owner)],
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
    ...(finalizers !== undefined && { finalizers }),
    ...changes.metadata,
  }
  return { apiVersion: "v1", kind: "Pod", metadata, spec: { ...specOf(template), ...changes.spec } }
}

/** Whether a Pod has neither ended nor been deleted. */
export function isActive(pod: MapValue): boolean {
  return !isDeleted(pod) && !hasEnded(pod)
}

export function hasEnded(pod: MapValue): boolean {
  return ["Succeeded", "Failed"].includes(textAt(statusOf(pod), "phase"))
}

export const isReady = (pod: MapValue): boolean => hasCondition(pod, "Ready")

/** Returns the seconds until a Pod counts as available: 0 if it does, and Infinity if it is not ready. */
function untilAvailable(pod: MapValue, minReadySeconds: number, now: Date): number {
  if (!isReady(pod)) return Number.POSITIVE_INFINITY
  const since = textAt(conditionOf(pod, "Ready") ?? {}, "lastTransitionTime")
  return Math.max(0, minReadySeconds - secondsSince(since, now))
}

/** The Pods of a workload, counted. `soon` are the milliseconds until a ready Pod becomes available; undefined if none will. */
export function countPods(pods: readonly MapValue[], minReadySeconds: number, now: Date) {
  const waits = pods.map(pod => untilAvailable(pod, minReadySeconds, now))
  const coming = waits.filter(wait => wait > 0 && Number.isFinite(wait))
  return {
    ready: pods.filter(isReady).length,
    available: waits.filter(wait => wait === 0).length,
    again: coming.length === 0 ? [] : [{ again: Math.min(...coming) * 1000 }],
  }
}

/** Compares Pods by which one a controller deletes first: those without a node, not ready, or younger. */
export function byDeletion(a: MapValue, b: MapValue): number {
  const rank = (pod: MapValue) =>
    (textAt(specOf(pod), "nodeName") === "" ? 0 : 4) +
    (textAt(statusOf(pod), "phase") === "Running" ? 2 : 0) +
    (isReady(pod) ? 1 : 0)
  return (
    rank(a) - rank(b) ||
    compareTexts(metaText(b, "creationTimestamp"), metaText(a, "creationTimestamp")) ||
    compareTexts(metaText(a, "name"), metaText(b, "name"))
  )
}

export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const safeCharacters = "bcdfghjklmnpqrstvwxz2456789"

/** Returns the hash of a template as names and labels have it. Templates with the same fields have the same hash; it is not that of a cluster. */
export function hashOf(template: Value, collisions = 0): string {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(formatGoJson(template) + (collisions === 0 ? "" : collisions))) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  }
  return Array.from(String(hash), digit => safeCharacters[digit.charCodeAt(0) % safeCharacters.length]).join("")
}

/** Returns a template of Pods with one more label. */
export function labelled(template: MapValue, label: string, value: string): MapValue {
  return withMetadata(template, { labels: withKeys(labelsOf(template), { [label]: value }) })
}

/** Whether the finalizers of an object include this one. */
export const hasFinalizer = (object: MapValue, finalizer: string): boolean =>
  listAt(metadataOf(object), "finalizers").includes(finalizer)
