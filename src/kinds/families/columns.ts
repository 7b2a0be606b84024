// The columns of each built-in kind, as a kube-apiserver has them. A family has its columns in a function of its own, so that a bundle
// that prints no tables leaves them out.
import { ageColumn, type Column, nameColumn } from "../column.js"
import { accessColumns } from "./access.js"
import { autoscalingColumns } from "./autoscaling.js"
import { batchColumns } from "./batch.js"
import { clusterColumns } from "./cluster.js"
import { configColumns } from "./config.js"
import { eventColumns } from "./events.js"
import { extensionColumns } from "./extensions.js"
import { networkColumns } from "./network.js"
import { podColumns } from "./pods.js"
import { schedulingColumns } from "./scheduling.js"
import { serviceColumns } from "./services.js"
import { storageColumns } from "./storage.js"
import { workloadColumns } from "./workloads.js"

const makers = [
  accessColumns,
  autoscalingColumns,
  batchColumns,
  clusterColumns,
  configColumns,
  eventColumns,
  extensionColumns,
  networkColumns,
  podColumns,
  schedulingColumns,
  serviceColumns,
  storageColumns,
  workloadColumns,
]

let byName: ReadonlyMap<string, readonly Column[]> | undefined

/** The columns of a kind of this group: the name and age of an object, for kinds that have no columns of their own. */
export function columnsOfKind(group: string, kind: string): readonly Column[] {
  byName ??= new Map(makers.flatMap(make => Object.entries(make())))
  return byName.get(`${group}/${kind}`) ?? [nameColumn, ageColumn]
}
