// The built-in stages: the controllers of a cluster, its scheduler, and its kubelets.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the expressions are those of stages, which the server fills in

import { kubernetesRelease } from "../../kubernetes/types.js"
import type { Stage } from "./stages.js"

const manager = "kube-controller-manager"
const account = (name: string) => `system:serviceaccount:kube-system:${name}`
/** The kubelet of the node on which a Pod is. */
const kubelet = { manager: "kubelet", user: "system:node:${object.spec.nodeName}" }
const isAlive = "!has(object.metadata.deletionTimestamp)"
const isBound = "has(object.spec.nodeName) && object.spec.nodeName != ''"
const generation = "${object.metadata.generation}"

/** A condition of a Pod, as a kubelet writes it. Null removes what an earlier condition had. */
const podCondition = (
  type: string,
  status: "True" | "False",
  reason: string | null = null,
  message: string | null = null,
) => ({
  ...{ type, status, reason, message },
  ...{ lastProbeTime: null, lastTransitionTime: "${now}", observedGeneration: generation },
})

/** The statuses of the containers of a Pod: the map is the status of the container `c`, in CEL. */
const statuses = (containers: string, map: string) =>
  `\${has(object.spec.${containers}) ? object.spec.${containers}.map(c, ${map}) : []}`

const unready = "containers with unready status: [${object.spec.containers.map(c, c.name).join(' ')}]"
const image = "'image': c.image, 'imageID': c.image, 'lastState': {}, 'restartCount': 0"
const waiting = `{'name': c.name, ${image}, 'ready': false, 'started': false, 'state': {'waiting': {'reason': 'ContainerCreating'}}}`
const containerID = "'containerID': 'containerd://' + object.metadata.uid + '-' + c.name"
const running = `{'name': c.name, ${image}, ${containerID}, 'ready': true, 'started': true, 'state': {'running': {'startedAt': now}}}`
const terminated = `{'exitCode': 0, 'reason': 'Completed', 'startedAt': object.status.startTime, 'finishedAt': now}`
const completed = `{'name': c.name, ${image}, ${containerID}, 'ready': false, 'started': false, 'state': {'terminated': ${terminated}}}`

