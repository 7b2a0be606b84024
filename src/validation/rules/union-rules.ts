// Rules about several fields of a struct or several items of a list: unions, dependencies, modes.

import { compareStrings } from "../../value/compare.js"
import { addToGroup } from "../../value/groups.js"
import { quoteGo } from "../../value/quote.js"
import type { ListValue, MapValue, Side } from "../../value/value.js"
import { type Check, type CompiledChecks, checkOf, type Step, stepsLater, stepsOf } from "./checks.js"
import { matcher } from "./each-rules.js"
import type { GoField, GoType } from "./go-type.js"
import { equalGo, fieldValue, goValue, isUnset } from "./go-value.js"
import type { ModeGroup, RulePlace, UnionMember, Unions } from "./place.js"
import {
  fieldNamed,
  type RuleUse,
  requireField,
  requireKind,
  requirePayload,
  requireText,
  ruleError,
} from "./rule-use.js"
import type { Rule } from "./rules.js"
import { forbiddenCheck } from "./value-rules.js"

export function unionDiscriminator(use: RuleUse): CompiledChecks {
  requireKind(use, ["string"])
  const { field, parent } = requireField(use)
  unionOf(parent.unions, use.rule).discriminator = field
  return stepsOf()
}

export function unionMember(use: RuleUse): CompiledChecks {
  return member(use, "unions")
}

export function zeroOrOneOfMember(use: RuleUse): CompiledChecks {
  return member(use, "zeroOrOneOf")
}

function member(use: RuleUse, kind: "unions" | "zeroOrOneOf"): CompiledChecks {
  const { place, rule } = use
  const { parent, field, type } = place
  if (parent === null) throw ruleError(use, "can only be used on struct fields and list items")
  if (field !== null && !type.pointer && type.kind === "struct") {
    throw ruleError(use, `can only be used on fields that may be unset, not on ${type.text}`)
  }
  if (field === null && place.selector.length === 0) throw ruleError(use, "needs the keys of an item")
  // Upstream names an item by the text after the last dot.
  const label = field?.json ?? (place.label.split(".").at(-1) as string)
  const value = String(rule.args?.memberName ?? field?.name ?? "")
  unionOf(parent[kind], rule).members.push({ label, value, field, selector: place.selector })
  return stepsLater("parent", () => unionSteps({ ...use, place: parent }, kind))
}

function unionOf(unions: Unions, rule: Rule) {
  const name = String(rule.args?.union ?? "")
  let union = unions.get(name)
  if (union === undefined) {
    union = { discriminator: null, members: [] }
    unions.set(name, union)
  }
  return union
}

/** Makes the steps for all unions of a place, when the first of their members asks for them. */
function unionSteps(use: RuleUse, kind: "unions" | "zeroOrOneOf"): CompiledChecks {
  const { place } = use
  const unions = [...place[kind]].sort(([a], [b]) => compareStrings(a, b))
  place[kind].clear()
  return stepsOf(
    ...unions.map(([, { members, discriminator }]) => {
      const set = memberChecks(use, members)
      if (discriminator !== null) return { check: discriminated(members, discriminator, set) }
      return { check: undiscriminated(members, set, counterOf(place, members, set), kind === "unions") }
    }),
  )
}

/** Returns a function for each member of a union that tells whether a value has the member. */
function memberChecks(use: RuleUse, members: readonly UnionMember[]): ((value: Side) => boolean)[] {
  const { type } = use.place
  if (type.kind === "struct") {
    return members.map(({ field }) => value => {
      return value !== undefined && !isUnset((field as GoField).type, fieldValue(field as GoField, value))
    })
  }
  const element = type.element as GoType
  // Upstream looks the items up in the order of their names, but lists their names in the order of the source.
  const sorted = [...members].sort((a, b) => compareStrings(a.label, b.label))
  return sorted.map(({ selector }) => {
    const matches = matcher(use, element, selector)
    return value => ((value ?? []) as ListValue).some(raw => raw !== null && matches(goValue(element, raw)))
  })
}

