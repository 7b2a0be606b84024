/** A number spelled out, where a JavaScript number would lose digits or its spelling: `1.0`, `9223372036854775807`. */
export class NumberText {
  constructor(readonly text: string) {}

  toJSON(): string {
    return MARK + this.text
  }
}
const MARK = "\u0000number:"
const MARKED = /"\\u0000number:([^"]*)"/g

/** What a request is made of. Maps have no prototype, so that `__proto__` is a key like any other. */
export type Json = null | boolean | number | string | NumberText | readonly Json[] | JsonMap
export interface JsonMap {
  [key: string]: Json
}

/** An empty map to fill. */
export function emptyMap(): JsonMap {
  return Object.create(null) as JsonMap
}

/** A map without a prototype holding the same entries. */
export function mapOf(entries: { readonly [key: string]: Json }): JsonMap {
  return Object.assign(emptyMap(), entries)
}

export function isMap(value: Json | undefined): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberText)
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

/** JSON text of the value on one line, numbers as they are spelled. */
export function jsonText(value: Json): string {
  const text = JSON.stringify(value)
  return text.includes("\\u0000number:") ? text.replace(MARKED, "$1") : text
}

/** JSON text that is YAML 1.1 with the same meaning: what YAML reads differently or refuses is escaped. */
export function yamlSafeJsonText(value: Json): string {
  return jsonText(value).replace(NOT_PLAIN_YAML, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
}
const NOT_PLAIN_YAML = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** The value that jsonText wrote, maps without prototype and numbers with their spelling. */
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
