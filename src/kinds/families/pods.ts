// Pods, and templates of Pods that are objects of their own.

import { listAt, mapAt, mapsAt, textAt, withKeys } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import {
  ageColumn,
  ageOf,
  containerColumns,
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
import { checkPodTemplate } from "../validation/pod-template.js"
import { podSpecDefaults } from "./pod-spec.js"
import { checkPod, checkPodResize } from "./pods/checks.js"
import { qosClassOf } from "./pods/qos-class.js"
import { isSidecar, podSummary } from "./pods/summary.js"

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
    updated: keepQosClass,
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
        return `${podSummary(object).ready}/${mapsAt(specOf(object), "containers").length + sidecars.length}`
      }),
      text("Status", object => {
        const reason = textAt(statusOf(object), "reason")
        if (isDeleted(object) && reason === "NodeLost") return "Unknown"
        const isOver = ["Succeeded", "Failed"].includes(textAt(statusOf(object), "phase"))
        return isDeleted(object) && !isOver ? "Terminating" : podSummary(object).reason
      }),
      text("Restarts", (object, now) => {
        const { restarts, lastRestart } = podSummary(object)
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

/** The QoS class of a Pod never changes. */
function keepQosClass(pod: MapValue, live: MapValue): MapValue {
  const { qosClass } = statusOf(live)
  return qosClass === undefined ? pod : withKeys(pod, { status: withKeys(statusOf(pod), { qosClass }) })
}

function toleratesFailure(toleration: MapValue, failure: string): boolean {
  const key = own(toleration, "key") ?? ""
  const effect = own(toleration, "effect") ?? ""
  return (key === failure || key === "") && (effect === "NoExecute" || effect === "")
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
