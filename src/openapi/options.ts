import type { GroupVersionKind } from "../schema/group-version-kind.js"
import type { Schema } from "../schema/schema.js"
import type { UnionDef } from "../schema/union.js"

/**
 * What becomes of the unions of a document (`x-kubernetes-unions`):
 *
 * - `off` (default for OpenAPI documents): the schema has none. Those that Kubernetes publishes for its own types mean nothing to
 *   an API server, and some are wrong.
 * - `upstream`: what kube-openapi makes of them. OpenAPI v2 keeps the list form as published, wrong values included; OpenAPI v3 and
 *   CRDs have none.
 * - `drop`: every form is read, from every kind of document; a union that is known or found to be wrong is left out.
 * - `repair` (default for CRDs, whose authors wrote them on purpose): as `drop`, but the unions that Kubernetes is known to publish
 *   with wrong values get the right ones.
 * - `from-validation`: as `repair`, and what a schema states as validation is a union where it means exactly that: `oneOf`, `anyOf`,
 *   `allOf` and `not` of `required`, `maxProperties: 1`, and rules in CEL. A diagnostic tells each that was recognised, and each that
 *   looks like a union and is none.
 */
export type UnionMode = "off" | "upstream" | "drop" | "repair" | "from-validation"

/**
 * Which unions get `deduceInvalidDiscriminator`, which no document can say. A function is called for those with a discriminator.
 */
export type DeduceOption = "never" | "always" | ((typeName: string, union: UnionDef) => boolean)

/** How a document is converted. */
export interface ConversionOptions {
  /** The name of the document in messages: a file, or the path at which a cluster serves it (`apis/apps/v1`). */
  readonly name?: string | undefined
  /** Allow unknown fields in every struct, as if each had `x-kubernetes-preserve-unknown-fields`. False by default. */
  readonly preserveUnknownFields?: boolean | undefined
  /** What becomes of unions; `off` if absent, but `repair` for CustomResourceDefinitions. */
  readonly unionMode?: UnionMode | undefined
  /** Which unions get `deduceInvalidDiscriminator`; `never` by default. */
  readonly deduce?: DeduceOption | undefined
}

/** The kind of a diagnostic. */
export type DiagnosticCode =
  | "conflicting-definitions"
  | "missing-default"
  | "no-union"
  | "not-structural"
  | "reserved-name"
  | "union-recognized"
  | "unknown-reference"
  | "wrong-union"

/** Something that users of the schema should know, but that does not stop the conversion. */
export interface Diagnostic {
  /** The kind of the diagnostic. */
  readonly code: DiagnosticCode
  /** The name of the document; see `ConversionOptions`. */
  readonly document: string
  /** Where in the document, as a JSON pointer; "" for the document as a whole. */
  readonly path: string
  /** What was noticed, in a sentence without the place. */
  readonly message: string
}

/** A kind, and the type of a schema that it has. */
export interface KindEntry extends GroupVersionKind {
  /** The name of its type in the schema. */
  readonly typeName: string
}

/** The result of a conversion. */
export interface ConvertedSchema {
  /** Types and fields are sorted by name, with the two untyped types last. Defaults are shared with the input. */
  readonly schema: Schema
  /** The kind as objects spell it: `Deployment`. */
  readonly kinds: readonly KindEntry[]
  /** What was noticed on the way. Empty for a document without faults. */
  readonly diagnostics: readonly Diagnostic[]
}
