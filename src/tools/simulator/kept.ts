// Values as the simulator keeps them. They are frozen copies, so nobody can change what has happened. And they share the parts that are
// the same, so a history of requests that differ in little takes little memory.
import { invalidValue, type ValidationError } from "../../errors.js"
import { fieldElement, indexElement } from "../../fieldpath/element.js"
import { formatPath } from "../../fieldpath/path.js"
import { maxDepth, maxParts, tooDeep, tooLarge } from "../../value/depth.js"
import { own, put } from "../../value/object.js"
import { notJson } from "../../value/plain.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"

/**
 * A frozen copy of the value. Parts that are the same in `known`, digit for digit, are taken from there; `known` has to be a kept value.
 * Parts that are frozen all the way down are not copied. Anything that is not JSON, such as a function, stays as it is. Throws a StructuredMergeError that names the place if the value contains
 * itself, or nests deeper than 1,000 levels; and one if it has more than four million parts.
 */
export function kept<T>(value: T, known?: Value): T {
  return new Keeper(value as Value).keep(value as Value, known, 0) as T
}

/** A copy of the record in which what is undefined is absent. */
export function withoutUndefined<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T
}

/** The value, frozen all the way down. It has to be one that only the simulator knows, and its frozen parts have to be kept values. */
export function frozen<T>(value: T): T {
  if (Object.isFrozen(value)) return value // so are numbers, texts and null
  Object.freeze(value)
  for (const key in value) frozen(value[key])
  return value
}

/** Makes one copy. */
class Keeper {
  private readonly root: Value
  private parts = 0
  /** The way to the part that is being copied. Steps further down are left over from other parts. */
  private readonly way: (string | number)[] = []

  constructor(root: Value) {
    this.root = root
  }

  keep(value: Value, known: Value | undefined, depth: number): Value {
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
      this.way[depth] = i
      const before = known?.[i]
      const item = this.keep(list[i] as Value, before, depth + 1)
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
      this.way[depth] = key
      const before = known === undefined ? undefined : own(known, key)
      const value = map[key] as Value
      const now = this.keep(value, before, depth + 1)
      put(out, key, now)
      isKnown &&= Object.is(now, before)
      isFrozen &&= Object.is(now, value)
    }
    if (isKnown && known !== undefined && sameKeys(out, known)) return known
    return isFrozen ? map : Object.freeze(out)
  }

  /** An error that names the first part on the way that contains itself, or else the beginning of the way. */
  private deepError(): ValidationError {
    const above = new Set<Value>()
    let value: Value = this.root
    for (const [depth, step] of this.way.entries()) {
      above.add(value)
      value = (typeof step === "number" ? (value as ListValue)[step] : own(value as MapValue, step)) as Value
      if (above.has(value))
        return invalid(`${format(this.way.slice(0, depth + 1))}: expected JSON, got a value that contains itself`)
    }
    return invalid(`${format(this.way.slice(0, 5))}: ${tooDeep().message.replace(", or contains itself", "")}`)
  }
}

/** Whether the keys are the same and in the same order, so that both have the same text. */
function sameKeys(a: MapValue, b: MapValue): boolean {
  const [left, right] = [Object.keys(a), Object.keys(b)]
  return left.length === right.length && left.every((key, i) => key === right[i])
}

function format(steps: readonly (string | number)[]): string {
  return formatPath(steps.map(step => (typeof step === "number" ? indexElement(step) : fieldElement(step))))
}

function invalid(message: string): ValidationError {
  return invalidValue(message)
}
