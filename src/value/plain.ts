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

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  // An object of another realm (an iframe, a VM) has a prototype of its own, one that inherits nothing.
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null
}

function className(value: object): string {
  const made: unknown = value.constructor
  return typeof made === "function" ? made.name : "an object with a prototype"
}
