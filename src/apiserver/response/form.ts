// The form in which a client wants objects: whole objects, a Table for people, or metadata alone.

import { RequestFailure } from "../../kinds/refusal/failure.js"
import type { Resource, Verb } from "../../kinds/resource/resource.js"
import { withoutManagedFields } from "../../managedfields/entries/entry.js"
import { listAt, mapAt, textAt } from "../../value/fields.js"
import { oncePer } from "../../value/once-per.js"
import type { MapValue } from "../../value/value.js"
import { isList } from "../../value/value.js"
import { partialMetadataOf, tableOf } from "./table.js"

/** The form of the objects in a response, and their encoding. */
export interface ResponseForm {
  readonly kind: "object" | "table" | "metadata" | "metadataList"
  /** The version of meta.k8s.io for a Table or PartialObjectMetadata. */
  readonly version: "v1" | "v1beta1"
  /** Whether the response is YAML rather than JSON. */
  readonly yaml: boolean
  /** Whether the client wants objects without managedFields. */
  readonly dropsManagedFields: boolean
}

const plain: ResponseForm = { kind: "object", version: "v1", yaml: false, dropsManagedFields: false }

/** The media types of a real server. This one can't encode protobuf, except for a Status. */
const mediaTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"]

/** The refusal of a request whose client accepts no media type of the server. */
export function notAcceptable(accept = ""): RequestFailure {
  const why = accept.includes("protobuf") ? " (this test API server can't encode protobuf)" : ""
  const message = `only the following media types are accepted: ${mediaTypes.join(", ")}${why}`
  return new RequestFailure(406, message, "NotAcceptable")
}

/** The parts of a request that decide how it is refused. */
interface Requested {
  readonly resource: Resource
  readonly subresource: { readonly name: string } | undefined
}

/** The refusal of a request of this resource: a router in front of built-in resources refuses it in other words. */
function unacceptable(accept: string | undefined, { resource, subresource }: Requested, verb: Verb): RequestFailure {
  if (resource.custom !== undefined || accept?.includes("protobuf")) return notAcceptable(accept)
  const watches = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"]
  const more = verb === "list" || verb === "watch" ? watches : []
  return noRepresentation([...(subresource?.name === "log" ? ["text/plain"] : []), ...mediaTypes, ...more])
}

/** The refusal of the router. `types` are the media types at the path. */
export function noRepresentation(types: readonly string[] = mediaTypes): RequestFailure {
  const message = `406: Not Acceptable

Available representations: ${types.join(", ")}`
  return new RequestFailure(406, message, "NotAcceptable", {})
}

/** A media type that a client accepts. */
interface Accepted {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
}

/** Reads an Accept header: the media types by falling quality, and in their order otherwise. */
function acceptedTypes(accept: string): Accepted[] {
  const ranges = accept.toLowerCase().split(",")
  const types = ranges.map((range): Accepted => {
    const [type = "", ...parameters] = range.split(";").map(part => part.trim())
    const byName = new Map(parameters.map(text => text.split("=", 2) as [string, string]))
    return { type, parameters: byName, quality: Number(byName.get("q") ?? 1) }
  })
  return accept.includes("q=") ? types.sort((a, b) => b.quality - a.quality) : types
}

/** Whether a client accepts the only media type at a path. Go: the router ignores the parameters of media types. */
export function accepts(accept: string | undefined, type: string): boolean {
  const matching = ["*/*", type]
  return !accept || acceptedTypes(accept).some(each => matching.includes(each.type))
}

/** The forms that a response may have. */
export interface Forms {
  /** Whether objects may become a Table or metadata alone. */
  readonly transforms: boolean
  /** Whether the client may ask for objects without managedFields, with the parameter `drop` of a media type. */
  readonly drops: boolean
}

/** The forms of a Status and of documents such as lists of resources. */
export const wholeOnly: Forms = { transforms: false, drops: false }

