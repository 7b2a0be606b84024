/**
 * Changes every reachable part of the value that is not frozen: adds and removes keys and items, and replaces texts and numbers. Does not
 * change instances of classes.
 */
export function vandalize(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== "object" || value === null || seen.has(value)) return
  const isList = Array.isArray(value)
  if (!isList && Object.getPrototypeOf(value) !== Object.prototype) return
  seen.add(value)
  for (const inner of Object.values(value)) vandalize(inner, seen)
  if (isList) {
    Reflect.set(value, 0, "vandal")
    Reflect.set(value, value.length, "vandal")
    return
  }
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === "string" || typeof inner === "number") Reflect.set(value, key, "vandal")
  }
  Reflect.set(value, "vandal", {})
  Reflect.deleteProperty(value, "data")
  Reflect.deleteProperty(value, "spec")
}
