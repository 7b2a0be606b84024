// Versions of built-in kinds that Kubernetes had and does not have any more. The bundled types still have most of them, as the Go
// types do; an API server has no type for them.

/** By version: the kinds that it had, and the minor release that had them no more. */
const removed: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "extensions/v1beta1": { DaemonSet: 16, Deployment: 16, NetworkPolicy: 16, ReplicaSet: 16, Ingress: 22 },
  "apps/v1beta1": { ControllerRevision: 16, Deployment: 16, StatefulSet: 16 },
  "apps/v1beta2": { ControllerRevision: 16, DaemonSet: 16, Deployment: 16, ReplicaSet: 16, StatefulSet: 16 },
  "admissionregistration.k8s.io/v1beta1": { MutatingWebhookConfiguration: 22, ValidatingWebhookConfiguration: 22 },
  "apiextensions.k8s.io/v1beta1": { CustomResourceDefinition: 22 },
  "apiregistration.k8s.io/v1beta1": { APIService: 22 },
  "certificates.k8s.io/v1beta1": { CertificateSigningRequest: 22 },
  "coordination.k8s.io/v1beta1": { Lease: 22 },
  "networking.k8s.io/v1beta1": { Ingress: 22, IngressClass: 22 },
  "rbac.authorization.k8s.io/v1beta1": { ClusterRole: 22, ClusterRoleBinding: 22, Role: 22, RoleBinding: 22 },
  "scheduling.k8s.io/v1beta1": { PriorityClass: 22 },
  "storage.k8s.io/v1beta1": {
    CSIDriver: 22,
    CSINode: 22,
    StorageClass: 22,
    VolumeAttachment: 22,
    CSIStorageCapacity: 27,
  },
  "autoscaling/v2beta1": { HorizontalPodAutoscaler: 25 },
  "autoscaling/v2beta2": { HorizontalPodAutoscaler: 26 },
  "batch/v1beta1": { CronJob: 25 },
  "discovery.k8s.io/v1beta1": { EndpointSlice: 25 },
  "events.k8s.io/v1beta1": { Event: 25 },
  "node.k8s.io/v1beta1": { RuntimeClass: 25 },
  "policy/v1beta1": { PodDisruptionBudget: 25 },
  "flowcontrol.apiserver.k8s.io/v1beta1": { FlowSchema: 26, PriorityLevelConfiguration: 26 },
  "flowcontrol.apiserver.k8s.io/v1beta2": { FlowSchema: 29, PriorityLevelConfiguration: 29 },
  "flowcontrol.apiserver.k8s.io/v1beta3": { FlowSchema: 32, PriorityLevelConfiguration: 32 },
}

/** The release since which Kubernetes does not have this kind in this version any more, such as `1.25`; undefined where it has. */
export function removedIn(apiVersion: string, kind: string): string | undefined {
  const kinds = Object.hasOwn(removed, apiVersion) ? removed[apiVersion] : undefined
  return kinds !== undefined && Object.hasOwn(kinds, kind) ? `1.${kinds[kind]}` : undefined
}
