// Rules about one value: its presence, length, size and form.
import { byteLength, countCharacters } from "../../value/bytes.js"
import { compareNumbers, compareStrings } from "../../value/compare.js"
import { sizeOf } from "../../value/object.js"
import { quoteGo } from "../../value/quote.js"
import type { ListValue, MapValue, Side, Value } from "../../value/value.js"
import { type Check, type CompiledChecks, type Step, stepsOf } from "./checks.js"
import { bytesOfBase64, formats, originOf } from "./formats.js"
import { type GoType, isNilable, isPlainStruct } from "./go-type.js"
import { goJson, isUnset } from "./go-value.js"
import type { Run } from "./report.js"
import { type RuleUse, requireKind, ruleError } from "./rule-use.js"
import type { RuleConstant } from "./rules.js"

export function required(use: RuleUse): CompiledChecks {
  return stepsOf(requiredStep(use))
}

function requiredStep(use: RuleUse): Step {
  const type = settable(use)
  const check: Check = (run, next) => !isUnset(type, next) || run.fail("FieldValueRequired", "")
  return { check, stops: true, onlyNil: type.pointer }
}

/** `optional`: an absent field needs no other checks. A field with a default must be present. */
export function optional(use: RuleUse): CompiledChecks {
  const type = settable(use)
  const value = use.place.field?.source.default
  if (value === undefined) return stepsOf(presentStep(type))
  const zero = !isNilable(type) && isUnset(type, value as Value)
  return zero ? stepsOf() : stepsOf(requiredStep(use))
}

/** Stops the other checks if the value is absent. */
function presentStep(type: GoType): Step {
  return {
    check: (_run, next) => !isUnset(type, next),
    stops: true,
    quiet: true,
    atNil: "stops",
    onlyNil: type.pointer,
  }
}

export function forbidden(use: RuleUse): CompiledChecks {
  const type = settable(use)
  return stepsOf({ check: forbiddenCheck(type), stops: true, atNil: "passes" }, presentStep(type))
}

export function forbiddenCheck(type: GoType): Check {
  return (run, next) => isUnset(type, next) || run.fail("FieldValueForbidden", "")
}

function settable(use: RuleUse): GoType {
  const { type, scope } = use.place
  if (scope !== "struct fields") throw ruleError(use, "can only be used on struct fields")
  if (isPlainStruct(type)) {
    throw ruleError(use, `can only be used on fields that may be unset, not on ${type.text}`)
  }
  return type
}

export function immutable(use: RuleUse): CompiledChecks {
  if (use.place.scope === "map keys") throw ruleError(use, "can't be used on map keys")
  const check: Check = run => !run.update || run.fail("FieldValueInvalid", null, "field is immutable", "immutable")
  return stepsOf({ check, stops: true })
}

export function monotonic(use: RuleUse): CompiledChecks {
  requireKind(use, ["integer"])
  return stepsOf({
    atNil: "passes",
    check: (run, next, old) => {
      if (
        !run.update ||
        next === undefined ||
        old === undefined ||
        compareNumbers(next as number, old as number) >= 0
      ) {
        return true
      }
      return run.fail("FieldValueInvalid", next, `may not be decreased from ${String(old)}`, "monotonic")
    },
  })
}

/** A limit: the kinds of values it is for, how they are measured, and the error for a value out of bounds. */
interface Limit {
  readonly kinds: readonly GoType["kind"][]
  readonly measure: (value: Side) => number | bigint | undefined
  readonly most: boolean
  /** Whether a value out of bounds skips the other checks. */
  readonly stops?: boolean
  /** A faster check that may prove a value to be within the limit without measuring it. */
  readonly within?: (value: Side, limit: number | bigint) => boolean
  readonly fail: (run: Run, limit: number | bigint, value: Value, measured: number | bigint) => false
}

const omitted = "<value omitted>"
const counted = (limit: number | bigint, unit: string): string => `${limit} ${unit}${limit === 1 ? "" : "s"}`
const itemsIn = (value: Side): number => {
  return value === undefined ? 0 : typeof value === "string" ? bytesOfBase64(value) : (value as ListValue).length
}
const keysIn = (value: Side): number => (value === undefined ? 0 : sizeOf(value as MapValue))

