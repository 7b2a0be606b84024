// Unions as data. Schemas, overlays, the tables of the built-in types and CustomResourceDefinitions all become the same definitions.
//
// Like upstream's, a schema document can have `discriminator`, `deduceInvalidDiscriminator`, and the members' `fieldName` and
// `discriminatorValue`. The additions of later versions of the design come from an overlay (`applyUnionOverlay`) or from code, and work the same
// in a schema object.

/** A union (one-of group) of fields. */
export interface UnionDef {
  /** The name that reports and errors give to the union, for structs with several. */
  readonly name?: string
  /** The sibling field that names the selected member; not listed in `fields`. */
  readonly discriminator?: string
  /** Whether the engine writes the discriminator from the one member that is set. */
  readonly deduceInvalidDiscriminator?: boolean
  /** The members. At most one is set at a time. */
  readonly fields?: readonly UnionMember[]
  /** Values of the discriminator that select no field, such as `Recreate` in a deployment's strategy. */
  readonly emptyValues?: readonly string[]
  /** The value of the discriminator that means that no member is set; mostly `""`. */
  readonly noneValue?: string
  /** All values that the discriminator may have. Without it, and without `emptyValues` and `noneValue`, it may have any. */
  readonly values?: readonly string[]
  /** Whether the discriminator must be present, if only with `noneValue`. If a member must be set, it must always be present. */
  readonly discriminatorRequired?: boolean
  /** Whether one member must be set; `atMostOne` if absent. */
  readonly cardinality?: "exactlyOne" | "atMostOne"
}

/** A member of a union. */
export interface UnionMember {
  /** The name of the field. If the member is an item, the name of the field that holds its list. */
  readonly fieldName: string
  /**
   * The keys of the item, if the member is an item of the field's list instead of the field: `{type: "Approved"}`. The list must be
   * associative, and all its keys must be given. All members of such a union are items of one list, and it has no discriminator.
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
  /** The unions of each struct that gets unions. */
  readonly types: readonly TypeUnions[]
}

/** The unions of one struct. */
export interface TypeUnions {
  /** The name of the type in the schema, such as `io.k8s.api.core.v1.Volume`. */
  readonly name: string
  /** The steps from the type to the struct, if the struct is inlined there: names of fields, and `*` for items and values. */
  readonly at?: readonly string[]
  /** All unions of the struct. They replace the unions of the schema; an empty list removes them. */
  readonly unions: readonly UnionDef[]
}
