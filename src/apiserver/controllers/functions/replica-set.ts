// ReplicaSets: as many Pods as wanted.

import { formatTime } from "../../../managedfields/entries/time.js"
import { metadataOf } from "../../../schema/metadata.js"
import { mapAt, mapsAt, withKeys } from "../../../value/fields.js"
import type { MapValue } from "../../../value/value.js"
import {
  byDeletion,
  conditionOf,
  countPods,
  hasEnded,
  isActive,
  isDeleted,
  labelsOf,
  numberAt,
  podOf,
  specOf,
  statusOf,
  statusUpdate,
  withoutZeros,
} from "./common.js"
import type { ClusterView, Step } from "./request.js"

/** Decides on the next step of a ReplicaSet. */
export function replicaSet(object: MapValue, cluster: ClusterView): readonly Step[] {
  if (isDeleted(object)) return []
  const { now } = cluster
  const spec = specOf(object)
  const pods = cluster.ownedBy(object, "/pods")
  const active = pods.filter(isActive)
  const missing = numberAt(spec, "replicas", 1) - active.length
  const template = mapAt(spec, "template")
  const labels = Object.entries(labelsOf(template))
  const { ready, available, again } = countPods(active, numberAt(spec, "minReadySeconds"), now)
  const failure = missing === 0 ? undefined : conditionOf(object, "ReplicaFailure")
  const counted: MapValue = {
    replicas: active.length,
    ...withoutZeros({
      fullyLabeledReplicas: active.filter(pod => labels.every(([key, value]) => labelsOf(pod)[key] === value)).length,
      readyReplicas: ready,
      availableReplicas: available,
      observedGeneration: numberAt(metadataOf(object), "generation"),
    }),
    terminatingReplicas: pods.filter(pod => isDeleted(pod) && !hasEnded(pod)).length,
  }
  const others = mapsAt(statusOf(object), "conditions").filter(({ type }) => type !== "ReplicaFailure")
  const withFailure = (condition: MapValue | undefined): MapValue => {
    const conditions = condition === undefined ? others : [...others, condition]
    return conditions.length === 0 ? counted : withKeys(counted, { conditions })
  }
  // The status comes first: Pods that can't be created must not keep it from being known.
  const update = statusUpdate(object, withFailure(failure))
  if (update.length > 0) return update
  if (missing < 0) {
    const surplus = active.toSorted(byDeletion).slice(0, -missing)
    return surplus.map(pod => ({ verb: "delete", object: pod }))
  }
  const failed = (message: string): readonly Step[] => {
    if (failure !== undefined) return []
    const condition = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message }
    return statusUpdate(object, withFailure({ ...condition, lastTransitionTime: formatTime(now) }))
  }
  if (missing === 0) return again
  return Array.from(
    { length: missing },
    () => ({ verb: "create", object: podOf(object, template), otherwise: failed }) as const,
  )
}
