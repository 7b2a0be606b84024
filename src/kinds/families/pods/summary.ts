// The state of a Pod in one line, as `kubectl get pods` prints it.

import { mapAt, mapsAt, textAt } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import type { MapValue } from "../../../value/value.js"
import { countAt } from "../../kind/column.js"
import { hasCondition, specOf, statusOf } from "../../kind/spec-and-status.js"

/** The state of a Pod as its containers report it. */
export interface PodSummary {
  readonly ready: number
  readonly restarts: number
  /** The last time that a container ended; "" if none did. */
  readonly lastRestart: string
  readonly reason: string
}

/** Whether an init container keeps running while the others do. */
export const isSidecar = (container: MapValue): boolean => container.restartPolicy === "Always"

export function podSummary(pod: MapValue): PodSummary {
  const status = statusOf(pod)
  const gated = mapsAt(status, "conditions").some(each => {
    return each.type === "PodScheduled" && each.reason === "SchedulingGated"
  })
  const reason = gated ? "SchedulingGated" : textAt(status, "reason") || textAt(status, "phase")
  const init = initSummary(pod, reason)
  return init.waits && !hasCondition(pod, "Initialized") ? init : mainSummary(pod, init.main)
}

/** Summarizes the init containers: whether the Pod waits for one, and the summary that the other containers start from. */
function initSummary(
  pod: MapValue,
  reason: string,
): PodSummary & { readonly waits: boolean; readonly main: PodSummary } {
  const declared = mapsAt(specOf(pod), "initContainers")
  const sidecars = new Set(declared.filter(isSidecar).map(({ name }) => name))
  let all: PodSummary = { ready: 0, restarts: 0, lastRestart: "", reason }
  let main = all
  for (const [index, container] of mapsAt(statusOf(pod), "initContainerStatuses").entries()) {
    const isSidecarStatus = sidecars.has(container.name as string)
    all = withRestarts(all, container)
    if (isSidecarStatus) main = withRestarts(main, container)
    const terminated = own(mapAt(container, "state"), "terminated") as MapValue | undefined
    if (terminated !== undefined && countAt(terminated, "exitCode") === 0) continue
    if (isSidecarStatus && container.started === true) {
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

function mainSummary(pod: MapValue, start: PodSummary): PodSummary {
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
  if (running && hasCondition(pod, "Ready")) return { ...summary, reason: "Running" }
  return { ...summary, reason: error || (running ? "NotReady" : "Completed") }
}

function withRestarts(summary: PodSummary, container: MapValue): PodSummary {
  const ended = textAt(mapAt(mapAt(container, "lastState"), "terminated"), "finishedAt")
  const lastRestart = Date.parse(ended) > (Date.parse(summary.lastRestart) || 0) ? ended : summary.lastRestart
  return { ...summary, restarts: summary.restarts + countAt(container, "restartCount"), lastRestart }
}

/** Returns the reason why a container ended. */
function endOf(terminated: MapValue): string {
  const reason = textAt(terminated, "reason")
  if (reason !== "") return reason
  const signal = countAt(terminated, "signal")
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${countAt(terminated, "exitCode")}`
}
