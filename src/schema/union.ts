import type { Union, UnionField } from "./schema.js"

/**
 * A one-of group with all that later generations of the design know. What a schema document cannot spell is given by an
 * overlay (`applyUnionOverlay`); a schema object that holds such unions is used like any other.
 */
export interface UnionDef extends Union {
  /** The members, of which one is set at a time. */
  readonly fields?: readonly UnionMember[]
  /** Told in reports and errors, where a struct has several unions. */
  readonly name?: string
  /** Discriminator values that select no field, `Recreate` of a deployment's strategy for example. */
  readonly emptyValues?: readonly string[]
  /** The value that says that there is no member; mostly `""`. */
  readonly noneValue?: string
  /** All values the discriminator may have. Without it, and without `emptyValues` and `noneValue`, any. */
  readonly values?: readonly string[]
  /** Whether the discriminator has to be there, be it with `noneValue`. It has to where a member has to be set. */
  readonly discriminatorRequired?: boolean
  /** Whether one member has to be set; `atMostOne` if absent. */
  readonly cardinality?: "exactlyOne" | "atMostOne"
}

/** A member of a one-of group, with what only overlays can spell. */
export interface UnionMember extends UnionField {
  /** May be absent while the discriminator selects it. */
  readonly optional?: boolean
  /** `""`, `0` and `false` count as absent, as in a Go struct whose field is no pointer. */
  readonly zeroIsUnset?: boolean
}
