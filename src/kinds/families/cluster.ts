// Namespaces and nodes, quotas and limits, leases, API priority and fairness, and storage migrations.

import { metadataOf, metaText, withMetadata } from "../../schema/metadata.js"
import { compareStrings } from "../../value/compare.js"
import { listAt, mapAt, mapsAt, textAt, withKeys } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { ageColumn, field, type KindColumns, nameColumn, plainColumns, shown, text, wide } from "../kind/column.js"
import { type Fields, isAbsent, isEmpty } from "../kind/default-rule.js"
import type { Family } from "../kind/kind.js"
import { phaseOf, specOf, statusOf, withPhase } from "../kind/spec-and-status.js"
import { dnsLabel } from "../validation/names.js"
import { checkLease, checkNamespace, checkNode, checkQuota } from "./cluster/checks.js"
import { checkFlowSchema, checkPriorityLevel } from "./cluster/flow-control.js"

const core = "io.k8s.api.core.v1."
const flowcontrol = "io.k8s.api.flowcontrol.v1."

export const cluster: Family = {
  "/Namespace": {
    defaults: {
      [`${core}Namespace`]: [labelNamespace],
      [`${core}NamespaceStatus`]: [{ fill: { phase: "Active" } }],
    },
    created: newNamespace,
    updated: keepFinalizers,
    validate: { "": checkNamespace },
    checkName: dnsLabel,
    permanent: ["default", "kube-public", "kube-system"],
    marked: namespace => withPhase(namespace, "Terminating"),
    isHeld: namespace => listAt(mapAt(namespace, "spec"), "finalizers").length > 0,
    emptied: withoutOwnFinalizer,
    returnedWhenDeleted: true,
    selectableFields: { "status.phase": "" },
  },
  "/Node": {
    defaults: { [`${core}NodeStatus`]: [copyCapacity] },
    admit: (node, live) => (live === undefined ? withNotReadyTaint(node) : node),
    keepsCreatedStatus: true,
    validate: { "": checkNode },
    selectableFields: { "spec.unschedulable": "false" },
  },
  "/LimitRange": { defaults: { [`${core}LimitRangeItem`]: [setLimits] }, createdByPut: true },
  "/ResourceQuota": { validate: { "": checkQuota }, returnedWhenDeleted: true },
  "coordination.k8s.io/Lease": { createdByPut: true, needsResourceVersion: true, validate: { "": checkLease } },
  "flowcontrol.apiserver.k8s.io/FlowSchema": {
    defaults: { [`${flowcontrol}FlowSchemaSpec`]: [{ fill: { matchingPrecedence: 1000 } }] },
    validate: { "": checkFlowSchema },
    countsGeneration: true,
  },
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": {
    defaults: {
      [`${flowcontrol}ExemptPriorityLevelConfiguration`]: [
        { set: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
      ],
      [`${flowcontrol}LimitedPriorityLevelConfiguration`]: [
        { set: { nominalConcurrencyShares: 30, lendablePercent: 0 } },
      ],
      [`${flowcontrol}QueuingConfiguration`]: [{ fill: { handSize: 8, queues: 64, queueLengthLimit: 50 } }],
    },
    validate: { "": checkPriorityLevel },
    countsGeneration: true,
  },
  "storagemigration.k8s.io/StorageVersionMigration": { needsResourceVersion: true },
}

export function clusterColumns(): KindColumns {
  return {
    "/Namespace": [nameColumn, text("Status", phaseOf), ageColumn],
    "/Node": [
      nameColumn,
      text("Status", nodeStatus),
      text("Roles", nodeRoles),
      ageColumn,
      text("Version", node => textAt(nodeInfo(node), "kubeletVersion")),
      wide(text("Internal-IP", nodeAddress("InternalIP"))),
      wide(text("External-IP", nodeAddress("ExternalIP"))),
      wide(text("OS-Image", node => shown(nodeInfo(node), "osImage", "<unknown>"))),
      wide(text("Kernel-Version", kernel)),
      wide(text("Container-Runtime", node => shown(nodeInfo(node), "containerRuntimeVersion", "<unknown>"))),
    ],
    "/LimitRange": plainColumns,
    "/ResourceQuota": [nameColumn, text("Request", quota(false)), text("Limit", quota(true)), ageColumn],
    "coordination.k8s.io/Lease": [
      nameColumn,
      text("Holder", object => textAt(specOf(object), "holderIdentity")),
      ageColumn,
    ],
    "flowcontrol.apiserver.k8s.io/FlowSchema": [
      nameColumn,
      field("PriorityLevel", "spec.priorityLevelConfiguration.name"),
      field("MatchingPrecedence", "spec.matchingPrecedence"),
      field("DistinguisherMethod", "spec.distinguisherMethod.type", "<none>"),
      ageColumn,
      text("MissingPL", object => {
        const dangling = mapsAt(statusOf(object), "conditions").find(({ type }) => type === "Dangling")
        return textAt(dangling ?? {}, "status") || "?"
      }),
    ],
    "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": [
      nameColumn,
      field("Type", "spec.type"),
      field("NominalConcurrencyShares", "spec.limited.nominalConcurrencyShares", "<none>"),
      ...["Queues", "HandSize", "QueueLengthLimit"].map(name =>
        field(
          name,
          `spec.limited.limitResponse.queuing.${(name[0] as string).toLowerCase()}${name.slice(1)}`,
          "<none>",
        ),
      ),
      ageColumn,
    ],
  }
}

