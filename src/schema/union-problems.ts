// The problems of unions, regardless of their struct. union/overlay.ts checks whether they fit a struct.
import { formatValue } from "../value/format.js"
import { memberName } from "./item-member.js"
import type { Atom, TypeRef } from "./schema.js"
import type { UnionDef } from "./union.js"

/** Returns the first field or item that occurs twice in these unions, or undefined. Unions that share a field can't be settled independently. */
export function repeatedField(unions: readonly UnionDef[]): string | undefined {
  const seen = new Set<string>()
  for (const union of unions) {
    for (const name of fieldsOf(union)) {
      if (seen.has(name)) return name
      seen.add(name)
    }
  }
  return undefined
}

/** Returns the names of the discriminator, if the union has one, and of the members. */
export function fieldsOf({ discriminator, fields }: UnionDef): string[] {
  const names = (fields ?? []).map(memberName)
  return typeof discriminator === "string" ? [discriminator, ...names] : names
}

/** Returns a message about the first field that occurs twice in the unions of a struct, here or in an inlined type below; null if none does. */
export function overlapIn(atom: Atom | undefined): string | null {
  const { map, list } = atom ?? {}
  const repeated = repeatedField(map?.unions ?? [])
  if (repeated !== undefined) return `.map.unions: field ${repeated} appears multiple times in unions`
  for (const { name, type } of map?.fields ?? []) {
    const below = overlapIn(type)
    if (below !== null) return `.map.fields[name=${formatValue(name)}].type${below}`
  }
  const inMap = overlapBelow(map)
  if (inMap !== null) return `.map.elementType${inMap}`
  const inList = overlapBelow(list)
  return inList === null ? null : `.list.elementType${inList}`
}

function overlapBelow(atom: { readonly elementType?: TypeRef } | undefined): string | null {
  return atom?.elementType === undefined ? null : overlapIn(atom.elementType)
}

/** Returns the problems of a union, regardless of its struct. */
export function unionProblems(union: UnionDef): string[] {
  const { discriminator, fields = [], emptyValues = [], noneValue, values, cardinality } = union
  const problems: string[] = []
  if (fields.length === 0 && discriminator === undefined) problems.push("there are no members")
  if (cardinality !== undefined && cardinality !== "exactlyOne" && cardinality !== "atMostOne") {
    problems.push(`cardinality is exactlyOne or atMostOne, not ${formatValue(cardinality as string)}`)
  }
  problems.push(...checkItems(union))
  if (discriminator === undefined) return [...problems, ...checkUndiscriminated(union)]
  const seen = new Map<string, string>()
  const claim = (value: string, claimant: string) => {
    const other = seen.get(value)
    if (other !== undefined) problems.push(`value ${formatValue(value)} is given to ${other} and to ${claimant}`)
    seen.set(value, claimant)
    if (values !== undefined && !values.includes(value)) {
      problems.push(`value ${formatValue(value)} of ${claimant} is not among the values`)
    }
  }
  for (const member of fields) {
    if (member.discriminatorValue === undefined) problems.push(`member ${member.fieldName} has no discriminatorValue`)
    else if (member.discriminatorValue === "") problems.push(`member ${member.fieldName} can't have the value ""`)
    else claim(member.discriminatorValue, member.fieldName)
  }
  for (const value of emptyValues) claim(value, "emptyValues")
  if (noneValue !== undefined) claim(noneValue, "noneValue")
  return problems
}

/** Returns the problems of members that are items, except those that depend on the list. */
function checkItems({ discriminator, fields = [] }: UnionDef): string[] {
  const items = fields.filter(({ item }) => item !== undefined)
  const [first] = items
  if (first === undefined) return []
  const problems = (["zeroIsUnset", "emptyIsSet"] as const).flatMap(key =>
    items
      .filter(member => member[key] !== undefined)
      .map(member => `member ${memberName(member)}: ${key} has no effect on an item`),
  )
  const field = fields.find(({ item }) => item === undefined)
  const elsewhere = items.find(({ fieldName }) => fieldName !== first.fieldName)
  if (discriminator !== undefined) problems.push("a discriminator can't select items of a list")
  if (field !== undefined) {
    problems.push(`members are fields or items, not both: ${memberName(first)} is an item, ${field.fieldName} a field`)
  }
  if (elsewhere !== undefined) {
    problems.push(`all items must be in one list: ${memberName(first)}, ${memberName(elsewhere)}`)
  }
  return problems
}

function checkUndiscriminated(union: UnionDef): string[] {
  const keys = ["deduceInvalidDiscriminator", "discriminatorRequired", "emptyValues", "noneValue", "values"] as const
  const problems = keys
    .filter(key => union[key] !== undefined && union[key] !== false)
    .map(key => `${key} has no effect without a discriminator`)
  const optional = (union.fields ?? []).filter(member => member.optional === true)
  return [
    ...problems,
    ...optional.map(member => `member ${member.fieldName}: optional has no effect without a discriminator`),
  ]
}
