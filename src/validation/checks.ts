// What the rules are compiled to: functions that look at a value and its old value, and how several of them follow each other.
import type { Side } from "../value/value.js"
import type { Run, StabilityLevel } from "./report.js"

/** Looks at a value as `goValue` gives it. Reports what is wrong to `run`, and returns whether nothing is. */
export type Check = (run: Run, next: Side, old: Side) => boolean

/** A check and its place among others. */
export interface Step {
  readonly check: Check
  /** Whether the other checks of the value are left out where this one fails. */
  readonly stops?: boolean
  /** Whether the failure only stops, and is no error. */
  readonly quiet?: boolean
  /** Whether nil is among what fails. */
  readonly stopsAtNil?: boolean
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
  /** Runs all steps; false if one of the first cohort has stopped what follows. */
  readonly run: Check
  readonly size: number
  /** Whether nothing at all is found where there is nil. */
  readonly skipsNil: boolean
}

/** The steps cohort by cohort, those that stop others first. */
export function sequence(steps: readonly Step[]): Sequence {
  const names = [...new Set(["", ...steps.map(({ cohort = "" }) => cohort)])]
  const cohorts = names.map(name => cohort(steps.filter(step => (step.cohort ?? "") === name)))
  const [first = always, ...others] = cohorts
  const run: Check = (run, next, old) => {
    if (!first(run, next, old)) return false
    for (const other of others) other(run, next, old)
    return true
  }
  const stopping = steps.filter(step => step.stops && (step.cohort ?? "") === "")
  const skipsNil = stopping.length > 0 && stopping.every(step => step.stopsAtNil)
  return { run: others.length === 0 ? first : run, size: steps.length, skipsNil }
}

const always: Check = () => true

function cohort(steps: readonly Step[]): Check {
  const stopping = steps.filter(step => step.stops)
  const first = stopping.map(checkOf)
  const quiet = stopping.map(step => step.quiet === true)
  const others = steps.filter(step => !step.stops).map(checkOf)
  // Every field of every object comes through here: loops by index, which allocate nothing.
  return (run, next, old) => {
    let stopped = false
    for (let i = 0; i < first.length; i++) {
      const before = run.errors.length
      if ((first[i] as Check)(run, next, old)) continue
      stopped = true
      if (quiet[i] && run.errors.length > before) run.errors.length = before
    }
    if (stopped) return false
    for (let i = 0; i < others.length; i++) (others[i] as Check)(run, next, old)
    return true
  }
}