/** Adds the taint that keeps Pods off a new Node until its conditions are known. */
function withNotReadyTaint(node: MapValue): MapValue {
  const spec = mapAt(node, "spec")
  const taints = listAt(spec, "taints")
  const [key, effect] = ["node.kubernetes.io/not-ready", "NoSchedule"]
  if (taints.some(taint => isMap(taint) && taint.key === key && taint.effect === effect)) return node
  return withKeys(node, { spec: withKeys(spec, { taints: [...taints, { key, effect }] }) })
}

function nodeStatus(node: MapValue): string {
  const ready = mapsAt(statusOf(node), "conditions").find(({ type }) => type === "Ready")
  const status = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady"
  return specOf(node).unschedulable === true ? `${status},SchedulingDisabled` : status
}

function nodeRoles(node: MapValue): string {
  const roles = Object.entries(mapAt(metadataOf(node), "labels")).flatMap(([key, value]) => {
    if (key === "kubernetes.io/role") return [String(value)]
    return key.startsWith("node-role.kubernetes.io/") ? [key.slice("node-role.kubernetes.io/".length)] : []
  })
  const named = new Set(roles.filter(role => role !== ""))
  return [...named].sort(compareStrings).join() || "<none>"
}

const nodeAddress = (wanted: string) => (node: MapValue) =>
  shown(mapsAt(statusOf(node), "addresses").find(({ type }) => type === wanted) ?? {}, "address")
const nodeInfo = (node: MapValue): MapValue => mapAt(statusOf(node), "nodeInfo")

function kernel(node: MapValue): string {
  const architecture = textAt(nodeInfo(node), "architecture")
  return shown(nodeInfo(node), "kernelVersion", "<unknown>") + (architecture === "" ? "" : ` (${architecture})`)
}

/** Returns a cell with the used and the allowed amount of each resource: of limits, or of all other resources. */
const quota = (ofLimits: boolean) => (object: MapValue) => {
  const { hard, used } = { hard: mapAt(statusOf(object), "hard"), used: mapAt(statusOf(object), "used") }
  return Object.keys(hard)
    .filter(resource => resource.startsWith("limits.") === ofLimits)
    .sort(compareStrings)
    .map(resource => `${resource}: ${shown(used, resource, "0")}/${shown(hard, resource)}`)
    .join(", ")
}

/** Adds the label with the name of the namespace. If the name is yet to be generated, the label is added later. */
function labelNamespace(out: Fields): void {
  const metadata = own(out, "metadata")
  const name = isMap(metadata) ? own(metadata, "name") : undefined
  if (!isMap(metadata) || isEmpty(name)) return
  const oldLabels = own(metadata, "labels")
  const labels = { ...(isMap(oldLabels) ? oldLabels : {}), "kubernetes.io/metadata.name": name as Value }
  put(out, "metadata", { ...metadata, labels })
}

function copyCapacity(out: Fields): void {
  const capacity = own(out, "capacity")
  if (capacity !== undefined && isAbsent(own(out, "allocatable"))) put(out, "allocatable", capacity)
}

/** The default limit of a container is its maximum. Its default request is its limit, or its minimum if it has no limit. */
function setLimits(out: Fields): void {
  if (own(out, "type") !== "Container") return
  const limits = { ...mapAt(out, "max"), ...mapAt(out, "default") }
  const requests = { ...mapAt(out, "min"), ...limits, ...mapAt(out, "defaultRequest") }
  if (Object.keys(limits).length > 0) put(out, "default", limits)
  if (Object.keys(requests).length > 0) put(out, "defaultRequest", requests)
}

/** Completes a new namespace: the label with its name, its own finalizer and its phase. */
function newNamespace(object: MapValue): MapValue {
  const labels = withKeys(mapAt(metadataOf(object), "labels"), {
    "kubernetes.io/metadata.name": metaText(object, "name"),
  })
  const spec = mapAt(object, "spec")
  const finalizers = listAt(spec, "finalizers")
  const held = finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"]
  return withPhase(withKeys(withMetadata(object, { labels }), { spec: withKeys(spec, { finalizers: held }) }), "Active")
}

/** Only the subresource `finalize` changes the finalizers in the spec. */
function keepFinalizers(namespace: MapValue, live: MapValue, subresource: string): MapValue {
  if (subresource === "finalize") return namespace
  return withKeys(namespace, {
    spec: withKeys(specOf(namespace), { finalizers: own(specOf(live), "finalizers") }),
  })
}

function withoutOwnFinalizer(namespace: MapValue): MapValue {
  const spec = mapAt(namespace, "spec")
  const finalizers = listAt(spec, "finalizers").filter(finalizer => finalizer !== "kubernetes")
  return withKeys(namespace, {
    spec: withKeys(spec, { finalizers: finalizers.length > 0 ? finalizers : undefined }),
  })
}
