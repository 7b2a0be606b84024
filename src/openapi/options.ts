import type { GroupVersionKind } from "../schema/group-version-kind.js"
import type { Schema, Union } from "../schema/schema.js"

/**
 * What becomes of one-of groups (`x-kubernetes-unions`):
 *
 * - `off` (default for OpenAPI documents): none. Those that Kubernetes publishes of its own types mean nothing to an API server, and
 *   some are wrong.
 * - `upstream`: what kube-openapi makes of them. OpenAPI v2 keeps the list form as published, wrong values included; OpenAPI v3 and
 *   CRDs have none.
 * - `drop`: every form is read, from every kind of document; a group that is known or found to be wrong is left out.
 * - `repair` (default for CRDs, whose authors wrote them on purpose): as `drop`, but the groups Kubernetes is known to publish
 *   wrongly get the right values.
 */
export type UnionMode = "off" | "upstream" | "drop" | "repair"

/** Which unions get `deduceInvalidDiscriminator`. No document can say so itself. Asked for unions with a discriminator only. */
export type DeduceOption = "never" | "always" | ((typeName: string, union: Union) => boolean)

/** How a document is converted. */
export interface ConversionOptions {
  /** What messages call the document: a file, or the path a cluster serves it at (`apis/apps/v1`). */
  readonly name?: string
  /** Allows unknown fields in every struct, as if each said `x-kubernetes-preserve-unknown-fields`. False by default. */
  readonly preserveUnknownFields?: boolean
  /** What becomes of one-of groups; `off` if absent, `repair` for CustomResourceDefinitions. */
  readonly unions?: UnionMode
  /** `never` by default. */
  readonly deduce?: DeduceOption
}

/** What kind of thing a diagnostic is about. */
export type DiagnosticCode =
  | "conflicting-definitions"
  | "missing-default"
  | "not-structural"
  | "reserved-name"
  | "unknown-reference"
  | "wrong-union"

/** Something a reader of the schema should know and the conversion does not stop for. */
export interface Diagnostic {
  /** What kind of thing it is about. */
  readonly code: DiagnosticCode
  /** The name of the document; see `ConversionOptions`. */
  readonly document: string
  /** Where in the document, as a JSON pointer; "" for all of it. */
  readonly path: string
  /** What was noticed, in a sentence without the place. */
  readonly message: string
}

/** Which type of a schema an apiVersion and kind stand for. */
export interface KindEntry extends GroupVersionKind {
  /** The name of its type in the schema. */
  readonly typeName: string
}

/** What a document was converted to. */
export interface ConvertedSchema {
  /** Types in the order of their names, the two untyped ones last; fields in the order of theirs. Defaults are shared with the input. */
  readonly schema: Schema
  /** The kind as objects spell it: `Deployment`. */
  readonly kinds: readonly KindEntry[]
  /** What was noticed on the way. Empty for a faultless document. */
  readonly diagnostics: readonly Diagnostic[]
}
