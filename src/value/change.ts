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
  const root = new Place()
  for (const { steps } of changes) root.at(steps).isChanged = true
  return changes.filter(({ steps }) => root.take(steps))
}

/** A place of a value, with the places below it. */
class Place {
  isChanged = false
  private isTaken = false
  private below: Map<string | number, Place> | undefined

  /** The place at these steps, which is made if it is not there. */
  at(steps: Steps): Place {
    let place: Place = this
    for (const step of steps) {
      place.below ??= new Map()
      const next = place.below.get(step) ?? new Place()
      place.below.set(step, next)
      place = next
    }
    return place
  }

  /** Whether the place at these steps is taken for the first time, and no place above it is changed. */
  take(steps: Steps): boolean {
    let place: Place = this
    for (const step of steps) {
      if (place.isChanged) return false
      place = place.below?.get(step) as Place
    }
    if (place.isTaken) return false
    place.isTaken = true
    return true
  }
}
