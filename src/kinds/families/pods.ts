// Pods, and templates of Pods that are objects of their own.

import { equalValues } from "../../value/equal.js"
import { listAt, mapAt, mapsAt, textAt, withKeys } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import { compareQuantities } from "../../value/quantity.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import {
  ageColumn,
  ageOf,
  containerColumns,
  countAt,
  type KindColumns,
  nameColumn,
  selectorColumn,
  shown,
  text,
  wide,
} from "../kind/column.js"
import { change, changeItems, type Fields, isEmpty } from "../kind/default-rule.js"
import type { Family } from "../kind/kind.js"
import { hasCondition, isDeleted, specOf, statusOf } from "../kind/spec-and-status.js"
import type { Field } from "../validation/field.js"
import { podSpecDiff } from "../validation/pod-layout.js"
import { checkPodSpec, checkPodTemplate, checkTolerations } from "../validation/pod-template.js"
import { podSpecDefaults } from "./pod-spec.js"

const core = "io.k8s.api.core.v1."

export const pods: Family = {
  "/Pod": {
    defaults: {
      ...podSpecDefaults,
      [`${core}Pod`]: [{ in: "spec", set: { enableServiceLinks: true } }, setPodDefaults],
      [`${core}PodStatus`]: [copyAddresses],
    },
    admit: admitPod,
    created: pod => withKeys(pod, { status: { phase: "Pending", qosClass: qosClassOf(mapAt(pod, "spec")) } }),
    countsGeneration: true,
    validate: { "": checkPod, resize: checkPodResize },
    gracePeriod,
    returnedWhenDeleted: true,
    selectableFields: {
      "spec.nodeName": "",
      "spec.restartPolicy": "",
      "spec.schedulerName": "",
      "spec.serviceAccountName": "",
      "spec.hostNetwork": "false",
      "status.phase": "",
      "status.podIP": "",
      "status.nominatedNodeName": "",
    },
  },
  "/PodTemplate": {
    countsGeneration: true,
    validate: { "": object => checkPodTemplate(object.at("template")) },
    returnedWhenDeleted: true,
  },
}

export function podColumns(): KindColumns {
  return {
    "/Pod": [
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
          const open = gates.filter(gate => hasCondition(object, textAt(gate, "conditionType")))
          return gates.length === 0 ? "<none>" : `${open.length}/${gates.length}`
        }),
      ),
    ],
    "/PodTemplate": [
      nameColumn,
      ...containerColumns(object => mapAt(mapAt(object, "template"), "spec")).map(each => ({ ...each, priority: 0 })),
      selectorColumn("Pod Labels", object => mapAt(mapAt(mapAt(object, "template"), "metadata"), "labels")),
    ],
  }
}

/** The state of a Pod as its containers report it. */
interface Summary {
  readonly ready: number
  readonly restarts: number
  /** The last time that a container ended; "" if none did. */
  readonly lastRestart: string
  readonly reason: string
}

/** Whether an init container keeps running while the others do. */
const isSidecar = (container: MapValue): boolean => container.restartPolicy === "Always"

function summaryOf(pod: MapValue): Summary {
  const status = statusOf(pod)
  const gated = mapsAt(status, "conditions").some(each => {
    return each.type === "PodScheduled" && each.reason === "SchedulingGated"
  })
  const reason = gated ? "SchedulingGated" : textAt(status, "reason") || textAt(status, "phase")
  const init = initSummary(pod, reason)
  return init.waits && !hasCondition(pod, "Initialized") ? init : mainSummary(pod, init.main)
}

/** Summarizes the init containers: whether the Pod waits for one, and the summary that the other containers start from. */
function initSummary(pod: MapValue, reason: string): Summary & { readonly waits: boolean; readonly main: Summary } {
  const declared = mapsAt(specOf(pod), "initContainers")
  const sidecars = new Set(declared.filter(isSidecar).map(({ name }) => name))
  let all: Summary = { ready: 0, restarts: 0, lastRestart: "", reason }
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
  if (running && hasCondition(pod, "Ready")) return { ...summary, reason: "Running" }
  return { ...summary, reason: error || (running ? "NotReady" : "Completed") }
}

