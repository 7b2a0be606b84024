// One use of a rule, and the demands that rules make on their use.
import { SchemaError } from "../../errors.js"
import type { CompiledChecks } from "./checks.js"
import type { GoField, GoType } from "./go-type.js"
import type { RuleCompiler, RulePlace } from "./place.js"
import type { StabilityLevel } from "./report.js"
import type { Rule, RuleValue } from "./rules.js"

/** A rule at a place. */
export interface RuleUse {
  /** Compiles the rules inside this one. */
  readonly compiler: RuleCompiler
  readonly place: RulePlace
  readonly rule: Rule
  /** The stability level, from an `alpha` or `beta` around the rule. */
  readonly level: StabilityLevel | undefined
}

/** Compiles one kind of rule. Throws a SchemaError if it makes no sense at its place. */
export type CompileRule = (use: RuleUse) => CompiledChecks

/** The error for a rule that can't be compiled. */
export function ruleError({ place, rule }: RuleUse, problem: string): SchemaError {
  return new SchemaError(`${place.where}: +k8s:${rule.tag}: ${problem}`)
}

/** Throws a SchemaError unless the place is for values of one of the kinds, or pointers to them. */
export function requireKind(use: RuleUse, kinds: readonly GoType["kind"][]): void {
  const { type } = use.place
  if (!kinds.includes(type.kind)) throw ruleError(use, `can only be used on ${kinds.join(", ")}, not on ${type.text}`)
}

/** Returns the field that the rule is for, and the place of its struct. Throws a SchemaError if the rule is not for a field. */
export function requireField(use: RuleUse): { readonly field: GoField; readonly parent: RulePlace } {
  const { field, parent } = use.place
  if (field === null || parent === null) throw ruleError(use, "can only be used on struct fields")
  return { field, parent }
}

/** Returns the text of the rule. Throws a SchemaError if it is not a string. */
export function requireText(use: RuleUse, value: RuleValue | undefined = use.rule.value): string {
  if (typeof value !== "string") throw ruleError(use, "needs a string")
  return value
}

/** Returns the rule inside this one. Throws a SchemaError if there is none. */
export function requirePayload(use: RuleUse): Rule {
  if (use.rule.payload === undefined) throw ruleError(use, "needs a rule after =")
  return use.rule.payload
}

/** Returns the struct that the items of the list are. Throws a SchemaError if they are not structs. */
export function requireStructItems(use: RuleUse): GoType {
  const element = use.place.type.element as GoType
  if (element.kind !== "struct") throw ruleError(use, "only lists of structs have keys")
  return element
}

/** Returns the field of a struct with this name in JSON. Throws a SchemaError if the struct does not have it. */
export function fieldNamed(use: RuleUse, type: GoType, name: string): GoField {
  const field = type.fields().find(({ json }) => json === name)
  if (field === undefined) throw ruleError(use, `no field with the JSON name "${name}"`)
  return field
}
