import { pathOf } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { anObject, requireArgument } from "../../value/argument.js"
import { mapAt, mapsAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"

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
  const spec = mapAt(definition as MapValue, "spec")
  const group = own(spec, "group")
  const withStatus = mapsAt(spec, "versions").flatMap(version => {
    const found = own(version, "subresources")
    const subresources = isMap(found) ? found : mapAt(spec, "subresources")
    return isMap(own(subresources, "status")) ? [`${group}/${own(version, "name")}`] : []
  })
  if (!withStatus.includes(apiVersion)) return () => undefined
  const main = new Map([[apiVersion, ofMain]])
  const status = new Map(withStatus.map(version => [version, ofStatus]))
  return subresource => (subresource === "" ? main : subresource === "status" ? status : undefined)
}
