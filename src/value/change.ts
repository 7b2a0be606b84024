// Changes to parts of a value. Steps lead to each part: they need no schema, so edits of texts and JSON patches use them.
import { groupBy } from "./groups.js"
import { copyMap, own, put } from "./object.js"
import { isList, isMap, type Value } from "./value.js"

/** The steps from a value to a part of it: keys of maps and 0-based indexes of lists. */
export type Steps = readonly (string | number)[]

/** A new value for one part of a value. */
export interface ValueChange {
  /** The steps to the part, in the value before all changes. */
  readonly steps: Steps
  /** The new value; undefined to remove the field or item. */
  readonly value: Value | undefined
}

/** Returns the part of `value` that the steps lead to, or undefined if it has no such part. */
export function valueAtSteps(value: Value | undefined, steps: Steps): Value | undefined {
  let found = value
  for (const step of steps) {
    if (isList(found)) found = typeof step === "number" ? found[step] : undefined
    else found = isMap(found) ? own(found, String(step)) : undefined
  }
  return found
}

/**
 * Returns the value with all changes made at once, or undefined if a change removes the root. Shares every part that did not change.
 * Ignores changes to parts that the value does not have, and changes below a part that has a change of its own.
 */
export function withChanges(value: Value, changes: readonly ValueChange[]): Value | undefined {
  return changed(value, changes, 0)
}

function changed(value: Value, changes: readonly ValueChange[], depth: number): Value | undefined {
  if (changes.length === 0) return value
  const here = changes.find(({ steps }) => steps.length === depth)
  if (here !== undefined) return here.value
  const byStep = groupBy(changes, ({ steps }) => String(steps[depth]))
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

/** Returns the changes without those below a part that has a change of its own. If a part has several changes, keeps the first. */
export function outermost(changes: readonly ValueChange[]): readonly ValueChange[] {
  const root = new ChangedPart()
  for (const { steps } of changes) root.at(steps).isChanged = true
  return changes.filter(({ steps }) => root.take(steps))
}

/** A part of a value that changes or leads to changes, with the parts below it. */
class ChangedPart {
  isChanged = false
  private isTaken = false
  private below: Map<string | number, ChangedPart> | undefined

  /** Returns the part at these steps, and creates it if it is missing. */
  at(steps: Steps): ChangedPart {
    let part: ChangedPart = this
    for (const step of steps) {
      part.below ??= new Map()
      const next = part.below.get(step) ?? new ChangedPart()
      part.below.set(step, next)
      part = next
    }
    return part
  }

  /** Returns true for the first change of the part at these steps, unless a part above it changes. */
  take(steps: Steps): boolean {
    let part: ChangedPart = this
    for (const step of steps) {
      if (part.isChanged) return false
      part = part.below?.get(step) as ChangedPart
    }
    if (part.isTaken) return false
    part.isTaken = true
    return true
  }
}
