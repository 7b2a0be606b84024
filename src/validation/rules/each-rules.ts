// Rules for every item, key or value of a list or map, or for one item.
import { compareStrings } from "../../value/compare.js"
import { own } from "../../value/object.js"
import { quoteGo } from "../../value/quote.js"
import type { ListValue, MapValue, Side } from "../../value/value.js"
import { type Check, type CompiledChecks, checkOf, mapSteps, type Step, stepsOf } from "./checks.js"
import { GoType } from "./go-type.js"
import { equalGo, fieldValue, goValue } from "./go-value.js"
import { finder, identityOf, plain } from "./identity.js"
import { type RuleCompiler, RulePlace, type Scope, type Selector } from "./place.js"
import { fieldNamed, type RuleUse, requireKind, requirePayload, requireStructItems, ruleError } from "./rule-use.js"

/** `eachVal`: rules for each item or value. */
export function eachVal(use: RuleUse): CompiledChecks {
  requireKind(use, ["slice", "map"])
  const { compiler, place } = use
  const inner = insideOf(use, place.type.kind === "map" ? "map values" : "list values")
  const { now, later } = inner
  const steps = { ...stepsOf(), opaqueValues: inner.opaque }
  const each = (checks: CompiledChecks): CompiledChecks => mapSteps(checks, step => eachStep(compiler, place, step))
  if (now.length > 0) steps.later.push({ of: "this", make: () => each(stepsOf(...now)) })
  if (later.length > 0) {
    steps.later.push({
      of: "this",
      make: () => {
        const parts = later.map(({ make }) => make())
        return each({ ...stepsOf(...parts.flatMap(part => part.now)), later: parts.flatMap(part => part.later) })
      },
    })
  }
  return steps
}

/** `eachKey`: rules for each key of a map. */
export function eachKey(use: RuleUse): CompiledChecks {
  requireKind(use, ["map"])
  const inner = insideOf(use, "map keys")
  return { ...mapSteps({ ...inner, opaque: false }, eachKeyStep), opaqueKeys: inner.opaque }
}

function insideOf(use: RuleUse, scope: Scope): CompiledChecks {
  const { compiler, place, level } = use
  const payload = requirePayload(use)
  const keys = scope === "map keys"
  const type = (keys ? place.type.key : place.type.element) as GoType
  const label = `${place.label}[(${keys ? "keys" : "vals"})]`
  const steps = compiler.compile(new RulePlace({ scope, type, label, parent: place }), [payload], level)
  if (steps.now.length === 0 && steps.later.length === 0 && !steps.opaque && !steps.opaqueKeys && !steps.opaqueValues) {
    throw ruleError(use, `there is nothing to check in +k8s:${payload.tag}`)
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
export function item(use: RuleUse): CompiledChecks {
  requireKind(use, ["slice"])
  const { compiler, place, rule, level } = use
  const element = new GoType({ ...requireStructItems(use), pointer: false })
  const selector: Selector = Object.entries(rule.args ?? {})
  const payload = requirePayload(use)
  if (selector.length === 0) throw ruleError(use, "needs the keys of the item")
  const text = `{${selector.map(([key, value]) => `${quoteGo(key)}: ${typeof value === "string" ? quoteGo(value) : value}`).join(", ")}}`
  const inside = new RulePlace({
    scope: "list values",
    type: element,
    label: `${place.label}[${text}]`,
    parent: place,
    selector,
  })
  const inner = compiler.compile(inside, [payload], level)
  const wrap = (step: Step): Step => ({
    ...outside(step),
    cohort: text,
    check: itemCheck(use, element, selector, step),
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

function itemCheck(use: RuleUse, element: GoType, selector: Selector, step: Step): Check {
  const keys = use.compiler.listFacts(use.place)?.keys ?? []
  const names = keys.map(({ json }) => json).sort(compareStrings)
  const selected = selector.map(([key]) => key).sort(compareStrings)
  if (names.length === 0 || names.join() !== selected.join()) {
    throw ruleError(use, "needs a list of type map, and all of its keys")
  }
  const matches = matcher(use, element, selector)
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
export function matcher(use: RuleUse, element: GoType, selector: Selector): (item: Side) => boolean {
  const wanted = selector.map(([name, value]) => ({ field: fieldNamed(use, element, name), value }))
  return item => wanted.every(({ field, value }) => plain(fieldValue(field, item)) === plain(value))
}
