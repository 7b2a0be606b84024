// Strings between quotes: three spellings, each the one its reader expects.

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

/** The text as Go's `%q` writes it: escapes for what can't be seen, everything printable as it is. */
export function quoteGo(text: string): string {
  return goPlain.test(text) ? `"${text}"` : `"${text.replace(goSpecial, escapeGo)}"`
}
const goPlain = /^[ !#-[\]-~]*$/
const goSpecial = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu

const goEscapes: ReadonlyMap<string, string> = new Map([
  ...escapes,
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\v", "\\v"],
])

function escapeGo(char: string): string {
  const short = goEscapes.get(char)
  if (short !== undefined) return short
  const code = char.codePointAt(0) as number // never empty: it matched
  if (code >= 0xd800 && code < 0xe000) return "\ufffd"
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`
}
