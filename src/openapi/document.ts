import { own } from "../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
import { type Conversion, valueKind } from "./conversion/conversion.js"

/** The formats of documents that can be converted. */
export type DocumentFormat = "OpenAPI v3" | "OpenAPI v2" | "CustomResourceDefinition"

const converters: Readonly<Record<DocumentFormat, string>> = {
  "OpenAPI v3": "schemaFromOpenAPIv3",
  "OpenAPI v2": "schemaFromOpenAPIv2",
  CustomResourceDefinition: "schemaFromCRD",
}

/** Returns the format that the document declares; undefined if it is not one of these. Does not throw. */
export function formatOf(document: unknown): DocumentFormat | undefined {
  const root = document as Value
  if (!isMap(root)) return undefined
  const version = own(root, "openapi")
  if (typeof version === "string" && version.startsWith("3.")) return "OpenAPI v3"
  if (own(root, "swagger") === "2.0") return "OpenAPI v2"
  if (own(root, "kind") === "CustomResourceDefinition") return "CustomResourceDefinition"
  // Partial documents, which tests and tools use, may lack the version.
  if (isMap(own(root, "components"))) return "OpenAPI v3"
  return isMap(own(root, "definitions")) ? "OpenAPI v2" : undefined
}

/** Returns the document as a map. If it is not of this format, stops the conversion with a message that says what to do. */
export function expectFormat(conversion: Conversion, document: unknown, format: DocumentFormat): MapValue {
  const found = formatOf(document)
  if (found === format) return document as MapValue
  const expected = format === "CustomResourceDefinition" ? `a ${format}` : `an ${format} document`
  if (found !== undefined) conversion.malformed(`expected ${expected}, found ${found}; use ${converters[found]}`)
  return conversion.malformed(`expected ${expected}, found ${describeUnknown(document)}`)
}

/** Describes a value that is not a document, and says what to do about it. */
export function describeUnknown(document: unknown): string {
  if (typeof document === "string") return "a string; parse the text first"
  const root = document as Value
  if (!isMap(root)) return valueKind(document)
  if (isIndex(root)) {
    return "the list of a cluster's documents; get each of them, as with: kubectl get --raw /openapi/v3/apis/apps/v1"
  }
  if (isList(own(root, "types"))) return "a schema; it needs no conversion"
  const kind = own(root, "kind")
  if (typeof kind === "string") return `an object of kind ${kind}`
  return "an object without `openapi: 3.0.0`, `swagger: '2.0'` or `kind: CustomResourceDefinition`"
}

/** Whether this is a cluster's response at /openapi/v3: an index of its documents, not a document itself. */
function isIndex(root: MapValue): boolean {
  const paths = own(root, "paths")
  if (!isMap(paths)) return false
  return Object.values(paths).some(entry => isMap(entry) && typeof own(entry, "serverRelativeURL") === "string")
}
