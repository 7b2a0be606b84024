// What a request may write. An API server resets the rest of the object (`.status` through the main resource, `.spec` through
// `status`), and nobody owns that through the request.
import { pathOf } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { customResourceResetFields } from "../../managedfields/subresources/custom-resource.js"
import { resetToLive } from "../../managedfields/subresources/reset.js"
import { objectKindOf, parseKind } from "../../schema/group-version-kind.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { type Document, InputError } from "../input/document.js"
import type { Arguments, Option } from "../input/options.js"
import type { TypeSource } from "../input/types.js"

export const subresourceOption: Option = {
  name: "subresource",
  value: "NAME",
  help: "where to: a subresource, such as status; without it, the object itself",
}

/** The resource or subresource to which a request goes. */
export interface Endpoint {
  /** "" for the main resource. */
  readonly subresource: string
  /** The fields that nobody owns through it, by version. */
  readonly resetFields: ReadonlyMap<string, FieldSet> | undefined
  /** Returns the object that a request has made, with the fields that it can't write as the live object has them. */
  readonly prepare: (object: MapValue, live: MapValue | undefined) => MapValue
}

/**
 * Loads what chooses the endpoint of a document, by `--subresource`. If the kind is neither built in nor has a definition, the main
 * resource resets nothing, and `status` is that of a custom resource. Throws an InputError if the kind is known to lack the
 * subresource.
 */
export async function loadEndpoints(args: Arguments): Promise<(document: Document, source: TypeSource) => Endpoint> {
  const subresource = args.get("subresource") ?? ""
  const builtIns = await import("../../kubernetes/reset-fields.js")
  return (document, source) => endpointOf(subresource, document, source, builtIns)
}

type BuiltIns = typeof import("../../kubernetes/reset-fields.js")

function endpointOf(
  subresource: string,
  document: Document,
  { definition, builtIn, emptyObject }: TypeSource,
  builtIns: BuiltIns,
): Endpoint {
  if (subresource === "scale") {
    throw new InputError(
      `${document.at(["kind"])}: the subresource scale has objects of its own, of autoscaling/v1 Scale, which smd does not write; ` +
        "leave out --subresource and give the object that is scaled, with its replicas",
    )
  }
  if (isMap(definition)) return customEndpoint(subresource, document, definition)
  if (builtIn) return builtInEndpoint(subresource, document, emptyObject, builtIns)
  return subresource === "" ? openEndpoint : customEndpoint(subresource, document, definitionWithStatus(document))
}

const openEndpoint: Endpoint = { subresource: "", resetFields: undefined, prepare: object => object }

function customEndpoint(subresource: string, document: Document, definition: MapValue): Endpoint {
  const { apiVersion } = objectKindOf(document.value)
  const resetFields = customResourceResetFields(definition, apiVersion)(subresource)
  if (subresource !== "" && resetFields === undefined) throw missing(document, subresource)
  const prepare = (object: MapValue, live: MapValue | undefined) => {
    return resetToLive(object, live, subresource === "" ? setOf(resetFields, apiVersion) : allButStatus(object, live))
  }
  return { subresource, resetFields, prepare }
}

function builtInEndpoint(
  subresource: string,
  document: Document,
  emptyObject: MapValue | undefined,
  { kubernetesKeepsCreatedStatus, kubernetesResetFields }: BuiltIns,
): Endpoint {
  const { apiVersion, kind } = objectKindOf(document.value)
  const resetFields = kubernetesResetFields(apiVersion, kind)?.(subresource)
  if (subresource === "status" && resetFields === undefined) throw missing(document, subresource)
  const prepare = (object: MapValue, live: MapValue | undefined) => {
    if (live !== undefined) return resetToLive(object, live, setOf(resetFields, apiVersion))
    return kubernetesKeepsCreatedStatus(kind) ? object : withEmptyStatus(object, emptyObject)
  }
  return { subresource, resetFields, prepare }
}

/** A new object with the status of the empty object, which for most kinds is an empty status. */
function withEmptyStatus(object: MapValue, emptyObject: MapValue | undefined): MapValue {
  return emptyObject === undefined ? resetToLive(object, undefined, status) : resetToLive(object, emptyObject, status)
}

const status = FieldSet.of([pathOf("status")])

/** What a definition of the document's kind says at least, if there is a status to be written. */
function definitionWithStatus(document: Document): MapValue {
  const { group, version: name } = parseKind(objectKindOf(document.value).apiVersion, "")
  return { spec: { group, versions: [{ name, subresources: { status: {} } }] } }
}

function missing(document: Document, subresource: string): InputError {
  const { apiVersion, kind } = objectKindOf(document.value)
  return new InputError(`${document.at(["kind"])}: ${apiVersion} ${kind} has no subresource ${subresource}`)
}

function setOf(resetFields: Endpoint["resetFields"], apiVersion: string): FieldSet {
  return resetFields?.get(apiVersion) ?? FieldSet.empty
}

/** Everything but the status: a request to `status` of a custom resource writes nothing else. */
function allButStatus(object: MapValue, live: MapValue | undefined): FieldSet {
  const names = [...Object.keys(object), ...Object.keys(live ?? {})]
  return FieldSet.of(names.filter(name => name !== "status").map(name => pathOf(name)))
}

/** The next object of an update as an API server completes it: fields that it lacks and can't change are as in the live object. */
export function completed(next: MapValue, live: MapValue): MapValue {
  const given = own(next, "metadata")
  const kept = own(live, "metadata")
  if (!isMap(given) || !isMap(kept)) return next
  const metadata: Record<string, Value> = { ...given }
  for (const key of ["creationTimestamp", "deletionTimestamp", "generation", "resourceVersion", "uid"]) {
    const value = own(kept, key)
    if (value !== undefined) metadata[key] = value
  }
  return { ...next, metadata }
}
