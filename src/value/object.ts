// The only code that reads and writes keys of user data, so that `__proto__`, `constructor`, `toString` and the like
// are ordinary keys everywhere.
import type { MapValue, Value } from "./value.js"

/**
 * The value at `key`, or undefined where the map has none.
 *
 * A plain read would find what every object inherits. All of that is functions, but for the prototype itself; neither is a
 * JSON value, so looking at what came back is enough, and much cheaper than asking `hasOwn` first.
 */
export function own(map: MapValue, key: string): Value | undefined {
  const found: unknown = map[key]
  if (typeof found === "function") return undefined
  return key === "__proto__" && !Object.hasOwn(map, key) ? undefined : (found as Value | undefined)
}

/** As `own`, for any object: it may inherit more than plain ones do. */
export function ownOfAny(map: MapValue, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? own(map, key) : undefined
}

/** Sets `key` of a map under construction. Assigning `__proto__` would change the prototype, so that key is defined. */
export function put(map: Record<string, Value>, key: string, value: Value): void {
  if (key === "__proto__")
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true })
  else map[key] = value
}

/** A shallow copy that keeps a `__proto__` key a key. */
export function copyMap(map: MapValue): Record<string, Value> {
  return { ...map }
}

/** The number of keys. */
export function sizeOf(map: MapValue): number {
  let size = 0
  for (const _ in map) size++
  return size
}

/** Whether there is no key; in no map there is none. */
export function isEmptyMap(map: MapValue | null): boolean {
  for (const _ in map) return false
  return true
}
