// The unions of Kubernetes' built-in types: which fields exclude each other, and what selects among them.
//
// Kubernetes publishes only a few of its unions, some with values that its own validation refuses, and describes the others in
// prose. These rows say what its validation does. Fields that exclude each other in another way are not unions and have no row:
// a peer of a network policy (`ipBlock` excludes two selectors that go together), a backend of an old Ingress (`resource` excludes
// a pair of fields), a metric's target (its values may coexist), the first form of a device request.
import type { UnionDef, UnionMember } from "../schema/union.js"

/** Types that are alike in several groups and versions, and their union. */
export interface UnionRow {
  /** Full names without `io.k8s.api.`, unless they begin with another package. */
  readonly types: readonly string[]
  readonly union: UnionDef
}

const apiextensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions"

/** Every row, by area. */
export const unionRows: readonly UnionRow[] = [
  // Pods
  row(
    "core.v1.Volume",
    // The server takes a volume without any member for an emptyDir.
    oneOf(
      "hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi glusterfs persistentVolumeClaim rbd " +
        "flexVolume cinder cephfs flocker downwardAPI fc azureFile configMap vsphereVolume quobyte azureDisk " +
        "photonPersistentDisk projected portworxVolume scaleIO storageos csi ephemeral image",
      "atMostOne",
    ),
  ),
  row(
    "core.v1.VolumeProjection",
    oneOf("secret downwardAPI configMap serviceAccountToken clusterTrustBundle podCertificate"),
  ),
  row("core.v1.EnvVar", oneOf("value=0 valueFrom", "atMostOne")),
  row("core.v1.EnvVarSource", oneOf("fieldRef resourceFieldRef configMapKeyRef secretKeyRef fileKeyRef")),
  row("core.v1.EnvFromSource", oneOf("configMapRef secretRef")),
  row("core.v1.Probe", oneOf("exec httpGet tcpSocket grpc")),
  row("core.v1.LifecycleHandler", oneOf("exec httpGet tcpSocket sleep")),
  row("core.v1.ContainerState", oneOf("waiting running terminated", "atMostOne")),
  row("core.v1.PodResourceClaim", oneOf("resourceClaimName resourceClaimTemplateName")),
  row("core.v1.PodSchedulingGroup", oneOf("podGroupName")),
  row(
    "core.v1.SeccompProfile core.v1.AppArmorProfile",
    selected("type", { Localhost: "localhostProfile", RuntimeDefault: null, Unconfined: null }),
  ),

  // Volumes
  row(
    "core.v1.PersistentVolumeSpec",
    oneOf(
      "gcePersistentDisk awsElasticBlockStore hostPath glusterfs nfs rbd iscsi cinder cephfs fc flocker flexVolume azureFile " +
        "vsphereVolume quobyte azureDisk photonPersistentDisk portworxVolume scaleIO local storageos csi",
    ),
  ),
  row(
    "storage.v1.VolumeAttachmentSource storage.v1beta1.VolumeAttachmentSource storage.v1alpha1.VolumeAttachmentSource",
    oneOf("persistentVolumeName inlineVolumeSpec"),
  ),

  // Workloads. The server has defaults for `type` and for `rollingUpdate`.
  row(
    "apps.v1.DeploymentStrategy apps.v1beta1.DeploymentStrategy apps.v1beta2.DeploymentStrategy " +
      "extensions.v1beta1.DeploymentStrategy",
    selected("type", { RollingUpdate: "rollingUpdate?", Recreate: null }, "atMostOne"),
  ),
  row(
    "apps.v1.DaemonSetUpdateStrategy apps.v1beta2.DaemonSetUpdateStrategy extensions.v1beta1.DaemonSetUpdateStrategy " +
      "apps.v1.StatefulSetUpdateStrategy apps.v1beta1.StatefulSetUpdateStrategy apps.v1beta2.StatefulSetUpdateStrategy",
    selected("type", { RollingUpdate: "rollingUpdate?", OnDelete: null }, "atMostOne"),
  ),
  row("lifecycle.v1alpha1.EvictionRequestTarget lifecycle.v1alpha1.EvictionTarget", oneOf("pod")),
  row("batch.v1.PodFailurePolicyRule", oneOf("onExitCodes onPodConditions")),
  row(
    "policy.v1.PodDisruptionBudgetSpec policy.v1beta1.PodDisruptionBudgetSpec",
    oneOf("minAvailable maxUnavailable", "atMostOne"),
  ),
  row(
    "autoscaling.v2.MetricSpec autoscaling.v2.MetricStatus",
    selected("type", {
      Object: "object",
      Pods: "pods",
      Resource: "resource",
      ContainerResource: "containerResource",
      External: "external",
    }),
  ),

  // Scheduling
  row(
    "scheduling.v1beta1.WorkloadSpec scheduling.v1alpha3.WorkloadSpec",
    oneOf("podGroupTemplates compositePodGroupTemplates"),
  ),
  row(
    "scheduling.v1beta1.PodGroupSchedulingPolicy scheduling.v1alpha3.PodGroupSchedulingPolicy " +
      "scheduling.v1beta1.CompositePodGroupSchedulingPolicy scheduling.v1alpha3.CompositePodGroupSchedulingPolicy " +
      "scheduling.v1alpha3.WorkloadPodGroupSchedulingPolicy scheduling.v1alpha3.WorkloadCompositePodGroupSchedulingPolicy",
    oneOf("basic gang"),
  ),
  row(
    "scheduling.v1beta1.DisruptionMode scheduling.v1alpha3.DisruptionMode scheduling.v1beta1.CompositeDisruptionMode " +
      "scheduling.v1alpha3.CompositeDisruptionMode scheduling.v1alpha3.WorkloadPodGroupDisruptionMode " +
      "scheduling.v1alpha3.WorkloadCompositePodGroupDisruptionMode",
    oneOf("single all"),
  ),
  row(
    "scheduling.v1beta1.PodGroupResourceClaim scheduling.v1alpha3.PodGroupResourceClaim " +
      "scheduling.v1alpha3.WorkloadPodGroupResourceClaim",
    oneOf("resourceClaimName resourceClaimTemplateName"),
  ),

  // Networking
  row("networking.v1.IngressBackend", oneOf("service resource")),
  row("networking.v1.ServiceBackendPort", oneOf("name=0 number=0")),

  // Flow control
  row(
    each("flowcontrol", "v1 v1beta1 v1beta2 v1beta3", "PriorityLevelConfigurationSpec"),
    selected("type", { Limited: "limited", Exempt: "exempt?" }),
  ),
  row(
    each("flowcontrol", "v1 v1beta1 v1beta2 v1beta3", "LimitResponse"),
    selected("type", { Queue: "queuing", Reject: null }),
  ),
  row(
    each("flowcontrol", "v1 v1beta1 v1beta2 v1beta3", "Subject"),
    selected("kind", { User: "user", Group: "group", ServiceAccount: "serviceAccount" }),
  ),

  // Devices
  row(
    each("resource", "v1 v1beta1 v1beta2", "DeviceAttribute"),
    oneOf("int bool string version ints bools strings versions"),
  ),
  // A capacityKey needs a capacityMultiplier beside it, which is no member and stays.
  row(each("resource", "v1 v1beta1 v1beta2", "NodeAllocatableMapping"), oneOf("capacityKey deviceMultiplier")),
  row(each("resource", "v1 v1beta1 v1beta2", "CapacityRequestPolicy"), oneOf("validValues validRange", "atMostOne")),
  row(each("resource", "v1 v1beta1 v1beta2", "DeviceConstraint"), oneOf("matchAttribute distinctAttribute")),
  row(each("resource", "v1 v1beta2", "DeviceRequest"), oneOf("exactly firstAvailable")),
  row(
    each("resource", "v1 v1beta1 v1beta2", "ResourceSliceSpec"),
    oneOf("nodeName=0 nodeSelector allNodes=0 perDeviceNodeSelection=0"),
  ),
  row(
    "resource.v1.Device resource.v1beta1.BasicDevice resource.v1beta2.Device",
    oneOf("nodeName nodeSelector allNodes=0", "atMostOne"),
  ),

  // Extensions of the server
  row(
    each("admissionregistration", "v1 v1beta1 v1alpha1", "Mutation"),
    selected("patchType", { ApplyConfiguration: "applyConfiguration", JSONPatch: "jsonPatch" }),
  ),
  row(
    "admissionregistration.v1.WebhookClientConfig admissionregistration.v1beta1.WebhookClientConfig " +
      `${apiextensions}.v1.WebhookClientConfig ${apiextensions}.v1beta1.WebhookClientConfig`,
    oneOf("url service"),
  ),

  // Reviews, which can't be applied: only schemas made of an API server's own document have them.
  row(
    `${each("authorization", "v1 v1beta1", "SubjectAccessReviewSpec")} ` +
      each("authorization", "v1 v1beta1", "SelfSubjectAccessReviewSpec"),
    oneOf("resourceAttributes nonResourceAttributes"),
  ),
]

