// Which kinds have no namespace.
import { own } from "../../value/object.js"
import { isMap, type Value } from "../../value/value.js"

/** Whether objects of this kind are in no namespace: what its definition says, or Kubernetes for a built-in kind. */
export function isClusterScoped(
  { group, kind }: { readonly group: string; readonly kind: string },
  definition: Value | undefined,
): boolean {
  const spec = isMap(definition) ? own(definition, "spec") : undefined
  if (isMap(spec)) return own(spec, "scope") === "Cluster"
  return clusterScoped.get(group)?.includes(kind) ?? false
}

/** The built-in kinds without namespaces, by group: `kubectl api-resources --namespaced=false`. */
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
  ["resource.k8s.io", ["DeviceClass", "DeviceTaintRule", "ResourceSlice"]],
  ["scheduling.k8s.io", ["PriorityClass"]],
  ["storage.k8s.io", ["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"]],
  ["storagemigration.k8s.io", ["StorageVersionMigration"]],
])
