// Rules for every item, key or value of a list or map, or for one item.
import { compareStrings } from "../../value/compare.js"
import { own } from "../../value/object.js"
import { quoteGo } from "../../value/quote.js"
import type { ListValue, MapValue, Side } from "../../value/value.js"
import { type Check, type CompiledChecks, checkOf, mapSteps, type Step, stepsOf } from "./checks.js"
import { GoType } from "./go-type.js"
import { equalGo, fieldValue, goValue } from "./go-value.js"
import { finder, identityOf, plain } from "./identity.js"
import { itemStruct } from "./list-rules.js"
import { fieldNamed, type RuleCompiler, RulePlace, ruleError, type Scope, type Selector } from "./place.js"
import type { StabilityLevel } from "./report.js"
import type { Rule } from "./rules.js"
import { needs } from "./value-rules.js"

/** `eachVal`: rules for each item or value. */
export function eachVal(compiler: RuleCompiler, place: RulePlace, rule: Rule, level?: StabilityLevel): CompiledChecks {
  needs(place, rule, ["slice", "map"])
  const inner = insideOf(compiler, place, rule, place.type.kind === "map" ? "map values" : "list values", level)
  const { now, later } = inner
  const steps = { ...stepsOf(), opaqueValues: inner.opaque }
  const each = (made: CompiledChecks): CompiledChecks => mapSteps(made, step => eachStep(compiler, place, step))
  if (now.length > 0) steps.later.push({ of: "this", make: () => each(stepsOf(...now)) })
  if (later.length > 0) {
    steps.later.push({
      of: "this",
      make: () => {
        const made = later.map(({ make }) => make())
        return each({ ...stepsOf(...made.flatMap(m => m.now)), later: made.flatMap(m => m.later) })
      },
    })
  }
  return steps
}

/** `eachKey`: rules for each key of a map. */
export function eachKey(compiler: RuleCompiler, place: RulePlace, rule: Rule, level?: StabilityLevel): CompiledChecks {
  needs(place, rule, ["map"])
  const inner = insideOf(compiler, place, rule, "map keys", level)
  return { ...mapSteps({ ...inner, opaque: false }, eachKeyStep), opaqueKeys: inner.opaque }
}

function insideOf(
  compiler: RuleCompiler,
  place: RulePlace,
  rule: Rule,
  scope: Scope,
  level?: StabilityLevel,
): CompiledChecks {
  const { payload } = rule
  if (payload === undefined) throw ruleError(place, rule, "needs a rule after =")
  const keys = scope === "map keys"
  const type = (keys ? place.type.key : place.type.element) as GoType
  const label = `${place.label}[(${keys ? "keys" : "vals"})]`
  const steps = compiler.compile(new RulePlace({ scope, type, label, parent: place }), [payload], level)
  if (steps.now.length === 0 && steps.later.length === 0 && !steps.opaque && !steps.opaqueKeys && !steps.opaqueValues) {
    throw ruleError(place, rule, `there is nothing to check in +k8s:${payload.tag}`)
  }
  return steps
}

/** Returns a step that runs for each item of a list or each value of a map, except for those that did not change. */
export function eachStep(compiler: RuleCompiler, place: RulePlace, step: Step): Step {
  return {
    ...outside(step),
    check: place.type.kind === "map" ? eachValue(place, step) : eachItem(compiler, place, step),
  }
}

/** The flags that a wrapping step inherits from the inner one. Nil passes, since it has no items or keys. */
function outside({ stops, quiet }: Step): Omit<Step, "check"> {
  return { ...(stops && { stops }), ...(quiet && { quiet }), atNil: "passes" }
}

function eachItem(compiler: RuleCompiler, place: RulePlace, step: Step): Check {
  const check = checkOf(step)
  const element = place.type.element as GoType
  const facts = compiler.listFacts(place)
  const correlated = facts?.semantic === "map" || facts?.semantic === "set"
  const identity = correlated ? identityOf(facts, element) : null
  // In a set, an old item that was found is equal to the new one.
  const changed = (item: Side, old: Side) => facts?.semantic === "map" && !equalGo(element, item, old)
  return (run, next, old) => {
    let passed = true
    const list = (next ?? []) as ListValue
    const find = run.update && identity !== null ? finder(old as ListValue | undefined, element, identity) : null
    for (let i = 0; i < list.length; i++) {
      const item = goValue(element, list[i])
      if (item === undefined && element.pointer) continue
      const oldItem = find?.(item)
      if (oldItem !== undefined && !changed(item, oldItem)) continue
      run.enter(i)
      if (!check(run, item, oldItem)) passed = false
      run.leave()
    }
    return passed
  }
}

