// What is JSON and what is not. Types say that values are JSON; the data of a caller may say otherwise.

/** Why this is not JSON, or null where it is; what a list or map holds is not looked at. */
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

/** Whether the object inherits nothing but what every object does, so that a key read or counted is its own. */
function isPlain(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || isForeignRoot(prototype)
}

/** Whether this is `Object.prototype` of another realm, that of an iframe or a VM, or an object with nothing to inherit. */
function isForeignRoot(prototype: object): boolean {
  if (Object.getPrototypeOf(prototype) !== null) return false
  for (const _ in prototype) return false
  return Object.hasOwn(prototype, "isPrototypeOf") || Reflect.ownKeys(prototype).length === 0
}

function className(value: object): string {
  const made: unknown = value.constructor
  return typeof made === "function" ? made.name : "an object with a prototype"
}
