// Tells JSON values from others at run time, since a caller's data may not match its declared type.

/** Returns the reason why `value` is not JSON, or null if it is. Does not look inside lists and maps. */
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

/** Whether the object inherits nothing but the properties of every object, so that all its enumerable keys are its own. */
function isPlain(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || isForeignRoot(prototype)
}

/** Whether `prototype` is the `Object.prototype` of another realm (an iframe, a VM), or an empty object without a prototype. */
function isForeignRoot(prototype: object): boolean {
  if (Object.getPrototypeOf(prototype) !== null) return false
  for (const _ in prototype) return false
  return Object.hasOwn(prototype, "isPrototypeOf") || Reflect.ownKeys(prototype).length === 0
}

function className(value: object): string {
  const creator: unknown = value.constructor
  return typeof creator === "function" ? creator.name : "an object with a prototype"
}
