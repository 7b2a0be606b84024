// Markers of controller-gen (kubebuilder) that say what a value is in JSON, whatever its Go type is.
import type { UnionDef } from "../schema/union.js"
import type { MapValue } from "../value/value.js"
import { anything } from "./known.js"
import { type Marker, textOf } from "./markers.js"

/** Whether fields that the type does not have are kept. */
export function preserves(markers: readonly Marker[]): boolean {
  return has(markers, "pruning:PreserveUnknownFields") || has(markers, "validation:XPreserveUnknownFields")
}

/** Whether the value is an object of Kubernetes, with apiVersion, kind and metadata. */
export function embeds(markers: readonly Marker[]): boolean {
  return has(markers, "validation:EmbeddedResource") || has(markers, "validation:XEmbeddedResource")
}

/** Groups of fields by their names in JSON. Exactly one or at most one field of a group may be set. */
export function oneOfs(markers: readonly Marker[]): Pick<UnionDef, "fields" | "cardinality">[] {
  return markers.flatMap(marker => {
    const [, tag] = /^kubebuilder:validation:(ExactlyOneOf|AtMostOneOf)$/.exec(marker.name) ?? []
    if (tag === undefined) return []
    const fields = textOf(marker)
      .split(";")
      .map(name => ({ fieldName: name.trim() }))
    return { fields, cardinality: tag === "ExactlyOneOf" ? "exactlyOne" : "atMostOne" }
  })
}

/** The schema that markers give instead of the one of the Go type, which is of type `natural` there; undefined if they give none. */
export function formOf(markers: readonly Marker[], natural: unknown): MapValue | undefined {
  if (has(markers, "validation:XIntOrString")) return { "x-kubernetes-int-or-string": true }
  const type = wordOf(markers, "validation:Type")
  if (type !== undefined && types.has(type) && type !== natural) {
    return { type, ...formatOf(markers), ...(type === "object" && preserves(markers) && anything) }
  }
  return type === undefined && has(markers, "validation:Schemaless") ? anything : undefined
}

/** The format that markers give. */
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
  return marker && textOf(marker)
}
