// The columns of built-in kinds, as a kube-apiserver prints them. They are not members of BuiltInKind: a family returns its columns from a
// function, which bundlers drop where nothing prints tables.
import { type Column, plainColumns } from "../kind/column.js"
import { accessColumns } from "./access.js"
import { autoscalingColumns } from "./autoscaling.js"
import { batchColumns } from "./batch.js"
import { clusterColumns } from "./cluster.js"
import { columnDescriptionsData } from "./column-descriptions-data.js"
import { configColumns } from "./config.js"
import { eventColumns } from "./events.js"
import { extensionColumns } from "./extensions.js"
import { networkColumns } from "./network.js"
import { podColumns } from "./pods.js"
import { schedulingColumns } from "./scheduling.js"
import { serviceColumns } from "./services.js"
import { storageColumns } from "./storage.js"
import { workloadColumns } from "./workloads.js"

interface RecordedDescriptions {
  readonly descriptions: readonly string[]
  readonly kinds: Readonly<Record<string, Readonly<Record<string, number>>>>
}

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

/** Returns the columns of a kind. Kinds without columns of their own show their name and when they were created. */
export function columnsOfKind(group: string, kind: string): readonly Column[] {
  byName ??= new Map(makers.flatMap(make => Object.entries(make()).map(([name, all]) => [name, described(all, name)])))
  return byName.get(`${group}/${kind}`) ?? described(plainColumns)
}

let recorded: RecordedDescriptions | undefined

/** Returns the columns with the recorded descriptions of those of this kind, by its group and kind; "" stands for kinds without a printer. */
export function described(columns: readonly Column[], name = ""): readonly Column[] {
  recorded ??= JSON.parse(columnDescriptionsData) as RecordedDescriptions
  const { descriptions, kinds } = recorded
  const numbers = kinds[name] ?? kinds[""] ?? {}
  return columns.map(column => ({ ...column, description: descriptions[numbers[column.name] ?? -1] ?? "" }))
}
