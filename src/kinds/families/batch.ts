// Jobs and CronJobs.

import { metadataOf, metaText, withMetadata } from "../../schema/metadata.js"
import { mapAt, mapsAt, textAt, withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import {
  ageColumn,
  ageOf,
  containerColumns,
  countAt,
  durationText,
  integer,
  type KindColumns,
  nameColumn,
  selectorColumn,
  shown,
  text,
  wide,
} from "../kind/column.js"
import type { Family } from "../kind/kind.js"
import { hasCondition, isDeleted, specOf, statusOf } from "../kind/spec-and-status.js"
import { checkDomainPath } from "../validation/addresses.js"
import type { Field } from "../validation/field.js"
import { checkFixedSelector, checkSelector, selects } from "../validation/labels.js"
import { checkPodTemplate } from "../validation/pod-template.js"
import { goStruct } from "../validation/struct-layout.js"
import { checkFailurePolicy, checkSuccessPolicy } from "./batch/policies.js"
import { copyTemplateLabels, warnOfPodNames } from "./pod-spec.js"

const batchV1 = "io.k8s.api.batch.v1."

export const batch: Family = {
  "batch/Job": {
    orphansDependents: true,
    deleteWarning:
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
    defaults: {
      // Defaults of the Job, not of its JobSpec: the template in a CronJob does not get them.
      [`${batchV1}Job`]: [
        { in: "spec", when: { completions: undefined, parallelism: undefined }, set: { completions: 1 } },
        { in: "spec", when: { backoffLimitPerIndex: undefined }, set: { backoffLimit: 6 } },
        { in: "spec", when: { podFailurePolicy: undefined }, set: { podReplacementPolicy: "TerminatingOrFailed" } },
        {
          in: "spec",
          set: {
            parallelism: 1,
            backoffLimit: 2147483647,
            podReplacementPolicy: "Failed",
            completionMode: "NonIndexed",
            suspend: false,
            manualSelector: false,
          },
        },
        copyTemplateLabels,
      ],
      [`${batchV1}PodFailurePolicyOnPodConditionsPattern`]: [{ fill: { status: "True" } }],
    },
    created: job => withTemplateLabels(withSelector(job)),
    countsGeneration: true,
    validate: { "": checkJob, status: checkJobStatus },
    warnings: warnOfPodNames,
    selectableFields: { "status.successful": "0" },
  },
  "batch/CronJob": {
    defaults: {
      [`${batchV1}CronJobSpec`]: [
        {
          fill: { concurrencyPolicy: "Allow" },
          set: { suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 },
        },
      ],
    },
    countsGeneration: true,
    validate: { "": checkCronJob },
    warnings: warnOfPodNames,
  },
}

export function batchColumns(): KindColumns {
  return {
    "batch/Job": [
      nameColumn,
      text("Status", jobStatus),
      text("Completions", completions),
      text("Duration", jobDuration),
      ageColumn,
      ...containerColumns(job => mapAt(mapAt(specOf(job), "template"), "spec")),
      wide(selectorColumn("Selector", job => mapAt(specOf(job), "selector"))),
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
  }
}

const jobSpec = (cronJob: MapValue): MapValue => mapAt(mapAt(specOf(cronJob), "jobTemplate"), "spec")

const capitalized = (flag: string): string => ({ true: "True", false: "False" })[flag] ?? flag

/** Returns the first of these states that the conditions of a Job report. */
function jobStatus(job: MapValue): string {
  if (hasCondition(job, "Complete")) return "Complete"
  if (hasCondition(job, "Failed")) return "Failed"
  if (isDeleted(job)) return "Terminating"
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(type => hasCondition(job, type)) ?? "Running"
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

/** Gives a Job without labels the labels of its template, as reading it from storage does. */
function withTemplateLabels(job: MapValue): MapValue {
  if (Object.keys(mapAt(metadataOf(job), "labels")).length > 0) return job
  const labels = own(metadataOf(mapAt(mapAt(job, "spec"), "template")), "labels")
  return labels === undefined ? job : withMetadata(job, { labels })
}

/** Makes a Job select its Pods by its uid, unless it has a manual selector. */
function withSelector(job: MapValue): MapValue {
  const spec = mapAt(job, "spec")
  if (spec.manualSelector === true) return job
  const [name, uid] = [metaText(job, "name"), metaText(job, "uid")]
  const generated = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
  }
  const template = mapAt(spec, "template")
  const labels = { ...generated, ...mapAt(metadataOf(template), "labels") }
  const selector = mapAt(spec, "selector")
  const matchLabels = { "batch.kubernetes.io/controller-uid": uid, ...mapAt(selector, "matchLabels") }
  return withKeys(job, {
    spec: withKeys(spec, {
      selector: withKeys(selector, { matchLabels }),
      template: withMetadata(template, { labels }),
    }),
  })
}

const counts = ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"]
const fixed = ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"]

function checkJob(job: Field, before: Field | undefined): void {
  const spec = job.at("spec")
  checkJobSpec(spec)
  const selector = spec.at("selector")
  const { problems } = spec
  if (selector.isSet) checkSelector(selector)
  else selector.required()
  const isReadable = !selector.isSet || spec.problems === problems
  const labels = spec.at("template", "metadata", "labels")
  if (isReadable && !selects(selector, labels)) labels.invalid("`selector` does not match template `labels`")
  if (before !== undefined) checkJobUpdate(spec, before.at("spec"))
}

function checkJobUpdate(spec: Field, before: Field): void {
  const indexed = spec.at("completionMode").text === "Indexed"
  const scales = indexed && spec.at("completions").number === spec.at("parallelism").number
  if (!scales) spec.at("completions").immutable(before.at("completions"))
  checkFixedSelector(spec, before)
  const template = spec.at("template")
  if (before.at("suspend").value !== true) {
    template.immutable(before.at("template"), goStruct(template.value, "PodTemplateSpec"))
  }
  for (const name of fixed) spec.at(name).immutable(before.at(name))
}

function checkJobSpec(spec: Field): void {
  for (const key of [...counts, "backoffLimitPerIndex", "maxFailedIndexes"]) spec.at(key).notNegative()
  if (spec.at("maxFailedIndexes").isSet && !spec.at("backoffLimitPerIndex").isSet) {
    spec.at("backoffLimitPerIndex").required("when maxFailedIndexes is specified")
  }
  const manager = spec.at("managedBy")
  if (manager.isSet) checkDomainPath(manager)
  if (manager.text.length > 63) manager.tooLong(63)
  const mode = spec.at("completionMode")
  mode.oneOfIfSet(["NonIndexed", "Indexed"])
  if (mode.text === "Indexed") {
    if (!spec.at("completions").isSet) spec.at("completions").required("when completion mode is Indexed")
    const parallelism = spec.at("parallelism")
    if (parallelism.number > 100_000) {
      parallelism.invalid("must be less than or equal to 100000 when completion mode is Indexed")
    }
  } else {
    for (const key of ["backoffLimitPerIndex", "maxFailedIndexes"]) {
      if (spec.at(key).isSet) spec.at(key).invalid("requires indexed completion mode")
    }
  }
  checkFailurePolicy(spec)
  checkSuccessPolicy(spec)
  checkReplacement(spec)
  checkPodTemplate(spec.at("template"))
  checkRestart(spec)
}

function checkReplacement(spec: Field): void {
  const policy = spec.at("podReplacementPolicy")
  if (!policy.isSet) return
  policy.oneOf(spec.at("podFailurePolicy").isSet ? ["Failed"] : ["Failed", "TerminatingOrFailed"])
}

function checkRestart(spec: Field): void {
  const policy = spec.at("template", "spec", "restartPolicy")
  if (policy.text === "" || policy.text === "Always") policy.required('valid values: "OnFailure", "Never"')
  else if (!["OnFailure", "Never"].includes(policy.text)) policy.oneOf(["OnFailure", "Never"])
  else if (spec.at("podFailurePolicy").isSet && policy.text !== "Never") {
    policy.invalid('only "Never" is supported when podFailurePolicy is specified')
  }
}

function checkCronJob(cronJob: Field, before: Field | undefined): void {
  const spec = cronJob.at("spec")
  const schedule = spec.at("schedule")
  if (schedule.text !== "") checkSchedule(schedule)
  spec.at("startingDeadlineSeconds").notNegative()
  const zone = spec.at("timeZone")
  if (zone.isSet && (before === undefined || !zone.equals(before.at("spec", "timeZone")))) checkTimeZone(zone)
  spec.at("concurrencyPolicy").requiredOneOf(["Allow", "Forbid", "Replace"])
  const job = spec.at("jobTemplate", "spec")
  checkJobSpec(job)
  if (job.at("selector").isSet) job.at("selector").invalid("`selector` will be auto-generated")
  if (job.at("manualSelector").value === true) job.at("manualSelector").notSupported(["nil", "false"])
  for (const key of ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"]) spec.at(key).notNegative()
  const name = cronJob.at("metadata", "name")
  if (before === undefined && name.text.length > 52) name.invalid("must be no more than 52 characters")
}

function checkTimeZone(zone: Field): void {
  const { text } = zone
  if (text === "") zone.invalid("timeZone must be nil or non-empty string")
  else if (text.toLowerCase() === "local") {
    zone.invalid("timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones")
  } else if (/^[+-]/.test(text) || !isTimeZone(text)) zone.invalid(`unknown time zone ${text}`)
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name })
    return true
  } catch {
    return false
  }
}

