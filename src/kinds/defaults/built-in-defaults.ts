// The defaults of built-in kinds that an API server sets by Go code: no OpenAPI document has them. By type, as data; what has to be
// computed is in with-defaults.ts, which reads this.
import type { Value } from "../../value/value.js"

/** Values for fields of a type. The rules of a type apply in order, each to what the ones before have made. */
export interface DefaultRule {
  /** The field whose map the rule is about; the value of the type itself if there is none. */
  readonly in?: string
  /** When the rule applies: fields with the value, or one of the values, that they must have; undefined stands for none. */
  readonly when?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Values of fields that are absent or null. */
  readonly set?: Readonly<Record<string, Value>>
  /** Values of fields that are absent, null or empty: "", 0 or a list without items. */
  readonly fill?: Readonly<Record<string, Value>>
}

const core = "io.k8s.api.core.v1."
const apps = "io.k8s.api.apps.v1."
const batch = "io.k8s.api.batch.v1."
const autoscaling = "io.k8s.api.autoscaling.v2."
const registration = "io.k8s.api.admissionregistration.v1."
const flowcontrol = "io.k8s.api.flowcontrol.v1."
const networking = "io.k8s.api.networking.v1."
const rbac = "io.k8s.api.rbac.v1."
const storage = "io.k8s.api.storage.v1."
const resource = "io.k8s.api.resource.v1."