function withRestarts(summary: Summary, container: MapValue): Summary {
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

/** Sets defaults that Pods get, but their templates do not. */
function setPodDefaults(out: Fields): void {
  change(out, "spec", spec => {
    changeItems(spec, "containers", container => setContainerDefaults(container, own(spec, "hostNetwork") === true))
    changeItems(spec, "initContainers", container => setContainerDefaults(container, own(spec, "hostNetwork") === true))
  })
}

/** Makes the requests of a container default to its limits. In the host's network, its ports are ports of the host. */
function setContainerDefaults(out: Fields, hostNetwork: boolean): void {
  const limits = own(mapAt(out, "resources"), "limits")
  if (isMap(limits)) {
    change(out, "resources", resources => {
      change(resources, "requests", requests => {
        for (const key in limits) if (own(requests, key) === undefined) put(requests, key, limits[key] as Value)
      })
    })
  }
  if (!hostNetwork) return
  changeItems(out, "ports", port => {
    const number = own(port, "containerPort")
    if (number !== undefined && isEmpty(own(port, "hostPort"))) put(port, "hostPort", number)
  })
}

/** Makes the single address of a Pod and the first of its addresses the same. If they differ, the single address wins. */
function copyAddresses(out: Fields): void {
  const ip = own(out, "podIP")
  const ips = own(out, "podIPs")
  const first = isList(ips) && isMap(ips[0]) ? own(ips[0], "ip") : undefined
  if (!isEmpty(ip) && first !== ip) put(out, "podIPs", [{ ip: ip as Value }])
  else if (isEmpty(ip) && first !== undefined) put(out, "podIP", first)
}

/** The seconds after which a Pod leaves a node that fails. */
const patience = 300
const failures = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]

/** Adds the default tolerations and the default priority. `live` is the Pod that this one replaces. */
function admitPod(pod: MapValue, live: MapValue | undefined): MapValue {
  const spec = mapAt(pod, "spec")
  const before = live && mapAt(live, "spec")
  const asksForClass = (own(spec, "priorityClassName") ?? "") !== ""
  const inherited = (key: string, value: Value) =>
    own(spec, key) ?? (before ? own(before, key) : asksForClass ? undefined : value)
  const tolerations = listAt(spec, "tolerations")
  const missing = failures.filter(key => !tolerations.some(each => isMap(each) && toleratesFailure(each, key)))
  const added = missing.map(key => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: patience }))
  const next = withKeys(spec, {
    priority: inherited("priority", 0),
    preemptionPolicy: inherited("preemptionPolicy", "PreemptLowerPriority"),
    ...(added.length > 0 && { tolerations: [...tolerations, ...added] }),
  })
  return next === spec ? pod : withKeys(pod, { spec: next })
}

function toleratesFailure(toleration: MapValue, failure: string): boolean {
  const key = own(toleration, "key") ?? ""
  const effect = own(toleration, "effect") ?? ""
  return (key === failure || key === "") && (effect === "NoExecute" || effect === "")
}

const resources = ["cpu", "memory"]

/** Returns the QoS class of a Pod, by the requests and limits of its containers: Guaranteed, Burstable or BestEffort. */
function qosClassOf(spec: MapValue): string {
  const containers = [...listAt(spec, "initContainers"), ...listAt(spec, "containers")].filter(isMap)
  const ofContainers = containers.map(container => mapAt(container, "resources"))
  const amount = (of: MapValue, kind: string, resource: string): Value => own(mapAt(of, kind), resource) ?? 0
  const isGiven = (of: MapValue) =>
    ["limits", "requests"].some(kind => resources.some(each => compareQuantities(amount(of, kind, each), 0) > 0))
  if (!ofContainers.some(isGiven)) return "BestEffort"
  const isGuaranteed = (of: MapValue) =>
    resources.every(each => {
      const limit = amount(of, "limits", each)
      const request = own(mapAt(of, "requests"), each) ?? limit
      return compareQuantities(limit, 0) > 0 && compareQuantities(limit, request) === 0
    })
  return ofContainers.every(isGuaranteed) ? "Guaranteed" : "Burstable"
}

/** The default grace period of a Pod on a node, in seconds. */
const defaultGrace = 30

/** Returns the grace period. A Pod that was never scheduled is removed at once. */
function gracePeriod(pod: MapValue, requested: number | undefined): number {
  const spec = mapAt(pod, "spec")
  const inSpec = own(spec, "terminationGracePeriodSeconds")
  if (textAt(spec, "nodeName") === "") return 0
  return requested ?? (typeof inSpec === "number" ? inSpec : defaultGrace)
}

