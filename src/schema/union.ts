import type { Union, UnionField } from "./schema.js"

/**
 * A union with all that later versions of the design can say. What a schema document cannot spell is given by an overlay
 * (`applyUnionOverlay`); a schema object with such unions is used like any other.
 */
export interface UnionDef extends Union {
  /** The members, of which one is set at a time. */
  readonly fields?: readonly UnionMember[]
  /** The name that reports and errors give to the union, for structs with several. */
  readonly name?: string
  /** Values of the discriminator that select no field, such as `Recreate` of a deployment's strategy. */
  readonly emptyValues?: readonly string[]
  /** The value of the discriminator that says that no member is set; mostly `""`. */
  readonly noneValue?: string
  /** All values that the discriminator may have. Without it, and without `emptyValues` and `noneValue`, it may have any. */
  readonly values?: readonly string[]
  /** Whether the discriminator must be present, if only with `noneValue`. It always must be if a member must be set. */
  readonly discriminatorRequired?: boolean
  /** Whether one member must be set; `atMostOne` if absent. */
  readonly cardinality?: "exactlyOne" | "atMostOne"
}

/** A member of a union, with what only overlays can spell. */
export interface UnionMember extends UnionField {
  /** Whether the member may be absent while the discriminator selects it. */
  readonly optional?: boolean
  /** Whether `""`, `0` and `false` count as absent, as in a Go struct whose field is not a pointer. */
  readonly zeroIsUnset?: boolean
}
