// What an API server finds wrong with the values of built-in kinds. The kinds that are checked are those of the tables here; of all
// others the metadata alone is checked, as metadata.ts says.
//
// A file for each group of kinds has their rules; field.ts has the words in which problems are told. The order of problems is that
// of a server, where it has one: it looks at maps in a random order, this at the order of their keys.

import type { FieldError } from "../../requests/field-error.js"
import type { MapValue } from "../../value/value.js"
import { checkBinding, checkRole } from "./access.js"
import { checkAutoscaler } from "./autoscaling.js"
import { checkConfigMap, checkSecret } from "./config.js"
import { Field } from "./field.js"
import { checkIngress, checkIngressStatus } from "./ingresses.js"
import { checkCronJob, checkJob, checkJobStatus } from "./jobs.js"
import {
  checkDisruptionBudget,
  checkNode,
  checkPodTemplateObject,
  checkPriorityClass,
  checkStorageClass,
} from "./others.js"
import { checkPod, checkPodResize } from "./pod.js"
import { checkService, checkServiceStatus } from "./services.js"
import {
  checkDaemonSet,
  checkDeployment,
  checkReplicaSet,
  checkReplicaStatus,
  checkReplicationController,
  checkStatefulSet,
} from "./workloads.js"

/** Reports what is wrong with an object; `before` is the one that it takes the place of. */
type KindCheck = (object: Field, before: Field | undefined) => void

/** By group and kind. */
const kinds: Readonly<Record<string, KindCheck>> = {
  "/ConfigMap": checkConfigMap,
  "/Node": checkNode,
  "/Pod": checkPod,
  "/PodTemplate": checkPodTemplateObject,
  "/ReplicationController": checkReplicationController,
  "/Secret": checkSecret,
  "/Service": checkService,
  "apps/DaemonSet": checkDaemonSet,
  "apps/Deployment": checkDeployment,
  "apps/ReplicaSet": checkReplicaSet,
  "apps/StatefulSet": checkStatefulSet,
  "autoscaling/HorizontalPodAutoscaler": checkAutoscaler,
  "batch/CronJob": checkCronJob,
  "batch/Job": checkJob,
  "networking.k8s.io/Ingress": checkIngress,
  "policy/PodDisruptionBudget": checkDisruptionBudget,
  "rbac.authorization.k8s.io/ClusterRole": checkRole,
  "rbac.authorization.k8s.io/ClusterRoleBinding": checkBinding,
  "rbac.authorization.k8s.io/Role": checkRole,
  "rbac.authorization.k8s.io/RoleBinding": checkBinding,
  "scheduling.k8s.io/PriorityClass": checkPriorityClass,
  "storage.k8s.io/StorageClass": checkStorageClass,
}

/** Those of requests to the subresource `status`. */
const statuses: Readonly<Record<string, KindCheck>> = {
  "/ReplicationController": checkReplicaStatus,
  "/Service": checkServiceStatus,
  "apps/Deployment": checkReplicaStatus,
  "apps/ReplicaSet": checkReplicaStatus,
  "batch/Job": checkJobStatus,
  "networking.k8s.io/Ingress": checkIngressStatus,
}

/** The tables by subresource; "" for none. */
const tables: Readonly<Record<string, Readonly<Record<string, KindCheck>>>> = {
  "": kinds,
  status: statuses,
  resize: { "/Pod": checkPodResize },
}

/** What is checked of an object: its kind, and through which subresource it came; "" for none. */
export interface Checked {
  readonly group: string
  readonly kind: string
  readonly subresource: string
}

/**
 * What is wrong with the values of a built-in object to be stored in the place of `before`, which is undefined if the object is
 * new; each problem once. Its metadata is not looked at.
 */
export function builtInProblems(
  object: MapValue,
  before: MapValue | undefined,
  { group, kind, subresource }: Checked,
): readonly FieldError[] {
  const table = tables[subresource] ?? {}
  const name = `${group}/${kind}`
  const check = Object.hasOwn(table, name) ? table[name] : undefined
  const found: FieldError[] = []
  check?.(new Field(object, "", found), before && new Field(before, "", []))
  const isSame = (a: FieldError) => (b: FieldError) => a.field === b.field && a.message === b.message
  return found.filter((error, index) => found.findIndex(isSame(error)) === index)
}
