// Recognizes unions that a schema states as validation: `oneOf`, `anyOf` and `not` with `required`, at most one property, and rules in CEL.
//
// Every such keyword and rule is read as a condition on which fields are set and which value a discriminator has. If it allows the same
// states as a union, it is one; if it only resembles a union, it is refused with the reason. The messages of rules are not considered.

import type { UnionDef, UnionMember } from "../../../schema/union.js"
import { fieldsOf } from "../../../schema/union-problems.js"
import { own } from "../../../value/object.js"
import { isList, isMap, type MapValue } from "../../../value/value.js"
import { listAnd } from "../../../value/words.js"
import { readRule } from "./cel.js"
import { type Condition, something, Unreadable } from "./condition.js"
import { discriminatedUnion, type RecognizedUnion, type RefusedRules } from "./discriminated.js"
import { type Junctor, mentionsFields, readJunctor } from "./keywords.js"
import {
  allowedSets,
  comparedTexts,
  emptyTextsIn,
  type FactsOf,
  fieldsIn,
  groupsOf,
  isOne,
  namesOf,
  type Rule,
} from "./states.js"

/** The unions in the validation of a struct. */
export interface FromValidation {
  readonly unions: readonly { readonly union: UnionDef; readonly at: readonly string[] }[]
  /** Rules that resemble a union but are not one. */
  readonly others: readonly { readonly at: string; readonly reason: string }[]
}

/** Reads the unions in the validation of a struct. `declared` are the unions that it already has. */
export function unionsFromValidation(
  schema: MapValue,
  factsOf: FactsOf,
  declared: readonly UnionDef[],
): FromValidation {
  const others: { at: string; reason: string }[] = []
  const refuse = ({ rules, reason }: RefusedRules) => {
    for (const { at } of rules) others.push({ at, reason })
  }
  const rules = rulesOf(schema, factsOf, others)
  const { found, left } = withDiscriminator(rules, factsOf, refuse)
  const plain = withoutDiscriminator(left, factsOf, refuse)
  const unions = separate([...found, ...plain], declared, refuse)
  const place = new Map(rules.map(({ at }, index) => [at, index]))
  const inOrder = unions
    .map(({ union, rules: from }) => ({ union, at: from.map(({ at }) => at) }))
    .sort((a, b) => (place.get(a.at[0] ?? "") ?? 0) - (place.get(b.at[0] ?? "") ?? 0))
  return { unions: inOrder, others }
}

const junctors = ["oneOf", "anyOf", "not"] as const satisfies readonly Junctor[]

/** Returns all rules that can be read, in the order of the schema. */
function rulesOf(schema: MapValue, factsOf: FactsOf, others: { at: string; reason: string }[]): Rule[] {
  const rules: Rule[] = []
  const add = (at: string, looksLike: boolean, isSchema: boolean, read: () => Condition) => {
    try {
      const rule = ruleOf(at, read(), factsOf, isSchema)
      if (rule.fields.length > 0 || rule.discriminator !== undefined) rules.push(rule)
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      if (looksLike) others.push({ at, reason: error.message })
    }
  }
  const addJunctors = (node: MapValue, prefix: string) => {
    for (const junctor of junctors) {
      const value = own(node, junctor)
      if (value === undefined) continue
      add(`${prefix}${junctor}`, mentionsFields(value), true, () => readJunctor(junctor, value))
    }
  }
  addJunctors(schema, "")
  const all = own(schema, "allOf")
  if (isList(all)) {
    all.forEach((clause, i) => {
      if (mentionsFields(clause)) add(`allOf/${i}`, true, true, () => readJunctor("allOf", [clause]))
    })
  }
  const only = onlyProperty(schema)
  if (only !== undefined) add("maxProperties", true, true, () => only)
  const validations = own(schema, celRules)
  if (isList(validations)) {
    validations.forEach((validation, i) => {
      const rule = isMap(validation) ? own(validation, "rule") : undefined
      if (typeof rule === "string") add(`${celRules}/${i}`, looksLikeUnion(rule), false, () => readRule(rule))
    })
  }
  return rules
}

