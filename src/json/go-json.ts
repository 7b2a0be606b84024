// JSON as Go's encoding/json writes it. The engine's own writer gives json-iterator's bytes, which differ in two details:
// the exponents of small floats and the escapes of two control characters.
import { compareStrings } from "../value/compare.js"
import { maxDepth, tooDeep } from "../value/depth.js"
import { own } from "../value/object.js"
import { isList, type Value } from "../value/value.js"
import { quoteJson } from "./quote.js"

/** The value as one line of JSON, keys sorted, or in the order they have. */
export function formatGoJson(value: Value, { sorted = true }: { readonly sorted?: boolean } = {}): string {
  return formatAt(value, sorted, 0)
}

function formatAt(value: Value, sorted: boolean, depth: number): string {
  switch (typeof value) {
    case "string":
      return quoteGoJson(value)
    case "number":
      // The digits and the exponent form are JavaScript's; only the sign of a negative zero gets lost there.
      return Object.is(value, -0) ? "-0" : String(value)
    case "object":
      break
    default:
      return String(value)
  }
  if (value === null) return "null"
  if (depth > maxDepth) throw tooDeep()
  if (isList(value)) return `[${value.map(item => formatAt(item, sorted, depth + 1)).join(",")}]`
  const keys = Object.keys(value)
  if (sorted) keys.sort(compareStrings)
  const entries = keys.map(key => `${quoteGoJson(key)}:${formatAt(own(value, key) as Value, sorted, depth + 1)}`)
  return `{${entries.join(",")}}`
}

/** The text as a JSON string. */
export function quoteGoJson(text: string): string {
  const quoted = quoteJson(text)
  return quoted.includes("\\u000") ? quoted.replace(longEscape, shorten) : quoted
}
// A backslash takes the next character along, so that an escaped one never starts a match.
const longEscape = /\\(?:u0008|u000c|.)/g

function shorten(long: string): string {
  return long === "\\u0008" ? "\\b" : long === "\\u000c" ? "\\f" : long
}
