// The printer columns of the built-in kinds that people list most. Other kinds have their name and age.
import { textAt } from "../schema/group-version-kind.js"
import { own } from "../value/object.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { listAt, mapAt } from "./metadata.js"

/** A column, and how the cell of an object is made. */
export interface Column {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  /** Columns above 0 are shown only where there is room, as by `-o wide`. */
  readonly priority?: number
  readonly cell: (object: MapValue, now: number) => Value
}

/** The columns between name and age, and those behind, which need room. */
export interface KindColumns {
  readonly before: readonly Column[]
  readonly after: readonly Column[]
}

const none: KindColumns = { before: [], after: [] }

/** The columns of a kind. */
export function columnsOfKind(apiVersion: string, kind: string): KindColumns {
  const id = `${apiVersion} ${kind}`
  return Object.hasOwn(byKind, id) ? (byKind[id] ?? none) : none
}

const count = (map: MapValue, key: string): number => {
  const found = own(map, key)
  return typeof found === "number" ? found : 0
}

const column = (name: string, type: string, description: string, cell: (object: MapValue) => Value): Column => {
  return { name, type, description, cell }
}

const wide = (name: string, description: string, cell: (object: MapValue) => Value): Column => {
  return { ...column(name, "string", description, cell), priority: 1 }
}

const spec = (object: MapValue) => mapAt(object, "spec")
const status = (object: MapValue) => mapAt(object, "status")
const containers = (object: MapValue) =>
  listAt(mapAt(mapAt(spec(object), "template"), "spec"), "containers").filter(isMap)
const namesOf = (key: string) => (object: MapValue) =>
  containers(object)
    .map(each => textAt(each, key))
    .join()

const templateColumns = [
  wide("Containers", "The names of the containers.", namesOf("name")),
  wide("Images", "The images of the containers.", namesOf("image")),
]
const selector = wide("Selector", "Which pods belong to the object.", object => {
  const labels = mapAt(mapAt(spec(object), "selector"), "matchLabels")
  const pairs = Object.keys(labels)
    .sort()
    .map(key => `${key}=${own(labels, key)}`)
  return pairs.length === 0 ? "<none>" : pairs.join()
})
const ready = column("Ready", "string", "How many pods are ready, of how many.", object => {
  return `${count(status(object), "readyReplicas")}/${count(spec(object), "replicas")}`
})
const integer = (name: string, key: string, description: string) => {
  return column(name, "integer", description, object => count(status(object), key))
}
const data = column("Data", "integer", "How many entries there are.", object => {
  return Object.keys(mapAt(object, "data")).length + Object.keys(mapAt(object, "binaryData")).length
})

const byKind: Readonly<Record<string, KindColumns>> = {
  "v1 ConfigMap": { before: [data], after: [] },
  "v1 Namespace": {
    before: [column("Status", "string", "The phase of the namespace.", object => textAt(status(object), "phase"))],
    after: [],
  },
  "v1 Secret": {
    before: [column("Type", "string", "What the secret is for.", object => textAt(object, "type")), data],
    after: [],
  },
  "apps/v1 Deployment": {
    before: [
      ready,
      integer("Up-to-date", "updatedReplicas", "How many pods have the present template."),
      integer("Available", "availableReplicas", "How many pods are available."),
    ],
    after: [...templateColumns, selector],
  },
  "apps/v1 StatefulSet": { before: [ready], after: templateColumns },
  "apps/v1 ReplicaSet": {
    before: [
      column("Desired", "integer", "How many pods there should be.", object => count(spec(object), "replicas")),
      integer("Current", "replicas", "How many pods there are."),
      integer("Ready", "readyReplicas", "How many pods are ready."),
    ],
    after: [...templateColumns, selector],
  },
}
