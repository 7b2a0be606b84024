// Finds the fields that a request may write. An API server resets the others (`.status` through the main resource, `.spec` through
// `status`), and the request owns none of them.
import { pathOf } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import type { FieldManagerOptions, ResetFields } from "../../managedfields/request.js"
import { resetToLive } from "../../managedfields/subresources/reset.js"
import { objectKindOf, parseKind } from "../../schema/group-version-kind.js"
import { isMap, type MapValue } from "../../value/value.js"
import { type Document, InputError } from "../input/document.js"
import { option } from "../input/options.js"
import type { TypeSource } from "../input/types.js"

export const subresourceOption = {
  ...option("NAME", "the subresource to write, such as status; without it, the object itself"),
  group: "Input" as const,
}

/** The resource or subresource of a request, as options of the engine. */
export interface Endpoint extends Pick<FieldManagerOptions, "prepare"> {
  /** "" for the main resource. */
  readonly subresource: string
  /** The fields that requests to it can't own, by version; absent if the kind defines them. */
  readonly resetFields?: ResetFields
}

/**
 * Returns a function that finds the endpoint of a document for `--subresource`. If the kind is neither built in nor defined, the main
 * resource resets nothing, and `status` works as for a custom resource. The function throws an InputError if the kind is known to lack
 * the subresource.
 */
export async function loadEndpoints(subresource = ""): Promise<(document: Document, source: TypeSource) => Endpoint> {
  const { resetFieldsOf } = await import("../../kinds/resource/reset-fields.js")
  return (document, { definition, builtIn }) => {
    if (subresource === "") return { subresource }
    if (subresource === "scale") {
      throw new InputError(
        `${document.at(["kind"])}: the subresource scale has its own objects, of autoscaling/v1 Scale, which smd does not write; ` +
          "omit --subresource, and use the scaled object with its replicas",
      )
    }
    const isDefined = isMap(definition)
    const known = isDefined ? definition : builtIn ? undefined : definitionWithStatus(document)
    const resetFields = resetFieldsOf(objectKindOf(document.value), known)?.(subresource)
    if (subresource === "status" || known !== undefined) requireSubresource(document, subresource, resetFields)
    const servesKind = isDefined || builtIn
    return servesKind || resetFields === undefined ? { subresource } : { subresource, resetFields, prepare: onlyStatus }
  }
}

/** Returns a minimal definition of the document's kind with the subresource `status`. */
function definitionWithStatus(document: Document): MapValue {
  const { group, version: name } = parseKind(objectKindOf(document.value).apiVersion, "")
  return { spec: { group, versions: [{ name, subresources: { status: {} } }] } }
}

/** Throws an InputError unless the kind has the subresource. */
function requireSubresource(document: Document, subresource: string, resetFields: ResetFields | undefined): void {
  if (resetFields !== undefined) return
  const { apiVersion, kind } = objectKindOf(document.value)
  throw new InputError(`${document.at(["kind"])}: ${apiVersion} ${kind} has no subresource ${subresource}`)
}

/** Returns the object with everything except the status from the live object: a request to `status` writes nothing else. */
function onlyStatus(object: MapValue, live: MapValue | undefined): MapValue {
  const names = [...Object.keys(object), ...Object.keys(live ?? {})]
  const others = FieldSet.of(names.filter(name => name !== "status").map(name => pathOf(name)))
  return resetToLive(object, live, others)
}
