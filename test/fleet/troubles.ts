// The troubles that owners of an object get into over the years.
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

/** An object as an API server returns it. */
export type Recorded = MapValue & {
  readonly apiVersion: string
  readonly metadata: MapValue & {
    readonly namespace?: string
    readonly annotations?: MapValue
    readonly creationTimestamp: string
    readonly managedFields: readonly Entry[]
  }
}

/** Returns the object with a trouble, or unchanged if it can't have that trouble. */
export type Trouble = (object: Recorded, random: Random) => Recorded

const withEntries = (object: Recorded, managedFields: readonly Entry[]): Recorded => ({
  ...object,
  metadata: { ...object.metadata, managedFields },
})

/** Two more managers have applied the same fields as the first. */
const shared: Trouble = object => {
  const [first, ...rest] = object.metadata.managedFields
  if (first === undefined) return object
  const others = ["flux", "crossplane"].map((manager): Entry => ({ ...first, manager, operation: "Apply" }))
  return withEntries(object, [first, ...others, ...rest])
}

/** One manager's fields are in a version that is no longer served. */
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

/** The object was applied by client-side apply before. */
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

/** The object had more managers that update than an API server keeps. */
const ancient: Trouble = object => {
  const [first, ...rest] = object.metadata.managedFields
  if (first === undefined) return object
  const rename = (entry: Entry): Entry => ({ ...entry, manager: "ancient-changes", operation: "Update" })
  return withEntries(object, [first, ...rest.slice(0, -1), rename(rest.at(-1) ?? first)])
}

/** Each version of a tool has written its annotation as another manager. */
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

/** A manager has given up every field of an item but its keys. */
const keysOnly: Trouble = object => {
  const [first] = object.metadata.managedFields
  const fieldsV1 = first && keysOfFirstItem(first.fieldsV1)
  if (first === undefined || fieldsV1 === undefined) return object
  const entry: Entry = { ...first, manager: "injector", operation: "Apply", fieldsV1 }
  return withEntries(object, [first, entry, ...object.metadata.managedFields.slice(1)])
}

/** Returns the keys of the first item of a keyed list. */
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

/** The troubles with their weights. The first leaves the object as it is. */
export const troubles: readonly (readonly [weight: number, trouble: Trouble])[] = [
  [60, object => object],
  [10, shared],
  [8, stale],
  [8, clientSide],
  [5, ancient],
  [5, crowded],
  [4, keysOnly],
]