/** Returns the first of these forms that an Accept header names; undefined if it names none. */
export function findForm(accept: string | undefined, { transforms, drops }: Forms): ResponseForm | undefined {
  if (accept === undefined || accept === "" || accept === "*/*" || accept === "application/json") return plain
  for (const { type, parameters } of acceptedTypes(accept)) {
    const as = parameters.get("as")
    const version = parameters.get("v")
    const isWhole = as === undefined
    const dropped = drops ? parameters.get("drop") : undefined
    const dropsManagedFields = dropped?.split("+").includes("metadata.managedfields") ?? false
    if (type === "application/yaml" && isWhole) return { ...plain, yaml: true, dropsManagedFields }
    if (!["application/json", "application/*", "*/*"].includes(type)) continue
    if (isWhole) return { ...plain, dropsManagedFields }
    const isKnown = parameters.get("g") === "meta.k8s.io" && (version === "v1" || version === "v1beta1")
    const kind = transforms && isKnown ? transformed[as] : undefined
    if (kind !== undefined)
      return { kind, version: version as ResponseForm["version"], yaml: false, dropsManagedFields }
  }
  return undefined
}

const transformed: Readonly<Record<string, ResponseForm["kind"]>> = {
  table: "table",
  partialobjectmetadata: "metadata",
  partialobjectmetadatalist: "metadataList",
}

/**
 * Returns the first form in an Accept header that the server can produce for a request of this resource. Throws a RequestFailure if it can
 * produce none of them. `drops` says whether the client may ask for objects without managedFields.
 */
export function acceptedForm(
  accept: string | undefined,
  requested: Requested,
  verb: Verb,
  drops: boolean,
): ResponseForm {
  const form = findForm(accept, { transforms: true, drops })
  if (form === undefined) throw unacceptable(accept, requested, verb)
  return form
}

const withoutOwners = oncePer(withoutManagedFields)

/** Returns the object, or the list with its objects, without managedFields if the client wants none. */
export function withWantedOwners({ dropsManagedFields }: ResponseForm, resource: Resource, object: MapValue): MapValue {
  if (!dropsManagedFields || object.kind === "Status") return object
  if (!isListOf(resource, object)) return withoutOwners(object)
  return { ...object, items: listAt(object, "items").map(item => withoutOwners(item as MapValue)) }
}

function isListOf({ listKind }: Resource, object: MapValue): boolean {
  return isList(object.items) && object.kind === listKind
}

/** Converts an object or list to the form that the client wants; a Status stays as it is. `clock` is for the ages in a Table. */
export function toForm(
  form: ResponseForm,
  resource: Resource,
  object: MapValue,
  includeObject: string,
  clock: () => Date,
): MapValue {
  if (object.kind === "Status" || form.kind === "object") return object
  if (form.kind === "table") return tableOf(resource, object, form.version, includeObject, clock())
  const isObjectList = isListOf(resource, object)
  if (isObjectList !== (form.kind === "metadataList")) throw wrongMetadata(form.kind, resource, object, isObjectList)
  if (isObjectList) {
    const partial = listAt(object, "items").map(item => partialMetadataOf(resource, item as MapValue, form.version))
    const apiVersion = `meta.k8s.io/${form.version}`
    const items = partial.length === 0 ? null : partial
    return { kind: "PartialObjectMetadataList", apiVersion, metadata: mapAt(object, "metadata"), items }
  }
  return partialMetadataOf(resource, object, form.version)
}

/** The refusal of metadata of a list where the client wants that of one object, or the other way round. */
function wrongMetadata(form: string, { group, kind, custom }: Resource, object: MapValue, isObjectList: boolean) {
  const shown = textAt(object, "kind")
  // The Scale of an object is in a group of its own.
  const owner = shown.startsWith(kind) ? group : textAt(object, "apiVersion")
  const [goPackage = ""] = owner.split(/[./]/)
  const goType =
    custom !== undefined && shown.startsWith(kind)
      ? `unstructured.Unstructured${isObjectList ? "List" : ""}`
      : `${goPackage === "" || goPackage === "events" ? "core" : goPackage}.${shown}`
  const wanted = form === "metadata" ? "PartialObjectMetadata" : "PartialObjectMetadataList"
  const message = `you requested ${wanted}, but the requested object is ${isObjectList ? "a" : "not a"} list (*${goType})`
  return new RequestFailure(406, message, "NotAcceptable")
}
