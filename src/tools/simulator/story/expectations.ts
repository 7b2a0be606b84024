// Compares a step with the expectations of a story.

import { hasCode } from "../../../errors.js"
import type { PathElement } from "../../../fieldpath/element.js"
import { parseFieldsV1Key } from "../../../fieldpath/fieldsv1/key.js"
import { valueAt } from "../../../fieldpath/lookup.js"
import type { Path } from "../../../fieldpath/path.js"
import type { TypeFinder } from "../../../managedfields/types/object-types.js"
import type { Steps } from "../../../value/change.js"
import { compareStrings } from "../../../value/compare.js"
import { equalValues } from "../../../value/equal.js"
import { formatValue } from "../../../value/format.js"
import type { MapValue, Value } from "../../../value/value.js"
import { type Blame, blame } from "../../ownership/blame.js"
import { objectType } from "../../ownership/fields.js"
import { typedValueAt } from "../../ownership/typed-lookup.js"
import type { Snapshot } from "../simulation/snapshot.js"
import type { Step } from "../simulation/step.js"
import type { StoryExpectation } from "./story.js"

/** An expectation that was not met. */
export interface UnmetExpectation {
  /** The steps from `expect` to the expectation: `["owners", ".spec.replicas"]`. */
  readonly steps: Steps
  /** The expected value; absent if no value was expected. */
  readonly expected?: Value
  /** The actual value; absent if the object has no value. */
  readonly found?: Value
  /** The expected and the actual value as one line of text. */
  readonly message: string
}

/** Returns the expectations that the step does not meet. `now` is the state after the step. */
export function unmetExpectations(
  step: Step,
  expectation: StoryExpectation,
  now: Snapshot,
  types: TypeFinder,
): UnmetExpectation[] {
  const { outcome, error, conflicts, changes, unions, gained = {}, lost = {} } = expectation
  const unmet: UnmetExpectation[] = []
  const check = (steps: Steps, expected: Value, actual: Value): void => {
    if (!equalValues(expected, actual)) unmet.push(difference(steps, expected, actual))
  }
  if (outcome !== undefined) check(["outcome"], outcome, step.outcome)
  else if (step.refused && error === undefined && conflicts === undefined) {
    const message = `expected no refusal, got ${step.error?.message}`
    unmet.push({ steps: [], found: step.outcome, message })
  }
  if (error !== undefined && !isError(step, error)) {
    unmet.push(
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
  return [...unmet, ...unmetObjectExpectations(step, expectation, now, types)]
}

/** Returns the expectations about the object after the step that are not met. */
function unmetObjectExpectations(
  step: Step,
  expectation: StoryExpectation,
  now: Snapshot,
  types: TypeFinder,
): UnmetExpectation[] {
  const { values = {}, absent = [], owners = {} } = expectation
  if (Object.keys(values).length + absent.length + Object.keys(owners).length === 0) return []
  const object = now.get(expectation.object ?? step.target)
  if (object === undefined) return [{ steps: [], message: "expected an object, found none" }]
  const owned = blame(object, { types })
  const unmet: UnmetExpectation[] = []
  const at = (steps: Steps, path: string, check: (parsed: Path) => void): void => {
    try {
      check(pathAt(owned, path))
    } catch (error) {
      if (!hasCode(error, "parse")) throw error
      unmet.push({ steps, message: `${path} is not a path: ${error.message}` })
    }
  }
  for (const [path, expected] of Object.entries(values)) {
    at(["values", path], path, parsed => {
      const actual = actualValue(types, object, parsed)
      const same = actual !== undefined && equalValues(expected, actual)
      if (!same) unmet.push(difference(["values", path], expected, actual, path))
    })
  }
  absent.forEach((path, i) => {
    at(["absent", i], path, parsed => {
      const actual = actualValue(types, object, parsed)
      if (actual !== undefined) unmet.push(difference(["absent", i], undefined, actual, path))
    })
  })
  for (const [path, expected] of Object.entries(owners)) {
    at(["owners", path], path, parsed => {
      const actual = sorted([...new Set(owned.at(parsed).owners.map(({ manager }) => manager))])
      const wanted = sorted(typeof expected === "string" ? [expected] : expected)
      if (!equalValues(wanted, actual)) unmet.push(difference(["owners", path], wanted, actual, `owners of ${path}`))
    })
  }
  return unmet
}

function isError({ error }: Step, expected: string | number): boolean {
  return typeof expected === "number" ? error?.code === expected : error?.message.includes(expected) === true
}

function difference(
  steps: Steps,
  expected: Value | undefined,
  found: Value | undefined,
  what?: string,
): UnmetExpectation {
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

/** Parses a path. A field name that contains dots is recognized if the object has such a field. */
function pathAt(owned: Blame, text: string): Path {
  return owned.at(text).steps.map(step => parseFieldsV1Key(step) as PathElement)
}

function actualValue(types: TypeFinder, object: MapValue, path: Path): Value | undefined {
  const type = objectType(types, object)
  return type === undefined ? valueAt(object, path) : typedValueAt(type, object, path)
}
