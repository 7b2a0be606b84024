// The fields of built-in kinds that an API server resets: a request to the main resource or to a subresource can't write them, so nobody owns
// them through it. The data, in reset-fields-data.ts, is JSON written by oracle/reset-fields:
//
//   sets     sets of fields, as FieldsV1
//   created  kinds whose status is not reset when an object is created
//   kinds    kind to [versions, {subresource: number of a set}]: one pair for each resource, with the same sets in all its versions
import { parseFieldsV1 } from "../fieldpath/fieldsv1/text.js"
import type { FieldSet } from "../fieldpath/set.js"
import { resetFieldsData } from "./reset-fields-data.js"

interface Data {
  readonly sets: readonly object[]
  readonly created: readonly string[]
  readonly kinds: Readonly<Record<string, readonly (readonly [string[], Record<string, number>])[]>>
}

/** Returns the fields that requests to a subresource ("" for the main resource) reset, by version. Undefined if the requests reset nothing. */
export type KubernetesResetFields = (subresource: string) => ReadonlyMap<string, FieldSet> | undefined

const known = new Map<string, KubernetesResetFields>()
let data: Data | undefined

/**
 * Returns the fields that an API server resets in objects of a built-in kind, for the option `resetFields` of a FieldManager. Undefined if
 * the server resets nothing or does not serve the kind. All versions of a resource have the same sets. Returns the same function on every
 * call.
 */
export function kubernetesResetFields(apiVersion: string, kind: string): KubernetesResetFields | undefined {
  const id = `${apiVersion} ${kind}`
  let fields = known.get(id)
  if (fields === undefined) {
    fields = readResetFields(apiVersion, kind)
    if (fields !== undefined) known.set(id, fields)
  }
  return fields
}

/** Whether an API server stores the status of a new object of this kind, although it resets the status in updates. */
export function kubernetesKeepsCreatedStatus(kind: string): boolean {
  return readData().created.includes(kind)
}

function readResetFields(apiVersion: string, kind: string): KubernetesResetFields | undefined {
  const { kinds, sets } = readData()
  const rows = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  const row = rows?.find(([versions]) => versions.includes(apiVersion))
  if (row === undefined) return undefined
  const [versions, subresources] = row
  const bySubresource = new Map(
    Object.entries(subresources).map(([subresource, number]) => {
      const set = parseFieldsV1(JSON.stringify(sets[number]))
      return [subresource, new Map(versions.map(version => [version, set]))]
    }),
  )
  return subresource => bySubresource.get(subresource)
}

function readData(): Data {
  data ??= JSON.parse(resetFieldsData) as Data
  return data
}