const limits: ReadonlyMap<string, Limit> = new Map<string, Limit>([
  [
    "maxLength",
    {
      kinds: ["string"],
      measure: charactersIn,
      most: true,
      within: (value, limit) => value === undefined || (value as string).length <= limit,
      fail: (run, limit) =>
        run.fail("FieldValueTooLong", omitted, `may not be more than ${counted(limit, "character")}`, "maxLength"),
    },
  ],
  [
    "maxBytes",
    {
      kinds: ["string"],
      measure: value => (value === undefined ? undefined : byteLength(value as string)),
      most: true,
      fail: (run, limit) =>
        run.fail("FieldValueTooLong", omitted, `may not be more than ${counted(limit, "byte")}`, "maxBytes"),
    },
  ],
  [
    "minLength",
    {
      kinds: ["string"],
      measure: charactersIn,
      most: false,
      fail: (run, limit, value) =>
        run.fail("FieldValueTooShort", value, `must be at least ${counted(limit, "character")}`, "minLength"),
    },
  ],
  ["maxItems", { kinds: ["slice", "bytes"], measure: itemsIn, most: true, stops: true, fail: tooMany("maxItems") }],
  ["minItems", { kinds: ["slice", "bytes"], measure: itemsIn, most: false, fail: tooFew("minItems") }],
  ["maxProperties", { kinds: ["map"], measure: keysIn, most: true, stops: true, fail: tooMany("maxProperties") }],
  ["minProperties", { kinds: ["map"], measure: keysIn, most: false, fail: tooFew("minProperties") }],
  ["maximum", { kinds: ["integer"], measure: numberOf, most: true, fail: outOfBounds("maximum", "less") }],
  ["minimum", { kinds: ["integer"], measure: numberOf, most: false, fail: outOfBounds("minimum", "greater") }],
])

function numberOf(value: Side): number | bigint | undefined {
  return value as number | bigint | undefined
}

function charactersIn(value: Side): number | undefined {
  return value === undefined ? undefined : countCharacters(value as string)
}

function tooMany(origin: string): Limit["fail"] {
  return (run, limit, _value, measured) =>
    run.fail("FieldValueTooMany", measured, `must have at most ${counted(limit, "item")}`, origin)
}

function tooFew(origin: string): Limit["fail"] {
  return (run, limit, _value, measured) =>
    run.fail("FieldValueTooFew", measured, `must have at least ${counted(limit, "item")}`, origin)
}

function outOfBounds(origin: string, than: string): Limit["fail"] {
  return (run, limit, value) =>
    run.fail("FieldValueInvalid", value, `must be ${than} than or equal to ${limit}`, origin)
}

/** The names of the rules that `limit` compiles. */
export const limitTags: readonly string[] = [...limits.keys()]

export function limit(use: RuleUse): CompiledChecks {
  const { kinds, measure, most, stops = false, within, fail } = limits.get(use.rule.tag) as Limit
  requireKind(use, kinds)
  const bound = integerOf(use)
  // Upstream makes no check for this rule, so other rules can't depend on one.
  if (use.rule.tag === "minLength" && bound <= 0) return stepsOf()
  if (kinds[0] !== "integer" && bound < 0) throw ruleError(use, "must be greater than or equal to zero")
  return stepsOf({
    stops,
    ...((most || measure(undefined) === undefined) && { atNil: "passes" }),
    check: (run, next) => {
      if (within?.(next, bound)) return true
      const measured = measure(next)
      if (
        measured === undefined ||
        (most ? compareNumbers(measured, bound) <= 0 : compareNumbers(measured, bound) >= 0)
      ) {
        return true
      }
      return fail(run, bound, next as Value, measured)
    },
  })
}

function integerOf(use: RuleUse): number | bigint {
  const { type } = use.place
  const { value } = use.rule
  if (typeof value !== "bigint" && !Number.isSafeInteger(value)) throw ruleError(use, "needs an integer")
  const [least, most] = type.bounds ?? [value as number, value as number]
  if ((value as number) < least || (value as number) > most) {
    throw ruleError(use, `${value} does not fit into ${type.text}`)
  }
  return value as number | bigint
}