/** Checks a Pod that is created, or that replaces `before`. */
function checkPod(pod: Field, before: Field | undefined): void {
  const spec = pod.at("spec")
  checkPodSpec(spec)
  spec.at("terminationGracePeriodSeconds").notNegative()
  for (const kind of ["containers", "initContainers"]) {
    for (const container of spec.at(kind).items()) checkImageSpace(container.at("image"))
  }
  if (before !== undefined) checkPodUpdate(spec, before.at("spec"))
  else if (spec.at("ephemeralContainers").size > 0) {
    spec.at("ephemeralContainers").forbidden("cannot be set on create")
  }
}

/** Checks a request that resizes the containers of a Pod: its QoS class must stay the same. */
function checkPodResize(pod: Field, before: Field | undefined): void {
  const spec = pod.at("spec")
  const qosClass = before?.at("status", "qosClass").text ?? ""
  if (!isMap(spec.value) || qosClass === "" || qosClassOf(spec.value) === qosClass) return
  spec.invalid("Pod QOS Class may not change as a result of resizing", qosClass)
}

function checkImageSpace(image: Field): void {
  if (image.text !== image.text.trim()) image.invalid("must not have leading or trailing whitespace")
}

const changeable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join()

/** Checks an update of a Pod: only few of its fields may change. */
function checkPodUpdate(spec: Field, before: Field): void {
  for (const kind of ["containers", "initContainers"]) {
    if (spec.at(kind).size !== before.at(kind).size) {
      spec.at(kind).forbidden("pod updates may not add or remove containers")
      return
    }
    for (const container of spec.at(kind).items()) {
      if (container.at("image").text === "") container.at("image").required()
      checkImageSpace(container.at("image"))
    }
  }
  if (!checkDeadline(spec.at("activeDeadlineSeconds"), before.at("activeDeadlineSeconds"))) return
  checkAddedTolerations(spec.at("tolerations"), before.at("tolerations"))
  const rest = withUnchangeable(spec, before)
  if (!equalValues(rest, before.value ?? null)) {
    spec.forbidden(
      `pod updates may not change fields other than ${changeable}\n${podSpecDiff(before.value ?? null, rest)}`,
    )
  }
}

/** Checks the deadline. Returns false if no further checks follow. */
function checkDeadline(deadline: Field, before: Field): boolean {
  if (!deadline.isSet) {
    if (before.isSet) deadline.invalid("must not update from a positive integer to nil value")
    return true
  }
  if (deadline.number < 0 || deadline.number > 2147483647) {
    deadline.between(0, 2147483647)
    return false
  }
  const longer = before.isSet && before.number < deadline.number
  if (longer) deadline.invalid("must be less than or equal to previous value")
  return !longer
}

function checkAddedTolerations(tolerations: Field, before: Field): void {
  const fixed = ({ value }: Field): Value => (isMap(value) ? withKeys(value, { tolerationSeconds: undefined }) : null)
  const next = tolerations.items().map(fixed)
  if (before.items().every(old => next.some(each => equalValues(each, fixed(old))))) {
    checkTolerations(tolerations)
    return
  }
  tolerations.forbidden("existing toleration can not be modified except its tolerationSeconds")
}

/** Returns the spec with the old values of all fields that may change. */
function withUnchangeable(spec: Field, before: Field): Value {
  if (!isMap(spec.value)) return null
  const grace = before.at("terminationGracePeriodSeconds")
  const mayBeOne = grace.number < 0 && spec.at("terminationGracePeriodSeconds").number === 1
  return withKeys(spec.value, {
    containers: withImages(spec.at("containers"), before.at("containers")),
    initContainers: withImages(spec.at("initContainers"), before.at("initContainers")),
    activeDeadlineSeconds: before.at("activeDeadlineSeconds").value,
    tolerations: before.at("tolerations").value,
    schedulingGates: before.at("schedulingGates").value,
    ...(mayBeOne && { terminationGracePeriodSeconds: grace.value }),
  })
}

function withImages(containers: Field, before: Field): Value | undefined {
  if (!containers.isSet) return undefined
  const images = before.items().map(container => container.at("image").value)
  return containers.items().map(({ value }, i) => (isMap(value) ? withKeys(value, { image: images[i] }) : null))
}
