// Strings as JSON: three spellings, each the one its reader expects. They differ in which characters get an escape, and in how
// long the escapes of two control characters are.
import { shortEscapes, unicodeEscape } from "../value/quote.js"

/** The text as a JSON string, with `<`, `>`, `&`, U+2028 and U+2029 escaped too, as Go writes JSON values. */
export function quoteJson(text: string): string {
  return unsafe.test(text) ? `"${text.replace(special, char => escapeJson(char, shortEscapes))}"` : `"${text}"`
}

/** As `quoteJson`, but a backspace is `\b` and a form feed `\f`, as in Go's encoding/json. */
export function quoteGoJson(text: string): string {
  return unsafe.test(text) ? `"${text.replace(special, char => escapeJson(char, goEscapes))}"` : `"${text}"`
}
const unsafe = /["\\<>&\u2028\u2029\ud800-\udfff]|[^ -\uffff]/
const special = /["\\<>&\u2028\u2029]|[^ -\uffff]|\p{Surrogate}/gu

/** The text as a JSON string with nothing escaped that need not be: keys of FieldsV1, and JSON for people. */
export function quotePlainJson(text: string): string {
  return plainUnsafe.test(text)
    ? `"${text.replace(plainSpecial, char => escapeJson(char, shortEscapes))}"`
    : `"${text}"`
}
const plainUnsafe = /["\\\ud800-\udfff]|[^ -\uffff]/
const plainSpecial = /["\\]|[^ -\uffff]|\p{Surrogate}/gu

/** Of Go's encoding/json. */
const goEscapes: ReadonlyMap<string, string> = new Map([...shortEscapes, ["\b", "\\b"], ["\f", "\\f"]])

// With the `u` flag, `[^ -\uffff]` also matches whole characters beyond the basic plane, which stay as they are.
function escapeJson(char: string, short: ReadonlyMap<string, string>): string {
  const known = short.get(char)
  if (known !== undefined) return known
  if (char.length === 2) return char
  const code = char.charCodeAt(0)
  return code >= 0xd800 && code < 0xe000 ? "\ufffd" : unicodeEscape(code)
}
