// Nodes, and the Pods that are bound to them.

import { formatTime } from "../../../managedfields/entries/time.js"
import { metaText } from "../../../schema/metadata.js"
import { compareStrings } from "../../../value/compare.js"
import { listAt, mapAt, mapsAt, textAt } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import { isMap, type MapValue } from "../../../value/value.js"
import { selectsObject } from "../../../write/admission/match.js"
import { conditionOf, hasCondition, hasEnded, labelsOf, specOf } from "./common.js"
import type { ClusterView, Step } from "./request.js"

/** Creates a node for a cluster that has none. */
export function firstNode(_: MapValue, cluster: ClusterView): readonly Step[] {
  if (cluster.list("/nodes").length > 0) return []
  const name = "node-1"
  const labels = {
    ...{ "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" },
    ...{ "beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64" },
  }
  return [{ verb: "create", object: { apiVersion: "v1", kind: "Node", metadata: { name, labels }, spec: {} } }]
}

/** Whether Pods with this spec may be on a node: its selector, required affinity and tolerations allow it. */
export function isEligible(node: MapValue, podSpec: MapValue, tolerations = mapsAt(podSpec, "tolerations")): boolean {
  const selector = Object.entries(mapAt(podSpec, "nodeSelector"))
  const affinity = mapAt(mapAt(podSpec, "affinity"), "nodeAffinity")
  const required = own(affinity, "requiredDuringSchedulingIgnoredDuringExecution")
  const terms = isMap(required) ? mapsAt(required, "nodeSelectorTerms") : undefined
  const tolerates = (taint: MapValue) =>
    [...mapsAt(podSpec, "tolerations"), ...tolerations].some(each => isTolerated(taint, each))
  const repels = mapsAt(specOf(node), "taints").some(
    taint => textAt(taint, "effect") !== "PreferNoSchedule" && !tolerates(taint),
  )
  return (
    !repels &&
    selector.every(([key, value]) => own(labelsOf(node), key) === value) &&
    (terms === undefined || terms.some(term => fitsTerm(node, term)))
  )
}

function isTolerated(taint: MapValue, toleration: MapValue): boolean {
  const isAny = (key: string) => textAt(toleration, key) === "" || textAt(toleration, key) === textAt(taint, key)
  const exists = textAt(toleration, "operator") === "Exists"
  return isAny("effect") && isAny("key") && (exists || textAt(toleration, "value") === textAt(taint, "value"))
}

function fitsTerm(node: MapValue, term: MapValue): boolean {
  const fields = mapsAt(term, "matchFields")
  const named = fields.every(({ values }) => Array.isArray(values) && values.includes(metaText(node, "name")))
  const expressions = listAt(term, "matchExpressions")
  return (
    named && (fields.length > 0 || expressions.length > 0) && selectsObject({ matchExpressions: expressions }, node)
  )
}

/** Binds a Pod to the eligible node with the fewest Pods, or marks the Pod as unschedulable. */
export function schedule(pod: MapValue, cluster: ClusterView): readonly Step[] {
  const nodes = cluster.list("/nodes")
  const isOpen = (node: MapValue) => own(specOf(node), "unschedulable") !== true && hasCondition(node, "Ready")
  const daemon = mapsAt(specOf(pod), "tolerations").some(
    each => textAt(each, "key") === "node.kubernetes.io/unschedulable",
  )
  const eligible = nodes.filter(node => (isOpen(node) || daemon) && isEligible(node, specOf(pod)))
  if (eligible.length === 0) return unschedulable(pod, nodes.length, cluster)
  const counts = new Map<string, number>(eligible.map(node => [metaText(node, "name"), 0]))
  for (const other of eligible.length === 1 ? [] : cluster.list("/pods")) {
    const name = textAt(specOf(other), "nodeName")
    const count = counts.get(name)
    if (count !== undefined && !hasEnded(other)) counts.set(name, count + 1)
  }
  const [[node] = [""]] = [...counts].sort(([a, m], [b, n]) => m - n || compareStrings(a, b))
  return [{ verb: "bind", object: pod, node }]
}

function unschedulable(pod: MapValue, nodes: number, { now }: ClusterView): readonly Step[] {
  const old = conditionOf(pod, "PodScheduled")
  const why = nodes === 0 ? "no nodes available to schedule pods" : `0/${nodes} nodes are available.`
  if (old?.message === why) return []
  const condition = {
    ...{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: why },
    lastProbeTime: null,
    lastTransitionTime: old?.status === "False" ? (old.lastTransitionTime ?? null) : formatTime(now),
    observedGeneration: own(mapAt(pod, "metadata"), "generation") ?? null,
  }
  return [{ verb: "patch", object: pod, subresource: "status", patch: { status: { conditions: [condition] } } }]
}