/**
 * Returns a function that counts the members in a value. It walks the keys of a struct, which has few of its many fields; that saves 8 % of
 * a Pod's validation.
 */
function counterOf(
  { type }: RulePlace,
  members: readonly UnionMember[],
  set: readonly ((value: Side) => boolean)[],
): (value: Side) => number {
  const haveKeys = members.every(({ field }) => field !== null && field.json !== "")
  if (type.kind !== "struct" || !haveKeys) return value => set.filter(has => has(value)).length
  const fields = new Map(members.map(({ field }) => [field?.json, field as GoField]))
  return value => {
    let count = 0
    for (const key in (value ?? {}) as MapValue) {
      const field = fields.get(key)
      if (field !== undefined && !isUnset(field.type, fieldValue(field, value))) count++
    }
    return count
  }
}

/** Returns the check of a union without a discriminator. It accepts an invalid union whose set of members did not change. */
function undiscriminated(
  members: readonly UnionMember[],
  set: readonly ((value: Side) => boolean)[],
  countIn: (value: Side) => number,
  one: boolean,
): Check {
  const all = members.map(({ label }) => `\`${label}\``).join(", ")
  return (run, next, old) => {
    const count = countIn(next)
    if (count === 1 || (count === 0 && !one)) return true
    if (run.update && old !== undefined && set.every(has => has(next) === has(old))) return true
    if (count === 0) return run.fail("FieldValueInvalid", "", `must specify one of: ${all}`, "union")
    const given = members.filter((_, i) => set[i]?.(next))
    const found = `{${given.map(({ label }) => label).join(", ")}}`
    if (one) return run.fail("FieldValueInvalid", found, `must specify exactly one of: ${all}`, "union")
    return run.fail("FieldValueInvalid", found, `must specify at most one of: ${all}`, "zeroOrOneOf")
  }
}

function discriminated(
  members: readonly UnionMember[],
  discriminator: GoField,
  set: readonly ((value: Side) => boolean)[],
): Check {
  const selected = (value: Side) => fieldValue(discriminator, value) ?? ""
  return (run, next, old) => {
    const chosen = selected(next)
    const changed = () => chosen !== selected(old) || set.some(has => has(next) !== has(old))
    const before = run.errors.length
    for (let i = 0; i < members.length; i++) {
      const { label, value } = members[i] as UnionMember
      const isSet = set[i]?.(next) === true
      if (isSet === (value === chosen)) continue
      if (run.errors.length === before && run.update && old !== undefined && !changed()) return true
      const must = isSet ? "may only be" : "must be"
      const detail = `${must} specified when \`${discriminator.json}\` is ${quoteGo(value)}`
      run.fail("FieldValueInvalid", "", detail, "union", `.${label}`)
    }
    return run.errors.length === before
  }
}

/** `dependentRequired` and `dependentForbidden`: if the field is set, another must or must not be set. */
export function dependent(use: RuleUse): CompiledChecks {
  const { rule } = use
  const { field, parent } = requireField(use)
  const other = fieldNamed({ ...use, place: parent }, parent.type, requireText(use, rule.arg))
  if (other === field) throw ruleError(use, "a field can't depend on itself")
  const isSet = (wanted: GoField, value: Side) => !isUnset(wanted.type, fieldValue(wanted, value))
  const must = rule.tag === "dependentRequired"
  const detail = `${must ? "must" : "may not"} be set when ${field.json} is set`
  const check: Check = (run, next, old) => {
    if (next === undefined || !isSet(field, next) || isSet(other, next) === must) return true
    if (run.update && old !== undefined && isSet(field, old) && isSet(other, old) !== must) return true
    return run.fail(must ? "FieldValueRequired" : "FieldValueForbidden", "", detail, rule.tag, `.${other.json}`)
  }
  return stepsLater("parent", () => stepsOf({ check }))
}

