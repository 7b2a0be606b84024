// What goes wrong with the owners of an object in the long run.
import { isMap, type MapValue } from "../../src/value/value.js"
import type { Random } from "../fuzz/random.js"

/** An entry of managedFields. */
export type Entry = MapValue & {
  readonly manager: string
  readonly operation: "Apply" | "Update"
  readonly apiVersion: string
  readonly time?: string
  readonly fieldsV1: MapValue
}

/** An object as an API server answers with it. */
export type Recorded = MapValue & {
  readonly apiVersion: string
  readonly metadata: MapValue & {
    readonly namespace?: string
    readonly annotations?: MapValue
    readonly creationTimestamp: string
    readonly managedFields: readonly Entry[]
  }
}

/** Gives an object one trouble; one that it can't have leaves it as it is. */
export type Trouble = (object: Recorded, random: Random) => Recorded

const withEntries = (object: Recorded, managedFields: readonly Entry[]): Recorded => ({
  ...object,
  metadata: { ...object.metadata, managedFields },
})

/** Two more managers have applied the same as the first. */
const shared: Trouble = object => {
  const [first, ...rest] = object.metadata.managedFields
  if (first === undefined) return object
  const others = ["flux", "crossplane"].map((manager): Entry => ({ ...first, manager, operation: "Apply" }))
  return withEntries(object, [first, ...others, ...rest])
}

/** The fields of one manager are in a version that is gone. */
const stale: Trouble = (object, random) => {
  const entries = object.metadata.managedFields
  const at = random.below(entries.length)
  const group = object.apiVersion.includes("/") ? `${object.apiVersion.split("/")[0]}/` : ""
  return withEntries(
    object,
    entries.map((entry, i) => (i === at ? { ...entry, apiVersion: `${group}v1beta1` } : entry)),
  )
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

/** It was applied by client-side apply before. */
const clientSide: Trouble = object => {
  const [first, ...rest] = object.metadata.managedFields
  if (first === undefined) return object
  const { fieldsV1, apiVersion } = first
  const annotations = { "f:annotations": { ".": {}, [`f:${lastApplied}`]: {} } }
  const left: Entry = {
    ...first,
    manager: "kubectl-client-side-apply",
    operation: "Update",
    apiVersion,
    fieldsV1: { ...fieldsV1, "f:metadata": annotations },
  }
  const metadata = { ...object.metadata, annotations: { ...object.metadata.annotations, [lastApplied]: "{}\n" } }
  return withEntries({ ...object, metadata }, [first, ...rest, left])
}

/** It had more managers that update than an API server keeps. */
const ancient: Trouble = object => {
  const [first, ...rest] = object.metadata.managedFields
  if (first === undefined) return object
  const rename = (entry: Entry): Entry => ({ ...entry, manager: "ancient-changes", operation: "Update" })
  return withEntries(object, [first, ...rest.slice(0, -1), rename(rest.at(-1) ?? first)])
}

/** Every version of a tool has written its annotation under a name of its own. */
const crowded: Trouble = (object, random) => {
  const [first] = object.metadata.managedFields
  if (first === undefined) return object
  const versions = Array.from({ length: random.between(4, 8) }, (_, i) => i)
  const annotations = Object.fromEntries(versions.map(i => [`tool.example.com/v${i}`, "seen"]))
  const entries = versions.map((i): Entry => {
    const { time = object.metadata.creationTimestamp } = first
    const fieldsV1 = { "f:metadata": { "f:annotations": { [`f:tool.example.com/v${i}`]: {} } } }
    const entry = { apiVersion: object.apiVersion, fieldsType: "FieldsV1", fieldsV1, time }
    return { manager: `tool-v1.${i}.0`, operation: "Update", ...entry }
  })
  const metadata = { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } }
  return withEntries({ ...object, metadata }, [...object.metadata.managedFields, ...entries])
}

/** A manager has given up all of an item but its keys. */
const keysOnly: Trouble = object => {
  const [first] = object.metadata.managedFields
  const fieldsV1 = first && keysOfFirstItem(first.fieldsV1)
  if (first === undefined || fieldsV1 === undefined) return object
  const entry: Entry = { ...first, manager: "injector", operation: "Apply", fieldsV1 }
  return withEntries(object, [first, entry, ...object.metadata.managedFields.slice(1)])
}

/** Of the first item of a keyed list, what makes it that item. */
function keysOfFirstItem(fields: MapValue): MapValue | undefined {
  for (const [name, inside] of Object.entries(fields)) {
    if (!isMap(inside)) continue
    if (name.startsWith("k:")) {
      const keys = Object.keys(JSON.parse(name.slice(2))).map(key => [`f:${key}`, {}])
      return { [name]: { ".": {}, ...Object.fromEntries(keys) } }
    }
    const found = keysOfFirstItem(inside)
    if (found !== undefined) return { [name]: found }
  }
  return undefined
}

/** How often each trouble comes; the first is none. */
export const troubles: readonly (readonly [weight: number, trouble: Trouble])[] = [
  [60, object => object],
  [10, shared],
  [8, stale],
  [8, clientSide],
  [5, ancient],
  [5, crowded],
  [4, keysOnly],
]
