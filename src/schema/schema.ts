// The schema as data: named types and what each may hold.
//
// These interfaces spell a schema exactly as structured-merge-diff's schema documents do (YAML or JSON), so a document that
// `parseSchema` accepts is a Schema without conversion. Compiled types, which the walks use, live in src/typed/type.ts.
import type { Value } from "../value/value.js"

/** A list of named types. */
export interface Schema {
  readonly types: readonly TypeDef[]
}

/**
 * What a value may be. Each member that is present is one alternative; with several, the value decides
 * (a list falls under `list`, an object under `map`, anything else under `scalar`).
 */
export interface Atom {
  readonly scalar?: Scalar
  readonly list?: ListAtom
  readonly map?: MapAtom
}

export interface TypeDef extends Atom {
  readonly name: string
}

/** `untyped` holds any scalar. */
export type Scalar = "numeric" | "string" | "boolean" | "untyped"

/**
 * How items of a list or map belong together: `atomic` (one leaf, owned as a whole), `associative` (lists: items found by key
 * or value) or `separable` (maps: each key on its own; the default for maps).
 */
export type ElementRelationship = "associative" | "atomic" | "separable"

/** A reference to a named type, or a type written in place. */
export interface TypeRef extends Atom {
  readonly namedType?: string
  /** Overrides the relationship of the type referred to, for this reference only. */
  readonly elementRelationship?: ElementRelationship
  /** An explicit null is legal here (OpenAPI's `nullable`). Validation accepts null everywhere, as upstream's does. */
  readonly nullable?: boolean
}

export interface ListAtom {
  readonly elementType?: TypeRef
  readonly elementRelationship?: ElementRelationship
  /** The fields that tell items of an associative list apart; none for a list of scalars (a set). */
  readonly keys?: readonly string[]
}

/** A struct (`fields`), a map of like values (`elementType`), or a struct that allows further keys (both). */
export interface MapAtom {
  readonly fields?: readonly StructField[]
  readonly unions?: readonly Union[]
  readonly elementType?: TypeRef
  readonly elementRelationship?: ElementRelationship
}

export interface StructField {
  readonly name: string
  readonly type: TypeRef
  /** Used for absent keys of associative lists; nowhere else. */
  readonly default?: Value
}

/** A one-of group of fields, as the schema document spells it. */
export interface Union {
  /** The sibling field that says which member is selected; not listed in `fields`. */
  readonly discriminator?: string
  /** The engine itself writes the discriminator from the one member that is set. */
  readonly deduceInvalidDiscriminator?: boolean
  readonly fields?: readonly UnionField[]
}

export interface UnionField {
  readonly fieldName: string
  readonly discriminatorValue?: string
}
