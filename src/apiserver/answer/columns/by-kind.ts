// The columns of each built-in kind, as a kube-apiserver has them. Kinds that are not here have their name and age.

import { listAt, mapAt, metadataOf } from "../../../requests/metadata.js"
import { textAt } from "../../../schema/group-version-kind.js"
import { compareStrings } from "../../../value/compare.js"
import { own } from "../../../value/object.js"
import type { MapValue, Value } from "../../../value/value.js"
import {
  ageColumn,
  ageOf,
  type Column,
  countAt,
  createdColumn,
  flag,
  integer,
  isDeleted,
  mapsAt,
  nameColumn,
  shown,
  specOf,
  statusOf,
  text,
  wide,
} from "./column.js"
import { networkColumns } from "./network.js"
import { podColumns } from "./pod.js"
import { workloadColumns } from "./workloads.js"

/** The columns of a kind of this group. */
export function columnsOfKind(group: string, kind: string): readonly Column[] {
  const id = `${group}/${kind}`
  return Object.hasOwn(byKind, id) ? (byKind[id] ?? []) : [nameColumn, ageColumn]
}

const phase = (object: MapValue): string => textAt(statusOf(object), "phase")
const data = (object: MapValue): number =>
  Object.keys(mapAt(object, "data")).length + Object.keys(mapAt(object, "binaryData")).length

/** Access modes in the order and the short form in which they are always shown. */
function accessModes(modes: readonly Value[]): string {
  const short = { ReadWriteOnce: "RWO", ReadOnlyMany: "ROX", ReadWriteMany: "RWX", ReadWriteOncePod: "RWOP" }
  return Object.entries(short)
    .filter(([mode]) => modes.includes(mode))
    .map(([, letters]) => letters)
    .join()
}

/** The class of a volume or a claim: the annotation of that name came before the field. */
function storageClass(object: MapValue): string {
  const annotations = mapAt(metadataOf(object), "annotations")
  return textAt(annotations, "volume.beta.kubernetes.io/storage-class") || textAt(specOf(object), "storageClassName")
}

