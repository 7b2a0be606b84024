// Finds the fields of a struct that rules allow to be set together, by trying every state.
import { listOr } from "../../../value/words.js"
import { type Condition, holds, partsOf, type State, something } from "./condition.js"

/** A condition of a struct, and its place. */
export interface Rule {
  /** The path from the struct: `oneOf`, `x-kubernetes-validations/2`. */
  readonly at: string
  readonly condition: Condition
  /** The fields that it tests, without the discriminator. */
  readonly fields: readonly string[]
  /** The field that it compares with texts. */
  readonly discriminator: string | undefined
}

/** The facts that a struct states about one of its fields. */
export interface FieldFacts {
  /** The texts it may hold, if they are listed. */
  readonly values: readonly string[] | undefined
  readonly isText: boolean
  readonly nullable: boolean
  readonly alwaysThere: boolean
  /** Whether it is a text that may be "". */
  readonly mayBeEmpty: boolean
  /** Whether `[]` or `{}` counts as set in a rule, but as absent in the validation of unions. */
  readonly emptyIsSet: boolean
}

export type FactsOf = (name: string) => FieldFacts

/** The maximum number of fields in a group whose states are tried. */
const mostFields = 14

/** Sets of fields, as bits in the order of the fields. */
export type Sets = ReadonlySet<number>

/**
 * Returns the sets of these fields that may be set together, given the other fields in `base`. Returns the reason if the answer depends on
 * more than which fields are set: a text "" must count like any other text, or as absent for the fields in `zeroIsUnset`.
 */
export function allowedSets(
  rules: readonly Rule[],
  fields: readonly string[],
  zeroIsUnset: readonly string[],
  base: State,
): Sets | string {
  if (fields.length > mostFields) return `it tests more than ${mostFields} fields`
  const allowed = new Set<number>()
  for (let bits = 0; bits < 2 ** fields.length; bits++) {
    const state = new Map(base)
    const absent: string[] = []
    fields.forEach((field, i) => {
      if ((bits & (1 << i)) !== 0) state.set(field, something)
      else if (zeroIsUnset.includes(field)) absent.push(field)
    })
    const answer = allHold(rules, state)
    if (answer) allowed.add(bits)
    for (let empty = 1; empty < 2 ** absent.length; empty++) {
      const other = new Map(state)
      absent.forEach((field, i) => {
        if ((empty & (1 << i)) !== 0) other.set(field, "")
      })
      if (allHold(rules, other) !== answer) return `it distinguishes an empty ${listOr(absent)} from an absent one`
    }
  }
  return allowed
}

export function allHold(rules: readonly Rule[], state: State): boolean {
  return rules.every(({ condition }) => holds(condition, state))
}

/** Returns the fields whose text these rules compare with "". */
export function emptyTextsIn(rules: readonly Rule[], fields: readonly string[], factsOf: FactsOf): string[] {
  const compared = new Set(rules.flatMap(({ condition }) => [...comparedTexts(condition).keys()]))
  return fields.filter(field => compared.has(field) && factsOf(field).mayBeEmpty)
}

/** Returns the fields whose text a condition reads, each with the texts that it is compared with. */
export function comparedTexts(condition: Condition): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const part of partsOf(condition)) {
    if (part.kind !== "compare") continue
    const sides = [...partsOf(part.left), ...partsOf(part.right)]
    const texts = sides.flatMap(side => (side.kind === "literal" && typeof side.value === "string" ? [side.value] : []))
    for (const side of sides) {
      if (side.kind !== "text") continue
      const known = found.get(side.field) ?? new Set()
      found.set(side.field, known)
      for (const text of texts) known.add(text)
    }
  }
  return found
}

/** Returns all fields that the condition tests, in the order of the text. */
export function fieldsIn(condition: Condition): string[] {
  const parts = partsOf(condition)
  return [...new Set(parts.flatMap(part => (part.kind === "has" || part.kind === "text" ? [part.field] : [])))]
}

export function isOne(bits: number): boolean {
  return bits !== 0 && (bits & (bits - 1)) === 0
}

/** Returns the fields of a set. */
export function namesOf(fields: readonly string[], bits: number): string[] {
  return fields.filter((_, i) => (bits & (1 << i)) !== 0)
}

/** Groups the rules so that no two groups share a field. */
export function groupsOf<T extends { readonly fields: readonly string[] }>(rules: readonly T[]): T[][] {
  let groups: { fields: Set<string>; rules: T[] }[] = []
  for (const rule of rules) {
    const touching = groups.filter(group => rule.fields.some(field => group.fields.has(field)))
    const joined = {
      fields: new Set([...touching.flatMap(group => [...group.fields]), ...rule.fields]),
      rules: [...touching.flatMap(group => group.rules), rule],
    }
    groups = [...groups.filter(group => !touching.includes(group)), joined]
  }
  return groups.map(group => group.rules)
}
