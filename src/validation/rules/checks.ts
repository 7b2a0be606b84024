// What the rules are compiled to: functions that look at a value and its old value, and how several of them follow each other.
import type { Side } from "../../value/value.js"
import type { Run, StabilityLevel } from "./report.js"

/** Looks at a value as `goValue` gives it. Reports what is wrong to `run`, and returns whether nothing is. */
export type Check = (run: Run, next: Side, old: Side) => boolean

/** A check and its place among others. */
export interface Step {
  readonly check: Check
  /** Whether the other checks of the value are left out where this one fails. */
  readonly stops?: boolean
  /** Whether the failure only stops, and what it reports is no error. */
  readonly quiet?: boolean
  /** What a check does wherever there is nil, whatever was there before, if it finds nothing then: it passes, or it only stops. */
  readonly atNil?: "passes" | "stops"
  /** Whether it passes wherever there is not nil. */
  readonly onlyNil?: boolean
  /** Checks of the same cohort stop only each other. Those of the first, "", stop everything. */
  readonly cohort?: string
  /** The level of the errors. */
  readonly level?: StabilityLevel | undefined
  /** Whether the check marks its errors itself. */
  readonly marksItself?: boolean
}

/** What the rules of a value are compiled to. */
export interface Steps {
  /** The steps known at once. */
  readonly now: Step[]
  /** Those that need what other rules say, in the order they are asked for. */
  readonly later: Later[]
  /** Whether what the type itself says about its values, items or keys is left out. */
  opaque: boolean
  opaqueValues: boolean
  opaqueKeys: boolean
}

/** Steps that are made when all rules of a value are known: for the value, or for what it is a part of. */
export interface Later {
  readonly of: "this" | "parent"
  readonly make: () => Steps
}

/** Steps, and nothing opaque. */
export function stepsOf(...now: Step[]): Steps {
  return { now, later: [], opaque: false, opaqueValues: false, opaqueKeys: false }
}

/** Steps that are all made later. */
export function stepsLater(of: Later["of"], make: () => Steps): Steps {
  return { ...stepsOf(), later: [{ of, make }] }
}

/** Adds `more` to `steps`. */
export function addSteps(steps: Steps, more: Steps): void {
  steps.now.push(...more.now)
  steps.later.push(...more.later)
  steps.opaque ||= more.opaque
  steps.opaqueValues ||= more.opaqueValues
  steps.opaqueKeys ||= more.opaqueKeys
}

/** The steps with each replaced by what `wrap` makes of it, and of whose value it is. */
export function mapSteps(steps: Steps, wrap: (step: Step, of: Later["of"]) => Step, of: Later["of"] = "this"): Steps {
  return {
    ...steps,
    now: steps.now.map(step => wrap(step, of)),
    later: steps.later.map(later => ({ of: later.of, make: () => mapSteps(later.make(), wrap, later.of) })),
  }
}

/** All steps of a value: those that come later are made, and those for its parent given to `toParent`. */
export function settle(steps: Steps, toParent: (step: Step) => void): Step[] {
  const settled = [...steps.now]
  let waiting = steps.later
  while (waiting.length > 0) {
    const next: Later[] = []
    for (const later of waiting) {
      const made = later.make()
      next.push(...made.later)
      for (const step of made.now) later.of === "this" ? settled.push(step) : toParent(step)
    }
    waiting = next
  }
  return settled
}

/** The check of a step, which marks errors with its level. */
export function checkOf({ check, level }: Step): Check {
  if (level === undefined) return check
  return (run, next, old) => {
    const before = run.errors.length
    const passed = check(run, next, old)
    if (!passed) run.mark(level, before)
    return passed
  }
}

/** Steps in the order they are run in. */
export interface Sequence {
  /** Runs all steps; false if one of the first cohort has stopped what follows. Null if there are none. */
  readonly run: Check | null
  /** What the steps do wherever there is nil, if they find nothing then. */
  readonly atNil: Step["atNil"] | null
}

/** The steps cohort by cohort, those that stop others first. */
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

/** Returns false where one of the stopping steps fails; otherwise true, whatever the others find. */
function cohort(steps: readonly Step[]): Check {
  const stopping = together(steps.filter(step => step.stops).map(quietly))
  const others = together(steps.filter(step => !step.stops).map(checkOf))
  return (run, next, old) => {
    if (stopping !== null && !stopping(run, next, old)) return false
    if (others !== null) others(run, next, old)
    return true
  }
}

/** All checks one after the other, whatever they find. */
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
