// Defines unions in code. The compiler then checks things that `applyUnionOverlay` can only refuse later: names of fields, values of the
// discriminator, and members that make no sense without a discriminator.
import { SchemaError } from "../errors.js"
import type { UnionDef, UnionMember } from "../schema/union.js"
import { repeatedField, unionProblems } from "../schema/union-problems.js"
import { aListOfStrings, anObject, either, requireOptions } from "../value/argument.js"

/** A struct of unknown type: its fields may have any names and its discriminators any values. */
export type AnyStruct = Readonly<Record<string, string>>

/** The names of the fields of `T`. */
export type FieldName<T extends object> = keyof T & string

/** The names of the fields of `T` that hold strings, as a discriminator does. */
export type StringFieldName<T extends object> = {
  [F in FieldName<T>]-?: NonNullable<T[F]> extends string ? F : never
}[FieldName<T>]

/** The argument of `union`: a union with a discriminator (a field that holds strings), a union without one, or a union of list items. */
export type UnionSpec<T extends object = AnyStruct> =
  | { [D in StringFieldName<T>]: DiscriminatedUnion<T, D> }[StringFieldName<T>]
  | PlainUnion<T>
  | ItemUnion<T>

/** A union whose discriminator `D` names the selected member. */
export interface DiscriminatedUnion<T extends object, D extends StringFieldName<T>>
  extends Omit<UnionDef, "fields" | "discriminator" | "emptyValues" | "noneValue" | "values"> {
  /** The sibling field that names the selected member. */
  readonly discriminator: D
  /** The value that selects each member, by the name of the member's field. Use an object to set further options. */
  readonly members: {
    readonly [F in string extends D ? string : Exclude<FieldName<T>, D>]?: ValueOf<T, D> | SelectedMember<ValueOf<T, D>>
  }
  /** Discriminator values that select no member, such as `Recreate` in a deployment's strategy. */
  readonly emptyValues?: readonly ValueOf<T, D>[]
  /** The discriminator value that stands for no member; usually `""`. */
  readonly noneValue?: ValueOf<T, D> | ""
  /** All values that the discriminator may have. If this, `emptyValues` and `noneValue` are all absent, it may have any value. */
  readonly values?: readonly (ValueOf<T, D> | "")[]
}

/** The values of the discriminator `D` of `T`. */
export type ValueOf<T extends object, D extends FieldName<T>> = NonNullable<T[D]> & string

/** A member that a discriminator selects. */
export interface SelectedMember<V extends string = string>
  extends Omit<UnionMember, "fieldName" | "discriminatorValue" | "item"> {
  /** The value of the discriminator that selects the member. */
  readonly value: V
}

/** A union of mutually exclusive fields without a discriminator. */
export type PlainUnion<T extends object> = Pick<UnionDef, "name" | "cardinality"> &
  Partial<Record<Exclude<keyof UnionDef, "name" | "cardinality" | "fields">, never>> & {
    /** The fields, as a list, or as an object to set options of a field. */
    readonly members:
      | readonly FieldName<T>[]
      | { readonly [F in FieldName<T>]?: Pick<UnionMember, "zeroIsUnset" | "emptyIsSet"> }
  }

/** A union of mutually exclusive items of one list. */
export type ItemUnion<T extends object> = {
  [L in ListFieldName<T>]: Pick<UnionDef, "name" | "cardinality"> &
    Partial<Record<Exclude<keyof UnionDef, "name" | "cardinality" | "fields">, never>> & {
      /** The keys of each item, by the name of the list: `{conditions: [{type: "Approved"}, {type: "Denied"}]}`. */
      readonly members: { readonly [F in L]: readonly ItemKeys<T, F>[] }
    }
}[ListFieldName<T>]

/** The names of the fields of `T` that hold lists of structs; any name if `T` is unknown. */
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
 * Returns the union that `spec` defines, with its members in the given order. It fits both the `unions` of a schema's map and an overlay.
 * If `T` is the TypeScript type of the struct, the compiler rejects fields that it does not have and values that its discriminator can't
 * have. Without `T`, any names are accepted.
 *
 * Throws a SchemaError for a union that no struct could have: one without members, with a field twice, or with a value that selects two
 * members.
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
    : Object.entries(members as LooseMembers).flatMap(([fieldName, spec]) => membersOf(fieldName, spec))
  const def: UnionDef = { ...rest, fields }
  const problems = unionProblems(def)
  const repeated = repeatedField([def])
  if (repeated !== undefined) problems.push(`field ${repeated} occurs twice`)
  if (problems.length > 0) throw new SchemaError(`invalid union: ${problems.join("; ")}`)
  return def
}

const aListOrMap = either(anObject, aListOfStrings)

/** A specification as the code reads it, without the type of the struct. */
interface Loose extends Omit<UnionDef, "fields"> {
  readonly members: readonly string[] | LooseMembers
}

type LooseMembers = Readonly<Record<string, string | Partial<SelectedMember> | readonly Item[]>>

type Item = NonNullable<UnionMember["item"]>

function membersOf(fieldName: string, spec: LooseMembers[string]): UnionMember[] {
  if (Array.isArray(spec)) return (spec as readonly Item[]).map(item => ({ fieldName, item }))
  return [memberOf(fieldName, spec as string | Partial<SelectedMember>)]
}

function memberOf(fieldName: string, spec: string | Partial<SelectedMember>): UnionMember {
  if (typeof spec === "string") return { fieldName, discriminatorValue: spec }
  const { value, ...rest } = spec
  return { fieldName, ...(value !== undefined && { discriminatorValue: value }), ...rest }
}
