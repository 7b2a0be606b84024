import type { Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"

/** The JSON text as a frozen value; unlike an object literal, it can have a key `__proto__`. */
export function json(text: string): Value {
  return deepFreeze(JSON.parse(text) as Value)
}

/** Keys that every object inherits, and the one that sets its prototype. */
export const inheritedKeys = ["__proto__", "constructor", "hasOwnProperty", "toString", "valueOf"] as const

/** Returns a frozen value with this many lists around a number. */
export function nestedList(depth: number, innermost: Value = 1): Value {
  let value = innermost
  for (let i = 0; i < depth; i++) value = Object.freeze([value])
  return value
}

/** Returns a frozen value with this many maps around a number. */
export function nestedMap(depth: number, innermost: Value = 1): Value {
  let value = innermost
  for (let i = 0; i < depth; i++) value = Object.freeze({ a: value })
  return value
}

/** A list that contains itself. */
export function cyclicList(): Value {
  const list: Value[] = []
  list.push(list)
  return Object.freeze(list)
}

/** A map that contains itself. */
export function cyclicMap(): Value {
  const map: Record<string, Value> = {}
  map.a = map
  return Object.freeze(map)
}