function eachValue(place: RulePlace, step: Step): Check {
  const check = checkOf(step)
  const element = place.type.element as GoType
  return (run, next, old) => {
    let passed = true
    const map = (next ?? {}) as MapValue
    for (const key in map) {
      const value = goValue(element, map[key])
      const raw = old === undefined ? undefined : own(old as MapValue, key)
      const oldValue = raw === undefined ? undefined : goValue(element, raw)
      if (raw !== undefined && equalGo(element, value, oldValue)) continue
      run.enter(`[${key}]`)
      if (!check(run, value, oldValue)) passed = false
      run.leave()
    }
    return passed
  }
}

/** Returns a step that runs for each key of a map that the old map does not have. Errors are reported for the map. */
export function eachKeyStep(step: Step): Step {
  const check = checkOf(step)
  return {
    ...outside(step),
    check: (run, next, old) => {
      let passed = true
      for (const key in (next ?? {}) as MapValue) {
        if ((old === undefined || own(old as MapValue, key) === undefined) && !check(run, key, undefined))
          passed = false
      }
      return passed
    },
  }
}

/** Forbids nil items in a list of pointers. */
export const noNils: Step = {
  stops: true,
  atNil: "passes",
  check: (run, next) => {
    const before = run.errors.length
    const list = (next ?? []) as ListValue
    for (let i = 0; i < list.length; i++) if (list[i] === null) run.fail("FieldValueRequired", "", "", "", i)
    return run.errors.length === before
  },
}

/** `item`: a rule for the one item with the given keys. */
export function item(compiler: RuleCompiler, place: RulePlace, rule: Rule, level?: StabilityLevel): CompiledChecks {
  needs(place, rule, ["slice"])
  const element = new GoType({ ...itemStruct(place, rule), pointer: false })
  const selector: Selector = Object.entries(rule.args ?? {})
  if (rule.payload === undefined) throw ruleError(place, rule, "needs a rule after =")
  if (selector.length === 0) throw ruleError(place, rule, "needs the keys of the item")
  const text = `{${selector.map(([key, value]) => `${quoteGo(key)}: ${typeof value === "string" ? quoteGo(value) : value}`).join(", ")}}`
  const inside = new RulePlace({
    scope: "list values",
    type: element,
    label: `${place.label}[${text}]`,
    parent: place,
    selector,
  })
  const inner = compiler.compile(inside, [rule.payload], level)
  const wrap = (step: Step): Step => ({
    ...outside(step),
    cohort: text,
    check: itemCheck(compiler, place, rule, element, selector, step),
  })
  const steps = { ...inner, now: [], later: [] as CompiledChecks["later"] }
  if (inner.now.length > 0) steps.later.push({ of: "this", make: () => stepsOf(...inner.now.map(wrap)) })
  // A step for the item's parent belongs to the list, which is the current place.
  for (const { of, make } of inner.later) {
    steps.later.push({
      of: "this",
      make: () => mapSteps(make(), (step, scope) => (scope === "parent" ? step : wrap(step)), of),
    })
  }
  return steps
}

function itemCheck(
  compiler: RuleCompiler,
  place: RulePlace,
  rule: Rule,
  element: GoType,
  selector: Selector,
  step: Step,
): Check {
  const keys = compiler.listFacts(place)?.keys ?? []
  const names = keys.map(({ json }) => json).sort(compareStrings)
  if (
    names.length === 0 ||
    names.join() !==
      selector
        .map(([key]) => key)
        .sort(compareStrings)
        .join()
  ) {
    throw ruleError(place, rule, "needs a list of type map, and all of its keys")
  }
  const matches = matcher(place, rule, element, selector)
  const check = checkOf(step)
  const find = (list: Side) =>
    ((list ?? []) as ListValue).findIndex(raw => raw !== null && matches(goValue(element, raw)))
  return (run, next, old) => {
    const at = find(next)
    if (at < 0) return true
    const found = goValue(element, (next as ListValue)[at])
    const oldAt = find(old)
    const oldFound = oldAt < 0 ? undefined : goValue(element, (old as ListValue)[oldAt])
    if (oldFound !== undefined && equalGo(element, found, oldFound)) return true
    run.enter(at)
    const passed = check(run, found, oldFound)
    run.leave()
    return passed
  }
}

/** Returns a function that tells whether an item has the selected keys. */
export function matcher(place: RulePlace, rule: Rule, element: GoType, selector: Selector): (item: Side) => boolean {
  const wanted = selector.map(([name, value]) => ({ field: fieldNamed(place, rule, element, name), value }))
  return item => wanted.every(({ field, value }) => plain(fieldValue(field, item)) === plain(value))
}
