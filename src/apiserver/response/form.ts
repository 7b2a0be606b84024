// The form in which a client wants objects: whole objects, a Table for people, or metadata alone.

import { RequestFailure } from "../../kinds/refusal/failure.js"
import type { Resource } from "../../kinds/resource/resource.js"
import { metadataOf } from "../../schema/metadata.js"
import { listAt, mapAt } from "../../value/fields.js"
import type { MapValue, Value } from "../../value/value.js"
import { isList } from "../../value/value.js"
import { tableOf } from "./table.js"

/** The form of the objects in a response, and their encoding. */
export interface ResponseForm {
  readonly kind: "object" | "table" | "metadata"
  /** The version of meta.k8s.io for a Table or PartialObjectMetadata. */
  readonly version: "v1" | "v1beta1"
  /** Whether the response is YAML rather than JSON. */
  readonly yaml: boolean
}

const plain: ResponseForm = { kind: "object", version: "v1", yaml: false }

/** Returns the first form in an Accept header that the server can produce. Throws a RequestFailure if it can produce none of them. */
export function acceptedForm(accept: string | undefined): ResponseForm {
  const ranges = (accept ?? "")
    .split(",")
    .map(range => range.trim())
    .filter(range => range !== "")
  if (ranges.length === 0) return plain
  for (const range of ranges) {
    const [type = "", ...parameters] = range
      .toLowerCase()
      .split(";")
      .map(part => part.trim())
    const parameter = new Map(parameters.map(text => text.split("=", 2) as [string, string]))
    if (type === "application/yaml" && parameter.get("as") === undefined) return { ...plain, yaml: true }
    if (!["application/json", "application/*", "*/*"].includes(type)) continue
    const as = parameter.get("as")
    const version = parameter.get("v")
    if (as === undefined) return plain
    if (parameter.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) continue
    if (as === "table") return { kind: "table", version, yaml: false }
    if (as === "partialobjectmetadata" || as === "partialobjectmetadatalist")
      return { kind: "metadata", version, yaml: false }
  }
  const message =
    "only the following media types are accepted: application/json, application/yaml (this test API server can't encode protobuf)"
  throw new RequestFailure(406, message, "NotAcceptable", {})
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
  const apiVersion = `meta.k8s.io/${form.version}`
  const items: Value | undefined = object.items
  if (isList(items) && object.kind === resource.listKind) {
    const partial = listAt(object, "items").map(item => toPartialMetadata(item as MapValue, apiVersion))
    return { kind: "PartialObjectMetadataList", apiVersion, metadata: mapAt(object, "metadata"), items: partial }
  }
  return toPartialMetadata(object, apiVersion)
}

function toPartialMetadata(object: MapValue, apiVersion: string): MapValue {
  return { kind: "PartialObjectMetadata", apiVersion, metadata: metadataOf(object) }
}
