// Markers of controller-gen (kubebuilder) that define the JSON form of a value, independent of its Go type.
import type { UnionDef } from "../../schema/union.js"
import type { MapValue } from "../../value/value.js"
import { anything } from "./known.js"
import { type Marker, markerText } from "./markers.js"

/** Whether unknown fields are kept. */
export function preserves(markers: readonly Marker[]): boolean {
  return has(markers, "pruning:PreserveUnknownFields") || has(markers, "validation:XPreserveUnknownFields")
}

/** Whether the value is a Kubernetes object, with apiVersion, kind and metadata. */
export function embeds(markers: readonly Marker[]): boolean {
  return has(markers, "validation:EmbeddedResource") || has(markers, "validation:XEmbeddedResource")
}

/** Returns groups of fields by their JSON names. Exactly one or at most one field of a group may be set. */
export function oneOfs(markers: readonly Marker[]): Pick<UnionDef, "fields" | "cardinality">[] {
  return markers.flatMap(marker => {
    const [, tag] = /^kubebuilder:validation:(ExactlyOneOf|AtMostOneOf)$/.exec(marker.name) ?? []
    if (tag === undefined) return []
    const fields = markerText(marker)
      .split(";")
      .map(name => ({ fieldName: name.trim() }))
    return { fields, cardinality: tag === "ExactlyOneOf" ? "exactlyOne" : "atMostOne" }
  })
}

/** Returns the schema that markers define instead of the Go type's, which has the type `natural`; undefined without such markers. */
export function formOf(markers: readonly Marker[], natural: unknown): MapValue | undefined {
  if (has(markers, "validation:XIntOrString")) return { "x-kubernetes-int-or-string": true }
  const type = wordOf(markers, "validation:Type")
  if (type !== undefined && types.has(type) && type !== natural) {
    return { type, ...formatOf(markers), ...(type === "object" && preserves(markers) && anything) }
  }
  return type === undefined && has(markers, "validation:Schemaless") ? anything : undefined
}

/** Returns the format from markers. */
export function formatOf(markers: readonly Marker[]): { readonly format?: string } {
  const format = wordOf(markers, "validation:Format")
  return format === undefined ? {} : { format }
}

const types = new Set(["string", "integer", "number", "boolean", "object"])

function has(markers: readonly Marker[], name: string): boolean {
  return markers.some(marker => marker.name === `kubebuilder:${name}`)
}

function wordOf(markers: readonly Marker[], name: string): string | undefined {
  const marker = markers.find(found => found.name === `kubebuilder:${name}`)
  return marker && markerText(marker)
}
