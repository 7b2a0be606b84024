// The columns of built-in kinds, as a kube-apiserver prints them. They are not members of BuiltInKind: a family returns its columns from a
// function, which bundlers drop where nothing prints tables.
import { ageColumn, type Column, nameColumn } from "../kind/column.js"
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

/** Returns the columns of a kind. Kinds without columns of their own show name and age. */
export function columnsOfKind(group: string, kind: string): readonly Column[] {
  byName ??= new Map(makers.flatMap(make => Object.entries(make())))
  return byName.get(`${group}/${kind}`) ?? [nameColumn, ageColumn]
}
