// JSON text to values and back, exact in every digit.
//
// Reading tries JSON.parse of the JavaScript engine, and falls back to our own reader (reader.ts) if JSON.parse would round a number,
// or if the text is malformed: our reader's error says what is wrong and where.
//
// One writer has four forms. `formatJson` writes the bytes of json-iterator, which v6 of the reference uses for keys of items and values
// of sets, and `formatJsonV7` those of encoding/json/v2, which v7 uses. `formatGoJson` writes the bytes of encoding/json, which API servers
// and kubectl use for everything else. `writeJson` writes for people.
import { ParseError, ValidationError } from "../errors.js"
import { aString, type Expected, requireArgument, requireOptions } from "../value/argument.js"
import { compareStrings } from "../value/compare.js"
import { maxParts, tooLarge } from "../value/depth.js"
import { formatFloat, shortestDigits } from "../value/number.js"
import { own } from "../value/object.js"
import { notJson } from "../value/plain.js"
import { unicodeEscape } from "../value/quote.js"
import { isList, type ListValue, type MapValue, type Value } from "../value/value.js"
import { formatNumberAsJson } from "./number.js"
import { quoteGoJson, quoteJson, quoteMinimalJson, quotePlainJson } from "./quote.js"
import { readValue } from "./read-value.js"
import { JsonReader, maxJsonDepth } from "./reader.js"

/**
 * Parses a JSON document. 64-bit integers are exact, as bigints beyond the safe range; larger ones become floats, as in Go. If a
 * key repeats, its last value wins. Throws a ParseError for anything but a single value of at most 10,000 levels.
 */
export function parseJson(text: string): Value {
  requireArgument("text", text, aString)
  return (mayDiffer(text) ? undefined : parseNatively(text)) ?? parseCarefully(text)
}

/** Returns the value of a JSON document; undefined for any other text. */
export function tryParseJson(text: string): Value | undefined {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof ParseError) return undefined
    throw error
  }
}

/** Like `parseJson`, but reads every number as a float, as Go reads JSON without a type: large integers are rounded, -0 stays. */
export function parseJsonFloats(text: string): Value {
  return (ill.test(text) ? undefined : parseNatively(text)) ?? parseCarefully(text, true)
}

function parseCarefully(text: string, floats = false): Value {
  const reader = new JsonReader(text, { floats })
  const value = readValue(reader)
  reader.expectEnd()
  return value
}

// Parses the text with JSON.parse. Returns undefined if the text is malformed or too deep. Callers have ruled out the texts that
// JSON.parse reads differently: those with numbers too long or too large for it, or with single surrogates.
function parseNatively(text: string): Value | undefined {
  if (text.length > 2 * maxJsonDepth && nestsDeeper(text, maxJsonDepth)) return undefined
  try {
    return JSON.parse(text) as Value
  } catch {
    return undefined
  }
}

/** Whether JSON.parse may read the text differently. */
function mayDiffer(text: string): boolean {
  return (
    number.test(text) ||
    inexact.test(text) ||
    (text.includes("\\u") && escaped.test(text)) ||
    (wide.test(text) && lone.test(text))
  )
}

const number = /^\s*[-\d]/
// Matches a number that JSON.parse may read differently, or a part of a string that looks like one: -0, too many digits, or too
// large an exponent. A mark that can precede a number has to come before it. This excludes uids and names such as web-0, which most
// objects contain.
const inexact = /[:,[]\s*-?\d(?:(?<=-0)(?![.\deE])|\d{15}|\d*(?:\.\d+)?[eE]\+?\d{3})/
const escaped = /\\u[dD][89a-fA-F]/
// `lone` is slow. `wide` is fast, and rules out most texts first.
const wide = /[\ud800-\udfff]/
const lone = /\p{Surrogate}/u
const ill = /\d{200}|\d[eE]\+?\d{3}|\\u[dD][89a-fA-F]|\p{Surrogate}/u

/** Whether brackets that are not inside strings nest deeper than `limit`. */
function nestsDeeper(text: string, limit: number): boolean {
  // Few texts have so many brackets at all, and a search for them is fast.
  if (!occursMoreOften(text, "{", limit >> 1) && !occursMoreOften(text, "[", limit >> 1)) return false
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 0x22) {
      do {
        i = text.indexOf('"', i + 1)
        if (i < 0) return false
      } while (isEscaped(text, i))
    } else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > limit) return true
    } else if (unit === 0x7d || unit === 0x5d) depth--
  }
  return false
}

