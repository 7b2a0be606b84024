// Strings as JSON: two spellings, each the one its reader expects.

/** The text as a JSON string, with `<`, `>`, `&`, U+2028 and U+2029 escaped too, as Go writes JSON values. */
export function quoteJson(text: string): string {
  return jsonUnsafe.test(text) ? `"${text.replace(jsonSpecial, escapeJson)}"` : `"${text}"`
}
const jsonUnsafe = /["\\<>&\u2028\u2029\ud800-\udfff]|[^ -\uffff]/
const jsonSpecial = /["\\<>&\u2028\u2029]|[^ -\uffff]|\p{Surrogate}/gu

/** The text as a JSON string with nothing escaped that need not be: keys of FieldsV1, and JSON for people. */
export function quotePlainJson(text: string): string {
  return plainUnsafe.test(text) ? `"${text.replace(plainSpecial, escapeJson)}"` : `"${text}"`
}
const plainUnsafe = /["\\\ud800-\udfff]|[^ -\uffff]/
const plainSpecial = /["\\]|[^ -\uffff]|\p{Surrogate}/gu

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
])

// Under the `u` flag `[^ -\uffff]` takes in whole characters beyond the basic plane as well: they stay as they are.
function escapeJson(char: string): string {
  const short = escapes.get(char)
  if (short !== undefined) return short
  if (char.length === 2) return char
  const code = char.charCodeAt(0)
  return code >= 0xd800 && code < 0xe000 ? "\ufffd" : `\\u${code.toString(16).padStart(4, "0")}`
}