function claim(volume: MapValue): string {
  const reference = own(specOf(volume), "claimRef") as MapValue | undefined
  return reference === undefined ? "" : `${textAt(reference, "namespace")}/${textAt(reference, "name")}`
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

/** What events of both groups call differently, the name of v1 first. */
const either = (object: MapValue, ...keys: readonly string[]): Value =>
  keys.map(key => own(object, key)).find(value => value !== undefined && value !== null) ?? {}
const involved = (event: MapValue): MapValue => either(event, "involvedObject", "regarding") as MapValue
const textOf = (value: Value): string => (typeof value === "string" ? value : "")

function firstSeen(event: MapValue, now: number): string {
  return ageOf(textOf(either(event, "firstTimestamp", "deprecatedFirstTimestamp", "eventTime")), now)
}

function lastSeen(event: MapValue, now: number): string {
  const series = own(event, "series") as MapValue | undefined | null
  if (series) return ageOf(textAt(series, "lastObservedTime"), now)
  const last = textOf(either(event, "lastTimestamp", "deprecatedLastTimestamp"))
  return last === "" ? firstSeen(event, now) : ageOf(last, now)
}

function eventObject(event: MapValue): string {
  const name = textAt(involved(event), "name")
  const kind = textAt(involved(event), "kind").toLowerCase()
  return name === "" ? kind : `${kind}/${name}`
}

function eventSource(event: MapValue): string {
  const source = either(event, "source", "deprecatedSource") as MapValue
  const component = textAt(source, "component") || textOf(either(event, "reportingComponent", "reportingController"))
  const host = textAt(source, "host") || textAt(event, "reportingInstance")
  return host === "" ? component : `${component}, ${host}`
}

function eventCount(event: MapValue): number {
  const series = own(event, "series") as MapValue | undefined | null
  if (series) return countAt(series, "count")
  return countAt(event, "count") || countAt(event, "deprecatedCount") || 1
}

const eventColumns: readonly Column[] = [
  text("Last Seen", lastSeen),
  text("Type", event => textAt(event, "type")),
  text("Reason", event => textAt(event, "reason")),
  text("Object", eventObject),
  wide(text("Subobject", event => textAt(involved(event), "fieldPath"))),
  wide(text("Source", eventSource)),
  text("Message", event => textOf(either(event, "message", "note")).trim()),
  wide(text("First Seen", firstSeen)),
  wide(text("Count", eventCount)),
  wide(nameColumn),
]

/** The names of the subjects of this kind. */
const subjects = (kind: string) => (binding: MapValue) =>
  mapsAt(binding, "subjects")
    .filter(subject => subject.kind === kind)
    .map(subject => {
      const name = textAt(subject, "name")
      return kind === "ServiceAccount" ? `${textAt(subject, "namespace")}/${name}` : name
    })
    .join(", ")

const bindingColumns: readonly Column[] = [
  nameColumn,
  text("Role", ({ roleRef }) => `${textAt(roleRef as MapValue, "kind")}/${textAt(roleRef as MapValue, "name")}`),
  ageColumn,
  wide(text("Users", subjects("User"))),
  wide(text("Groups", subjects("Group"))),
  wide(text("ServiceAccounts", subjects("ServiceAccount"))),
]

/** What is used of each resource, and what is allowed; of limits, or of all others. */
const quota = (ofLimits: boolean) => (object: MapValue) => {
  const { hard, used } = { hard: mapAt(statusOf(object), "hard"), used: mapAt(statusOf(object), "used") }
  return Object.keys(hard)
    .filter(resource => resource.startsWith("limits.") === ofLimits)
    .sort(compareStrings)
    .map(resource => `${resource}: ${shown(used, resource, "0")}/${shown(hard, resource)}`)
    .join(", ")
}

const webhookColumns = [nameColumn, integer("Webhooks", object => listAt(object, "webhooks").length), ageColumn]
/** Kinds for which a server has no columns. */
const plain = [nameColumn, createdColumn]

const byKind: Readonly<Record<string, readonly Column[]>> = {
  ...workloadColumns,
  ...networkColumns,
  "/Pod": podColumns,
  "/ConfigMap": [nameColumn, text("Data", data), ageColumn],
  "/Secret": [nameColumn, text("Type", object => textAt(object, "type")), text("Data", data), ageColumn],
  "/Namespace": [nameColumn, text("Status", phase), ageColumn],
  "/LimitRange": plain,
  "/ResourceQuota": [nameColumn, text("Request", quota(false)), text("Limit", quota(true)), ageColumn],
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
  "/Event": eventColumns,
  "events.k8s.io/Event": eventColumns,
  "/PersistentVolume": [
    nameColumn,
    text("Capacity", object => shown(mapAt(specOf(object), "capacity"), "storage", "0")),
    text("Access Modes", object => accessModes(listAt(specOf(object), "accessModes"))),
    text("Reclaim Policy", object => textAt(specOf(object), "persistentVolumeReclaimPolicy")),
    text("Status", object => (isDeleted(object) ? "Terminating" : phase(object))),
    text("Claim", claim),
    text("StorageClass", storageClass),
    text("VolumeAttributesClass", object => shown(specOf(object), "volumeAttributesClassName", "<unset>")),
    text("Reason", object => textAt(statusOf(object), "reason")),
    ageColumn,
    wide(text("VolumeMode", object => shown(specOf(object), "volumeMode", "<unset>"))),
  ],
  "/PersistentVolumeClaim": [
    nameColumn,
    text("Status", object => (isDeleted(object) ? "Terminating" : phase(object))),
    text("Volume", object => textAt(specOf(object), "volumeName")),
    text("Capacity", object => ifBound(object, () => shown(mapAt(statusOf(object), "capacity"), "storage", "0"))),
    text("Access Modes", object => ifBound(object, () => accessModes(listAt(statusOf(object), "accessModes")))),
    text("StorageClass", storageClass),
    text("VolumeAttributesClass", object => shown(specOf(object), "volumeAttributesClassName", "<unset>")),
    ageColumn,
    wide(text("VolumeMode", object => shown(specOf(object), "volumeMode", "<unset>"))),
  ],
  "storage.k8s.io/StorageClass": [
    nameColumn,
    text("Provisioner", object => textAt(object, "provisioner")),
    text("ReclaimPolicy", object => shown(object, "reclaimPolicy", "Delete")),
    text("VolumeBindingMode", object => shown(object, "volumeBindingMode", "Immediate")),
    text("AllowVolumeExpansion", object => object.allowVolumeExpansion === true),
    ageColumn,
  ],
  "storage.k8s.io/CSINode": [
    nameColumn,
    integer("Drivers", object => listAt(specOf(object), "drivers").length),
    ageColumn,
  ],
  "storage.k8s.io/VolumeAttachment": [
    nameColumn,
    { ...text("Attacher", object => textAt(specOf(object), "attacher")), format: "name" },
    text("PV", object => textAt(mapAt(specOf(object), "source"), "persistentVolumeName")),
    text("Node", object => textAt(specOf(object), "nodeName")),
    flag("Attached", object => statusOf(object).attached === true),
    ageColumn,
  ],
  "rbac.authorization.k8s.io/Role": plain,
  "rbac.authorization.k8s.io/ClusterRole": plain,
  "rbac.authorization.k8s.io/RoleBinding": bindingColumns,
  "rbac.authorization.k8s.io/ClusterRoleBinding": bindingColumns,
  "apiextensions.k8s.io/CustomResourceDefinition": plain,
  "coordination.k8s.io/Lease": [
    nameColumn,
    text("Holder", object => textAt(specOf(object), "holderIdentity")),
    ageColumn,
  ],
  "scheduling.k8s.io/PriorityClass": [
    nameColumn,
    integer("Value", object => countAt(object, "value")),
    flag("Global-Default", object => object.globalDefault === true),
    ageColumn,
    text("PreemptionPolicy", object => textAt(object, "preemptionPolicy")),
  ],
  "node.k8s.io/RuntimeClass": [nameColumn, text("Handler", object => textAt(object, "handler")), ageColumn],
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": webhookColumns,
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": webhookColumns,
}

/** What there is only once a claim has a volume. */
function ifBound(volumeClaim: MapValue, cell: () => string): string {
  return textAt(specOf(volumeClaim), "volumeName") === "" ? "" : cell()
}