function occursMoreOften(text: string, character: string, limit: number): boolean {
  let count = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) if (++count > limit) return true
  return false
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++
  return backslashes % 2 === 1
}

/**
 * A major release of the Go module, whose bytes are written: v6 is part of Kubernetes up to 1.37, v7 of 1.38 and later. They differ in some
 * strings and small numbers in keys of FieldsV1; docs/v6-and-v7.md lists all differences.
 */
export type Parity = "v6" | "v7"

/** The release whose bytes are written. */
export interface ParityOptions {
  /** `v6` if absent. */
  readonly parity?: Parity | undefined
}

/** The expectation of a parity. */
export const aParity: Expected = {
  name: '"v6" or "v7"',
  fits: value => value === undefined || value === "v6" || value === "v7",
}

/**
 * Writes the value as one line of JSON, with the bytes that Go writes: keys sorted, `<`, `>` and `&` escaped, floats as `1e-07`.
 * Throws a ValidationError for a number that is not finite.
 */
export function formatJson(value: Value): string {
  return write(value, canonical)
}

/** Like `formatJson`, with the bytes that v7 of the reference writes: no character escaped without need, floats as `1e-7`. */
export function formatJsonV7(value: Value): string {
  return write(value, canonicalV7)
}

/**
 * Returns whether the options choose v7. Throws a TypeError for an unknown parity. Accepts what is not an object, such as the index that
 * `Array.map` passes.
 */
export function isV7(options: ParityOptions | undefined): boolean {
  if (typeof options !== "object") return false
  requireOptions("options", options, { parity: aParity })
  return options.parity === "v7"
}

/**
 * Writes the value as one line of JSON, with the bytes of Go's encoding/json: keys sorted, or in their own order. Unlike
 * `formatJson`, it writes `1e-7`, and `\b` and `\f` for two control characters. Throws the same errors as `formatJson`.
 */
export function formatGoJson(value: Value, { sorted = true }: { readonly sorted?: boolean } = {}): string {
  return write(value, sorted ? goSorted : goUnsorted)
}

function write(value: Value, layout: Layout): string {
  if (typeof value !== "object" || value === null) return writeScalar(value, layout)
  return writeNatively(value, layout) ?? writeTree(value, layout)
}

// Writes the value with JSON.stringify. Returns undefined if the result would differ or the value can't be written.
function writeNatively(value: ListValue | MapValue, { sorted, indent, quote }: Layout): string | undefined {
  if (sorted || indent.length > mostNativeIndent) return undefined
  partsLeft = maxParts
  if (!isNative(value, nativeDepth)) return undefined
  const text = JSON.stringify(value, null, indent)
  // Single surrogates are escaped, but Go replaces them.
  if (text.includes("\\ud")) return undefined
  if (quote === quotePlainJson) return text.includes("\\b") || text.includes("\\f") ? undefined : text
  return escapes.some(([char]) => text.includes(char)) ? escapes.reduce(replaced, text) : text
}

/** JSON.stringify ignores further spaces. */
const mostNativeIndent = 10
/** The deepest nesting that JSON.stringify is used for. The stack is large enough for it. */
const nativeDepth = 500
/** Characters that Go escapes. They occur only inside strings, so they can be replaced in the text of a whole value. */
const escapes = [..."<>&\u2028\u2029"].map(char => [char, unicodeEscape(char.charCodeAt(0))] as const)
/** How many more parts of a value may be visited. */
let partsLeft = 0

function replaced(text: string, [char, instead]: (typeof escapes)[number]): string {
  return text.replaceAll(char, instead)
}

function isNative(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true
    case "number":
      // -0 and exponents of one digit are written differently.
      return Number.isFinite(value) && (value >= 1e-6 || value <= -1e-6 || Object.is(value, 0))
    case "object":
      return value === null || (depth > 0 && isNativeTree(value as ListValue | MapValue, depth))
    default:
      return false
  }
}

function isNativeTree(value: ListValue | MapValue, depth: number): boolean {
  if (isList(value)) {
    partsLeft -= value.length
    for (let i = 0; i < value.length && partsLeft > 0; i++) if (!isNative(value[i], depth - 1)) return false
    return partsLeft > 0
  }
  if (notJson(value) !== null) return false
  for (const key in value) if (--partsLeft <= 0 || !isNative(value[key], depth - 1)) return false
  return true
}

