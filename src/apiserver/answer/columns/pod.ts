// The columns of Pods: how many containers are ready, and what the Pod is at, which its containers say better than its phase.

import { mapAt } from "../../../requests/metadata.js"
import { textAt } from "../../../schema/group-version-kind.js"
import { own } from "../../../value/object.js"
import type { MapValue } from "../../../value/value.js"
import {
  ageColumn,
  ageOf,
  type Column,
  countAt,
  holds,
  isDeleted,
  mapsAt,
  nameColumn,
  shown,
  specOf,
  statusOf,
  text,
  wide,
} from "./column.js"

/** What the status of the containers comes to. */
interface Summary {
  readonly ready: number
  readonly restarts: number
  /** The last time a container ended; "" if none did. */
  readonly lastRestart: string
  readonly reason: string
}

export const podColumns: readonly Column[] = [
  nameColumn,
  text("Ready", object => {
    const sidecars = mapsAt(specOf(object), "initContainers").filter(isSidecar)
    return `${summaryOf(object).ready}/${mapsAt(specOf(object), "containers").length + sidecars.length}`
  }),
  text("Status", object => {
    const reason = textAt(statusOf(object), "reason")
    if (isDeleted(object) && reason === "NodeLost") return "Unknown"
    const isOver = ["Succeeded", "Failed"].includes(textAt(statusOf(object), "phase"))
    return isDeleted(object) && !isOver ? "Terminating" : summaryOf(object).reason
  }),
  text("Restarts", (object, now) => {
    const { restarts, lastRestart } = summaryOf(object)
    return restarts > 0 && lastRestart !== "" ? `${restarts} (${ageOf(lastRestart, now)} ago)` : `${restarts}`
  }),
  ageColumn,
  wide(text("IP", object => shown(mapsAt(statusOf(object), "podIPs")[0] ?? {}, "ip"))),
  wide(text("Node", object => shown(specOf(object), "nodeName"))),
  wide(text("Nominated Node", object => shown(statusOf(object), "nominatedNodeName"))),
  wide(
    text("Readiness Gates", object => {
      const gates = mapsAt(specOf(object), "readinessGates")
      const open = gates.filter(gate => holds(object, textAt(gate, "conditionType")))
      return gates.length === 0 ? "<none>" : `${open.length}/${gates.length}`
    }),
  ),
]

/** Whether an init container goes on beside the others. */
const isSidecar = (container: MapValue): boolean => container.restartPolicy === "Always"

function summaryOf(pod: MapValue): Summary {
  const status = statusOf(pod)
  const gated = mapsAt(status, "conditions").some(each => {
    return each.type === "PodScheduled" && each.reason === "SchedulingGated"
  })
  const reason = gated ? "SchedulingGated" : textAt(status, "reason") || textAt(status, "phase")
  const init = initSummary(pod, reason)
  return init.waits && !holds(pod, "Initialized") ? init : mainSummary(pod, init.main)
}

/** What the init containers come to: whether the Pod waits for one, and where the containers proper go on from. */
function initSummary(pod: MapValue, reason: string): Summary & { readonly waits: boolean; readonly main: Summary } {
  const declared = mapsAt(specOf(pod), "initContainers")
  const sidecars = new Set(declared.filter(isSidecar).map(({ name }) => name))
  let all: Summary = { ready: 0, restarts: 0, lastRestart: "", reason }
  let main = all
  for (const [index, container] of mapsAt(statusOf(pod), "initContainerStatuses").entries()) {
    const isBeside = sidecars.has(container.name as string)
    all = withRestarts(all, container)
    if (isBeside) main = withRestarts(main, container)
    const terminated = own(mapAt(container, "state"), "terminated") as MapValue | undefined
    if (terminated !== undefined && countAt(terminated, "exitCode") === 0) continue
    if (isBeside && container.started === true) {
      const ready = container.ready === true ? 1 : 0
      all = { ...all, ready: all.ready + ready }
      main = { ...main, ready: main.ready + ready }
      continue
    }
    const waiting = textAt(mapAt(mapAt(container, "state"), "waiting"), "reason")
    const progress = waiting !== "" && waiting !== "PodInitializing" ? waiting : `${index}/${declared.length}`
    const why = `Init:${terminated === undefined ? progress : endOf(terminated)}`
    return { ...all, reason: why, waits: true, main: { ...main, reason: why } }
  }
  return { ...all, waits: false, main }
}

function mainSummary(pod: MapValue, start: Summary): Summary {
  let summary = start
  let running = false
  let error = ""
  for (const container of mapsAt(statusOf(pod), "containerStatuses").toReversed()) {
    summary = withRestarts(summary, container)
    const state = mapAt(container, "state")
    const waiting = textAt(mapAt(state, "waiting"), "reason")
    const terminated = own(state, "terminated") as MapValue | undefined
    if (waiting !== "") summary = { ...summary, reason: waiting }
    else if (terminated !== undefined) {
      summary = { ...summary, reason: endOf(terminated) }
      if (countAt(terminated, "exitCode") !== 0) error = summary.reason
    } else if (container.ready === true && own(state, "running") !== undefined) {
      running = true
      summary = { ...summary, ready: summary.ready + 1 }
    }
  }
  if (summary.reason !== "Completed") return summary
  if (running && holds(pod, "Ready")) return { ...summary, reason: "Running" }
  return { ...summary, reason: error || (running ? "NotReady" : "Completed") }
}

function withRestarts(summary: Summary, container: MapValue): Summary {
  const ended = textAt(mapAt(mapAt(container, "lastState"), "terminated"), "finishedAt")
  const lastRestart = Date.parse(ended) > (Date.parse(summary.lastRestart) || 0) ? ended : summary.lastRestart
  return { ...summary, restarts: summary.restarts + countAt(container, "restartCount"), lastRestart }
}

/** Why a container ended. */
function endOf(terminated: MapValue): string {
  const reason = textAt(terminated, "reason")
  if (reason !== "") return reason
  const signal = countAt(terminated, "signal")
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${countAt(terminated, "exitCode")}`
}
