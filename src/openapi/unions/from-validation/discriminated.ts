// Finds unions with a discriminator in all rules that compare it with texts.
import type { UnionDef, UnionMember } from "../../../schema/union.js"
import { something } from "./condition.js"
import {
  allHold,
  allowedSets,
  comparedTexts,
  emptyTextsIn,
  type FactsOf,
  groupsOf,
  namesOf,
  type Rule,
} from "./states.js"

export interface RecognizedUnion {
  readonly union: UnionDef
  readonly rules: readonly Rule[]
}

export interface RefusedRules {
  readonly rules: readonly Rule[]
  readonly reason: string
}

/** A value that a discriminator may have; undefined if it is absent. */
type Selection = string | undefined

/** Fields that are connected by rules, and the sets of them that each value of the discriminator allows. */
interface Block {
  readonly fields: readonly string[]
  readonly rules: readonly Rule[]
  readonly allowed: ReadonlyMap<Selection, ReadonlySet<number>>
  readonly zeroIsUnset: readonly string[]
}

/**
 * Returns the union that these rules state, and the rules that are not part of it. The rules compare this discriminator, or are about
 * fields that such rules mention. A field is a member if it may be set under only one value, and if no other field has that value.
 */
export function discriminatedUnion(
  discriminator: string,
  rules: readonly Rule[],
  factsOf: FactsOf,
): { readonly found: RecognizedUnion | undefined; readonly refused: readonly RefusedRules[] } {
  const refused: RefusedRules[] = []
  let left = rules
  for (;;) {
    const domain = possibleValues(discriminator, left, factsOf)
    // A union can list values, but not exclude them: a rule that forbids one of unlimited values is not part of the union.
    if (domain.includes(something)) left = left.filter(({ fields }) => fields.length > 0)
    const blocks = groupsOf(left.filter(({ fields }) => fields.length > 0)).map(group =>
      blockOf(group, discriminator, domain, factsOf),
    )
    const wrong = blocks.flatMap(block => ("reason" in block ? [block] : []))
    const whole = blocks.flatMap(block => ("reason" in block ? [] : [block]))
    const possible = domain.filter(value => whole.every(({ allowed }) => allowed.get(value)?.size !== 0))
    if (possible.includes(something)) wrong.push(...forbidding(discriminator, whole, domain))
    wrong.push(...unfit(discriminator, whole, possible))
    if (wrong.length === 0) {
      const union = whole.length === 0 ? undefined : unionOf(discriminator, whole, possible, factsOf)
      return { found: union && { union, rules: left }, refused }
    }
    refused.push(...wrong)
    const gone = new Set(wrong.flatMap(({ rules: group }) => group))
    left = left.filter(rule => !gone.has(rule))
  }
}

/** Returns the values that the rules about the discriminator alone allow; all of them if these rules only exclude some. */
function possibleValues(discriminator: string, rules: readonly Rule[], factsOf: FactsOf): Selection[] {
  const all = valuesOf(discriminator, rules, factsOf)
  const alone = rules.filter(({ fields }) => fields.length === 0)
  const possible = all.filter(value => allHold(alone, stateOf(discriminator, value)))
  return possible.includes(something) ? all : possible
}

/** Returns the blocks that forbid one value although any other is allowed. */
function forbidding(discriminator: string, blocks: readonly Block[], domain: readonly Selection[]): RefusedRules[] {
  return blocks.flatMap(({ rules, allowed }) => {
    const value = domain.find(some => some !== undefined && allowed.get(some)?.size === 0)
    return value === undefined ? [] : [{ rules, reason: `${discriminator} may be anything but ${listed([value])}` }]
  })
}

function stateOf(discriminator: string, value: Selection): Map<string, string> {
  return new Map(value === undefined ? [] : [[discriminator, value]])
}

/** Returns the values to try: the listed ones, or those that rules name and one that they don't. */
function valuesOf(discriminator: string, rules: readonly Rule[], factsOf: FactsOf): Selection[] {
  const { values, alwaysThere, mayBeEmpty } = factsOf(discriminator)
  const named = rules.flatMap(({ condition }) => [...(comparedTexts(condition).get(discriminator) ?? [])])
  const open = [...new Set(named)].filter(value => value !== "" || mayBeEmpty)
  const texts = values ?? [...open, something]
  return alwaysThere ? [...texts] : [...texts, undefined]
}

