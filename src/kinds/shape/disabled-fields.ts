// Fields behind feature gates that are off in the recorded release. A server drops them from the objects that it stores.

/** The fields by type, without the version of the type's group. */
const disabled: Readonly<Record<string, string>> = {
  "batch.JobSpec": "scheduling",
  "coordination.LeaseSpec": "preferredHolder strategy",
  "core.ClusterTrustBundleProjection": "user",
  "core.ConfigMapVolumeSource": "defaultUser",
  "core.DownwardAPIVolumeFile": "user",
  "core.DownwardAPIVolumeSource": "defaultUser",
  "core.EmptyDirVolumeSource": "mode",
  "core.GRPCAction": "mode",
  "core.KeyToPath": "user",
  "core.Lifecycle": "stopSignal",
  "core.NodeSpec": "podPreemptionPolicy",
  "core.PersistentVolumeClaimStatus": "healthStatus",
  "core.PodCertificateProjection": "user",
  "core.PodSpec": "evictionResponders schedulingGroup",
  "core.PodStatus": "nodeAllocatableResourceClaimStatuses volumeHealth",
  "core.ProjectedVolumeSource": "defaultUser",
  "core.SecretVolumeSource": "defaultUser",
  "core.ServiceAccountTokenProjection": "user",
  "core.VolumeMount": "bindMountOptions",
  "resource.Device": "nodeAllocatableResources",
  "resource.DeviceAttribute": "bools ints strings versions",
  "resource.DeviceCounterConsumption": "compatibilityGroups",
  "resource.DeviceRequestAllocationResult": "skipNodeOperations",
  "resource.DeviceSubRequest": "derivedAttributes",
  "resource.ExactDeviceRequest": "derivedAttributes",
  "resource.ResourceSliceSpec": "partitionTypeAttribute skipNodeOperations",
  "storage.CSINodeStatus": "storageHealth",
}

const none: ReadonlySet<string> = new Set()
const byType = new Map<string, ReadonlySet<string>>()

/** Returns the disabled fields of the type with this name in `kubernetesSchema()`. */
export function disabledFields(typeName: string): ReadonlySet<string> {
  let fields = byType.get(typeName)
  if (fields === undefined) {
    const [, group = "", type = ""] = /^io\.k8s\.api\.(\w+)\.\w+\.(\w+)$/.exec(typeName) ?? []
    const names = disabled[`${group}.${type}`]
    byType.set(typeName, (fields = names === undefined ? none : new Set(names.split(" "))))
  }
  return fields
}