export function modeDiscriminator(use: RuleUse): CompiledChecks {
  requireKind(use, ["string", "bool"])
  const { field, parent } = requireField(use)
  const group = modeGroup(parent, use.rule)
  if (group.discriminator !== null) throw ruleError(use, "there is one already")
  group.discriminator = field
  return stepsOf()
}

/** `ifMode`: rules for a field in one mode. In modes without such a rule, the field must not be set. */
export function ifMode(use: RuleUse): CompiledChecks {
  const { compiler, place, rule, level } = use
  const { field, parent } = requireField(use)
  const mode = rule.args?.mode ?? rule.arg
  if (mode === undefined) throw ruleError(use, "needs a mode")
  const payload = requirePayload(use)
  const { members } = modeGroup(parent, rule)
  addToGroup(members, field, { mode: String(mode), steps: compiler.compile(place, [payload], level).now, level })
  return stepsLater("parent", () => modeSteps({ ...use, place: parent }))
}

function modeGroup(parent: RulePlace, rule: Rule): ModeGroup {
  const name = String(rule.args?.modality ?? "default")
  let group = parent.modes.get(name)
  if (group === undefined) {
    group = { discriminator: null, members: new Map() }
    parent.modes.set(name, group)
  }
  return group
}

function modeSteps(use: RuleUse): CompiledChecks {
  const { place } = use
  const groups = [...place.modes].sort(([a], [b]) => compareStrings(a, b))
  place.modes.clear()
  const steps = groups.flatMap(([name, { discriminator, members }]) => {
    if (discriminator === null) throw ruleError(use, `no field is the modeDiscriminator of "${name}"`)
    const sorted = [...members].sort(([a], [b]) => compareStrings(a.name, b.name))
    return sorted.map(([field, rules]) => ({ check: modeCheck(discriminator, field, rules), marksItself: true }))
  })
  return stepsOf(...steps)
}

type ModeRules = ModeGroup["members"] extends Map<GoField, infer R> ? R : never

function modeCheck(discriminator: GoField, field: GoField, rules: ModeRules): Check {
  const levels = new Set(rules.map(({ level }) => level))
  const level = levels.size === 1 ? [...levels][0] : undefined
  const outside = inOrder([{ check: forbiddenCheck(field.type), level }])
  const byMode = new Map<string, Step[]>()
  for (const { mode, steps, level: own } of rules) {
    const marked = own === undefined ? steps : steps.map(step => ({ ...step, level: own }))
    byMode.set(mode, [...(byMode.get(mode) ?? []), ...marked])
  }
  const checks = new Map([...byMode].map(([mode, steps]) => [mode, inOrder(steps)]))
  const modeOf = (value: Side) => fieldValue(discriminator, value)
  return (run, next, old) => {
    const [value, oldValue] = [fieldValue(field, next), fieldValue(field, old)]
    if (old !== undefined && modeOf(next) === modeOf(old) && equalGo(field.type, value, oldValue)) return true
    run.enter(`.${field.json}`)
    const passed = (checks.get(String(modeOf(next))) ?? outside)(run, value, oldValue)
    run.leave()
    return passed
  }
}

/** Runs the steps in the order of the source. Stopping takes effect only after the last step that may stop. */
function inOrder(steps: readonly Step[]): Check {
  const last = steps.findLastIndex(({ stops }) => stops)
  const checks = steps.map(checkOf)
  return (run, next, old) => {
    const start = run.errors.length
    let stopped = false
    for (let i = 0; i < checks.length; i++) {
      const before = run.errors.length
      const passed = checks[i]?.(run, next, old)
      if (!passed && steps[i]?.quiet) run.errors.length = before
      stopped ||= !passed && steps[i]?.stops === true
      if (i === last && stopped) break
    }
    return run.errors.length === start
  }
}