export function neq(use: RuleUse): CompiledChecks {
  requireKind(use, ["string", "bool", "integer"])
  const { value } = use.rule
  const { kind } = use.place.type
  const wanted = kind === "integer" ? "number" : kind === "bool" ? "boolean" : "string"
  if (value === undefined || typeof (typeof value === "bigint" ? 0 : value) !== wanted) {
    throw ruleError(use, `needs a ${wanted}`)
  }
  const detail = `must not be equal to ${typeof value === "string" ? quoteGo(value) : String(value)}`
  return stepsOf({
    atNil: "passes",
    check: (run, next) => next !== value || run.fail("FieldValueInvalid", next as Value, detail, "neq"),
  })
}

export function format(use: RuleUse): CompiledChecks {
  requireKind(use, ["string"])
  const name = String(use.rule.value)
  const problemsOf = formats.get(name)
  if (problemsOf === undefined) throw ruleError(use, `unknown format "${name}"`)
  const origin = originOf(name)
  return stepsOf({
    atNil: "passes",
    check: (run, next) => {
      if (next === undefined) return true
      const problems = problemsOf(next as string)
      if (problems.length === 0) return true
      for (const { message, part, tooLong } of problems) {
        if (tooLong) run.fail("FieldValueTooLong", omitted, message, origin)
        else run.fail("FieldValueInvalid", part ?? next, message, origin)
      }
      return false
    },
  })
}

/** A condition that removes a value from an enum: an option is on, or off. */
interface Exclusion {
  readonly value: string
  readonly option: string
  readonly when: boolean
}

export function enumeration(use: RuleUse): CompiledChecks {
  if (use.place.scope !== "type definitions") throw ruleError(use, "can only be used on type definitions")
  requireKind(use, ["string"])
  const constants = use.place.constants.filter(({ rules = [] }) => !rules.some(({ tag }) => tag === "enumExclude"))
  const firsts = new Map<string, RuleConstant>()
  for (const constant of constants) if (!firsts.has(constant.value)) firsts.set(constant.value, constant)
  const values = [...firsts.keys()].sort(compareStrings)
  const exclusions = [...firsts.values()].sort((a, b) => compareStrings(a.name, b.name)).flatMap(exclusionsOf)
  return stepsOf({ check: enumCheck(values, exclusions), atNil: "passes" })
}

function exclusionsOf({ value, rules = [] }: RuleConstant): Exclusion[] {
  return rules
    .filter(({ tag, payload }) => (tag === "ifEnabled" || tag === "ifDisabled") && payload?.tag === "enumExclude")
    .map(({ tag, arg }) => ({ value, option: String(arg), when: tag === "ifEnabled" }))
    .sort((a, b) => Number(a.when) - Number(b.when) || compareStrings(a.option, b.option))
}

function enumCheck(values: readonly string[], exclusions: readonly Exclusion[]): Check {
  const known = new Set<Side>(values)
  // Looks up the options of the exclusions in order, up to the first exclusion that applies. Upstream's errors depend on that order.
  const excluded = (run: Run, value: Side): boolean | Exclusion => {
    for (const exclusion of exclusions) {
      const on = run.option(exclusion.option)
      if (on === undefined) return exclusion
      if (exclusion.value === value && on === exclusion.when) return true
    }
    return false
  }
  return (run, next) => {
    if (next === undefined) return true
    const out = excluded(run, next)
    if (typeof out === "object") return run.failOption(out.option)
    if (known.has(next) && !out) return true
    const supported: string[] = []
    for (const value of values) {
      const other = excluded(run, value)
      if (typeof other === "object") return run.failOption(other.option)
      if (!other) supported.push(value)
    }
    const detail = supported.length > 0 ? `supported values: ${supported.map(quoteGo).join(", ")}` : ""
    return run.fail("FieldValueNotSupported", next, detail)
  }
}

/** `validateTrue` never fails; `validateFalse` always does. Upstream's own tests use both. */
export function fixed({ place, rule }: RuleUse): CompiledChecks {
  const { tag, args = {}, value = "" } = rule
  const flags = String(args.flags ?? "")
  const check: Check = (run, next) =>
    tag !== "validateFalse" ||
    run.fail("FieldValueInvalid", goJson(place.type, next), `forced failure: ${value}`, "validateFalse")
  const cohort = String(args.cohort ?? "")
  return stepsOf({ check, stops: flags.includes("ShortCircuit"), quiet: flags.includes("NonError"), cohort })
}
