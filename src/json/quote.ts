// Strings as JSON, in four spellings. They differ in the characters they escape, and in the escapes of two control characters.
import { shortEscapes, unicodeEscape } from "../value/quote.js"

/** Quotes the text as a JSON string, with `<`, `>`, `&`, U+2028 and U+2029 escaped too, as Go writes JSON values. */
export function quoteJson(text: string): string {
  return unsafe.test(text) ? `"${text.replace(special, char => escapeJson(char, shortEscapes))}"` : `"${text}"`
}

/** Like `quoteJson`, but writes a backspace as `\b` and a form feed as `\f`, as Go's encoding/json does. */
export function quoteGoJson(text: string): string {
  return unsafe.test(text) ? `"${text.replace(special, char => escapeJson(char, goEscapes))}"` : `"${text}"`
}
const unsafe = /["\\<>&\u2028\u2029\ud800-\udfff]|[^ -\uffff]/
const special = /["\\<>&\u2028\u2029]|[^ -\uffff]|\p{Surrogate}/gu

/** Quotes the text as a JSON string with only the necessary escapes, for keys of FieldsV1 and JSON for people. */
export function quotePlainJson(text: string): string {
  return plainUnsafe.test(text)
    ? `"${text.replace(plainSpecial, char => escapeJson(char, shortEscapes))}"`
    : `"${text}"`
}

/** Like `quotePlainJson`, but writes a backspace as `\b` and a form feed as `\f`, as Go's encoding/json/v2 does. */
export function quoteMinimalJson(text: string): string {
  return plainUnsafe.test(text) ? `"${text.replace(plainSpecial, char => escapeJson(char, goEscapes))}"` : `"${text}"`
}
const plainUnsafe = /["\\\ud800-\udfff]|[^ -\uffff]/
const plainSpecial = /["\\]|[^ -\uffff]|\p{Surrogate}/gu

/**
 * Escapes the characters of a JSON text that a reader of YAML refuses or turns into a space. A server reads the body of an apply as YAML.
 */
export function escapeForYaml(json: string): string {
  return json.replace(/[\x7f-\x9f\ufffe\uffff]/g, char => unicodeEscape(char.charCodeAt(0)))
}

/** The short escapes of Go's encoding/json. */
const goEscapes: ReadonlyMap<string, string> = new Map([...shortEscapes, ["\b", "\\b"], ["\f", "\\f"]])

// With the `u` flag, `[^ -\uffff]` also matches whole characters beyond the basic plane, which stay unchanged.
function escapeJson(char: string, short: ReadonlyMap<string, string>): string {
  const known = short.get(char)
  if (known !== undefined) return known
  if (char.length === 2) return char
  const code = char.charCodeAt(0)
  return code >= 0xd800 && code < 0xe000 ? "\ufffd" : unicodeEscape(code)
}
