// CronJobs: a Job at each time of a schedule.

import { formatTime } from "../../../managedfields/entries/time.js"
import { metadataOf, metaText } from "../../../schema/metadata.js"
import { mapAt, mapsAt, textAt } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import type { MapValue } from "../../../value/value.js"
import {
  annotationsOf,
  compareTexts,
  controllerReference,
  hasCondition,
  isDeleted,
  labelsOf,
  numberAt,
  specOf,
  statusOf,
  statusUpdate,
} from "./common.js"
import { isFinished } from "./job.js"
import type { ClusterView, Step } from "./request.js"
import { nextTime, readSchedule } from "./schedule.js"

const timeKey = "batch.kubernetes.io/cronjob-scheduled-timestamp"

/** Decides on the next step of a CronJob. */
export function cronJob(object: MapValue, cluster: ClusterView): readonly Step[] {
  if (isDeleted(object)) return []
  const { now } = cluster
  const [spec, old] = [specOf(object), statusOf(object)]
  const jobs = cluster.ownedBy(object, "batch/jobs")
  const running = jobs.filter(each => !isFinished(each) && !isDeleted(each))
  const known = new Map(mapsAt(old, "active").map(each => [textAt(each, "uid"), each]))
  const scheduled = jobs.map(each => textAt(annotationsOf(each), timeKey)).filter(time => time !== "")
  const [lastScheduleTime] = [...scheduled, textAt(old, "lastScheduleTime")].sort().reverse()
  const ends = jobs.map(each => textAt(statusOf(each), "completionTime"))
  const [lastSuccessfulTime] = [...ends, textAt(old, "lastSuccessfulTime")].sort().reverse()
  const status: MapValue = {
    ...(running.length > 0 && { active: running.map(each => known.get(metaText(each, "uid")) ?? referenceTo(each)) }),
    ...(lastScheduleTime && { lastScheduleTime }),
    ...(lastSuccessfulTime && { lastSuccessfulTime }),
  }
  const update = statusUpdate(object, status)
  if (update.length > 0) return update
  const surplus = tooManyFinished(spec, jobs)
  if (surplus.length > 0) return surplus
  const schedule = readSchedule(textAt(spec, "schedule"))
  if (schedule === undefined || own(spec, "suspend") === true) return []
  const zone = textAt(spec, "timeZone") || undefined
  const since = lastScheduleTime || metaText(object, "creationTimestamp")
  let due = nextTime(schedule, new Date(since), zone)
  // Only the last of several missed times counts.
  for (let next = due; next !== undefined && next <= now; next = nextTime(schedule, next, zone)) due = next
  if (due === undefined) return []
  if (due > now) return [{ again: due.getTime() - now.getTime() }]
  const next = nextTime(schedule, now, zone)
  const again: readonly Step[] = next === undefined ? [] : [{ again: next.getTime() - now.getTime() }]
  const limit = own(spec, "startingDeadlineSeconds")
  if (typeof limit === "number" && now.getTime() - due.getTime() > limit * 1000) return again
  const policy = textAt(spec, "concurrencyPolicy")
  if (policy === "Forbid" && running.length > 0) return again
  const replaced: readonly Step[] = policy === "Replace" ? running.map(each => ({ verb: "delete", object: each })) : []
  return [...replaced, { verb: "create", object: newJob(object, due) }, ...again]
}

function newJob(object: MapValue, time: Date): MapValue {
  const template = mapAt(specOf(object), "jobTemplate")
  const labels = labelsOf(template)
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: `${metaText(object, "name")}-${Math.floor(time.getTime() / 60_000)}`,
      namespace: metaText(object, "namespace"),
      ...(Object.keys(labels).length > 0 && { labels }),
      annotations: { ...annotationsOf(template), [timeKey]: formatTime(time) },
      ownerReferences: [controllerReference(object)],
    },
    spec: specOf(template),
  }
}

function referenceTo(object: MapValue): MapValue {
  const { name, namespace, resourceVersion, uid } = metadataOf(object)
  const kind = { apiVersion: "batch/v1", kind: "Job" }
  return {
    ...kind,
    name: name ?? null,
    namespace: namespace ?? null,
    resourceVersion: resourceVersion ?? null,
    uid: uid ?? null,
  }
}

/** Deletes the oldest of the finished Jobs beyond the limits of the history. */
function tooManyFinished(spec: MapValue, jobs: readonly MapValue[]): readonly Step[] {
  const started = (each: MapValue) => textAt(statusOf(each), "startTime")
  const surplus = (type: string, limit: number) => {
    const finished = jobs.filter(each => hasCondition(each, type) && !isDeleted(each))
    const oldest = finished.toSorted(
      (a, b) => compareTexts(started(a), started(b)) || compareTexts(metaText(a, "name"), metaText(b, "name")),
    )
    return oldest.slice(0, Math.max(0, finished.length - limit))
  }
  const all = [
    ...surplus("Complete", numberAt(spec, "successfulJobsHistoryLimit", 3)),
    ...surplus("Failed", numberAt(spec, "failedJobsHistoryLimit", 1)),
  ]
  return all.map(each => ({ verb: "delete", object: each }))
}