export const builtInStages: readonly Stage[] = [
  {
    name: "service-account",
    resource: "namespaces",
    watches: { serviceaccounts: "namespace" },
    selector: { matchConditions: [isAlive] },
    ...{ manager, user: account("service-account-controller") },
    next: {
      create: {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "default", namespace: "${object.metadata.name}" },
      },
    },
  },
  {
    name: "node",
    resource: "namespaces",
    selector: { matchConditions: ["object.metadata.name == 'kube-node-lease'"] },
    ...{ manager: "kubelet", user: "system:node:node-1" },
    next: { call: "firstNode" },
  },
  {
    name: "node-ready",
    resource: "nodes",
    selector: {
      matchConditions: [
        "!has(object.status) || !has(object.status.conditions) || !object.status.conditions.exists(c, c.type == 'Ready')",
      ],
    },
    ...{ manager: "kubelet", user: "system:node:${object.metadata.name}" },
    next: {
      subresource: "status",
      patch: {
        status: {
          addresses: [
            { type: "InternalIP", address: "${hostIP}" },
            { type: "Hostname", address: "${object.metadata.name}" },
          ],
          allocatable: { cpu: "64", memory: "256Gi", pods: "1000", "ephemeral-storage": "1Ti" },
          nodeInfo: {
            ...{ architecture: "amd64", operatingSystem: "linux", osImage: "none", kernelVersion: "none" },
            ...{ kubeletVersion: `v${kubernetesRelease}`, containerRuntimeVersion: "none", kubeProxyVersion: "" },
            ...{ machineID: "", systemUUID: "", bootID: "" },
          },
          capacity: { cpu: "64", memory: "256Gi", pods: "1000", "ephemeral-storage": "1Ti" },
          conditions: ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map(type => ({
            ...{ type, status: type === "Ready" ? "True" : "False" },
            ...{ lastHeartbeatTime: "${now}", lastTransitionTime: "${now}" },
            reason:
              type === "Ready"
                ? "KubeletReady"
                : `KubeletHas${type === "PIDPressure" ? "SufficientPID" : type === "DiskPressure" ? "NoDiskPressure" : "SufficientMemory"}`,
            message: type === "Ready" ? "kubelet is posting ready status" : `kubelet has no ${type}`,
          })),
        },
      },
    },
  },
  {
    name: "node-taint",
    resource: "nodes",
    selector: {
      matchConditions: [
        "object.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')",
        "object.spec.taints.exists(t, t.key == 'node.kubernetes.io/not-ready')",
      ],
    },
    ...{ manager, user: account("node-controller") },
    next: {
      type: "merge",
      patch: { spec: { taints: "${object.spec.taints.filter(t, t.key != 'node.kubernetes.io/not-ready')}" } },
    },
  },
  {
    name: "deployment",
    resource: "deployments.apps",
    watches: { "replicasets.apps": "owner" },
    ...{ manager, user: account("deployment-controller") },
    next: { call: "deployment" },
  },
  {
    name: "replica-set",
    resource: "replicasets.apps",
    watches: { pods: "owner" },
    ...{ manager, user: account("replicaset-controller") },
    next: { call: "replicaSet" },
  },
  {
    name: "stateful-set",
    resource: "statefulsets.apps",
    watches: { pods: "owner", "controllerrevisions.apps": "owner" },
    ...{ manager, user: account("statefulset-controller") },
    next: { call: "statefulSet" },
  },
  {
    name: "daemon-set",
    resource: "daemonsets.apps",
    watches: { pods: "owner", "controllerrevisions.apps": "owner", nodes: "all" },
    ...{ manager, user: account("daemon-set-controller") },
    next: { call: "daemonSet" },
  },
  {
    name: "job",
    resource: "jobs.batch",
    watches: { pods: "owner" },
    ...{ manager, user: account("job-controller") },
    next: { call: "job" },
  },
  {
    name: "job-expiry",
    resource: "jobs.batch",
    ...{ manager, user: account("ttl-after-finished-controller") },
    next: { call: "expire" },
  },
  {
    name: "cron-job",
    resource: "cronjobs.batch",
    watches: { "jobs.batch": "owner" },
    ...{ manager, user: account("cronjob-controller") },
    next: { call: "cronJob" },
  },
  {
    name: "endpoint-slice",
    resource: "services",
    watches: { pods: "namespace", "endpointslices.discovery.k8s.io": "owner" },
    ...{ manager, user: account("endpointslice-controller") },
    next: { call: "endpointSlices" },
  },
  {
    name: "claim",
    resource: "persistentvolumeclaims",
    watches: { persistentvolumes: "all" },
    ...{ manager, user: account("persistent-volume-binder") },
    next: { call: "bindClaim" },
  },
  {
    name: "volume",
    resource: "persistentvolumeclaims",
    ...{ manager: "csi-provisioner", user: account("csi-provisioner") },
    next: { call: "provision" },
  },
  {
    name: "claim-protection",
    resource: "persistentvolumeclaims",
    watches: { pods: "namespace" },
    ...{ manager, user: account("pvc-protection-controller") },
    selector: { matchConditions: ["has(object.metadata.deletionTimestamp)"] },
    next: { call: "unprotect" },
  },
  {
    name: "volume-release",
    resource: "persistentvolumes",
    watches: { persistentvolumeclaims: "all" },
    ...{ manager, user: account("persistent-volume-binder") },
    next: { call: "unprotect" },
  },
  {
    name: "autoscaler",
    resource: "horizontalpodautoscalers.autoscaling",
    delay: 15_000,
    ...{ manager, user: account("horizontal-pod-autoscaler") },
    next: { call: "autoscale" },
  },
  {
    name: "pod-schedule",
    resource: "pods",
    watches: { nodes: "all" },
    selector: {
      matchConditions: [
        isAlive,
        `!(${isBound})`,
        "!has(object.spec.schedulingGates) || object.spec.schedulingGates.size() == 0",
      ],
    },
    ...{ manager: "kube-scheduler", user: "system:kube-scheduler" },
    next: { call: "schedule" },
  },
  {
    name: "pod-start",
    resource: "pods",
    selector: { matchConditions: [isAlive, isBound, "!has(object.status.startTime)"] },
    ...kubelet,
    next: {
      subresource: "status",
      patch: {
        status: {
          conditions: [
            podCondition("PodReadyToStartContainers", "False"),
            podCondition("Initialized", "True"),
            podCondition("Ready", "False", "ContainersNotReady", unready),
            podCondition("ContainersReady", "False", "ContainersNotReady", unready),
            { type: "PodScheduled", observedGeneration: generation },
          ],
          containerStatuses: statuses("containers", waiting),
          ...{ hostIP: "${hostIP}", hostIPs: [{ ip: "${hostIP}" }] },
          ...{ startTime: "${now}", observedGeneration: generation },
        },
      },
    },
  },
  {
    name: "pod-ready",
    resource: "pods",
    selector: {
      matchConditions: [isAlive, isBound, "has(object.status.startTime) && object.status.phase == 'Pending'"],
    },
    delay: 1000,
    ...kubelet,
    next: {
      subresource: "status",
      patch: {
        status: {
          conditions: ["PodReadyToStartContainers", "Ready", "ContainersReady"].map(type => podCondition(type, "True")),
          containerStatuses: statuses("containers", running),
          ...{ phase: "Running", podIP: "${podIP}", podIPs: [{ ip: "${podIP}" }], observedGeneration: generation },
        },
      },
    },
  },
  {
    name: "pod-complete",
    resource: "pods",
    selector: {
      matchConditions: [isAlive, "object.spec.restartPolicy != 'Always' && object.status.phase == 'Running'"],
    },
    delay: 1000,
    ...kubelet,
    next: {
      subresource: "status",
      patch: {
        status: {
          conditions: [
            podCondition("PodReadyToStartContainers", "False"),
            podCondition("Initialized", "True", "PodCompleted"),
            podCondition("Ready", "False", "PodCompleted"),
            podCondition("ContainersReady", "False", "PodCompleted"),
          ],
          containerStatuses: statuses("containers", completed),
          phase: "Succeeded",
        },
      },
    },
  },
  {
    name: "pod-delete",
    resource: "pods",
    selector: {
      matchConditions: ["has(object.metadata.deletionTimestamp) && object.metadata.deletionGracePeriodSeconds != 0"],
    },
    delay: 1000,
    ...kubelet,
    next: { delete: true },
  },
  {
    name: "pod-untrack",
    resource: "pods",
    watches: { "jobs.batch": "namespace" },
    selector: { matchConditions: ["has(object.metadata.finalizers)"] },
    ...{ manager, user: account("job-controller") },
    next: { call: "untrack" },
  },
]