/** The layout of `writeJson`. */
export interface JsonOptions {
  /** How many spaces each level is indented; 0 or absent writes everything on one line. */
  readonly indent?: number | undefined
}

/** Writes the value as JSON for people: keys in their own order, and only the necessary escapes. Throws the errors of `formatJson`. */
export function writeJson(value: Value, options: JsonOptions = {}): string {
  requireOptions("options", options)
  return write(value, { ...plain, indent: " ".repeat(options.indent ?? 0) })
}

interface Layout {
  readonly sorted: boolean
  readonly quote: (text: string) => string
  readonly number: (value: number) => string
  readonly indent: string
}
const canonical: Layout = { sorted: true, quote: quoteJson, number: formatNumberAsJson, indent: "" }
const canonicalV7: Layout = { sorted: true, quote: quoteMinimalJson, number: shortestDigits, indent: "" }
const goSorted: Layout = { sorted: true, quote: quoteGoJson, number: shortestDigits, indent: "" }
const goUnsorted: Layout = { ...goSorted, sorted: false }
const plain: Layout = { sorted: false, quote: quotePlainJson, number: formatNumberAsJson, indent: "" }

/** A container that is being written, and how many of its entries are. */
interface Open {
  readonly container: ListValue | MapValue
  /** Null for a list. */
  readonly keys: readonly string[] | null
  readonly size: number
  done: number
}

function writeTree(root: ListValue | MapValue, layout: Layout): string {
  const colon = layout.indent === "" ? ":" : ": "
  const around: Open[] = []
  let left = maxParts
  let open = openContainer(root, layout)
  let out = open.keys === null ? "[" : "{"
  for (;;) {
    const { container, keys, size } = open
    let inner: ListValue | MapValue | undefined
    while (open.done < size && inner === undefined) {
      const index = open.done++
      if (index > 0) out += ","
      if (layout.indent !== "") out += newLine(layout, around.length + 1)
      let value: Value | undefined
      if (keys === null) value = (container as ListValue)[index]
      else {
        const key = keys[index] as string
        out += layout.quote(key) + colon
        value = own(container as MapValue, key)
      }
      if (typeof value === "object" && value !== null) inner = value
      else out += writeScalar(value, layout)
    }
    if (inner !== undefined) {
      around.push(open)
      if (around.length === maxJsonDepth) throw new ValidationError([{ path: "", message: "exceeded max depth" }])
      if (--left < 0) throw tooLarge()
      open = openContainer(inner, layout)
      out += open.keys === null ? "[" : "{"
      continue
    }
    if (size > 0) out += newLine(layout, around.length)
    out += keys === null ? "]" : "}"
    const next = around.pop()
    if (next === undefined) return out
    open = next
  }
}

function openContainer(value: ListValue | MapValue, layout: Layout): Open {
  const problem = notJson(value)
  if (problem !== null) throw new ValidationError([{ path: "", message: problem }])
  if (isList(value)) return { container: value, keys: null, size: value.length, done: 0 }
  const keys = Object.keys(value)
  if (layout.sorted) sortStrings(keys)
  return { container: value, keys, size: keys.length, done: 0 }
}

/** Sorts in place. Most maps have few keys, which insertion sorts in half the time of Array.sort. */
function sortStrings(texts: string[]): void {
  for (let i = 1; i < texts.length; i++) {
    const text = texts[i] as string
    let at = i
    for (; at > 0 && compareStrings(texts[at - 1] as string, text) > 0; at--) {
      if (i > mostInserted) {
        texts.sort(compareStrings)
        return
      }
      texts[at] = texts[at - 1] as string
    }
    texts[at] = text
  }
}
const mostInserted = 16

function newLine(layout: Layout, depth: number): string {
  return layout.indent === "" ? "" : `\n${layout.indent.repeat(depth)}`
}

function writeScalar(value: Value | undefined, layout: Layout): string {
  switch (typeof value) {
    case "string":
      return layout.quote(value)
    case "number":
      if (!Number.isFinite(value)) throw unsupported(formatFloat(value))
      return layout.number(value)
    case "bigint":
    case "boolean":
      return value.toString()
    default:
      if (value !== null) throw unsupported(typeof value)
      return "null"
  }
}

function unsupported(what: string): ValidationError {
  return new ValidationError([{ path: "", message: `unsupported value: ${what}` }])
}
