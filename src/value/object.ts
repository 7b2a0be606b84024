// The only code that looks keys of user data up and sets them, so that `__proto__`, `constructor`, `toString` and the like are
// ordinary keys everywhere. A `for in` loop over a map may read the keys it meets directly.
import type { MapValue, Value } from "./value.js"

/**
 * The value at `key`, or undefined if the map has none.
 *
 * A plain read also finds what every object inherits: functions, and the prototype itself. Neither is a JSON value, so it is
 * enough to look at what was found, which is much cheaper than asking `hasOwn` first.
 */
export function own(map: MapValue, key: string): Value | undefined {
  const found: unknown = map[key]
  if (typeof found === "function") return undefined
  return key === "__proto__" && !Object.hasOwn(map, key) ? undefined : (found as Value | undefined)
}

/** As `own`, for objects that may inherit more than plain objects do. */
export function ownOfAny(map: MapValue, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? own(map, key) : undefined
}

/** Sets `key` of a map under construction. `__proto__` is defined, because assigning it would change the prototype. */
export function put(map: Record<string, Value>, key: string, value: Value): void {
  if (key === "__proto__")
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true })
  else map[key] = value
}

/** A shallow copy, in which a `__proto__` key stays an ordinary key. */
export function copyMap(map: MapValue): Record<string, Value> {
  return { ...map }
}

/** The number of keys. */
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
