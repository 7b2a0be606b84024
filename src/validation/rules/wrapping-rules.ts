// Rules that change when or how another rule applies: options, stability levels, fields of a field.
import { type CompiledChecks, checkOf, mapSteps, type Step, stepsLater, stepsOf } from "./checks.js"
import type { GoField } from "./go-type.js"
import { equalGo, fieldValue } from "./go-value.js"
import { type RuleCompiler, RulePlace } from "./place.js"
import type { StabilityLevel } from "./report.js"
import { fieldNamed, type RuleUse, requirePayload, requireText, ruleError } from "./rule-use.js"
import type { Rule } from "./rules.js"

/** `ifEnabled` and `ifDisabled`. */
export function ifOption(use: RuleUse): CompiledChecks {
  const { compiler, place, rule, level } = use
  const option = requireText(use, rule.arg)
  const wanted = rule.tag === "ifEnabled"
  return mapSteps(compiler.compile(place, [requirePayload(use)], level), step => {
    const check = checkOf(step)
    return {
      ...(step.stops && { stops: true }),
      ...(step.quiet && { quiet: true }),
      check: (run, next, old) => {
        const on = run.option(option)
        if (on === undefined) return run.failOption(option)
        return on !== wanted || check(run, next, old)
      },
    }
  })
}

/** `alpha` and `beta`. */
export function stability(use: RuleUse): CompiledChecks {
  const { compiler, place, rule } = use
  const level = rule.tag as StabilityLevel
  const steps = compiler.compile(place, [requirePayload(use)], level)
  return mapSteps(steps, step => (step.marksItself ? step : { ...step, level }))
}

/** `subfield`: a rule for a field of the struct. */
export function subfield(use: RuleUse): CompiledChecks {
  const { compiler, place, level } = use
  const payload = requirePayload(use)
  for (let inner: Rule | undefined = payload; inner !== undefined; inner = inner.payload) {
    if (inner.tag === "subfield") throw ruleError(use, "can't be used inside another one")
  }
  if (place.type.kind !== "struct") throw ruleError(use, `can only be used on structs, not on ${place.type.text}`)
  const name = requireText(use, use.rule.arg)
  const field = fieldNamed(use, place.type, name)
  const inside = placeOf(place, field)
  place.subfields.set(name, inside)
  const given = compiler.compile(inside, [payload], level)
  const wrap = (step: Step): Step => {
    const check = checkOf(step)
    return {
      ...(step.stops && { stops: true }),
      ...(step.quiet && { quiet: true }),
      cohort: name,
      atNil: "passes",
      check: (run, next, old) => {
        if (next === undefined) return true
        const [value, oldValue] = [fieldValue(field, next), fieldValue(field, old)]
        if (run.update && old !== undefined && equalGo(field.type, value, oldValue)) return true
        run.enter(`.${name}`)
        const passed = check(run, value, oldValue)
        run.leave()
        return passed
      },
    }
  }
  const later = stepsLater("this", () => {
    // Stopping checks from the field's own declaration stop these steps too, but report their errors only there.
    const inherited = compiler.isOpaque(place) ? stepsOf() : stoppingSteps(compiler, place, field)
    const all: CompiledChecks = {
      ...given,
      now: [...given.now, ...inherited.now],
      later: [...given.later, ...inherited.later],
    }
    const mapped = mapSteps(all, (step, of) => (of === "parent" ? step : wrap(step)))
    return { ...mapped, opaque: false, later: mapped.later.map(({ make }) => ({ of: "this", make })) }
  })
  // Go: if a type calls one of its fields opaque, all of them are.
  return { ...later, opaque: given.opaque && place.scope === "type definitions" }
}

/** Returns the place of a field of the struct at `place`. All rules about the field share it. */
function placeOf(place: RulePlace, field: GoField): RulePlace {
  const what = { scope: "struct fields", type: field.type, label: field.json, field, parent: place } as const
  return place.subfields.get(field.json) ?? new RulePlace(what)
}

function stoppingSteps(compiler: RuleCompiler, place: RulePlace, field: GoField): CompiledChecks {
  const { scope, type, label, path } = place
  // Go: reads the declaration again, and finds the modes of the type's own fields by their path.
  const modes = place.parent === null ? place.modes : new Map()
  const apart = placeOf(new RulePlace({ scope, type, label, path, modes }), field)
  if (compiler.inherited.has(apart.path)) return stepsOf()
  compiler.inherited.add(apart.path)
  const steps = compiler.compile(apart, field.source.rules ?? [])
  // Facts about the items from that declaration apply to the rules here too.
  placeOf(place, field).list ??= apart.list
  return onlyStopping(steps)
}

function onlyStopping(steps: CompiledChecks): CompiledChecks {
  return {
    ...steps,
    now: steps.now.filter(({ stops }) => stops).map(step => ({ ...step, quiet: true })),
    later: steps.later.map(({ of, make }) => ({ of, make: () => onlyStopping(make()) })),
  }
}
