// How built-in kinds keep their objects: with or without namespaces, and for one group or several.
import type { GroupVersionKind } from "../schema/group-version-kind.js"

/** Whether objects of this built-in kind are in no namespace. */
export function isClusterScopedKind({ group, kind }: Pick<GroupVersionKind, "group" | "kind">): boolean {
  return clusterScoped.get(group)?.includes(kind) ?? false
}

/**
 * Returns the group that stands for all groups in which an API server has, or had, the same objects of this kind. An Event of
 * `events.k8s.io`, for example, is also an Event of the core group.
 */
export function sharedGroup({ group, kind }: Pick<GroupVersionKind, "group" | "kind">): string {
  return sharedGroups.get(`${group}/${kind}`) ?? group
}

const sharedGroups: ReadonlyMap<string, string> = new Map([
  ["events.k8s.io/Event", ""],
  ["extensions/DaemonSet", "apps"],
  ["extensions/Deployment", "apps"],
  ["extensions/Ingress", "networking.k8s.io"],
  ["extensions/NetworkPolicy", "networking.k8s.io"],
  ["extensions/ReplicaSet", "apps"],
])

/** The built-in kinds without namespaces, by group: `kubectl api-resources --namespaced=false`, with those of alpha and beta versions. */
const clusterScoped: ReadonlyMap<string, readonly string[]> = new Map([
  ["", ["ComponentStatus", "Namespace", "Node", "PersistentVolume"]],
  [
    "admissionregistration.k8s.io",
    [
      "MutatingAdmissionPolicy",
      "MutatingAdmissionPolicyBinding",
      "MutatingWebhookConfiguration",
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
      "ValidatingWebhookConfiguration",
    ],
  ],
  ["apiextensions.k8s.io", ["CustomResourceDefinition"]],
  ["apiregistration.k8s.io", ["APIService"]],
  ["certificates.k8s.io", ["CertificateSigningRequest", "ClusterTrustBundle"]],
  ["flowcontrol.apiserver.k8s.io", ["FlowSchema", "PriorityLevelConfiguration"]],
  ["internal.apiserver.k8s.io", ["StorageVersion"]],
  ["networking.k8s.io", ["IPAddress", "IngressClass", "ServiceCIDR"]],
  ["node.k8s.io", ["RuntimeClass"]],
  ["rbac.authorization.k8s.io", ["ClusterRole", "ClusterRoleBinding"]],
  ["resource.k8s.io", ["DeviceClass", "DeviceTaintRule", "ResourcePoolStatusRequest", "ResourceSlice"]],
  ["scheduling.k8s.io", ["PriorityClass"]],
  ["storage.k8s.io", ["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"]],
  ["storagemigration.k8s.io", ["StorageVersionMigration"]],
])
