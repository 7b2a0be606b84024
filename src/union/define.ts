// Unions defined in code. The compiler checks what `applyUnionOverlay` can only refuse later: names of fields, values of the
// discriminator, and what means nothing without one.
import { SchemaError } from "../errors.js"
import type { UnionDef, UnionMember } from "../schema/union.js"
import { checkUnion, repeatedField } from "../schema/union-check.js"
import { aListOfStrings, anObject, either, requireOptions } from "../value/argument.js"

/** A struct of which no type is given: fields may have any names, discriminators any values. */
export type AnyStruct = Readonly<Record<string, string>>

/** The names of the fields of `T`. */
export type FieldName<T extends object> = keyof T & string

/** The names of those fields of `T` that hold strings, as a discriminator does. */
export type StringFieldName<T extends object> = {
  [F in FieldName<T>]-?: NonNullable<T[F]> extends string ? F : never
}[FieldName<T>]

/** A union as `union` takes it: with a discriminator, which is one of the fields that hold strings, or without, or of items of a list. */
export type UnionSpec<T extends object = AnyStruct> =
  | { [D in StringFieldName<T>]: DiscriminatedUnion<T, D> }[StringFieldName<T>]
  | PlainUnion<T>
  | ItemUnion<T>

/** A union whose discriminator `D` says which member is meant. */
export interface DiscriminatedUnion<T extends object, D extends StringFieldName<T>>
  extends Omit<UnionDef, "fields" | "discriminator" | "emptyValues" | "noneValue" | "values"> {
  /** The sibling field that says which member is selected. */
  readonly discriminator: D
  /** By the name of its field, the value that selects each member; an object where there is more to say. */
  readonly members: {
    readonly [F in string extends D ? string : Exclude<FieldName<T>, D>]?: ValueOf<T, D> | SelectedMember<ValueOf<T, D>>
  }
  /** Discriminator values that select no field, `Recreate` of a deployment's strategy for example. */
  readonly emptyValues?: readonly ValueOf<T, D>[]
  /** The value that says that there is no member; mostly `""`. */
  readonly noneValue?: ValueOf<T, D> | ""
  /** All values the discriminator may have. Without it, and without `emptyValues` and `noneValue`, any. */
  readonly values?: readonly (ValueOf<T, D> | "")[]
}

/** What the discriminator `D` of `T` may be. */
export type ValueOf<T extends object, D extends FieldName<T>> = NonNullable<T[D]> & string

/** A member that a discriminator selects. */
export interface SelectedMember<V extends string = string>
  extends Omit<UnionMember, "fieldName" | "discriminatorValue" | "item"> {
  /** The value of the discriminator that selects the member. */
  readonly value: V
}

/** A union of fields that exclude each other, with nothing beside them that says which is meant. */
export type PlainUnion<T extends object> = Pick<UnionDef, "name" | "cardinality"> &
  Partial<Record<Exclude<keyof UnionDef, "name" | "cardinality" | "fields">, never>> & {
    /** The fields, as a list; as an object where there is more to say of one. */
    readonly members:
      | readonly FieldName<T>[]
      | { readonly [F in FieldName<T>]?: Pick<UnionMember, "zeroIsUnset" | "emptyIsSet"> }
  }

/** A union of items of one list that exclude each other. */
export type ItemUnion<T extends object> = {
  [L in ListFieldName<T>]: Pick<UnionDef, "name" | "cardinality"> &
    Partial<Record<Exclude<keyof UnionDef, "name" | "cardinality" | "fields">, never>> & {
      /** By the name of the list, the keys of each item: `{conditions: [{type: "Approved"}, {type: "Denied"}]}`. */
      readonly members: { readonly [F in L]: readonly ItemKeys<T, F>[] }
    }
}[ListFieldName<T>]

/** The names of those fields of `T` that hold lists of structs; any names, where nothing is known of `T`. */
export type ListFieldName<T extends object> =
  string extends FieldName<T>
    ? string
    : { [F in FieldName<T>]-?: NonNullable<T[F]> extends readonly object[] ? F : never }[FieldName<T>]

/** The keys of an item of the list `F`, with the values that they may have. */
export type ItemKeys<T extends object, F extends string> =
  F extends FieldName<T>
    ? NonNullable<T[F]> extends readonly (infer Item extends object)[]
      ? { readonly [K in FieldName<Item>]?: NonNullable<Item[K]> & (string | number | bigint | boolean) }
      : Readonly<Record<string, string | number | bigint | boolean>>
    : never

/**
 * The union that `spec` defines, fit for `unions` of a schema's map and for an overlay, with its members in the order given.
 * `T` is what the struct is to TypeScript, if it is anything: fields it does not have, and values that its discriminator can't
 * have, are then errors of the compiler. Without it any names will do.
 *
 * Throws a SchemaError for what no struct could have: no members, a field that is there twice, a value that selects two of them.
 *
 * @example
 * ```ts
 * import { union } from "structured-merge-diff/unions"
 *
 * interface Strategy {
 *   type?: "RollingUpdate" | "Recreate"
 *   rollingUpdate?: { maxSurge?: number }
 * }
 *
 * const strategy = union<Strategy>({
 *   discriminator: "type",
 *   deduceInvalidDiscriminator: true,
 *   members: { rollingUpdate: { value: "RollingUpdate", optional: true } },
 *   emptyValues: ["Recreate"],
 * })
 * console.log(JSON.stringify(strategy.fields))
 * // [{"fieldName":"rollingUpdate","discriminatorValue":"RollingUpdate","optional":true}]
 * ```
 */
export function union<T extends object = AnyStruct>(spec: UnionSpec<NoInfer<T>>): UnionDef {
  requireOptions("spec", spec, { members: aListOrMap })
  const { members, ...rest } = spec as Loose
  const fields = Array.isArray(members)
    ? (members as readonly string[]).map(fieldName => ({ fieldName }))
    : Object.entries(members as LooseMembers).flatMap(([fieldName, said]) => membersOf(fieldName, said))
  const made: UnionDef = { ...rest, fields }
  const problems = checkUnion(made)
  const repeated = repeatedField([made])
  if (repeated !== undefined) problems.push(`field ${repeated} is in it twice`)
  if (problems.length > 0) throw new SchemaError(`invalid union: ${problems.join("; ")}`)
  return made
}

const aListOrMap = either(anObject, aListOfStrings)

/** A specification to the code that reads it, which is the same for all structs. */
interface Loose extends Omit<UnionDef, "fields"> {
  readonly members: readonly string[] | LooseMembers
}

type LooseMembers = Readonly<Record<string, string | Partial<SelectedMember> | readonly Item[]>>

type Item = NonNullable<UnionMember["item"]>

function membersOf(fieldName: string, said: LooseMembers[string]): UnionMember[] {
  if (Array.isArray(said)) return (said as readonly Item[]).map(item => ({ fieldName, item }))
  return [memberOf(fieldName, said as string | Partial<SelectedMember>)]
}

function memberOf(fieldName: string, said: string | Partial<SelectedMember>): UnionMember {
  if (typeof said === "string") return { fieldName, discriminatorValue: said }
  const { value, ...rest } = said
  return { fieldName, ...(value !== undefined && { discriminatorValue: value }), ...rest }
}
