// The simulator keeps values as frozen copies, so nobody can change the history. The copies share equal parts, so a history of similar
// requests takes little memory.
import { invalidValue, type ValidationError } from "../../../errors.js"
import { formatPath, pathOf } from "../../../fieldpath/path.js"
import { maxDepth, maxParts, tooDeep, tooLarge } from "../../../value/depth.js"
import { own, put } from "../../../value/object.js"
import { notJson } from "../../../value/plain.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../../value/value.js"

/**
 * Returns a frozen copy of the value. Parts that are identical in `known` are taken from there; `known` must itself be a frozen copy. Parts
 * that are deeply frozen are not copied. Anything that is not JSON, such as a function, is not copied either. Throws a StructuredMergeError
 * if the value has more than four million parts, or, with the path in its message, if the value contains itself or nests deeper than 1,000
 * levels.
 */
export function frozenCopy<T>(value: T, known?: Value): T {
  return new Copier(value as Value).copy(value as Value, known, 0) as T
}

/** Returns a copy of the record without the properties that are undefined. */
export function withoutUndefined<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T
}

/**
 * Freezes the value deeply and returns it. Only the simulator may have references to it, and every part that is frozen already must be a
 * frozen copy.
 */
export function deepFreeze<T>(value: T): T {
  if (Object.isFrozen(value)) return value // numbers, strings and null count as frozen
  Object.freeze(value)
  for (const key in value) deepFreeze(value[key])
  return value
}

/** Copies one value. */
class Copier {
  private readonly root: Value
  private parts = 0
  /** The steps to the part that is being copied. Steps below its depth are left over from other parts. */
  private readonly steps: (string | number)[] = []

  constructor(root: Value) {
    this.root = root
  }

  copy(value: Value, known: Value | undefined, depth: number): Value {
    if (typeof value !== "object" || value === null || value === known) return value
    if (++this.parts > maxParts) throw tooLarge()
    if (depth >= maxDepth) throw this.deepError()
    if (isList(value)) return this.list(value, isList(known) ? known : undefined, depth)
    return notJson(value) === null ? this.map(value, isMap(known) ? known : undefined, depth) : value
  }

  private list(list: ListValue, known: ListValue | undefined, depth: number): ListValue {
    const items: Value[] = []
    let isKnown = known?.length === list.length
    let isFrozen = Object.isFrozen(list)
    for (let i = 0; i < list.length; i++) {
      this.steps[depth] = i
      const before = known?.[i]
      const item = this.copy(list[i] as Value, before, depth + 1)
      items.push(item)
      isKnown &&= Object.is(item, before)
      isFrozen &&= Object.is(item, list[i])
    }
    if (isKnown && known !== undefined) return known
    return isFrozen ? list : Object.freeze(items)
  }

  private map(map: MapValue, known: MapValue | undefined, depth: number): MapValue {
    const out: Record<string, Value> = {}
    let isKnown = known !== undefined
    let isFrozen = Object.isFrozen(map)
    for (const key in map) {
      this.steps[depth] = key
      const before = known === undefined ? undefined : own(known, key)
      const value = map[key] as Value
      const now = this.copy(value, before, depth + 1)
      put(out, key, now)
      isKnown &&= Object.is(now, before)
      isFrozen &&= Object.is(now, value)
    }
    if (isKnown && known !== undefined && sameKeys(out, known)) return known
    return isFrozen ? map : Object.freeze(out)
  }

  /** Returns an error with the path of the first part that contains itself, or else with the beginning of the path. */
  private deepError(): ValidationError {
    const above = new Set<Value>()
    let value: Value = this.root
    for (const [depth, step] of this.steps.entries()) {
      above.add(value)
      value = (typeof step === "number" ? (value as ListValue)[step] : own(value as MapValue, step)) as Value
      if (above.has(value))
        return invalidValue(
          `${format(this.steps.slice(0, depth + 1))}: expected JSON, got a value that contains itself`,
        )
    }
    return invalidValue(`${format(this.steps.slice(0, 5))}: ${tooDeep().message.replace(", or contains itself", "")}`)
  }
}

/** Whether the maps have the same keys in the same order, so that they are written as the same text. */
function sameKeys(a: MapValue, b: MapValue): boolean {
  const [left, right] = [Object.keys(a), Object.keys(b)]
  return left.length === right.length && left.every((key, i) => key === right[i])
}

function format(steps: readonly (string | number)[]): string {
  return formatPath(pathOf(...steps))
}
