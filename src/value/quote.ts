/** The text as Go's `%q` writes it: quoted, with escapes for everything that is not printable. */
export function quoteGo(text: string): string {
  return goPlain.test(text) ? `"${text}"` : `"${text.replace(goSpecial, escapeGo)}"`
}
const goPlain = /^[ !#-[\]-~]*$/
const goSpecial = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu

const goEscapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\v", "\\v"],
])

function escapeGo(char: string): string {
  const short = goEscapes.get(char)
  if (short !== undefined) return short
  const code = char.codePointAt(0) as number // not empty, since it matched
  if (code >= 0xd800 && code < 0xe000) return "\ufffd"
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`
}
