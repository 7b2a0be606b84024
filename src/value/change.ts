// Changes to a value at places given by keys and indexes, as texts and JSON patches know them.
import { copyMap, own, put } from "./object.js"
import { isList, isMap, type Value } from "./value.js"

/** The way to a place in a value: keys of maps and 0-based indexes of lists. */
export type Steps = readonly (string | number)[]

/** A new value for one place. */
export interface ValueChange {
  /** The place, in the value as it is before all changes. */
  readonly steps: Steps
  /** What comes there; undefined where the field or item goes. */
  readonly value: Value | undefined
}

/** What `value` has at this place, or undefined where the way leads nowhere. */
export function valueAtSteps(value: Value | undefined, steps: Steps): Value | undefined {
  let found = value
  for (const step of steps) {
    if (isList(found)) found = typeof step === "number" ? found[step] : undefined
    else found = isMap(found) ? own(found, String(step)) : undefined
  }
  return found
}

/**
 * The value with all changes made at once; undefined where the root goes. Shares what did not change. Changes at places that the
 * value does not have are left out, and so are those below a place that is changed itself.
 */
export function withChanges(value: Value, changes: readonly ValueChange[]): Value | undefined {
  return changed(value, changes, 0)
}

function changed(value: Value, changes: readonly ValueChange[], depth: number): Value | undefined {
  if (changes.length === 0) return value
  const here = changes.find(({ steps }) => steps.length === depth)
  if (here !== undefined) return here.value
  const byStep = new Map<string, ValueChange[]>()
  for (const change of changes) {
    const step = String(change.steps[depth])
    const known = byStep.get(step)
    if (known === undefined) byStep.set(step, [change])
    else known.push(change)
  }
  if (isList(value)) {
    return value.flatMap((item, i) => {
      const next = changed(item, byStep.get(String(i)) ?? [], depth + 1)
      return next === undefined ? [] : [next]
    })
  }
  if (!isMap(value)) return value
  const out = copyMap(value)
  for (const [key, below] of byStep) {
    const before = own(value, key)
    if (before === undefined) continue
    const next = changed(before, below, depth + 1)
    if (next === undefined) delete out[key]
    else put(out, key, next)
  }
  return out
}

/** The changes without those below a place that is changed itself; of several for one place the first. */
export function outermost(changes: readonly ValueChange[]): readonly ValueChange[] {
  return changes.filter(
    ({ steps }, i) =>
      !changes.some((other, j) => {
        if (i === j || other.steps.length > steps.length) return false
        return (other.steps.length < steps.length || j < i) && other.steps.every((step, k) => step === steps[k])
      }),
  )
}
