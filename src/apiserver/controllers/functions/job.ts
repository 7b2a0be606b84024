// Jobs: Pods until enough of them have succeeded. Each Pod that has ended is counted once: a finalizer keeps it until the status has it.

import { formatTime } from "../../../managedfields/entries/time.js"
import { metaText, withMetadata } from "../../../schema/metadata.js"
import { listAt, mapAt, mapsAt, textAt, textsAt, withKeys } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import type { MapValue, Value } from "../../../value/value.js"
import {
  annotationsOf,
  byDeletion,
  hasCondition,
  hasEnded,
  hasFinalizer,
  isActive,
  isDeleted,
  isReady,
  labelsOf,
  numberAt,
  podOf,
  secondsSince,
  specOf,
  statusOf,
  statusUpdate,
  withCondition,
  withoutZeros,
} from "./common.js"
import type { ClusterView, Step } from "./request.js"

const finalizer = "batch.kubernetes.io/job-tracking"
const indexKey = "batch.kubernetes.io/job-completion-index"
const times = ["lastProbeTime", "lastTransitionTime"]

/** Decides on the next step of a Job. */
export function job(object: MapValue, cluster: ClusterView): readonly Step[] {
  if (isDeleted(object) || isFinished(object)) return []
  return new JobStep(object, cluster).decide()
}

export const isFinished = (object: MapValue): boolean =>
  hasCondition(object, "Complete") || hasCondition(object, "Failed")

