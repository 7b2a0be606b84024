import type { JsonMap } from "./json.js"
import type { Random } from "./random.js"
import type { Field, MapType, TypeRef } from "./schemas.js"

/** A union of a struct, as the schema spells it. */
export interface Union {
  discriminator?: string
  deduceInvalidDiscriminator?: boolean
  fields: { fieldName: string; discriminatorValue: string }[]
}

/** Makes unions of new fields, and appends these to the struct's fields. */
export function addUnions(random: Random, fields: Field[], memberType: () => TypeRef): Union[] {
  const unions: Union[] = []
  for (let at = 0, count = random.chance(0.25) ? 2 : 1; at < count; at++) {
    const members = MEMBERS.slice(0, random.weighted(MEMBER_COUNTS)).map(letter => `u${at}${letter}`)
    const union: Union = { fields: members.map(fieldName => ({ fieldName, discriminatorValue: fieldName })) }
    for (const name of members) fields.push({ name, type: random.chance(0.6) ? { scalar: "numeric" } : memberType() })
    if (random.chance(0.35)) for (const field of union.fields) field.discriminatorValue = field.fieldName.toUpperCase()
    if (random.chance(0.1)) random.pick(union.fields).discriminatorValue = random.pick(["", "other", "Ключ"])
    if (random.chance(0.75)) {
      union.discriminator = `disc${at}`
      fields.push({ name: union.discriminator, type: { scalar: random.chance(0.9) ? "string" : "untyped" } })
    }
    if (random.chance(0.5)) union.deduceInvalidDiscriminator = random.chance(0.85)
    unions.push(union)
  }
  return unions
}
const MEMBERS = ["x", "y", "z"]
const MEMBER_COUNTS: readonly (readonly [number, number])[] = [
  [5, 1],
  [55, 2],
  [40, 3],
]

/** Leaves at most one member in most unions of a new map. The discriminator usually names it. */
export function settleUnions(random: Random, map: MapType, value: JsonMap): void {
  for (const union of map.unions ?? []) {
    if (random.chance(0.97)) keepOneMember(random, union, value)
    settleDiscriminator(random, union, value)
  }
}

/** Changes unions as a client would: removes the member and sets another, with or without the discriminator. */
export function switchUnions(random: Random, map: MapType, value: JsonMap, make: (name: string) => void): void {
  for (const union of map.unions ?? []) {
    if (random.chance(0.55)) {
      if (random.chance(0.95)) keepOneMember(random, union, value)
      continue
    }
    const next = random.pick(union.fields)
    if (random.chance(0.95)) for (const field of union.fields) delete value[field.fieldName]
    if (random.chance(0.9)) make(next.fieldName)
    if (random.chance(0.5)) settleDiscriminator(random, union, value)
  }
}

function keepOneMember(random: Random, union: Union, value: JsonMap): void {
  const set = union.fields.filter(field => value[field.fieldName] !== undefined)
  if (set.length < 2) return
  const kept = random.pick(set)
  for (const field of set) if (field !== kept) delete value[field.fieldName]
}

function settleDiscriminator(random: Random, union: Union, value: JsonMap): void {
  if (union.discriminator === undefined) return
  const set = union.fields.find(field => value[field.fieldName] !== undefined)
  const choice = random.below(100)
  if (choice < 60 && set !== undefined) value[union.discriminator] = set.discriminatorValue
  else if (choice < 93) delete value[union.discriminator]
  else if (choice < 98) value[union.discriminator] = random.pick(union.fields).discriminatorValue
  else value[union.discriminator] = random.pick(["", "none", null, 1])
}
