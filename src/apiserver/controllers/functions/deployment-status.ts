// The status of a Deployment: its counts and conditions, and the deadline of its progress.

import { metadataOf, metaText } from "../../../schema/metadata.js"
import { mapAt, mapsAt, textAt, withKeys } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import type { MapValue } from "../../../value/value.js"
import {
  conditionOf,
  numberAt,
  secondsSince,
  shareOf,
  specOf,
  statusOf,
  statusUpdate,
  withCondition,
  withoutZeros,
} from "./common.js"
import type { ClusterView, Step } from "./request.js"

/** The number that stands for no deadline, and for no limit. */
export const noDeadline = 2 ** 31 - 1
const times = ["lastUpdateTime", "lastTransitionTime"]

/** How many Pods a Deployment or ReplicaSet wants. */
export const replicasOf = (object: MapValue): number => numberAt(specOf(object), "replicas", 1)
export const sum = (sets: readonly MapValue[], count: (set: MapValue) => number): number =>
  sets.reduce((total, set) => total + count(set), 0)
const statusSum = (sets: readonly MapValue[], key: string): number => sum(sets, set => numberAt(statusOf(set), key))

export const isRolling = (object: MapValue): boolean => textAt(mapAt(specOf(object), "strategy"), "type") !== "Recreate"

/** How many Pods a rollout may have more than wanted, and how many fewer available ones. */
export function bounds(object: MapValue): { readonly surge: number; readonly unavailable: number } {
  if (!isRolling(object)) return { surge: 0, unavailable: 0 }
  const rolling = mapAt(mapAt(specOf(object), "strategy"), "rollingUpdate")
  const wanted = replicasOf(object)
  const surge = shareOf(own(rolling, "maxSurge"), wanted, Math.ceil)
  const unavailable = Math.min(wanted, shareOf(own(rolling, "maxUnavailable"), wanted, Math.floor))
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable }
}

/** Updates the condition Progressing, and the annotations that a status carries. */
export function progressUpdate(
  object: MapValue,
  status: "True" | "False" | "Unknown",
  reason: string,
  message: string,
  { now }: ClusterView,
): readonly Step[] {
  const before = mapsAt(statusOf(object), "conditions")
  const conditions = hasDeadline(object)
    ? withCondition(before, { type: "Progressing", status, reason, message }, now, times)
    : before
  const changed =
    conditions.length === 0 ? object : withKeys(object, { status: withKeys(statusOf(object), { conditions }) })
  return [{ verb: "update", object: changed, subresource: "status" }]
}

export const hasDeadline = (object: MapValue): boolean =>
  numberAt(specOf(object), "progressDeadlineSeconds", noDeadline) !== noDeadline

/** Whether a status says that all Pods are new and available, and no others are left. */
export function isComplete(object: MapValue, status: MapValue): boolean {
  const wanted = replicasOf(object)
  const counts = ["updatedReplicas", "replicas", "availableReplicas"].map(key => numberAt(status, key))
  return (
    counts.every(count => count === wanted) &&
    numberAt(status, "observedGeneration") >= numberAt(metadataOf(object), "generation")
  )
}

/** Updates the status, or looks again when the rollout may have run out of time. */
export function statusSteps(
  object: MapValue,
  current: MapValue | undefined,
  sets: readonly MapValue[],
  { now }: ClusterView,
  estimatesProgress = true,
): readonly Step[] {
  const available = statusSum(sets, "availableReplicas")
  const counts = {
    replicas: statusSum(sets, "replicas"),
    updatedReplicas: current === undefined ? 0 : statusSum([current], "replicas"),
    readyReplicas: statusSum(sets, "readyReplicas"),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sum(sets, replicasOf) - available),
  }
  const old = statusOf(object)
  const status: MapValue = {
    observedGeneration: numberAt(metadataOf(object), "generation"),
    ...withoutZeros({ ...counts, collisionCount: numberAt(old, "collisionCount") }),
    terminatingReplicas: statusSum(sets, "terminatingReplicas"),
  }
  const isEnough = available >= replicasOf(object) - bounds(object).unavailable
  let conditions = withCondition(
    mapsAt(old, "conditions"),
    {
      type: "Available",
      status: isEnough ? "True" : "False",
      reason: isEnough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
      message: isEnough ? "Deployment has minimum availability." : "Deployment does not have minimum availability.",
    },
    now,
    times,
  )
  if (!hasDeadline(object)) conditions = conditions.filter(({ type }) => type !== "Progressing")
  else if (estimatesProgress) conditions = withProgress(object, status, current, conditions, now)
  const failure = sets.map(set => conditionOf(set, "ReplicaFailure")).find(each => each !== undefined)
  conditions = conditions.filter(({ type }) => type !== "ReplicaFailure")
  if (failure !== undefined)
    conditions = [...conditions, { ...failure, lastUpdateTime: failure.lastTransitionTime ?? null }]
  const steps = statusUpdate(object, { ...status, conditions })
  return steps.length > 0 ? steps : untilDeadline(object, now)
}

function withProgress(
  object: MapValue,
  status: MapValue,
  current: MapValue | undefined,
  conditions: readonly MapValue[],
  now: Date,
): readonly MapValue[] {
  const before = conditionOf(object, "Progressing")
  const old = statusOf(object)
  const isDone =
    numberAt(status, "replicas") === numberAt(status, "updatedReplicas") && before?.reason === "NewReplicaSetAvailable"
  if (isDone) return conditions
  const subject =
    current === undefined ? `Deployment "${metaText(object, "name")}"` : `ReplicaSet "${metaText(current, "name")}"`
  const progress = (value: "True" | "False", reason: string, message: string, from = conditions) =>
    withCondition(from, { type: "Progressing", status: value, reason, message: `${subject} ${message}` }, now, times)
  if (isComplete(object, status)) return progress("True", "NewReplicaSetAvailable", "has successfully progressed.")
  const change = (key: string) => numberAt(status, key) - numberAt(old, key)
  const isProgressing =
    change("updatedReplicas") > 0 ||
    change("replicas") - change("updatedReplicas") < 0 ||
    change("readyReplicas") > 0 ||
    change("availableReplicas") > 0
  if (isProgressing) {
    // The time of the update changes with each progress, even though the reason stays.
    const others = conditions.filter(each => each !== before)
    const [added] = progress("True", "ReplicaSetUpdated", "is progressing.", []) as [MapValue]
    const since = before?.status === "True" ? before.lastTransitionTime : undefined
    return [...others, since === undefined ? added : { ...added, lastTransitionTime: since }]
  }
  if (before === undefined || before.reason === "NewReplicaSetAvailable") return conditions
  const seconds = numberAt(specOf(object), "progressDeadlineSeconds")
  const isLate =
    before.reason === "ProgressDeadlineExceeded" || secondsSince(textAt(before, "lastUpdateTime"), now) > seconds
  return isLate ? progress("False", "ProgressDeadlineExceeded", "has timed out progressing.") : conditions
}

function untilDeadline(object: MapValue, now: Date): readonly Step[] {
  const condition = conditionOf(object, "Progressing")
  if (!hasDeadline(object) || condition === undefined || condition.reason === "ProgressDeadlineExceeded") return []
  if (isComplete(object, statusOf(object)) || own(specOf(object), "paused") === true) return []
  const seconds = numberAt(specOf(object), "progressDeadlineSeconds")
  return [{ again: Math.max(1, seconds + 1 - secondsSince(textAt(condition, "lastUpdateTime"), now)) * 1000 }]
}