const container: readonly DefaultRule[] = [
  { fill: { terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" } },
]
const files: readonly DefaultRule[] = [{ set: { defaultMode: 420 } }]
const matching = { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} }
const webhook = { failurePolicy: "Fail", timeoutSeconds: 10, ...matching }
const failing: readonly DefaultRule[] = [{ set: { failurePolicy: "Fail" } }]
const registeredRule: readonly DefaultRule[] = [{ set: { scope: "*" } }]
const servicePort: readonly DefaultRule[] = [{ set: { port: 443 } }]
const role: readonly DefaultRule[] = [{ in: "roleRef", fill: { apiGroup: "rbac.authorization.k8s.io" } }]
const deviceRequest: readonly DefaultRule[] = [
  { fill: { allocationMode: "ExactCount" } },
  { when: { allocationMode: "ExactCount" }, fill: { count: 1 } },
]
const percentPolicy = { type: "Percent", value: 100, periodSeconds: 15 }

/** The rules by the name of the type in `kubernetesSchema()`. */
export const builtInDefaults: Readonly<Record<string, readonly DefaultRule[]>> = {
  [`${core}Pod`]: [{ in: "spec", set: { enableServiceLinks: true } }],
  [`${core}PodSpec`]: [
    {
      fill: { dnsPolicy: "ClusterFirst", restartPolicy: "Always", schedulerName: "default-scheduler" },
      set: { securityContext: {}, terminationGracePeriodSeconds: 30 },
    },
  ],
  [`${core}Container`]: container,
  [`${core}EphemeralContainer`]: container,
  [`${core}Probe`]: [{ fill: { failureThreshold: 3, periodSeconds: 10, successThreshold: 1, timeoutSeconds: 1 } }],
  [`${core}HTTPGetAction`]: [{ fill: { path: "/", scheme: "HTTP" } }],
  [`${core}ObjectFieldSelector`]: [{ fill: { apiVersion: "v1" } }],
  [`${core}SecretVolumeSource`]: files,
  [`${core}ConfigMapVolumeSource`]: files,
  [`${core}DownwardAPIVolumeSource`]: files,
  [`${core}ProjectedVolumeSource`]: files,
  [`${core}ServiceAccountTokenProjection`]: [{ set: { expirationSeconds: 3600 } }],
  [`${core}HostPathVolumeSource`]: [{ set: { type: "" } }],
  [`${core}PersistentVolumeClaimSpec`]: [{ set: { volumeMode: "Filesystem" } }],
  [`${core}PersistentVolume`]: [
    { in: "spec", fill: { persistentVolumeReclaimPolicy: "Retain" }, set: { volumeMode: "Filesystem" } },
    { in: "status", fill: { phase: "Pending" } },
  ],
  [`${core}PersistentVolumeClaim`]: [{ in: "status", fill: { phase: "Pending" } }],
  [`${core}NamespaceStatus`]: [{ fill: { phase: "Active" } }],
  [`${core}EndpointPort`]: [{ fill: { protocol: "TCP" } }],
  [`${core}Secret`]: [{ fill: { type: "Opaque" } }],
  [`${core}ServiceSpec`]: [
    { fill: { sessionAffinity: "None", type: "ClusterIP" } },
    {
      when: { sessionAffinity: "ClientIP" },
      set: { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } } },
    },
    { when: { type: ["NodePort", "LoadBalancer"] }, fill: { externalTrafficPolicy: "Cluster" } },
    { when: { type: ["ClusterIP", "NodePort", "LoadBalancer"] }, set: { internalTrafficPolicy: "Cluster" } },
    { when: { type: "LoadBalancer" }, set: { allocateLoadBalancerNodePorts: true } },
  ],
  [`${apps}DeploymentSpec`]: [
    { set: { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600, strategy: {} } },
  ],
  [`${apps}DeploymentStrategy`]: [
    { fill: { type: "RollingUpdate" } },
    { when: { type: "RollingUpdate" }, set: { rollingUpdate: {} } },
  ],
  [`${apps}RollingUpdateDeployment`]: [{ set: { maxSurge: "25%", maxUnavailable: "25%" } }],
  [`${apps}DaemonSetSpec`]: [{ set: { revisionHistoryLimit: 10, updateStrategy: {} } }],
  [`${apps}DaemonSetUpdateStrategy`]: [
    { fill: { type: "RollingUpdate" } },
    { when: { type: "RollingUpdate" }, set: { rollingUpdate: {} } },
  ],
  [`${apps}RollingUpdateDaemonSet`]: [{ set: { maxSurge: 0, maxUnavailable: 1 } }],
  [`${apps}StatefulSetSpec`]: [
    {
      fill: { podManagementPolicy: "OrderedReady" },
      set: { replicas: 1, revisionHistoryLimit: 10, persistentVolumeClaimRetentionPolicy: {}, updateStrategy: {} },
    },
  ],
  [`${apps}StatefulSetUpdateStrategy`]: [
    { when: { type: undefined }, set: { type: "RollingUpdate", rollingUpdate: {} } },
  ],
  [`${apps}RollingUpdateStatefulSetStrategy`]: [{ set: { partition: 0, maxUnavailable: 1 } }],
  [`${apps}StatefulSetPersistentVolumeClaimRetentionPolicy`]: [
    { fill: { whenDeleted: "Retain", whenScaled: "Retain" } },
  ],
  [`${apps}ReplicaSetSpec`]: [{ set: { replicas: 1 } }],
  // Not of the JobSpec: the template in a CronJob does not get them.
  [`${batch}Job`]: [
    { in: "spec", when: { completions: undefined, parallelism: undefined }, set: { completions: 1 } },
    { in: "spec", when: { backoffLimitPerIndex: undefined }, set: { backoffLimit: 6 } },
    { in: "spec", when: { podFailurePolicy: undefined }, set: { podReplacementPolicy: "TerminatingOrFailed" } },
    {
      in: "spec",
      set: {
        parallelism: 1,
        backoffLimit: 2147483647,
        podReplacementPolicy: "Failed",
        completionMode: "NonIndexed",
        suspend: false,
        manualSelector: false,
      },
    },
  ],
  [`${batch}PodFailurePolicyOnPodConditionsPattern`]: [{ fill: { status: "True" } }],
  [`${batch}CronJobSpec`]: [
    {
      fill: { concurrencyPolicy: "Allow" },
      set: { suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 },
    },
  ],
  "io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec": [{ set: { minReplicas: 1 } }],
  [`${autoscaling}HorizontalPodAutoscalerSpec`]: [
    {
      set: { minReplicas: 1 },
      fill: {
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
        ],
      },
    },
  ],
  [`${autoscaling}HorizontalPodAutoscalerBehavior`]: [
    {
      set: {
        scaleDown: { policies: [percentPolicy] },
      },
    },
  ],
  [`${autoscaling}HPAScalingRules`]: [{ set: { selectPolicy: "Max", policies: [percentPolicy] } }],
  [`${registration}ValidatingWebhook`]: [{ set: webhook }],
  [`${registration}MutatingWebhook`]: [{ set: { ...webhook, reinvocationPolicy: "Never" } }],
  [`${registration}MatchResources`]: [{ set: matching }],
  [`${registration}ValidatingAdmissionPolicySpec`]: failing,
  [`${registration}MutatingAdmissionPolicySpec`]: failing,
  [`${registration}RuleWithOperations`]: registeredRule,
  [`${registration}NamedRuleWithOperations`]: registeredRule,
  [`${registration}ServiceReference`]: servicePort,
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference": servicePort,
  "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference": servicePort,
  [`${flowcontrol}FlowSchemaSpec`]: [{ fill: { matchingPrecedence: 1000 } }],
  [`${flowcontrol}ExemptPriorityLevelConfiguration`]: [{ set: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  [`${flowcontrol}LimitedPriorityLevelConfiguration`]: [{ set: { nominalConcurrencyShares: 30, lendablePercent: 0 } }],
  [`${flowcontrol}QueuingConfiguration`]: [{ fill: { handSize: 8, queues: 64, queueLengthLimit: 50 } }],
  "io.k8s.api.scheduling.v1.PriorityClass": [{ set: { preemptionPolicy: "PreemptLowerPriority" } }],
  [`${networking}NetworkPolicyPort`]: [{ set: { protocol: "TCP" } }],
  [`${networking}IngressClassParametersReference`]: [{ set: { scope: "Cluster" } }],
  [`${rbac}RoleBinding`]: role,
  [`${rbac}ClusterRoleBinding`]: role,
  [`${rbac}Subject`]: [{ when: { kind: ["User", "Group"] }, fill: { apiGroup: "rbac.authorization.k8s.io" } }],
  "io.k8s.api.discovery.v1.EndpointPort": [{ set: { name: "", protocol: "TCP" } }],
  [`${storage}StorageClass`]: [{ set: { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" } }],
  [`${storage}CSIDriver`]: [
    {
      in: "spec",
      set: {
        attachRequired: true,
        podInfoOnMount: false,
        storageCapacity: false,
        fsGroupPolicy: "ReadWriteOnceWithFSType",
        requiresRepublish: false,
        seLinuxMount: false,
        preventPodSchedulingIfMissing: false,
      },
      fill: { volumeLifecycleModes: ["Persistent"] },
    },
  ],
  [`${resource}ExactDeviceRequest`]: deviceRequest,
  [`${resource}DeviceSubRequest`]: deviceRequest,
}