function checkSchedule(schedule: Field): void {
  const { text } = schedule
  const fields = text.trim().split(/\s+/)
  if (!text.startsWith("@") && fields.length !== 5 && !text.includes("TZ")) {
    schedule.invalid(`expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`)
  }
  if (text.includes("TZ")) schedule.invalid("cannot use TZ or CRON_TZ in schedule, use timeZone field instead")
}

/** Checks the status of a Job: its counts, and which conditions go with each other. */
function checkJobStatus(job: Field, before: Field | undefined): void {
  const status = job.at("status")
  for (const key of ["active", "succeeded", "failed", "ready", "terminating"]) status.at(key).notNegative()
  const is = (type: string): boolean => hasCondition(job.map, type)
  const finished = is("Complete") || is("Failed")
  const completionTime = status.at("completionTime")
  checkConditions(status, is)
  if (completionTime.isSet && !is("Complete")) {
    completionTime.invalid("cannot set completionTime when there is no Complete=True condition")
  }
  if (!completionTime.isSet && is("Complete")) completionTime.required("completionTime is required for Complete jobs")
  const active = status.at("active")
  if (active.number > 0 && finished) active.invalid("active>0 is invalid for finished job")
  if (!status.at("startTime").isSet && finished)
    status.at("startTime").required("startTime is required for finished job")
  const ready = status.at("ready")
  if (ready.number > active.number && !(before !== undefined && sameCounts(status, before.at("status")))) {
    ready.invalid("cannot set more ready pods than active")
  }
}

function sameCounts(status: Field, before: Field): boolean {
  return ["ready", "active"].every(key => status.at(key).number === before.at(key).number)
}

const exclusive = [
  ["Complete", "Failed", "cannot set Complete=True and Failed=true conditions"],
  ["Complete", "FailureTarget", "cannot set Complete=True and FailureTarget=true conditions"],
  ["SuccessCriteriaMet", "Failed", "cannot set SuccessCriteriaMet=True and Failed=true conditions"],
  ["SuccessCriteriaMet", "FailureTarget", "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"],
] as const

function checkConditions(status: Field, is: (type: string) => boolean): void {
  const conditions = status.at("conditions")
  for (const [one, other, message] of exclusive) {
    if (is(one) && is(other)) conditions.invalidUnseen(message)
  }
  if (is("Failed") && !is("FailureTarget")) {
    conditions.invalidUnseen("cannot set Failed=True condition without the FailureTarget=true condition")
  }
  if (is("Complete") && !is("SuccessCriteriaMet")) {
    conditions.invalidUnseen("cannot set Complete=True condition without the SuccessCriteriaMet=true condition")
  }
}
