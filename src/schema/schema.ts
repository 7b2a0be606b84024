// The schema as data: a list of named types.
//
// These interfaces have the same names as structured-merge-diff's schema documents (YAML or JSON), so a document that `parseSchema` accepts
// is a Schema without conversion. Unions are in union.ts. Compiled types, which the walks use, are in src/typed/type.ts.
import type { Value } from "../value/value.js"
import type { UnionDef } from "./union.js"

/** A list of named types. */
export interface Schema {
  /** In any order. A name must not occur twice. */
  readonly types: readonly TypeDef[]
}

/**
 * The values that a type allows. Each member that is present is one alternative. If there are several, the value decides: `list` is for
 * lists, `map` for objects, and `scalar` for all other values.
 */
export interface Atom {
  /** Allows a scalar of this kind. */
  readonly scalar?: Scalar
  /** Allows a list. */
  readonly list?: ListAtom
  /** Allows a map or struct. */
  readonly map?: MapAtom
}

/** A type with a name, by which others refer to it. */
export interface TypeDef extends Atom {
  /** The name in `namedType` of references. Kubernetes uses names such as `io.k8s.api.apps.v1.Deployment`. */
  readonly name: string
}

/** The kind of a scalar. `untyped` allows any. */
export type Scalar = "numeric" | "string" | "boolean" | "untyped"

/**
 * How a list or map is owned: `atomic` (one leaf, owned as a whole), `associative` (a list whose items are found by key or value and owned
 * one by one) or `separable` (a map whose keys are owned one by one, which is the default for maps).
 */
export type ElementRelationship = "associative" | "atomic" | "separable"

/** A reference to a named type, or an inlined type. */
export interface TypeRef extends Atom {
  /** The name of a type of the schema; absent for an inlined type. */
  readonly namedType?: string
  /** Overrides the relationship of the type referred to, for this reference only. */
  readonly elementRelationship?: ElementRelationship
  /** Whether an explicit null is allowed here (OpenAPI's `nullable`). Validation accepts null everywhere, as upstream's does. */
  readonly nullable?: boolean
}

/** A list. */
export interface ListAtom {
  /** The type of all items. */
  readonly elementType?: TypeRef
  /** `atomic` or `associative`. A list without either is valid, but can't be merged or compared. */
  readonly elementRelationship?: ElementRelationship
  /** The fields that identify the items of an associative list; empty or absent for a list of scalars (a set). */
  readonly keys?: readonly string[]
}

/** A struct (`fields`), a map of like values (`elementType`), or a struct that allows further keys (both). */
export interface MapAtom {
  /** The declared fields, in the order in which they are walked. */
  readonly fields?: readonly StructField[]
  /** One-of groups among the fields. No field may be in two of them. */
  readonly unions?: readonly UnionDef[]
  /** The type of all keys that are not declared; without it, no such keys are allowed. */
  readonly elementType?: TypeRef
  /** `atomic` or `separable`; `separable` if absent. */
  readonly elementRelationship?: ElementRelationship
}

/** A declared field of a struct. */
export interface StructField {
  /** The key of the field in the map. */
  readonly name: string
  /** The type of its value. */
  readonly type: TypeRef
  /** The value of an absent key of an associative list. Not used for anything else. */
  readonly default?: Value
}