function row(types: string, union: UnionDef): UnionRow {
  return { types: types.split(" "), union }
}

/** The names of a type in several versions of its group. */
function each(group: string, versions: string, type: string): string {
  return versions
    .split(" ")
    .map(version => `${group}.${version}.${type}`)
    .join(" ")
}

/** A union of fields without a discriminator. `=0` after a field says that its zero value counts as absent. */
function oneOf(fields: string, cardinality: UnionDef["cardinality"] = "exactlyOne"): UnionDef {
  const members = fields.split(" ").map(field => {
    const fieldName = field.replace("=0", "")
    return field === fieldName ? { fieldName } : { fieldName, zeroIsUnset: true }
  })
  return { fields: members, cardinality }
}

/**
 * A union whose discriminator follows the member that is set. Fields are given by the value that selects them: null for a value
 * that selects none, and with `?` after a field that may be absent. With `atMostOne`, the discriminator may be absent too.
 */
function selected(
  discriminator: string,
  fields: Readonly<Record<string, string | null>>,
  cardinality: UnionDef["cardinality"] = "exactlyOne",
): UnionDef {
  const members: UnionMember[] = []
  const emptyValues: string[] = []
  for (const [discriminatorValue, field] of Object.entries(fields)) {
    if (field === null) emptyValues.push(discriminatorValue)
    else if (field.endsWith("?")) members.push({ fieldName: field.slice(0, -1), discriminatorValue, optional: true })
    else members.push({ fieldName: field, discriminatorValue })
  }
  return { discriminator, deduceInvalidDiscriminator: true, fields: members, emptyValues, cardinality }
}
