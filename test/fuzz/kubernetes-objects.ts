// Objects of built-in kinds as they look in a cluster. The stories of the Kubernetes layer begin with them.
import { type Json, mapOf } from "./json.js"

/** A built-in kind, and a complete object of it. */
export interface Builtin {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Other versions of the kind. */
  readonly versions: readonly string[]
  readonly object: Json
}

const labels = { "app.kubernetes.io/name": "web", "app.kubernetes.io/part-of": "shop", tier: "front" }

const podSpec = {
  serviceAccountName: "web",
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  securityContext: { runAsNonRoot: true, fsGroup: 2000, seccompProfile: { type: "RuntimeDefault" } },
  nodeSelector: { "kubernetes.io/os": "linux" },
  tolerations: [{ key: "spot", operator: "Exists", effect: "NoSchedule" }],
  imagePullSecrets: [{ name: "registry" }],
  initContainers: [{ name: "migrate", image: "shop/web:1.4", args: ["migrate", "--wait"] }],
  containers: [
    {
      name: "web",
      image: "shop/web:1.4",
      imagePullPolicy: "IfNotPresent",
      args: ["serve", "--port=8080"],
      env: [
        { name: "LOG_LEVEL", value: "info" },
        { name: "POD_IP", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } } },
        { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "db", key: "password", optional: false } } },
      ],
      ports: [
        { name: "http", containerPort: 8080, protocol: "TCP" },
        { name: "metrics", containerPort: 9090 },
      ],
      resources: { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: 0.1, memory: "128Mi" } },
      readinessProbe: { httpGet: { path: "/ready", port: "http" }, periodSeconds: 5 },
      volumeMounts: [{ name: "config", mountPath: "/etc/web", readOnly: true }],
      securityContext: { capabilities: { drop: ["ALL"] } },
    },
    { name: "proxy", image: "shop/proxy:2", ports: [{ containerPort: 8443 }] },
  ],
  volumes: [
    { name: "config", configMap: { name: "web", items: [{ key: "web.toml", path: "web.toml" }] } },
    { name: "cache", emptyDir: { sizeLimit: "1Gi" } },
  ],
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 100,
          podAffinityTerm: { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: labels } },
        },
      ],
    },
  },
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }],
}

const ready = [
  { type: "Ready", status: "True", lastTransitionTime: "2024-05-01T10:00:00Z" },
  { type: "PodScheduled", status: "True", lastTransitionTime: "2024-05-01T09:59:00Z" },
]

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "web-0",
    namespace: "shop",
    labels,
    annotations: { "example.com/checked": "yes" },
    finalizers: ["example.com/drain"],
    ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "c0ffee", controller: true }],
  },
  spec: podSpec,
  status: {
    phase: "Running",
    hostIP: "10.0.0.1",
    podIP: "10.1.0.7",
    podIPs: [{ ip: "10.1.0.7" }, { ip: "fd00::7" }],
    conditions: ready,
    containerStatuses: [
      {
        name: "web",
        ready: true,
        restartCount: 0,
        image: "shop/web:1.4",
        imageID: "sha256:1",
        state: { running: { startedAt: "2024-05-01T10:00:00Z" } },
      },
    ],
    qosClass: "Burstable",
  },
}

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop", labels, annotations: { "deployment.kubernetes.io/revision": "3" } },
  spec: {
    replicas: 3,
    revisionHistoryLimit: 5,
    selector: { matchLabels: labels, matchExpressions: [{ key: "tier", operator: "In", values: ["front", "back"] }] },
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 1 } },
    template: { metadata: { labels, annotations: { "example.com/hash": "12" } }, spec: podSpec },
  },
  status: {
    observedGeneration: 3,
    replicas: 3,
    readyReplicas: 2,
    conditions: [
      { type: "Available", status: "True", reason: "MinimumReplicasAvailable", message: "ok" },
      { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" },
    ],
  },
}

const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "shop", labels },
  spec: {
    type: "LoadBalancer",
    selector: { tier: "front" },
    clusterIP: "10.2.0.5",
    clusterIPs: ["10.2.0.5"],
    ipFamilies: ["IPv4", "IPv6"],
    externalIPs: ["192.0.2.1"],
    sessionAffinity: "ClientIP",
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } },
    ports: [
      { name: "http", port: 80, targetPort: "http", protocol: "TCP", nodePort: 30080 },
      { name: "dns", port: 80, targetPort: 5353, protocol: "UDP" },
      { name: "https", port: 443, targetPort: 8443 },
    ],
  },
  status: { loadBalancer: { ingress: [{ ip: "192.0.2.7", ports: [{ port: 80, protocol: "TCP" }] }] } },
}

const node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: "node-1",
    labels: { "kubernetes.io/hostname": "node-1", "kubernetes.io/os": "linux" },
    annotations: { "node.alpha.kubernetes.io/ttl": "0" },
  },
  spec: {
    podCIDR: "10.1.0.0/24",
    podCIDRs: ["10.1.0.0/24"],
    providerID: "cloud:///node-1",
    unschedulable: false,
    taints: [
      { key: "spot", effect: "NoSchedule", value: "true" },
      { key: "spot", effect: "NoExecute" },
    ],
  },
  status: {
    capacity: { cpu: "4", memory: "16Gi", pods: "110" },
    allocatable: { cpu: "3800m", memory: "15Gi", pods: "110" },
    conditions: [
      { type: "Ready", status: "True", lastHeartbeatTime: "2024-05-01T10:00:00Z", reason: "KubeletReady" },
      { type: "DiskPressure", status: "False", lastHeartbeatTime: "2024-05-01T10:00:00Z" },
    ],
    addresses: [
      { type: "InternalIP", address: "10.0.0.1" },
      { type: "Hostname", address: "node-1" },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    images: [{ names: ["shop/web:1.4", "shop/web@sha256:1"], sizeBytes: 12345678 }],
    nodeInfo: { kernelVersion: "6.1", osImage: "Linux", architecture: "amd64" },
  },
}

const configMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "web", namespace: "shop", labels, annotations: { note: "<&>\u2028" } },
  immutable: false,
  data: { "web.toml": "port = 8080\n", level: "info", empty: "" },
  binaryData: { logo: "iVBORw0KGgo=" },
}

const autoscaler = {
  apiVersion: "autoscaling/v1",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web", namespace: "shop" },
  spec: { minReplicas: 2, maxReplicas: 9, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } },
  status: { currentReplicas: 3, desiredReplicas: 4 },
}

export const builtins: readonly Builtin[] = [
  { group: "", version: "v1", kind: "Pod", versions: ["v1"], object: withoutPrototypes(pod) },
  {
    group: "apps",
    version: "v1",
    kind: "Deployment",
    versions: ["v1", "v1beta2"],
    object: withoutPrototypes(deployment),
  },
  { group: "", version: "v1", kind: "Service", versions: ["v1"], object: withoutPrototypes(service) },
  { group: "", version: "v1", kind: "Node", versions: ["v1"], object: withoutPrototypes(node) },
  { group: "", version: "v1", kind: "ConfigMap", versions: ["v1"], object: withoutPrototypes(configMap) },
  {
    group: "autoscaling",
    version: "v1",
    kind: "HorizontalPodAutoscaler",
    versions: ["v1", "v2"],
    object: withoutPrototypes(autoscaler),
  },
]

type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain }

function withoutPrototypes(value: Plain): Json {
  if (Array.isArray(value)) return value.map(withoutPrototypes)
  if (typeof value !== "object" || value === null) return value as Json
  return mapOf(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutPrototypes(item)])))
}
