import { during } from "../merge/versions.js"
import { own, put } from "../value/object.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { readManagedFields } from "./entry.js"
import { decodeFields } from "./fields.js"
import { textAt } from "./group-version.js"
import { ObjectTypes, type TypeFinder } from "./types.js"

export interface ExtractOptions {
  /** Where the type of the object is found. */
  readonly types: TypeFinder
  readonly manager: string
  /** Of a subresource: what the manager applied there, as far as the object has it. */
  readonly subresource?: string
}

/**
 * What `manager` has applied to the object: its apiVersion and kind, and the fields the manager owns, with the values they have
 * now. To change and apply again, name (and namespace) have to be added. undefined where the manager has applied nothing, or
 * owns nothing any more. Fields that are gone are left out; where all are, apiVersion and kind remain.
 *
 * Throws a StructuredMergeError where the object does not fit its type, or the manager's fieldsV1 is none.
 */
export function extract(object: object, { types, manager, subresource = "" }: ExtractOptions): MapValue | undefined {
  const source = object as MapValue
  const typed = during("error converting obj to typed", () => new ObjectTypes(types).toTyped(source))
  const entry = readManagedFields(source)?.find(
    candidate =>
      candidate.manager === manager && candidate.operation === "Apply" && (candidate.subresource ?? "") === subresource,
  )
  if (entry === undefined) return undefined
  const set = during("error marshalling FieldsV1 to JSON", () => decodeFields(entry.fieldsV1).set)
  const { value } = typed.extractItems(set.leaves())
  const extracted: MapValue = isMap(value) ? value : {}
  if (own(extracted, "kind") !== undefined || textAt(source, "kind") === "") return extracted
  const out: Record<string, Value> = { apiVersion: textAt(source, "apiVersion"), kind: textAt(source, "kind") }
  for (const key in extracted) put(out, key, extracted[key] as Value)
  return out
}
