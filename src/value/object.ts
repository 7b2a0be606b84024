// The only code that looks up and sets keys of user data, so that `__proto__`, `constructor`, `toString` and the like are ordinary keys
// everywhere. Only a `for in` loop over a map may read the keys that it meets directly.
import type { MapValue, Value } from "./value.js"

/**
 * Returns the value at `key`, or undefined if the map does not have the key.
 *
 * A plain read also finds inherited properties: functions, and the prototype itself. Neither is a JSON value, so a look at the result is
 * enough, and much cheaper than a call of `hasOwn` before the read.
 */
export function own(map: MapValue, key: string): Value | undefined {
  const found: unknown = map[key]
  if (typeof found === "function") return undefined
  return key === "__proto__" && !Object.hasOwn(map, key) ? undefined : (found as Value | undefined)
}

/** Like `own`, for objects that may inherit more than plain objects do. */
export function ownOfAny(map: MapValue, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? own(map, key) : undefined
}

/** Sets `key` of a map under construction. `__proto__` is defined, because assigning it would change the prototype. */
export function put(map: Record<string, Value>, key: string, value: Value): void {
  if (key === "__proto__")
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true })
  else map[key] = value
}

/** Returns a shallow copy, in which a `__proto__` key stays an ordinary key. */
export function copyMap(map: MapValue): Record<string, Value> {
  return { ...map }
}

/** Returns the number of keys. */
export function sizeOf(map: MapValue): number {
  let size = 0
  for (const _ in map) size++
  return size
}

/** Whether the map has no keys. True for null. */
export function isEmptyMap(map: MapValue | null): boolean {
  for (const _ in map) return false
  return true
}
