import type { GroupVersionKind } from "../../schema/group-version-kind.js"
import type { Schema } from "../../schema/schema.js"
import type { UnionDef } from "../../schema/union.js"

/**
 * How the unions of a document (`x-kubernetes-unions`) are treated:
 *
 * - `off` (default for OpenAPI documents): the schema has no unions. An API server ignores those that Kubernetes publishes for its own
 *   types, and some are wrong.
 * - `upstream`: like kube-openapi. OpenAPI v2 keeps the list form as published, wrong values included; OpenAPI v3 and CRDs have no unions.
 * - `drop`: every form is read, from every kind of document. A union that is known or found to be wrong is left out.
 * - `repair` (default for CRDs, whose authors wrote them on purpose): like `drop`, but unions that Kubernetes is known to publish with
 *   wrong values get the right ones.
 * - `from-validation`: like `repair`, and validation that means exactly the same as a union becomes one: `oneOf`, `anyOf`, `allOf` and
 *   `not` of `required`, `maxProperties: 1`, and rules in CEL. A diagnostic names each recognized union, and each rule that resembles a
 *   union but is not one.
 */
export type UnionMode = "off" | "upstream" | "drop" | "repair" | "from-validation"

/**
 * The unions that get `deduceInvalidDiscriminator`, which no document can express. A function is called for each union with a
 * discriminator.
 */
export type DeduceOption = "never" | "always" | ((typeName: string, union: UnionDef) => boolean)

/** Options for converting a document. */
export interface ConversionOptions {
  /** The name of the document in messages: a file, or the path at which a cluster serves it (`apis/apps/v1`). */
  readonly name?: string | undefined
  /** Allow unknown fields in every struct, as if each had `x-kubernetes-preserve-unknown-fields`. False by default. */
  readonly preserveUnknownFields?: boolean | undefined
  /** How unions are treated; `off` if absent, but `repair` for CustomResourceDefinitions. */
  readonly unionMode?: UnionMode | undefined
  /** The unions that get `deduceInvalidDiscriminator`; `never` by default. */
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
  | "unknown-union-key"
  | "wrong-union"

/** A problem that users of the schema should know about, but that does not stop the conversion. */
export interface Diagnostic {
  /** The kind of the diagnostic. */
  readonly code: DiagnosticCode
  /** The name of the document; see `ConversionOptions`. */
  readonly document: string
  /** The place in the document, as a JSON pointer; "" for the document as a whole. */
  readonly path: string
  /** The problem, in a sentence without the place. */
  readonly message: string
}

/** A kind and its type in a schema. */
export interface KindEntry extends GroupVersionKind {
  /** The name of its type in the schema. */
  readonly typeName: string
}

/** The result of a conversion. */
export interface ConvertedSchema {
  /** Types and fields are sorted by name, with the two untyped types last. Defaults are shared with the input. */
  readonly schema: Schema
  /** The kinds as objects spell them: `Deployment`. */
  readonly kinds: readonly KindEntry[]
  /** The problems that do not stop the conversion. Empty for a document without faults. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Returns the reasons why unions of a converted document have no effect, each with its place. */
export function unionProblems(diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics
    .filter(({ code }) => code === "wrong-union" || code === "unknown-union-key")
    .map(({ path, message }) => `${path}: ${message}`)
}
