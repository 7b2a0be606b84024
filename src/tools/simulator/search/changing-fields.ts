// Finds the fields that keep changing while controllers are played, and whether their writes repeat.

import { comparePaths, type Path } from "../../../fieldpath/path.js"
import { FieldSet } from "../../../fieldpath/set.js"
import { writeJson } from "../../../json/json.js"
import { compareStrings } from "../../../value/compare.js"
import { groupBy } from "../../../value/groups.js"
import type { MapValue, Value } from "../../../value/value.js"
import { objectType } from "../../ownership/fields.js"
import type { ObjectName } from "../../ownership/object-name.js"
import { ownersAt, readShares } from "../../ownership/owners.js"
import { type Place, pathsOf, placeOf } from "../../ownership/place.js"
import { typedValueAt } from "../../ownership/typed-lookup.js"
import type { Step } from "../simulation/step.js"
import type { Course } from "./rounds.js"

/** A field that kept changing without a cycle for as long as the controllers were played. */
export interface Unsettled extends Place {
  /** The object that contains the field. */
  readonly target: ObjectName
  /** The managers that change the field, sorted. */
  readonly managers: readonly string[]
}

/** A field that keeps changing. */
export interface ChangingField {
  readonly key: string
  readonly target: ObjectName
  readonly path: Path
  /** The writes that change the field, for each round. */
  readonly writes: readonly (readonly FieldWrite[])[]
  /** The length of the cycle in rounds; undefined if the writes do not repeat. */
  readonly period: number | undefined
}

interface FieldWrite {
  readonly manager: string
  readonly value: Value | undefined
  /** The manager, value and owners as one text. */
  readonly text: string
}

/** Returns the fields that change in the rounds that repeat, or in the second half of all rounds if no state came back. */
export function changingFields({ settled, rounds, cycle }: Course): ChangingField[] {
  if (settled) return []
  const last = rounds.slice(cycle ?? Math.floor(rounds.length / 2))
  const byKey = last.map(steps => groupBy(steps, ({ key }) => key))
  const paths = new Map<string, { target: ObjectName; fields: FieldSet }>()
  for (const step of last.flat()) {
    if (step.key === undefined || step.target === undefined || step.before === step.after) continue
    const known = paths.get(step.key)?.fields ?? FieldSet.empty
    paths.set(step.key, { target: step.target, fields: known.union(step.touched()) })
  }
  return [...paths]
    .sort(([a], [b]) => compareStrings(a, b))
    .flatMap(([key, { target, fields }]) =>
      pathsOf(fields.leaves())
        .sort(comparePaths)
        .map(path => {
          const writes = last.map((_, round) => (byKey[round]?.get(key) ?? []).flatMap(step => fieldWrites(step, path)))
          return { key, target, path, writes, period: periodOf(writes, cycle !== undefined) }
        })
        .filter(({ writes }) => writes.some(ofRound => ofRound.length > 0)),
    )
}

/** Returns the step as a write of the field; an empty list if the step does not change the field. */
function fieldWrites(step: Step, path: Path): FieldWrite[] {
  if (step.before === step.after) return []
  const [before, after] = [step.before, step.after].map(object => fieldOf(step, object, path))
  if (before === undefined || after === undefined || before.text === after.text) return []
  return [{ manager: step.manager, value: after.value, text: `${step.manager} ${after.text}` }]
}

function fieldOf(step: Step, object: MapValue | undefined, path: Path): { value: Value | undefined; text: string } {
  if (object === undefined) return { value: undefined, text: "" }
  const type = objectType(step.types, object)
  const value = type === undefined ? undefined : typedValueAt(type, object, path)
  const owners = ownersAt(readShares(object), path).map(({ time: _, ...owner }) => owner as unknown as MapValue)
  return { value, text: `${value === undefined ? "" : writeJson(value)} ${writeJson(owners)}` }
}

/**
 * Returns the number of rounds after which the writes repeat, or undefined if they do not. If the rounds are not known to be a whole cycle,
 * they must contain at least two periods.
 */
function periodOf(writes: ChangingField["writes"], isCycle: boolean): number | undefined {
  const texts = writes.map(ofRound => ofRound.map(({ text }) => text).join("\n"))
  for (let period = 1; period <= texts.length; period++) {
    const isWhole = isCycle ? texts.length % period === 0 : period * 2 <= texts.length
    if (isWhole && texts.every((text, i) => i < period || text === texts[i - period])) return period
  }
  return undefined
}

export function fieldSummary({ target, path, writes }: ChangingField): Unsettled {
  const managers = new Set(writes.flat().map(({ manager }) => manager))
  return { target, ...placeOf(path), managers: [...managers].sort(compareStrings) }
}

/** One cycle of a field's writes, as a Fight reports it. */
interface Cycle {
  readonly period: number
  readonly writesPerRound: number
  readonly values: readonly Value[]
}

export function cycleSummary({ writes, period = 1 }: ChangingField): Cycle {
  const once = writes.slice(0, period).flat()
  const values = new Map<string, Value>()
  for (const { value } of once) if (value !== undefined) values.set(writeJson(value), value)
  return { period, writesPerRound: once.length / period, values: [...values.values()] }
}
