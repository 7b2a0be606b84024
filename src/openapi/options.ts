import type { GroupVersionKind } from "../schema/group-version-kind.js"
import type { Schema, Union } from "../schema/schema.js"

/**
 * What becomes of one-of groups (`x-kubernetes-unions`):
 *
 * - `upstream` (default for OpenAPI documents): what kube-openapi makes of them. OpenAPI v2 keeps the list form as published, wrong
 *   values included; OpenAPI v3 and CRDs have none.
 * - `drop`: every form is read, from every kind of document; a group that is known or found to be wrong is left out.
 * - `repair` (default for CRDs): as `drop`, but the groups Kubernetes is known to publish wrongly get the right values.
 * - `off`: none.
 */
export type UnionMode = "upstream" | "drop" | "repair" | "off"

/** Which unions get `deduceInvalidDiscriminator`. No document can say so itself. Asked for unions with a discriminator only. */
export type DeduceOption = "never" | "always" | ((typeName: string, union: Union) => boolean)

export interface ConversionOptions {
  /** What messages call the document: a file, or the path a cluster serves it at (`apis/apps/v1`). */
  readonly name?: string
  /** Allows unknown fields in every struct, as if each said `x-kubernetes-preserve-unknown-fields`. False by default. */
  readonly preserveUnknownFields?: boolean
  readonly unions?: UnionMode
  /** `never` by default. */
  readonly deduce?: DeduceOption
}

export type DiagnosticCode =
  | "conflicting-definitions"
  | "missing-default"
  | "not-structural"
  | "reserved-name"
  | "unknown-reference"
  | "wrong-union"

/** Something a reader of the schema should know and the conversion does not stop for. */
export interface Diagnostic {
  readonly code: DiagnosticCode
  readonly document: string
  /** Where in the document, as a JSON pointer; "" for all of it. */
  readonly path: string
  readonly message: string
}

/** Which type of a schema an apiVersion and kind stand for. */
export interface KindEntry extends GroupVersionKind {
  readonly typeName: string
}

export interface ConvertedSchema {
  /** Types in the order of their names, the two untyped ones last; fields in the order of theirs. Defaults are shared with the input. */
  readonly schema: Schema
  readonly kinds: readonly KindEntry[]
  readonly diagnostics: readonly Diagnostic[]
}
