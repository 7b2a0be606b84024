import { pathOf } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { anObject, requireArgument } from "../../value/argument.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"

const ofMain = FieldSet.of([pathOf("status")])
const ofStatus = FieldSet.of([pathOf("metadata"), pathOf("spec")])

/**
 * Returns the fields that an API server resets in custom resources of this version, by subresource ("" for the main resource), for the
 * option `resetFields` of a FieldManager. Nothing is reset unless the definition gives the version the subresource `status`.
 */
export function customResourceResetFields(
  definition: object,
  apiVersion: string,
): (subresource: string) => ReadonlyMap<string, FieldSet> | undefined {
  requireArgument("definition", definition, anObject)
  const spec = mapAt(definition as MapValue, "spec") ?? {}
  const group = own(spec, "group")
  const versions = own(spec, "versions")
  const withStatus = (isList(versions) ? versions : []).flatMap(version => {
    if (!isMap(version)) return []
    const subresources = mapAt(version, "subresources") ?? mapAt(spec, "subresources") ?? {}
    return isMap(own(subresources, "status")) ? [`${group}/${own(version, "name")}`] : []
  })
  if (!withStatus.includes(apiVersion)) return () => undefined
  const main = new Map([[apiVersion, ofMain]])
  const status = new Map(withStatus.map(version => [version, ofStatus]))
  return subresource => (subresource === "" ? main : subresource === "status" ? status : undefined)
}

function mapAt(map: MapValue, key: string): MapValue | undefined {
  const found: Value | undefined = own(map, key)
  return isMap(found) ? found : undefined
}