/** Returns the condition of a struct that allows only one property; undefined for any other struct. */
function onlyProperty(schema: MapValue): Condition | undefined {
  const properties = own(schema, "properties")
  const closed = own(schema, "additionalProperties") === undefined && own(schema, keeps) !== true
  if (own(schema, "maxProperties") !== 1 || !isMap(properties) || !closed) return undefined
  const parts = Object.keys(properties).map((field): Condition => ({ kind: "has", field }))
  const operator = own(schema, "minProperties") === 1 ? "==" : "<="
  return { kind: "compare", operator, left: { kind: "count", parts }, right: { kind: "literal", value: 1 } }
}
const keeps = "x-kubernetes-preserve-unknown-fields"

/**
 * Whether the text of a rule tests if several fields are set, or if one field is set and what the text of another is. A field whose value the
 * rule uses too does not count: then the test only guards that use. A rule that calls other functions of a field is about its value.
 */
function looksLikeUnion(rule: string): boolean {
  const uses = rule.replace(testsOfFields, "")
  if (/\bself(?:\.\w+)+\(/.test(uses)) return false
  const asked = new Set(Array.from(rule.matchAll(/\bhas\(\s*self((?:\.\w+)+)\s*\)/g), ([, path = ""]) => path))
  for (const [, use = ""] of uses.matchAll(/\bself((?:\.\w+)+)/g)) {
    for (const path of asked) if (`${use}.`.startsWith(`${path}.`)) asked.delete(path)
  }
  if (asked.size !== 1) return asked.size > 1
  const names = rule.replace(/\bhas\([^()]*\)/g, "").matchAll(/\bself(\.\w+)/g)
  const others = new Set(Array.from(names, ([, name = ""]) => name).filter(name => !asked.has(name)))
  return others.size === 1 && /\bself\.\w+\s*[!=]=\s*['"]/.test(rule)
}

/** Tests that a field is set, or that it is empty. */
const testsOfFields =
  /\b(?:has|size)\(\s*self[.\w]+\s*\)(?:\s*(?:==|!=|>)\s*0)?|\bself[.\w]+\.size\(\)\s*(?:==|!=|>)\s*0/g

function ruleOf(at: string, condition: Condition, factsOf: FactsOf, isSchema: boolean): Rule {
  const texts = comparedTexts(condition)
  const fields = fieldsIn(condition)
  for (const field of fields) {
    const { nullable, isText } = factsOf(field)
    if (isSchema && nullable) throw new Unreadable(`${field} may be null, which counts as set here and not in a union`)
    if (texts.has(field) && !isText) throw new Unreadable(`${field} is not a string`)
  }
  const named = [...texts].filter(([, values]) => [...values].some(value => value !== "")).map(([field]) => field)
  if (named.length > 1) throw new Unreadable(`it depends on the texts of ${listAnd(named)}`)
  const [discriminator] = named
  return { at, condition, fields: fields.filter(field => field !== discriminator), discriminator }
}

/** Returns the unions with a discriminator, and the rules that are unrelated to them. */
function withDiscriminator(rules: readonly Rule[], factsOf: FactsOf, refuse: (refused: RefusedRules) => void) {
  const found: RecognizedUnion[] = []
  let left = rules.filter(({ discriminator }) => discriminator === undefined)
  const names = new Set(rules.flatMap(({ discriminator }) => (discriminator === undefined ? [] : [discriminator])))
  for (const discriminator of names) {
    const about = rules.filter(rule => rule.discriminator === discriminator)
    const fields = new Set(about.flatMap(rule => rule.fields))
    const joining = left.filter(rule => rule.fields.length > 1 && rule.fields.every(field => fields.has(field)))
    const recognized = discriminatedUnion(discriminator, [...about, ...joining], factsOf)
    for (const { rules: group, reason } of recognized.refused) {
      const alike = group.filter(rule => rule.discriminator !== undefined && !onlyCouples(rule))
      refuse({ rules: alike, reason })
    }
    if (recognized.found === undefined) continue
    found.push(recognized.found)
    const used = new Set(recognized.found.rules)
    left = left.filter(rule => !used.has(rule))
  }
  return { found, left }
}

/** Whether a rule only couples fields: whatever the discriminator is, all of them may be set, or none. */
function onlyCouples(rule: Rule): boolean {
  const { fields, condition, discriminator = "" } = rule
  if (fields.length < 2) return false
  const texts = [...(comparedTexts(condition).get(discriminator) ?? []), something]
  return texts.every(text => {
    const allowed = allowedSets([rule], fields, [], new Map([[discriminator, text]]))
    return typeof allowed !== "string" && allowed.has(0) && allowed.has(2 ** fields.length - 1)
  })
}

/** The number of its fields that a rule allows to be set. */
interface Counted {
  readonly rule: Rule
  readonly fields: readonly string[]
  readonly min: 0 | 1
  readonly max: 1 | undefined
}

function withoutDiscriminator(
  rules: readonly Rule[],
  factsOf: FactsOf,
  refuse: (refused: RefusedRules) => void,
): RecognizedUnion[] {
  const counted: Counted[] = []
  for (const rule of rules) {
    const count = countedBy(rule, factsOf)
    if (count === undefined) continue
    if (typeof count !== "string") counted.push(count)
    else if (rule.fields.length > 1 || !rule.at.startsWith(celRules)) refuse({ rules: [rule], reason: count })
  }
  const found: RecognizedUnion[] = []
  const exclusive = counted.filter(({ max }) => max === 1)
  const atLeast = new Set(counted.filter(({ max }) => max === undefined))
  for (const group of groupsOf(exclusive)) {
    const fields = [...new Set(group.flatMap(count => count.fields))]
    const extra = [...atLeast].filter(count => sameFields(count.fields, fields))
    const together = [...group, ...extra]
    const joined = together.map(({ rule }) => rule)
    const zero = emptyTextsIn(joined, fields, factsOf)
    const tried = zero.length === 0 ? undefined : allowedSets(joined, fields, zero, new Map())
    const problem = overlapIn(group, fields) ?? (typeof tried === "string" ? tried : undefined)
    if (problem !== undefined) {
      refuse({ rules: group.map(({ rule }) => rule), reason: problem })
      continue
    }
    for (const count of extra) atLeast.delete(count)
    const required = together.some(({ min }) => min === 1)
    found.push({ union: plainUnion(fields, required, zero, factsOf), rules: joined })
  }
  for (const { rule, fields } of atLeast) {
    refuse({ rules: [rule], reason: `it requires at least one of ${fields.join(", ")}, and several may be set` })
  }
  return found
}
const celRules = "x-kubernetes-validations"

function sameFields(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every(field => b.includes(field))
}

/**
 * Returns the reason why rules that share fields do not form one union: two of the fields don't exclude each other, or only a part of the
 * fields is required. Undefined if they do form one.
 */
function overlapIn(group: readonly Counted[], fields: readonly string[]): string | undefined {
  const part = group.find(({ min, fields: some }) => min === 1 && some.length < fields.length)
  const apart = fields.flatMap((a, i) => fields.slice(i + 1).map(b => [a, b] as const))
  const free = apart.find(([a, b]) => !group.some(count => count.fields.includes(a) && count.fields.includes(b)))
  if (free !== undefined)
    return `rules share a field, which can be in one union only, and allow ${listAnd(free)} together`
  return part && `rules share a field, and only one of them requires one of ${part.fields.join(", ")}`
}

function plainUnion(fields: readonly string[], required: boolean, zero: readonly string[], factsOf: FactsOf): UnionDef {
  const members = fields.map(
    (fieldName): UnionMember => ({
      fieldName,
      ...(zero.includes(fieldName) && { zeroIsUnset: true }),
      ...(factsOf(fieldName).emptyIsSet && { emptyIsSet: true }),
    }),
  )
  return { fields: members, ...(required && { cardinality: "exactlyOne" }) }
}

/**
 * Returns the number of its fields that the rule allows, or the reason why it states more than a number. Undefined if it excludes no field
 * from being set with the others, but requires some along with others, so that it does not resemble a union.
 */
function countedBy(rule: Rule, factsOf: FactsOf): Counted | string | undefined {
  const { fields, condition } = rule
  const plain = countForm(condition)
  if (plain !== undefined && fields.length > 1) return { rule, fields, ...plain }
  const allowed = allowedSets([rule], fields, emptyTextsIn([rule], fields, factsOf), new Map())
  if (typeof allowed === "string") return allowed
  if (fields.length < 2) return `${fields.join()} alone excludes nothing`
  const all = Array.from({ length: 2 ** fields.length }, (_, bits) => bits)
  const several = [...allowed].find(bits => bits !== 0 && !isOne(bits))
  const refusedAlone = all.find(bits => isOne(bits) && !allowed.has(bits))
  const min = allowed.has(0) ? 0 : 1
  if (several === undefined && refusedAlone === undefined) return { rule, fields, min, max: 1 }
  if (several === undefined) return `it refuses ${namesOf(fields, refusedAlone as number).join()} alone`
  if (min === 1 && allowed.size === all.length - 1) return { rule, fields, min, max: undefined }
  if (allowed.has(all.length - 1)) return undefined
  return `it allows ${listAnd(namesOf(fields, several))} together`
}

/** Reads the common form of rules about many fields, which compares the number of set fields with 1. Undefined for any other form. */
function countForm(condition: Condition): Pick<Counted, "min" | "max"> | undefined {
  if (condition.kind === "or") return areFields(condition.parts) ? { min: 1, max: undefined } : undefined
  if (condition.kind !== "compare") return undefined
  const { operator, left, right } = condition
  if (right.kind !== "literal" || right.value !== 1 || (left.kind !== "count" && left.kind !== "sum")) return undefined
  const parts = left.kind === "count" ? left.parts : left.parts.map(countedPart)
  if (!areFields(parts)) return undefined
  if (operator === "==") return { min: 1, max: 1 }
  if (operator === "<=") return { min: 0, max: 1 }
  return operator === ">=" ? { min: 1, max: undefined } : undefined
}

/** Returns the `x` of `x ? 1 : 0`. */
function countedPart(part: Condition): Condition {
  if (part.kind !== "if") return part
  const { test, yes, no } = part
  return yes.kind === "literal" && yes.value === 1 && no.kind === "literal" && no.value === 0 ? test : part
}

/** Whether all parts are fields, without repetitions. */
function areFields(parts: readonly Condition[]): boolean {
  const fields = parts.flatMap(part => (part.kind === "has" ? [part.field] : []))
  return fields.length === parts.length && new Set(fields).size === fields.length
}

/** Returns the unions without those that share fields with another one: the one with the most members stays, or the first. */
function separate(
  found: readonly RecognizedUnion[],
  declared: readonly UnionDef[],
  refuse: (refused: RefusedRules) => void,
): readonly RecognizedUnion[] {
  const taken = new Set(declared.flatMap(fieldsOf))
  const kept: RecognizedUnion[] = []
  const size = ({ union }: RecognizedUnion) => union.fields?.length ?? 0
  for (const { union, rules } of found.toSorted((a, b) => size(b) - size(a))) {
    const fields = fieldsOf(union)
    const shared = fields.find(field => taken.has(field))
    const other = kept.find(one => fieldsOf(one.union).some(field => fields.includes(field)))
    if (shared !== undefined) refuse({ rules, reason: `x-kubernetes-unions already declares ${shared}` })
    else if (other !== undefined) {
      const both = fields.filter(field => fieldsOf(other.union).includes(field)).join(", ")
      refuse({ rules, reason: `${both} is already in the union of ${other.rules[0]?.at ?? ""}` })
    } else kept.push({ union, rules })
  }
  return kept
}
