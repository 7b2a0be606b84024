// Unions as data: one spelling for schemas, overlays, the rows of the built-in types, and what CustomResourceDefinitions say.
//
// A schema document can have `discriminator`, `deduceInvalidDiscriminator`, and the members' `fieldName` and `discriminatorValue`,
// as upstream's can. What later versions of the design add is given by an overlay (`applyUnionOverlay`) or in code; a schema object
// that has it is used like any other.

/** A union (one-of group) of fields. */
export interface UnionDef {
  /** The name that reports and errors give to the union, for structs with several. */
  readonly name?: string
  /** The sibling field that says which member is selected; not listed in `fields`. */
  readonly discriminator?: string
  /** Whether the engine writes the discriminator from the one member that is set. */
  readonly deduceInvalidDiscriminator?: boolean
  /** The members, of which one is set at a time. */
  readonly fields?: readonly UnionMember[]
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

/** A member of a union. */
export interface UnionMember {
  /** The name of the field; of the field that holds the list, if the member is an item. */
  readonly fieldName: string
  /**
   * The keys of an item, if not the field is the member but this item of its list: `{type: "Approved"}`. The list has to be
   * associative, and all its keys have to be given. All members of such a union are items of one list, and nothing selects them.
   */
  readonly item?: Readonly<Record<string, string | number | bigint | boolean>>
  /** The value of the discriminator that selects the member. */
  readonly discriminatorValue?: string
  /** Whether the member may be absent while the discriminator selects it. */
  readonly optional?: boolean
  /** Whether `""`, `0` and `false` count as absent, as in a Go struct whose field is not a pointer. */
  readonly zeroIsUnset?: boolean
  /** Whether validation counts `[]`, and `{}` of a map, as set. Kubernetes' own unions count them as absent. */
  readonly emptyIsSet?: boolean
}

/** An overlay document: unions for types of a schema. */
export interface UnionOverlay {
  /** An entry for each struct that gets unions. */
  readonly types: readonly TypeUnions[]
}

/** The unions of one struct. */
export interface TypeUnions {
  /** The name of the type in the schema, such as `io.k8s.api.core.v1.Volume`. */
  readonly name: string
  /** Where in the type the struct is, if it is written in place there: names of fields, and `*` for items and values. */
  readonly at?: readonly string[]
  /** All unions that the struct then has; an empty list takes away those of the schema. */
  readonly unions: readonly UnionDef[]
}
