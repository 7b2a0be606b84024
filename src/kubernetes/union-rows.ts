// The unions of Kubernetes' built-in types: which fields exclude each other, and what selects among them.
//
// Kubernetes publishes only a few of its unions, some of them with values that its own validation refuses, and describes the others in
// prose. These rows follow its validation. Fields that exclude each other in another way are not unions and have no row:
// a peer of a network policy (`ipBlock` excludes two selectors that go together), a backend of an old Ingress (`resource` excludes
// a pair of fields), a metric's target (its values may coexist), the first form of a device request (but for its `count`), the
// conversion of a v1beta1 CustomResourceDefinition (`Webhook` selects two fields).
import type { UnionDef, UnionMember } from "../schema/union.js"

/** Types that are alike in several groups and versions, and their unions. */
export interface UnionRow {
  /** Full names without `io.k8s.api.`, unless they begin with another package. */
  readonly types: readonly string[]
  readonly unions: readonly UnionDef[]
}

const apiextensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions"

/** Returns every row, by area. A function, because most programs need no unions. */
export const unionRows = (): readonly UnionRow[] => [
  // Pods
  row(
    "core.v1.Volume",
    // The server treats a volume without any member as an emptyDir.
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
  row("core.v1.VolumeMount", oneOf("subPath=0 subPathExpr=0", "atMostOne")),
  row("core.v1.DownwardAPIVolumeFile", oneOf("fieldRef resourceFieldRef")),
  // A labelSelector goes with a signerName only, so a name excludes it too; but a union's members are single fields.
  row("core.v1.ClusterTrustBundleProjection", oneOf("name signerName")),
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
  row("core.v1.FCVolumeSource", oneOf("targetWWNs wwids")),
  row("core.v1.FlockerVolumeSource", oneOf("datasetName=0 datasetUUID=0")),
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
  // The server has defaults for both fields.
  row(
    "core.v1.ServiceSpec",
    selected("sessionAffinity", { ClientIP: "sessionAffinityConfig?", None: null }, "atMostOne"),
  ),
  // The server reads an absent scope as `Cluster`.
  row(
    each("networking", "v1 v1beta1", "IngressClassParametersReference"),
    selected("scope", { Namespace: "namespace", Cluster: null }, "atMostOne"),
  ),
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
  // A capacityKey requires a capacityMultiplier, which is not a member and stays.
  row(each("resource", "v1 v1beta1 v1beta2", "NodeAllocatableMapping"), oneOf("capacityKey deviceMultiplier")),
  row(each("resource", "v1 v1beta1 v1beta2", "CapacityRequestPolicy"), oneOf("validValues validRange", "atMostOne")),
  row(each("resource", "v1 v1beta1 v1beta2", "DeviceConstraint"), oneOf("matchAttribute distinctAttribute")),
  row(each("resource", "v1 v1beta2", "DeviceRequest"), oneOf("exactly firstAvailable")),
  // The server counts an empty list of devices as set, as long as it is in the request.
  row(
    each("resource", "v1 v1beta1 v1beta2", "ResourceSliceSpec"),
    oneOf("nodeName=0 nodeSelector allNodes=0 perDeviceNodeSelection=0"),
    oneOf("devices sharedCounters", "atMostOne"),
  ),
  // The server has defaults for both fields.
  row(
    `resource.v1beta1.DeviceRequest ${each("resource", "v1 v1beta2", "ExactDeviceRequest")} ` +
      each("resource", "v1 v1beta1 v1beta2", "DeviceSubRequest"),
    selected("allocationMode", { ExactCount: "count?=0", All: null }, "atMostOne"),
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
  row(each("admissionregistration", "v1 v1beta1 v1alpha1", "ParamRef"), oneOf("name=0 selector")),
  // The server counts a webhook without any field as absent.
  row(`${apiextensions}.v1.CustomResourceConversion`, selected("strategy", { Webhook: "webhook", None: null })),
  row(
    "admissionregistration.v1.WebhookClientConfig admissionregistration.v1beta1.WebhookClientConfig " +
      `${apiextensions}.v1.WebhookClientConfig ${apiextensions}.v1beta1.WebhookClientConfig`,
    oneOf("url service"),
  ),

  // Certificates
  row(each("certificates", "v1 v1beta1", "CertificateSigningRequestStatus"), {
    fields: ["Approved", "Denied"].map(type => ({ fieldName: "conditions", item: { type } })),
    cardinality: "atMostOne",
  }),

  // Reviews, which can't be applied. Only schemas from an API server's own document have them.
  row(
    `${each("authorization", "v1 v1beta1", "SubjectAccessReviewSpec")} ` +
      each("authorization", "v1 v1beta1", "SelfSubjectAccessReviewSpec"),
    oneOf("resourceAttributes nonResourceAttributes"),
  ),
]

function row(types: string, ...unions: UnionDef[]): UnionRow {
  return { types: types.split(" "), unions }
}

/** Returns the names of a type in several versions of its group. */
function each(group: string, versions: string, type: string): string {
  return versions
    .split(" ")
    .map(version => `${group}.${version}.${type}`)
    .join(" ")
}

/** Returns a union of fields without a discriminator. */
function oneOf(fields: string, cardinality: UnionDef["cardinality"] = "exactlyOne"): UnionDef {
  return { fields: fields.split(" ").map(field => member(field)), cardinality }
}

/**
 * A union whose discriminator follows the member that is set. Fields are given by the value that selects them, or null for a value
 * that selects none. With `atMostOne`, the discriminator may be absent too.
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
    else members.push(member(field, discriminatorValue))
  }
  return { discriminator, deduceInvalidDiscriminator: true, fields: members, emptyValues, cardinality }
}

/** Reads a member: `?` after the field means that it may be absent while it is selected, `=0` that its zero value counts as absent. */
function member(field: string, discriminatorValue?: string): UnionMember {
  return {
    fieldName: field.replace("?", "").replace("=0", ""),
    ...(discriminatorValue !== undefined && { discriminatorValue }),
    ...(field.includes("?") && { optional: true }),
    ...(field.endsWith("=0") && { zeroIsUnset: true }),
  }
}