function blockOf(
  rules: readonly Rule[],
  discriminator: string,
  domain: readonly Selection[],
  factsOf: FactsOf,
): Block | RefusedRules {
  const fields = [...new Set(rules.flatMap(rule => rule.fields))]
  const zeroIsUnset = emptyTextsIn(rules, fields, factsOf)
  const allowed = new Map<Selection, ReadonlySet<number>>()
  for (const value of domain) {
    const sets = allowedSets(rules, fields, zeroIsUnset, stateOf(discriminator, value))
    if (typeof sets === "string") return { rules, reason: sets }
    allowed.set(value, sets)
  }
  return { fields, rules, allowed, zeroIsUnset }
}

/** Returns the blocks with fields that are not members, and the reason for each. */
function unfit(discriminator: string, blocks: readonly Block[], possible: readonly Selection[]): RefusedRules[] {
  const selections = new Map<string, Selection[]>()
  for (const block of blocks)
    for (const field of block.fields) selections.set(field, selectionsOf(block, field, possible))
  const reasonOf = (field: string): string | undefined => {
    const values = selections.get(field) as Selection[] // one of the fields of the blocks
    const [value] = values
    if (values.length === 0) return `${field} may never be set`
    if (values.length > 1) return `${field} may be set where ${discriminator} is ${listed(values)}`
    if (value === undefined || value === something || value === "") {
      return `${field} may be set only where ${discriminator} is ${listed(values)}`
    }
    const other = [...selections].find(([name, own]) => name !== field && own.length === 1 && own[0] === value)?.[0]
    return other === undefined ? undefined : `${field} and ${other} are both selected by ${JSON.stringify(value)}`
  }
  return blocks.flatMap(({ fields, rules }) => {
    const reason = fields.map(reasonOf).find(found => found !== undefined)
    return reason === undefined ? [] : [{ rules, reason }]
  })
}

/** Returns the values under which the field may be set. */
function selectionsOf({ fields, allowed }: Block, field: string, possible: readonly Selection[]): Selection[] {
  return possible.filter(value => [...(allowed.get(value) ?? [])].some(bits => namesOf(fields, bits).includes(field)))
}

function listed(values: readonly Selection[]): string {
  const words = values.map(value => (value === undefined ? "absent" : value === something ? "anything else" : value))
  return words.map(word => (word === "" ? '""' : word)).join(", ")
}

function unionOf(
  discriminator: string,
  blocks: readonly Block[],
  possible: readonly Selection[],
  factsOf: FactsOf,
): UnionDef {
  const fields = blocks.flatMap(block =>
    block.fields.map((field): UnionMember => {
      const value = selectionsOf(block, field, possible)[0] as string // its only one, by `unfit`
      return {
        fieldName: field,
        discriminatorValue: value,
        ...(block.allowed.get(value)?.has(0) === true && { optional: true }),
        ...(block.zeroIsUnset.includes(field) && { zeroIsUnset: true }),
        ...(factsOf(field).emptyIsSet && { emptyIsSet: true }),
      }
    }),
  )
  return { discriminator, fields, ...limitsOf(fields, possible) }
}

/** Returns the union's constraints on the discriminator, from its possible values. */
function limitsOf(fields: readonly UnionMember[], possible: readonly Selection[]): Partial<UnionDef> {
  const required = !possible.includes(undefined)
  if (possible.includes(something)) return required ? { discriminatorRequired: true } : {}
  const values = possible.filter(value => value !== undefined)
  const empty = values.filter(value => value !== "" && !fields.some(member => member.discriminatorValue === value))
  const none = values.includes("")
  return {
    ...(empty.length > 0 && { emptyValues: empty }),
    ...(none && { noneValue: "" }),
    values,
    ...(required && (none ? { discriminatorRequired: true } : { cardinality: "exactlyOne" })),
  }
}
