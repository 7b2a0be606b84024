// Refuses arguments of the wrong type: values from JSON or from JavaScript callers may not match a function's declared types.
import { listOr } from "./words.js"

/** A kind of argument: its name in messages, and a test for it. */
export interface Expected {
  readonly name: string
  readonly fits: (value: unknown) => boolean
  /** The expectation of each item of a list; absent for other arguments. */
  readonly item?: Expected
}

export const anObject: Expected = { name: "an object", fits: isObject }
export const aList: Expected = { name: "a list", fits: value => Array.isArray(value) && !value.includes(undefined) }
export const aString: Expected = { name: "a string", fits: value => typeof value === "string" }
export const aFunction: Expected = { name: "a function", fits: value => typeof value === "function" }
export const aNumber: Expected = { name: "a number", fits: value => typeof value === "number" && !Number.isNaN(value) }
/** A Map, possibly from another realm. */
export const aMap: Expected = { name: "a Map", fits: value => isObject(value) && hasMethod(value, "get") }
/** A valid Date, possibly from another realm. */
export const aDate: Expected = {
  name: "a valid Date",
  fits: value => isObject(value) && hasMethod(value, "getTime") && !Number.isNaN((value as Date).getTime()),
}
/** A TypeFinder. */
export const aTypeFinder: Expected = {
  name: "types with a function find, such as kubernetesTypes",
  fits: value => isObject(value) && hasMethod(value, "find"),
}
export const aListOfStrings: Expected = {
  name: "a list of strings",
  fits: value => aList.fits(value) && (value as readonly unknown[]).every(aString.fits),
  item: aString,
}
export const aListOfObjects: Expected = {
  name: "a list of objects",
  fits: value => aList.fits(value) && (value as readonly unknown[]).every(isObject),
  item: anObject,
}

/** Returns an expectation that any of these meets. */
export function either(...choices: readonly Expected[]): Expected {
  return {
    name: listOr(choices.map(({ name }) => name)),
    fits: value => choices.some(({ fits }) => fits(value)),
  }
}

/** Returns an expectation that these texts meet, and no others. */
export function oneOf(...texts: readonly string[]): Expected {
  return { name: listOr(texts.map(text => JSON.stringify(text))), fits: value => texts.includes(value as string) }
}

/** Returns an expectation that undefined meets too. */
export function optional(expected: Expected): Expected {
  return { ...expected, fits: value => value === undefined || expected.fits(value) }
}

/** Throws a TypeError that names the argument unless the value fits. */
export function requireArgument(argument: string, value: unknown, expected: Expected): void {
  if (!expected.fits(value)) throw wrongType(argument, value, expected)
}

/** Throws a TypeError that names the argument, or its property, unless the value is an object whose properties fit. */
export function requireOptions(
  argument: string,
  value: unknown,
  properties?: Readonly<Record<string, Expected>>,
): void {
  if (!isObject(value)) throw wrongType(argument, value, anObject)
  for (const name in properties) {
    const property: unknown = Reflect.get(value, name)
    const expected = properties[name] as Expected
    if (!expected.fits(property)) throw wrongType(`${argument}.${name}`, property, expected)
  }
}

function wrongType(argument: string, value: unknown, { name, item }: Expected): TypeError {
  if (item !== undefined && Array.isArray(value)) {
    const wrong = value.findIndex(each => !item.fits(each))
    if (wrong >= 0) return wrongType(`${argument}[${wrong}]`, value[wrong], item)
  }
  return new TypeError(`${argument}: expected ${name}, got ${describeValue(value)}`)
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function hasMethod(value: object, name: string): boolean {
  return typeof Reflect.get(value, name) === "function"
}

function describeValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  if (Array.isArray(value)) return value.includes(undefined) ? "a list with holes" : "a list"
  if (typeof value === "function") return "a function"
  if (ArrayBuffer.isView(value)) return "bytes; decode them as UTF-8 first"
  return typeof value === "object" && value !== null ? "an object" : String(value)
}
