// What the versions of a CustomResourceDefinition have each. An API server keeps it at the spec where all have the same, and names
// it there in errors.

import { equalValues } from "../../value/equal.js"
import { listAt, mapAt } from "../../value/fields.js"
import { own, sizeOf } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"

/** Where the parts of a version are at the spec. */
const atSpec = {
  schema: "validation",
  subresources: "subresources",
  additionalPrinterColumns: "additionalPrinterColumns",
  selectableFields: "selectableFields",
} as const

/** The name of what each version may have. */
export type PartName = keyof typeof atSpec

/** One part, of a version or of all of them. */
export interface Part {
  /** As errors name it: `spec.validation`, `spec.versions[0].schema`. */
  readonly path: string
  readonly value: Value
  /** The version that has it; undefined if all have the same. */
  readonly version: MapValue | undefined
}

/** The versions of a definition. */
export function versionsOf(definition: MapValue): readonly MapValue[] {
  return listAt(mapAt(definition, "spec"), "versions").filter(isMap)
}

/** Whether all versions have the same, or none has any. */
export function isShared(definition: MapValue, name: PartName): boolean {
  const [first, ...others] = versionsOf(definition).map(version => partAt(version, name))
  return others.every(part => equalValues(part ?? null, first ?? null))
}

/** The parts of this name that are there: one if all versions share it. */
export function partsOf(definition: MapValue, name: PartName): readonly Part[] {
  const versions = versionsOf(definition)
  if (isShared(definition, name)) {
    const value = versions[0] && partAt(versions[0], name)
    return value === undefined ? [] : [{ path: `spec.${atSpec[name]}`, value, version: undefined }]
  }
  return versions.flatMap((version, i) => {
    const value = partAt(version, name)
    return value === undefined ? [] : [{ path: `spec.versions[${i}].${name}`, value, version }]
  })
}

function partAt(version: MapValue, name: PartName): Value | undefined {
  const found = own(version, name) ?? undefined
  return isList(found) && found.length === 0 ? undefined : found
}

/** The schema of a part that has one. */
export function schemaOfPart({ value }: Part): MapValue | undefined {
  const schema = isMap(value) ? own(value, "openAPIV3Schema") : undefined
  return isMap(schema) ? schema : undefined
}

/** Whether the version has the subresource status; any version, if that is undefined. */
export function hasStatus(definition: MapValue, version: MapValue | undefined): boolean {
  const asked = version === undefined ? versionsOf(definition) : [version]
  return asked.some(each => isMap(mapAt(each, "subresources").status ?? null))
}

/** Whether the schema says anything at the keyword: empty texts and lists and what is false count as nothing. */
export function says(schema: MapValue, keyword: string): boolean {
  const found = own(schema, keyword) ?? false
  if (isList(found)) return found.length > 0
  if (isMap(found)) return sizeOf(found) > 0
  return found !== false && found !== ""
}
