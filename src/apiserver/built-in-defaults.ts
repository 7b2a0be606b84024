// The defaults of built-in kinds that an API server sets by Go code: no OpenAPI document has them. By type, as data; what has to be
// computed is in with-defaults.ts, which reads this.
import type { Value } from "../value/value.js"

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

const container: readonly DefaultRule[] = [
  { fill: { terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" } },
]
const files: readonly DefaultRule[] = [{ set: { defaultMode: 420 } }]
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
}
