// Schemas from the documents that Kubernetes clusters publish: OpenAPI v3, OpenAPI v2 and CustomResourceDefinitions.
//
// Each converter takes a parsed document and returns a schema as data, the kinds in it, and diagnostics. The schema equals the one that an
// API server makes of the same document (kube-openapi's schemaconv), type for type. v3-walk.ts and v2.ts are the two walks, and conversion/
// has their common parts. crd.ts turns a CustomResourceDefinition into OpenAPI, and structural.ts has the rules that its schema must meet.
// unions/ reads the unions that upstream leaves out. `TypeConverter` finds kinds in many documents.
export type { GroupVersionKind } from "../schema/group-version-kind.js"
export { OpenAPIError, type OpenAPIIssue } from "./conversion/errors.js"
export type {
  ConversionOptions,
  ConvertedSchema,
  DeduceOption,
  Diagnostic,
  DiagnosticCode,
  KindEntry,
  UnionMode,
} from "./conversion/options.js"
export { type CRDOptions, schemaFromCRD } from "./crd.js"
export { type DocumentFormat, formatOf } from "./document.js"
export { objectMetaTypes } from "./object-meta.js"
export {
  type FoundType,
  TypeConverter,
  type TypeConverterOptions,
  type TypeSource,
  UnknownKindError,
} from "./type-converter.js"
export type { UnionExtension } from "./unions/write-unions.js"
export { schemaFromOpenAPIv2 } from "./v2.js"
export { type OpenAPIv3Options, schemaFromOpenAPIv3 } from "./v3.js"
export { type OpenAPIWriterOptions, openAPIv3FromSchema } from "./write.js"
