// Makes unions of the members and discriminators that markers name.
import type { UnionDef, UnionMember } from "../../schema/union.js"
import { isOptional, type JsonField } from "../types/fields.js"
import type { Shapes } from "../types/shape.js"

/** A union before its discriminator's values are known. */
export interface UnionDraft {
  readonly name?: string
  readonly discriminator: JsonField | undefined
  readonly members: readonly DraftMember[]
}

/** A member, and the value of the discriminator that selects it. */
export interface DraftMember {
  readonly field: JsonField
  readonly value: string
  readonly optional?: boolean
}

/** Where the markers of a union are defined: in declarative validation, or in a text of the KEP. */
export type UnionOrigin = "validation" | "kep"

/** Returns the union of a draft without a discriminator. */
export function plainUnion({ name, members }: UnionDraft, cardinality: "exactlyOne" | "atMostOne"): UnionDef {
  const fields = members.map(({ field }) => ({ fieldName: field.name, ...zeroIsUnset(field) }))
  return { ...(name !== undefined && { name }), fields, cardinality }
}

/** Returns the union of a draft with a discriminator. Reports what is wrong with the discriminator. */
export function discriminatedUnion(
  shapes: Shapes,
  draft: UnionDraft,
  discriminator: JsonField,
  origin: UnionOrigin,
): UnionDef {
  const { shape } = discriminator.followed
  if (shape.kind !== "scalar" || shape.type !== "string")
    shapes.findings.error(discriminator.place, "a discriminator has to be a string")
  const wrong = wrongValue(draft, discriminator, shapes.enumOf(discriminator.followed))
  if (wrong !== undefined) shapes.findings.error(discriminator.place, wrong)
  const fields = draft.members.map(
    ({ field, value, optional }): UnionMember => ({
      fieldName: field.name,
      discriminatorValue: value,
      ...(optional === true && { optional }),
      ...zeroIsUnset(field),
    }),
  )
  const name = draft.name === undefined ? {} : { name: draft.name }
  const limits = wrong === undefined && limitsOf(shapes, draft, discriminator, origin) // else they would say it again
  return { ...name, discriminator: discriminator.name, fields, ...limits }
}

/** Returns the properties that follow from the discriminator: its values, the values that select no field, and whether a member is required. */
function limitsOf(
  shapes: Shapes,
  { members }: UnionDraft,
  discriminator: JsonField,
  origin: UnionOrigin,
): Partial<UnionDef> {
  const listed = shapes.enumOf(discriminator.followed)
  const emptyValues = (listed ?? []).filter(value => value !== "" && !members.some(member => member.value === value))
  const hasNone = listed?.includes("") ?? false
  const required = isRequired(shapes, discriminator, origin)
  return {
    ...(emptyValues.length > 0 && { emptyValues }),
    ...(hasNone && { noneValue: "" }),
    ...(listed !== undefined && { values: listed }),
    ...(required && hasNone && { discriminatorRequired: true }),
    cardinality: required && !hasNone ? "exactlyOne" : "atMostOne",
  }
}

/** Whether the discriminator must be set. Declarative validation does not require it unless a marker does. */
function isRequired(shapes: Shapes, field: JsonField, origin: UnionOrigin): boolean {
  if (origin === "validation") return field.markers.has("required", "k8s:required")
  return !isOptional(shapes.findings, field) || field.markers.has("default")
}

/** Returns an error if no value selects one of the union's members. `values` are the values that the discriminator may have. */
export function wrongValue(
  { members }: UnionDraft,
  discriminator: JsonField,
  values: readonly string[] | undefined,
): string | undefined {
  const wrong = values === undefined ? undefined : members.find(({ value }) => !values.includes(value))
  if (wrong === undefined) return undefined
  const text = values?.map(value => JSON.stringify(value)).join(", ")
  return `${wrong.field.name} is selected by ${JSON.stringify(wrong.value)}, and ${discriminator.name} can only be ${text}`
}

/** In a Go struct, the zero value of a scalar that is not a pointer means that it is absent. */
function zeroIsUnset({ followed: { shape, pointer } }: JsonField): { readonly zeroIsUnset?: true } {
  return shape.kind === "scalar" && !pointer ? { zeroIsUnset: true } : {}
}
