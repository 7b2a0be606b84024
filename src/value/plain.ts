// Tells JSON values from others at run time, where a caller's data need not be what its type says.

/** Returns why `value` is not JSON, or null if it is. Does not look at what a list or map holds. */
export function notJson(value: unknown): string | null {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "bigint":
      return null
    case "number":
      return Number.isFinite(value) ? null : `expected a finite number, got ${value}`
    case "object":
      return value === null || Array.isArray(value) || isPlain(value)
        ? null
        : `expected a plain object, got ${className(value)}`
    default:
      return `expected a JSON value, got ${typeof value}`
  }
}

/** Whether the object inherits only what every object does, so that the keys one reads and counts are its own. */
function isPlain(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || isForeignRoot(prototype)
}

/** Whether this is the `Object.prototype` of another realm (an iframe, a VM), or an empty object without a prototype. */
function isForeignRoot(prototype: object): boolean {
  if (Object.getPrototypeOf(prototype) !== null) return false
  for (const _ in prototype) return false
  return Object.hasOwn(prototype, "isPrototypeOf") || Reflect.ownKeys(prototype).length === 0
}

function className(value: object): string {
  const made: unknown = value.constructor
  return typeof made === "function" ? made.name : "an object with a prototype"
}
