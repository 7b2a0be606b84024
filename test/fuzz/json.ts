/** A number as text, for digits or a spelling that a JavaScript number would lose: `1.0`, `9223372036854775807`. */
export class NumberText {
  constructor(readonly text: string) {}

  toJSON(): string {
    return MARK + this.text
  }
}
const MARK = "\u0000number:"
const MARKED = /"\\u0000number:([^"]*)"/g

/** A part of a request. Maps have no prototype, so that `__proto__` is an ordinary key. */
export type Json = null | boolean | number | string | NumberText | readonly Json[] | JsonMap
export interface JsonMap {
  [key: string]: Json
}

/** Returns an empty map to fill. */
export function emptyMap(): JsonMap {
  return Object.create(null) as JsonMap
}

/** Returns a map with the same entries and without a prototype. */
export function mapOf(entries: { readonly [key: string]: Json }): JsonMap {
  return Object.assign(emptyMap(), entries)
}

export function isMap(value: Json | undefined): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberText)
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

/** Writes the value as JSON on one line. Keeps the spelling of numbers. */
export function jsonText(value: Json): string {
  const text = JSON.stringify(value)
  return text.includes("\\u0000number:") ? text.replace(MARKED, "$1") : text
}

/** Writes the value as JSON that is also YAML 1.1 with the same meaning: escapes text that YAML reads differently or refuses. */
export function yamlSafeJsonText(value: Json): string {
  return jsonText(value).replace(NOT_PLAIN_YAML, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
}
const NOT_PLAIN_YAML = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** Reads the output of `jsonText`: maps have no prototype, and numbers keep their spelling. */
export function parseJson(text: string): Json {
  const kept = text.replace(STRING_OR_NUMBER, token => (/^[-\d]/.test(token) ? JSON.stringify(MARK + token) : token))
  return JSON.parse(kept, revive) as Json
}
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

function revive(_: string, value: Json): Json {
  if (typeof value === "string" && value.startsWith(MARK)) return spelledNumber(value.slice(MARK.length))
  return isMap(value) ? mapOf(value) : value
}

function spelledNumber(text: string): number | NumberText {
  return String(Number(text)) === text ? Number(text) : new NumberText(text)
}
