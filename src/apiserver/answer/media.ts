// In which form a client wants objects: as they are, as a Table for people, or only their metadata.

import { RequestFailure } from "../../kinds/refusal/failure.js"
import type { Resource } from "../../kinds/resource/resource.js"
import { metadataOf } from "../../schema/metadata.js"
import { listAt, mapAt } from "../../value/fields.js"
import type { MapValue, Value } from "../../value/value.js"
import { isList } from "../../value/value.js"
import { tableOf } from "./table.js"

/** How an answer is written. */
export interface Form {
  readonly kind: "object" | "table" | "metadata"
  /** The version of meta.k8s.io of a Table or of metadata. */
  readonly version: "v1" | "v1beta1"
  readonly yaml: boolean
}

const plain: Form = { kind: "object", version: "v1", yaml: false }

/** The first form of an Accept header that is served. Throws a RequestFailure if there is none. */
export function formOf(accept: string | undefined): Form {
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
    const given = new Map(parameters.map(parameter => parameter.split("=", 2) as [string, string]))
    if (type === "application/yaml" && given.get("as") === undefined) return { ...plain, yaml: true }
    if (!["application/json", "application/*", "*/*"].includes(type)) continue
    const as = given.get("as")
    const version = given.get("v")
    if (as === undefined) return plain
    if (given.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) continue
    if (as === "table") return { kind: "table", version, yaml: false }
    if (as === "partialobjectmetadata" || as === "partialobjectmetadatalist")
      return { kind: "metadata", version, yaml: false }
  }
  const message =
    "only the following media types are accepted: application/json, application/yaml (this test API server writes no protobuf)"
  throw new RequestFailure(406, message, "NotAcceptable", {})
}

/** The object, list or Status of an answer in the form that the client wants. `clock` is for the ages in a Table. */
export function inForm(
  form: Form,
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
    const partial = listAt(object, "items").map(item => partialOf(item as MapValue, apiVersion))
    return { kind: "PartialObjectMetadataList", apiVersion, metadata: mapAt(object, "metadata"), items: partial }
  }
  return partialOf(object, apiVersion)
}

function partialOf(object: MapValue, apiVersion: string): MapValue {
  return { kind: "PartialObjectMetadata", apiVersion, metadata: metadataOf(object) }
}
