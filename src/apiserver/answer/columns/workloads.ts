// The columns of what makes Pods.

import { mapAt } from "../../../requests/metadata.js"
import { textAt } from "../../../schema/group-version-kind.js"
import { own } from "../../../value/object.js"
import { isMap, type MapValue } from "../../../value/value.js"
import {
  ageColumn,
  ageOf,
  type Column,
  containerColumns,
  countAt,
  durationText,
  holds,
  integer,
  isDeleted,
  mapsAt,
  nameColumn,
  selectorColumn,
  shown,
  specOf,
  statusOf,
  text,
  wide,
} from "./column.js"

const templateSpec = (object: MapValue): MapValue => mapAt(mapAt(specOf(object), "template"), "spec")
const jobSpec = (object: MapValue): MapValue => mapAt(mapAt(specOf(object), "jobTemplate"), "spec")
const selector = (object: MapValue): MapValue => mapAt(specOf(object), "selector")
const counted = (name: string, key: string) => integer(name, object => countAt(statusOf(object), key))
const desired = integer("Desired", object => countAt(specOf(object), "replicas"))
const ready = text(
  "Ready",
  object => `${countAt(statusOf(object), "readyReplicas")}/${countAt(specOf(object), "replicas")}`,
)

const replicated: readonly Column[] = [
  nameColumn,
  desired,
  counted("Current", "replicas"),
  counted("Ready", "readyReplicas"),
  ageColumn,
  ...containerColumns(templateSpec),
  wide(selectorColumn("Selector", selector)),
]

/** What a Job is at: the first of these that its conditions say. */
function jobStatus(job: MapValue): string {
  if (holds(job, "Complete")) return "Complete"
  if (holds(job, "Failed")) return "Failed"
  if (isDeleted(job)) return "Terminating"
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(type => holds(job, type)) ?? "Running"
}

function completions(job: MapValue): string {
  const succeeded = countAt(statusOf(job), "succeeded")
  const wanted = own(specOf(job), "completions")
  if (typeof wanted === "number") return `${succeeded}/${wanted}`
  const parallel = countAt(specOf(job), "parallelism")
  return parallel > 1 ? `${succeeded}/1 of ${parallel}` : `${succeeded}/1`
}

function jobDuration(job: MapValue, now: number): string {
  const [start, end] = [textAt(statusOf(job), "startTime"), textAt(statusOf(job), "completionTime")]
  if (start === "") return ""
  return durationText(((end === "" ? now : Date.parse(end)) - Date.parse(start)) / 1000)
}

function controllerOf(object: MapValue): string {
  const owner = mapsAt(mapAt(object, "metadata"), "ownerReferences").find(({ controller }) => controller === true)
  if (owner === undefined) return "<none>"
  const [group] = textAt(owner, "apiVersion").includes("/") ? textAt(owner, "apiVersion").split("/") : [""]
  const kind = textAt(owner, "kind").toLowerCase()
  return `${group === "" ? kind : `${kind}.${group}`}/${textAt(owner, "name")}`
}

