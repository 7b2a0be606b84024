// What a request may write. An API server resets the rest of the object (`.status` through the main resource, `.spec` through
// `status`), and nobody owns that through the request.
import { pathOf } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import type { FieldManagerOptions, ResetFields } from "../../managedfields/request.js"
import { customResourceResetFields } from "../../managedfields/subresources/custom-resource.js"
import { resetToLive } from "../../managedfields/subresources/reset.js"
import { objectKindOf, parseKind } from "../../schema/group-version-kind.js"
import { isMap, type MapValue } from "../../value/value.js"
import { type Document, InputError } from "../input/document.js"
import { option } from "../input/options.js"
import type { TypeSource } from "../input/types.js"

export const subresourceOption = option(
  "NAME",
  "the subresource to write, such as status; without it, the object itself",
)

/** The resource or subresource to which a request goes, as options of the engine. */
export interface Endpoint extends Pick<FieldManagerOptions, "prepare"> {
  /** "" for the main resource. */
  readonly subresource: string
  /** The fields that nobody owns through it, by version; absent where the kind says that. */
  readonly resetFields?: ReadonlyMap<string, FieldSet>
}

/**
 * Loads what chooses the endpoint of a document, by `--subresource`. If the kind is neither built in nor has a definition, the main
 * resource resets nothing, and `status` is that of a custom resource. Throws an InputError if the kind is known to lack the
 * subresource.
 */
export async function loadEndpoints(subresource = ""): Promise<(document: Document, source: TypeSource) => Endpoint> {
  const { kubernetesResetFields } = await import("../../kubernetes/reset-fields.js")
  return (document, { definition, builtIn }) => {
    const { apiVersion, kind } = objectKindOf(document.value)
    if (subresource === "") return { subresource }
    if (subresource === "scale") {
      throw new InputError(
        `${document.at(["kind"])}: the subresource scale has objects of its own, of autoscaling/v1 Scale, which smd does not write; ` +
          "leave out --subresource and give the object that is scaled, with its replicas",
      )
    }
    if (isMap(definition)) {
      requireSubresource(document, subresource, customResourceResetFields(definition, apiVersion)(subresource))
      return { subresource }
    }
    const resetFields = builtIn
      ? kubernetesResetFields(apiVersion, kind)?.(subresource)
      : customResourceResetFields(definitionWithStatus(document), apiVersion)(subresource)
    if (subresource === "status" || !builtIn) requireSubresource(document, subresource, resetFields)
    return builtIn || resetFields === undefined ? { subresource } : { subresource, resetFields, prepare: onlyStatus }
  }
}

/** What a definition of the document's kind says at least, if there is a status to be written. */
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

/** The object with everything but the status as in the live one: a request to `status` of a custom resource writes nothing else. */
function onlyStatus(object: MapValue, live: MapValue | undefined): MapValue {
  const names = [...Object.keys(object), ...Object.keys(live ?? {})]
  const others = FieldSet.of(names.filter(name => name !== "status").map(name => pathOf(name)))
  return resetToLive(object, live, others)
}
