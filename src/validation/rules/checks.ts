// Checks are what rules compile to: functions that look at a value and its old value. This file also says how several checks are combined.
import type { Side } from "../../value/value.js"
import type { Run, StabilityLevel } from "./report.js"

/** Checks a value in the form that `goValue` returns. Reports errors to `run` and returns true if there are none. */
export type Check = (run: Run, next: Side, old: Side) => boolean

/** A check and how it combines with others. */
export interface Step {
  readonly check: Check
  /** Whether a failure skips the other checks of the value. */
  readonly stops?: boolean
  /** Whether a failure only skips the other checks; its errors are dropped. */
  readonly quiet?: boolean
  /**
   * The result of the check for any nil value, whatever the old value was, if it reports no error there: it passes, or it stops the other
   * checks.
   */
  readonly atNil?: "passes" | "stops"
  /** Whether the check passes for every value other than nil. */
  readonly onlyNil?: boolean
  /** A check stops only checks of its own cohort. Checks of the first cohort, "", stop all others. */
  readonly cohort?: string
  /** The stability level that errors get. */
  readonly level?: StabilityLevel | undefined
  /** Whether the check marks its errors itself. */
  readonly marksItself?: boolean
}

/** The compiled rules of a value. */
export interface CompiledChecks {
  /** The steps that need no other rules. */
  readonly now: Step[]
  /** The steps that depend on other rules, in the order in which the rules were compiled. */
  readonly later: Later[]
  /** Whether the rules of the value's own type are skipped. The next two say the same of its items and keys. */
  opaque: boolean
  opaqueValues: boolean
  opaqueKeys: boolean
}

/** Steps that can be made only when all rules of a value are known. They belong to the value itself or to its parent. */
export interface Later {
  readonly of: "this" | "parent"
  readonly make: () => CompiledChecks
}

/** Returns the given steps, with nothing opaque. */
export function stepsOf(...now: Step[]): CompiledChecks {
  return { now, later: [], opaque: false, opaqueValues: false, opaqueKeys: false }
}

/** Returns steps that are all made later. */
export function stepsLater(of: Later["of"], make: () => CompiledChecks): CompiledChecks {
  return { ...stepsOf(), later: [{ of, make }] }
}

export function addSteps(steps: CompiledChecks, more: CompiledChecks): void {
  steps.now.push(...more.now)
  steps.later.push(...more.later)
  steps.opaque ||= more.opaque
  steps.opaqueValues ||= more.opaqueValues
  steps.opaqueKeys ||= more.opaqueKeys
}

/** Returns the steps with `wrap` applied to each. `of` says whether a step belongs to the value itself or to its parent. */
export function mapSteps(
  steps: CompiledChecks,
  wrap: (step: Step, of: Later["of"]) => Step,
  of: Later["of"] = "this",
): CompiledChecks {
  return {
    ...steps,
    now: steps.now.map(step => wrap(step, of)),
    later: steps.later.map(later => ({ of: later.of, make: () => mapSteps(later.make(), wrap, later.of) })),
  }
}

/** Returns all steps of a value. Makes the later ones, and passes those that belong to its parent to `toParent`. */
export function settle(steps: CompiledChecks, toParent: (step: Step) => void): Step[] {
  const settled = [...steps.now]
  let waiting = steps.later
  while (waiting.length > 0) {
    const next: Later[] = []
    for (const later of waiting) {
      const steps = later.make()
      next.push(...steps.later)
      for (const step of steps.now) later.of === "this" ? settled.push(step) : toParent(step)
    }
    waiting = next
  }
  return settled
}

/** Returns the check of a step, which marks its errors with the step's level. */
export function checkOf({ check, level }: Step): Check {
  if (level === undefined) return check
  return (run, next, old) => {
    const before = run.errors.length
    const passed = check(run, next, old)
    if (!passed) run.mark(level, before)
    return passed
  }
}

/** Steps in the order in which they run. */
export interface Sequence {
  /** Runs all steps; returns false if one of the first cohort has stopped the rest. Null if there are no steps. */
  readonly run: Check | null
  /** The result of the steps for nil, if they report no error there. */
  readonly atNil: Step["atNil"] | null
}

/** Arranges steps by cohort. Within a cohort the steps that may stop others come first. */
export function sequence(steps: readonly Step[]): Sequence {
  if (steps.length === 0) return { run: null, atNil: "passes" }
  const names = [...new Set(["", ...steps.map(({ cohort = "" }) => cohort)])]
  const cohorts = names.map(name => cohort(steps.filter(step => (step.cohort ?? "") === name)))
  const [first, ...others] = cohorts as [Check, ...Check[]]
  const run: Check = (run, next, old) => {
    if (!first(run, next, old)) return false
    for (const other of others) other(run, next, old)
    return true
  }
  return { run: others.length === 0 ? first : run, atNil: atNilOf(steps) }
}

function atNilOf(steps: readonly Step[]): Sequence["atNil"] {
  const stopping = steps.filter(step => step.stops && (step.cohort ?? "") === "")
  if (stopping.some(({ atNil }) => atNil === undefined)) return null
  if (stopping.some(({ atNil }) => atNil === "stops")) return "stops"
  return steps.every(({ atNil }) => atNil !== undefined) ? "passes" : null
}

/** Returns false if a stopping step fails; otherwise true, even if other steps fail. */
function cohort(steps: readonly Step[]): Check {
  const stopping = together(steps.filter(step => step.stops).map(quietly))
  const others = together(steps.filter(step => !step.stops).map(checkOf))
  return (run, next, old) => {
    if (stopping !== null && !stopping(run, next, old)) return false
    if (others !== null) others(run, next, old)
    return true
  }
}

/** Runs all checks one after the other, even if some fail. */
function together(checks: readonly Check[]): Check | null {
  if (checks.length === 0) return null
  return checks.reduce((first, second) => (run, next, old) => {
    const passed = first(run, next, old)
    return second(run, next, old) && passed
  })
}

function quietly(step: Step): Check {
  const check = checkOf(step)
  if (!step.quiet) return check
  return (run, next, old) => {
    const before = run.errors.length
    const passed = check(run, next, old)
    if (!passed && run.errors.length > before) run.errors.length = before
    return passed
  }
}
