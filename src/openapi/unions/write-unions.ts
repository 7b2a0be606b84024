// Writes unions as `x-kubernetes-unions`, which unions.ts reads. Neither form can express everything about a union. The rest is written
// next to the form under `union`, with the keys of an overlay; null there removes a key that the form sets.
//
//   x-kubernetes-unions: [{discriminator: type, fields-to-discriminateBy: {a: A}, union: {cardinality: exactlyOne}}]
//   x-kubernetes-unions: {fieldMembers: {A: {name: a, optional: true}, None: null}, union: {deduceInvalidDiscriminator: true}}
import type { UnionDef, UnionMember } from "../../schema/union.js"
import { compareStrings } from "../../value/compare.js"
import { equalValues } from "../../value/equal.js"
import { own, put } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"

/** The spelling of unions with a discriminator. Unions without one are always in a list. */
export type UnionExtension = "fieldMembers" | "list"

/**
 * Returns the list form: a map from fields to values, or to the field's own name if no value selects it. `read` adds the constraints that
 * the reader takes from the discriminator itself.
 */
export function listForm(union: UnionDef, read: (listed: UnionDef) => UnionDef = listed => listed): MapValue {
  const members: Record<string, Value> = {}
  const taken = new Set<string>()
  for (const { fieldName, discriminatorValue = fieldName } of sortedFields(union)) {
    if (taken.has(discriminatorValue) || own(members, fieldName) !== undefined) continue
    taken.add(discriminatorValue)
    put(members, fieldName, discriminatorValue)
  }
  const { discriminator } = union
  const form = { ...(discriminator !== undefined && { discriminator }), "fields-to-discriminateBy": members }
  return withCorrections(form, union, read(readList(discriminator, members)))
}

/** Returns the union that a list form without `union` declares. */
export function readList(discriminator: string | undefined, members: MapValue): UnionDef {
  const fields = Object.keys(members)
    .sort(compareStrings)
    .map((fieldName): UnionMember => {
      const value = own(members, fieldName) as string // `fieldName` is a key of `members`
      return discriminator === undefined && value === fieldName
        ? { fieldName }
        : { fieldName, discriminatorValue: value }
    })
  return { ...(discriminator !== undefined && { discriminator }), ...(fields.length > 0 && { fields }) }
}

/**
 * Returns the form at the discriminator: a map from values to fields. `read` turns it back into a union, with the constraints of the
 * discriminator itself.
 */
export function memberForm(union: UnionDef, read: (fieldMembers: MapValue) => UnionDef): MapValue {
  const fieldMembers = fieldMembersOf(union)
  return withCorrections({ fieldMembers }, union, read(fieldMembers))
}

/** Returns the map from values to members. A value that selects no member maps to null. */
export function fieldMembersOf({ fields = [], emptyValues = [], noneValue }: UnionDef): MapValue {
  const members: Record<string, Value> = {}
  for (const { fieldName, discriminatorValue = "", optional } of fields) {
    if (own(members, discriminatorValue) !== undefined) continue
    put(members, discriminatorValue, { name: fieldName, ...(optional === true && { optional }) })
  }
  for (const value of noneValue === undefined ? emptyValues : [...emptyValues, noneValue]) {
    if (own(members, value) === undefined) put(members, value, null)
  }
  return members
}

function sortedFields({ fields = [] }: UnionDef): UnionMember[] {
  return fields.toSorted((a, b) => compareStrings(a.fieldName, b.fieldName))
}

/** Returns the form with corrections for the parts that its reader would get wrong. */
function withCorrections(form: MapValue, union: UnionDef, read: UnionDef): MapValue {
  const corrections: Record<string, Value> = {}
  const wanted = union as unknown as MapValue
  const got = read as unknown as MapValue
  for (const key of new Set([...Object.keys(wanted), ...Object.keys(got)])) {
    const value = own(wanted, key) ?? null
    const other = own(got, key) ?? null
    if (!equalValues(value, other)) put(corrections, key, value)
  }
  return Object.keys(corrections).length === 0 ? form : { ...form, union: corrections }
}

const text = (value: Value) => typeof value === "string"
const flag = (value: Value) => typeof value === "boolean"
const texts = (value: Value) => isList(value) && value.every(text)
const scalars = (value: Value) =>
  isMap(value) && Object.values(value).every(part => part !== null && typeof part !== "object")

type KeyChecks = Readonly<Record<string, (value: Value) => boolean>>

const memberChecks: KeyChecks = {
  fieldName: text,
  discriminatorValue: text,
  optional: flag,
  zeroIsUnset: flag,
  emptyIsSet: flag,
  item: scalars,
}
const unionChecks: KeyChecks = {
  name: text,
  discriminator: text,
  deduceInvalidDiscriminator: flag,
  fields: value => isList(value) && value.every(isMember),
  emptyValues: texts,
  noneValue: text,
  values: texts,
  discriminatorRequired: flag,
  cardinality: value => value === "exactlyOne" || value === "atMostOne",
}

function isMember(value: Value): boolean {
  return isMap(value) && own(value, "fieldName") !== undefined && wrongKey(value, memberChecks) === undefined
}

function wrongKey(map: MapValue, checks: KeyChecks): string | undefined {
  return Object.keys(map).find(key => {
    const value = own(map, key) as Value // `key` is a key of `map`
    return !Object.hasOwn(checks, key) || !(checks[key] as KeyChecks[string])(value)
  })
}

/**
 * Returns the union with the corrections that accompany its form. Returns a message if a key is not part of a union, or has a malformed
 * value.
 */
export function correctUnion(union: UnionDef, corrections: Value | undefined): UnionDef | string {
  if (corrections === undefined) return union
  if (!isMap(corrections)) return '"union" must be an object'
  const result: Record<string, Value> = { ...(union as unknown as MapValue) }
  for (const key in corrections) {
    const value = own(corrections, key) as Value // `key` is a key of `corrections`
    if (value === null) delete result[key]
    else put(result, key, value)
  }
  const wrong = wrongKey(result, unionChecks)
  return wrong === undefined
    ? (result as unknown as UnionDef)
    : `"union" has a ${wrong} that is not part of a union, or is malformed`
}