class JobStep {
  private readonly object: MapValue
  private readonly now: Date
  private readonly pods: readonly MapValue[]
  private readonly active: readonly MapValue[]
  /** The uids of Pods that have ended and are not in the counts yet. */
  private readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] }

  constructor(object: MapValue, cluster: ClusterView) {
    this.object = object
    this.now = cluster.now
    this.pods = cluster.ownedBy(object, "/pods")
    this.active = this.pods.filter(isActive)
    const uncounted = mapAt(statusOf(object), "uncountedTerminatedPods")
    this.uncounted = { succeeded: textsAt(uncounted, "succeeded"), failed: textsAt(uncounted, "failed") }
  }

  decide(): readonly Step[] {
    const { object, active } = this
    const known = new Set([...this.uncounted.succeeded, ...this.uncounted.failed])
    const counted = this.pods.filter(pod => known.has(metaText(pod, "uid")) && hasFinalizer(pod, finalizer))
    if (counted.length > 0) return counted.map(withoutTracking)
    const status = this.nextStatus(known)
    const update = statusUpdate(object, status)
    if (update.length > 0) return update
    const doomed = isSuspended(object) || this.isFailing(status)
    if (doomed) return active.map(pod => ({ verb: "delete", object: pod }))
    const wanted = this.wantedPods(status)
    const surplus = active.length - wanted
    if (surplus > 0)
      return active
        .toSorted(byDeletion)
        .slice(0, surplus)
        .map(pod => ({ verb: "delete", object: pod }))
    if (surplus < 0) return this.newPods(-surplus, status)
    const deadline = numberAt(specOf(object), "activeDeadlineSeconds")
    const left = deadline - secondsSince(textAt(status, "startTime"), this.now)
    return deadline > 0 && left > 0 ? [{ again: left * 1000 }] : []
  }

  /** Returns the status with the Pods as they are: those that have ended are first noted, and counted once their finalizers are gone. */
  private nextStatus(known: ReadonlySet<string>): MapValue {
    const { object, now, active, uncounted } = this
    const old = statusOf(object)
    const isIndexed = textAt(specOf(object), "completionMode") === "Indexed"
    const ended = this.pods.filter(
      pod => hasFinalizer(pod, finalizer) && isOver(pod) && !known.has(metaText(pod, "uid")),
    )
    const uids = (phase: (pod: MapValue) => boolean) => ended.filter(phase).map(pod => metaText(pod, "uid"))
    const hasSucceeded = (pod: MapValue) => textAt(statusOf(pod), "phase") === "Succeeded"
    const indexes = new Set(readIndexes(textAt(old, "completedIndexes")))
    if (isIndexed)
      for (const pod of this.pods) if (hasSucceeded(pod)) indexes.add(Number(textAt(annotationsOf(pod), indexKey)))
    const pending = {
      succeeded: uids(hasSucceeded),
      failed: uids(pod => !hasSucceeded(pod)),
    }
    // Pods that were noted before have lost their finalizers by now.
    const counts = withoutZeros({
      active: active.length,
      succeeded: isIndexed ? indexes.size : numberAt(old, "succeeded") + uncounted.succeeded.length,
      failed: numberAt(old, "failed") + uncounted.failed.length,
    })
    const waiting = Object.fromEntries(Object.entries(pending).filter(([, list]) => list.length > 0))
    const status: MapValue = {
      ...counts,
      ...(indexes.size > 0 && { completedIndexes: writeIndexes([...indexes]) }),
      ...(own(old, "conditions") !== undefined && { conditions: listAt(old, "conditions") }),
      ready: active.filter(isReady).length,
      ...(!isSuspended(object) && { startTime: textAt(old, "startTime") || formatTime(now) }),
      terminating: this.pods.filter(pod => isDeleted(pod) && !hasEnded(pod)).length,
      uncountedTerminatedPods: waiting,
    }
    return ended.length > 0 ? status : this.withOutcome(status)
  }

  private withOutcome(status: MapValue): MapValue {
    const { object, now, active } = this
    const spec = specOf(object)
    const conditions = mapsAt(status, "conditions")
    const add = (type: string, reason: string, message: string, to = conditions, value: "True" | "False" = "True") =>
      withCondition(to, { type, status: value, reason, message }, now, times)
    if (isSuspended(object)) return withKeys(status, { conditions: add("Suspended", "JobSuspended", "Job suspended") })
    if (conditions.some(each => each.type === "Suspended" && each.status === "True")) {
      const resumed = add("Suspended", "JobResumed", "Job resumed", conditions, "False")
      return withKeys(status, { conditions: resumed, startTime: formatTime(now) })
    }
    const failure = conditions.find(each => each.type === "FailureTarget")
    if (failure !== undefined && active.length === 0) {
      return withKeys(status, { conditions: add("Failed", textAt(failure, "reason"), textAt(failure, "message")) })
    }
    if (failure !== undefined) return status
    const [succeeded, failed] = [numberAt(status, "succeeded"), numberAt(status, "failed")]
    if (failed > numberAt(spec, "backoffLimit", 6)) {
      return withKeys(status, {
        conditions: add("FailureTarget", "BackoffLimitExceeded", "Job has reached the specified backoff limit"),
      })
    }
    const deadline = numberAt(spec, "activeDeadlineSeconds")
    if (deadline > 0 && secondsSince(textAt(status, "startTime"), now) >= deadline) {
      return withKeys(status, {
        conditions: add("FailureTarget", "DeadlineExceeded", "Job was active longer than specified deadline"),
      })
    }
    const completions = own(spec, "completions")
    const isComplete = typeof completions === "number" ? succeeded >= completions : succeeded > 0
    if (!isComplete || active.length > 0) return status
    const reached = ["CompletionsReached", "Reached expected number of succeeded pods"] as const
    const both = add("Complete", ...reached, add("SuccessCriteriaMet", ...reached))
    return withKeys(status, { conditions: both, completionTime: formatTime(now) })
  }

  private isFailing(status: MapValue): boolean {
    return mapsAt(status, "conditions").some(each => each.type === "FailureTarget")
  }

  private wantedPods(status: MapValue): number {
    const spec = specOf(this.object)
    const parallelism = numberAt(spec, "parallelism", 1)
    const completions = own(spec, "completions")
    const succeeded = numberAt(status, "succeeded") + this.uncounted.succeeded.length
    if (typeof completions === "number") return Math.max(0, Math.min(parallelism, completions - succeeded))
    return succeeded > 0 ? Math.min(this.active.length, parallelism) : parallelism
  }

  private newPods(count: number, status: MapValue): readonly Step[] {
    const { object } = this
    const template = mapAt(specOf(object), "template")
    const metadata = { finalizers: [...listAt(mapAt(template, "metadata"), "finalizers"), finalizer] }
    if (textAt(specOf(object), "completionMode") !== "Indexed") {
      return Array.from(
        { length: count },
        () => ({ verb: "create", object: podOf(object, template, { metadata }) }) as const,
      )
    }
    const taken = new Set([
      ...readIndexes(textAt(status, "completedIndexes")),
      ...this.active.map(pod => Number(textAt(annotationsOf(pod), indexKey))),
    ])
    const free = Array.from({ length: numberAt(specOf(object), "completions") }, (_, i) => i).filter(i => !taken.has(i))
    return free
      .slice(0, count)
      .map(index => ({ verb: "create", object: indexedPod(object, template, index, metadata) }) as const)
  }
}

