// The parts that each version of a CustomResourceDefinition has. If a part is the same in all versions, an API server keeps it in the spec, and
// errors name it there.

import { equalValues } from "../../value/equal.js"
import { listAt, mapAt } from "../../value/fields.js"
import { own, sizeOf } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"

/** The names of the parts in the spec. */
const atSpec = {
  schema: "validation",
  subresources: "subresources",
  additionalPrinterColumns: "additionalPrinterColumns",
  selectableFields: "selectableFields",
} as const

/** The name of a part that each version may have. */
export type PartName = keyof typeof atSpec

/** One part, of one version or of all versions. */
export interface Part {
  /** The path of the part in errors: `spec.validation`, `spec.versions[0].schema`. */
  readonly path: string
  readonly value: Value
  /** The version that has the part; undefined if all versions share it. */
  readonly version: MapValue | undefined
}

/** Returns the versions of a definition. */
export function versionsOf(definition: MapValue): readonly MapValue[] {
  return listAt(mapAt(definition, "spec"), "versions").filter(isMap)
}

/** Whether the part is the same in all versions, or absent from all of them. */
export function isShared(definition: MapValue, name: PartName): boolean {
  const [first, ...others] = versionsOf(definition).map(version => partAt(version, name))
  return others.every(part => equalValues(part ?? null, first ?? null))
}

/** Returns the parts of this name that are present: one if all versions share it. */
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
  const value = own(version, name) ?? undefined
  return isList(value) && value.length === 0 ? undefined : value
}

/** Returns the schema of a part, if it has one. */
export function schemaOfPart({ value }: Part): MapValue | undefined {
  const schema = isMap(value) ? own(value, "openAPIV3Schema") : undefined
  return isMap(schema) ? schema : undefined
}

/** Whether the version has the subresource status. If `version` is undefined, whether any version does. */
export function hasStatus(definition: MapValue, version: MapValue | undefined): boolean {
  const versions = version === undefined ? versionsOf(definition) : [version]
  return versions.some(each => isMap(mapAt(each, "subresources").status ?? null))
}

/** Whether the keyword has a value other than null, false, "", an empty list or an empty map. */
export function hasKeyword(schema: MapValue, keyword: string): boolean {
  const value = own(schema, keyword) ?? false
  if (isList(value)) return value.length > 0
  if (isMap(value)) return sizeOf(value) > 0
  return value !== false && value !== ""
}
