// Whether a step came to what a story expects of it.

import { hasCode } from "../../errors.js"
import type { PathElement } from "../../fieldpath/element.js"
import { parseFieldsV1Key } from "../../fieldpath/fieldsv1/key.js"
import { valueAt } from "../../fieldpath/lookup.js"
import type { Path } from "../../fieldpath/path.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import type { Steps } from "../../value/change.js"
import { compareStrings } from "../../value/compare.js"
import { equalValues } from "../../value/equal.js"
import { formatValue } from "../../value/format.js"
import type { MapValue, Value } from "../../value/value.js"
import { type Blame, blame } from "../ownership/blame.js"
import { typeOf } from "../ownership/fields.js"
import { typedValueAt } from "../ownership/typed-lookup.js"
import type { Snapshot } from "./snapshot.js"
import type { Step } from "./step.js"
import type { StoryExpectation } from "./story.js"

/** Something that came otherwise than expected. */
export interface Unmet {
  /** Where it is expected, from the expectation on: `["owners", ".spec.replicas"]`. */
  readonly steps: Steps
  /** What was expected. Absent where that is nothing. */
  readonly expected?: Value
  /** What was found. Absent where that is nothing. */
  readonly found?: Value
  /** Both in a line for people. */
  readonly message: string
}

/** All in which the step is not what is expected. `now` is the state after it. */
export function unmet(step: Step, expectation: StoryExpectation, now: Snapshot, types: TypeFinder): Unmet[] {
  const { outcome, error, conflicts, changes, unions, gained = {}, lost = {} } = expectation
  const found: Unmet[] = []
  const check = (steps: Steps, expected: Value, actual: Value): void => {
    if (!equalValues(expected, actual)) found.push(difference(steps, expected, actual))
  }
  if (outcome !== undefined) check(["outcome"], outcome, step.outcome)
  else if (step.refused && error === undefined && conflicts === undefined) {
    const message = `expected no refusal, got ${step.error?.message}`
    found.push({ steps: [], found: step.outcome, message })
  }
  if (error !== undefined && !isError(step, error)) {
    found.push(
      difference(["error"], error, step.error === undefined ? undefined : `${step.error.code} ${step.error.message}`),
    )
  }
  if (conflicts !== undefined) {
    const actual = step.conflicts.map(({ path, owner }) => `${path} with ${owner.manager}`)
    check(["conflicts"], sorted(conflicts.map(conflict => `${conflict.field} with ${conflict.with}`)), sorted(actual))
  }
  if (changes !== undefined) check(["changes"], sorted(changes), sorted(step.changes.map(({ path }) => path)))
  if (unions !== undefined) check(["unions"], sorted(unions), sorted(step.unions.map(({ text }) => text)))
  for (const [key, expected] of Object.entries({ gained, lost } as const)) {
    for (const [manager, paths] of Object.entries(expected)) {
      const of = step.ownership.filter(({ owner }) => owner.manager === manager)
      const places = of.flatMap(change => change[key as "gained" | "lost"])
      check([key, manager], sorted(paths), sorted(places.map(({ path }) => path)))
    }
  }
  return [...found, ...unmetOfObject(step, expectation, now, types)]
}

/** What is expected of the object after the step. */
function unmetOfObject(step: Step, expectation: StoryExpectation, now: Snapshot, types: TypeFinder): Unmet[] {
  const { values = {}, absent = [], owners = {} } = expectation
  if (Object.keys(values).length + absent.length + Object.keys(owners).length === 0) return []
  const object = now.get(expectation.object ?? step.target)
  if (object === undefined) return [{ steps: [], message: "expected an object, found none" }]
  const owned = blame(object, { types })
  const found: Unmet[] = []
  const at = (steps: Steps, path: string, check: (place: Path) => void): void => {
    try {
      check(pathAt(owned, path))
    } catch (error) {
      if (!hasCode(error, "parse")) throw error
      found.push({ steps, message: `${path} is no path: ${error.message}` })
    }
  }
  for (const [path, expected] of Object.entries(values)) {
    at(["values", path], path, place => {
      const actual = foundAt(types, object, place)
      const same = actual !== undefined && equalValues(expected, actual)
      if (!same) found.push(difference(["values", path], expected, actual, path))
    })
  }
  absent.forEach((path, i) => {
    at(["absent", i], path, place => {
      const actual = foundAt(types, object, place)
      if (actual !== undefined) found.push(difference(["absent", i], undefined, actual, path))
    })
  })
  for (const [path, expected] of Object.entries(owners)) {
    at(["owners", path], path, place => {
      const actual = sorted([...new Set(owned.at(place).owners.map(({ manager }) => manager))])
      const wanted = sorted(typeof expected === "string" ? [expected] : expected)
      if (!equalValues(wanted, actual)) found.push(difference(["owners", path], wanted, actual, `owners of ${path}`))
    })
  }
  return found
}

function isError({ error }: Step, expected: string | number): boolean {
  return typeof expected === "number" ? error?.code === expected : error?.message.includes(expected) === true
}

function difference(steps: Steps, expected: Value | undefined, found: Value | undefined, what?: string): Unmet {
  const show = (value: Value | undefined) => (value === undefined ? "nothing" : formatValue(value))
  return {
    steps,
    ...(expected !== undefined && { expected }),
    ...(found !== undefined && { found }),
    message: `${what ?? steps.join(" of ")}: expected ${show(expected)}, found ${show(found)}`,
  }
}

function sorted(texts: readonly string[]): string[] {
  return [...texts].sort(compareStrings)
}

/** The path that the text stands for; a name with dots in it is known where the object has it. */
function pathAt(owned: Blame, text: string): Path {
  return owned.at(text).steps.map(step => parseFieldsV1Key(step) as PathElement)
}

function foundAt(types: TypeFinder, object: MapValue, path: Path): Value | undefined {
  const type = typeOf(types, object)
  return type === undefined ? valueAt(object, path) : typedValueAt(type, object, path)
}