const isSuspended = (object: MapValue): boolean => own(specOf(object), "suspend") === true

/** Whether a Pod will not run again: it has ended, or its containers were ended for its deletion. */
function isOver(pod: MapValue): boolean {
  return hasEnded(pod) || (isDeleted(pod) && own(mapAt(pod, "metadata"), "deletionGracePeriodSeconds") === 0)
}

function withoutTracking(pod: MapValue): Step {
  const finalizers = listAt(mapAt(pod, "metadata"), "finalizers").filter(each => each !== finalizer)
  return {
    verb: "patch",
    object: pod,
    type: "merge",
    patch: { metadata: { finalizers: finalizers.length > 0 ? finalizers : null } },
  }
}

/** Releases a Pod whose Job is gone. */
export function untrack(pod: MapValue, cluster: ClusterView): readonly Step[] {
  if (!hasFinalizer(pod, finalizer)) return []
  const owner = mapsAt(mapAt(pod, "metadata"), "ownerReferences").find(
    each => each.controller === true && each.kind === "Job",
  )
  const found = owner && cluster.get("batch/jobs", metaText(pod, "namespace"), textAt(owner, "name"))
  const isLeft = found !== undefined && metaText(found, "uid") === textAt(owner ?? {}, "uid") && !isFinished(found)
  return isLeft ? [] : [withoutTracking(pod)]
}

/** Deletes a Job when the time for which it is kept is over. */
export function expire(object: MapValue, { now }: ClusterView): readonly Step[] {
  const seconds = own(specOf(object), "ttlSecondsAfterFinished")
  const end = mapsAt(statusOf(object), "conditions").find(({ type }) => type === "Complete" || type === "Failed")
  if (typeof seconds !== "number" || end === undefined || isDeleted(object)) return []
  const left = seconds - secondsSince(textAt(end, "lastTransitionTime"), now)
  return left > 0 ? [{ again: left * 1000 }] : [{ verb: "delete", object }]
}

function indexedPod(object: MapValue, template: MapValue, index: number, more: MapValue): MapValue {
  const name = metaText(object, "name")
  const fieldRef = { fieldPath: `metadata.labels['${indexKey}']` }
  const variable = { name: "JOB_COMPLETION_INDEX", valueFrom: { fieldRef } }
  const withVariable = (container: MapValue): MapValue =>
    withKeys(container, { env: [...listAt(container, "env"), variable] })
  const spec = specOf(template)
  const containers: Value = mapsAt(spec, "containers").map(withVariable)
  const marked = withMetadata(template, {
    labels: { ...labelsOf(template), [indexKey]: String(index) },
    annotations: { ...annotationsOf(template), [indexKey]: String(index) },
  })
  const pod = podOf(object, marked, {
    metadata: { generateName: `${name}-${index}-`, ...more },
    spec: { containers, hostname: `${name}-${index}` },
  })
  return pod
}

/** Reads indexes such as `0-2,5`. */
function readIndexes(text: string): readonly number[] {
  return text.split(",").flatMap(part => {
    const [first = "", last = first] = part.split("-")
    return first === "" ? [] : Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i)
  })
}

function writeIndexes(indexes: readonly number[]): string {
  const parts: { first: number; last: number }[] = []
  for (const index of indexes.toSorted((a, b) => a - b)) {
    const open = parts.at(-1)
    if (open !== undefined && index === open.last + 1) open.last = index
    else parts.push({ first: index, last: index })
  }
  // Go: two neighbours are written with a comma.
  return parts
    .map(({ first, last }) =>
      first === last ? `${first}` : last === first + 1 ? `${first},${last}` : `${first}-${last}`,
    )
    .join(",")
}