/** By group and kind. */
export const workloadColumns: Readonly<Record<string, readonly Column[]>> = {
  "apps/Deployment": [
    nameColumn,
    ready,
    text("Up-to-date", object => countAt(statusOf(object), "updatedReplicas")),
    text("Available", object => countAt(statusOf(object), "availableReplicas")),
    ageColumn,
    ...containerColumns(templateSpec),
    wide(selectorColumn("Selector", selector)),
  ],
  "apps/StatefulSet": [nameColumn, ready, ageColumn, ...containerColumns(templateSpec)],
  "apps/ReplicaSet": replicated,
  "/ReplicationController": replicated,
  "apps/DaemonSet": [
    nameColumn,
    counted("Desired", "desiredNumberScheduled"),
    counted("Current", "currentNumberScheduled"),
    counted("Ready", "numberReady"),
    counted("Up-to-date", "updatedNumberScheduled"),
    counted("Available", "numberAvailable"),
    selectorColumn("Node Selector", object => mapAt(templateSpec(object), "nodeSelector")),
    ageColumn,
    ...containerColumns(templateSpec),
    wide(selectorColumn("Selector", selector)),
  ],
  "apps/ControllerRevision": [
    nameColumn,
    text("Controller", controllerOf),
    text("Revision", object => countAt(object, "revision")),
    ageColumn,
  ],
  "batch/Job": [
    nameColumn,
    text("Status", jobStatus),
    text("Completions", completions),
    text("Duration", jobDuration),
    ageColumn,
    ...containerColumns(templateSpec),
    wide(selectorColumn("Selector", selector)),
  ],
  "batch/CronJob": [
    nameColumn,
    text("Schedule", object => textAt(specOf(object), "schedule")),
    text("Timezone", object => shown(specOf(object), "timeZone")),
    { ...text("Suspend", object => capitalized(shown(specOf(object), "suspend", "<unset>"))), type: "boolean" },
    integer("Active", object => mapsAt(statusOf(object), "active").length),
    text("Last Schedule", (object, now) => {
      const last = textAt(statusOf(object), "lastScheduleTime")
      return last === "" ? "<none>" : ageOf(last, now)
    }),
    ageColumn,
    ...containerColumns(object => mapAt(mapAt(jobSpec(object), "template"), "spec")),
    wide(selectorColumn("Selector", object => mapAt(jobSpec(object), "selector"))),
  ],
  "/PodTemplate": [
    nameColumn,
    ...containerColumns(object => mapAt(mapAt(object, "template"), "spec")).map(each => ({ ...each, priority: 0 })),
    selectorColumn("Pod Labels", object => mapAt(mapAt(mapAt(object, "template"), "metadata"), "labels")),
  ],
  "policy/PodDisruptionBudget": [
    nameColumn,
    text("Min Available", object => shown(specOf(object), "minAvailable", "N/A")),
    text("Max Unavailable", object => shown(specOf(object), "maxUnavailable", "N/A")),
    counted("Allowed Disruptions", "disruptionsAllowed"),
    ageColumn,
  ],
  "autoscaling/HorizontalPodAutoscaler": [
    nameColumn,
    text("Reference", object => {
      const target = mapAt(specOf(object), "scaleTargetRef")
      return `${textAt(target, "kind")}/${textAt(target, "name")}`
    }),
    text("Targets", targets),
    text("MinPods", object => shown(specOf(object), "minReplicas", "<unset>")),
    text("MaxPods", object => countAt(specOf(object), "maxReplicas")),
    text("Replicas", object => countAt(statusOf(object), "currentReplicas")),
    ageColumn,
  ],
  "autoscaling/Scale": [{ ...nameColumn, format: "" }, desired, counted("Available", "replicas"), ageColumn],
}

const capitalized = (flag: string): string => ({ true: "True", false: "False" })[flag] ?? flag

/** What an autoscaler goes by: the present value of each metric beside the wanted one. */
function targets(object: MapValue): string {
  const current = mapsAt(statusOf(object), "currentMetrics")
  const metrics = metricsOf(object).map((metric, index) => {
    const type = textAt(metric, "type")
    const key = type === "" ? "" : `${type.charAt(0).toLowerCase()}${type.slice(1)}`
    const source = own(metric, key)
    if (!isMap(source)) return "<unknown type>"
    return metricText(type, source, mapAt(mapAt(current[index] ?? {}, key), "current"))
  })
  const more = metrics.length > 2 ? ` + ${metrics.length - 2} more...` : ""
  return (metrics.slice(0, 2).join(", ") || "<none>") + more
}

/** The metrics; autoscaling/v1 knows no others than the use of CPU. */
function metricsOf(object: MapValue): readonly MapValue[] {
  const averageUtilization = own(specOf(object), "targetCPUUtilizationPercentage")
  if (averageUtilization === undefined) return mapsAt(specOf(object), "metrics")
  return [{ type: "Resource", resource: { name: "cpu", target: { averageUtilization } } }]
}

function metricText(type: string, source: MapValue, current: MapValue): string {
  const target = mapAt(source, "target")
  const average = own(target, "averageValue")
  if (type === "Resource" || type === "ContainerResource") {
    const percent = (map: MapValue, absent: string) => {
      const found = own(map, "averageUtilization")
      return found === undefined ? absent : `${found}%`
    }
    const now = average === undefined ? percent(current, "<unknown>") : shown(current, "averageValue", "<unknown>")
    return `${textAt(source, "name")}: ${now}/${average ?? percent(target, "<auto>")}`
  }
  if (average === undefined) return `${shown(current, "value", "<unknown>")}/${shown(target, "value", "0")}`
  const mark = type === "Pods" ? "" : " (avg)"
  return `${shown(current, "averageValue", "<unknown>")}/${average}${mark}`
}
