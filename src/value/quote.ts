/** Returns the text as Go's `%q` writes it: quoted, with escapes for all characters that are not printable. */
export function quoteGo(text: string): string {
  if (goPlain.test(text)) return `"${text}"`
  goSpecial ??= new RegExp(`["\\\\]|${unprintableClass}`, "gu")
  return `"${text.replace(goSpecial, escapeGo)}"`
}

/** Returns the character as Go's `%q` writes it: between single quotes. */
export function quoteRune(char: string): string {
  return char === "'" ? "'\\''" : char === '"' ? `'"'` : `'${quoteGo(char).slice(1, -1)}'`
}

/** Returns the word in a form that a shell reads back unchanged: in single quotes, unless no character needs quoting. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

const unprintableClass = "[^\\p{L}\\p{M}\\p{N}\\p{P}\\p{S} ]"

/**
 * Returns the first character that Go's `unicode.IsPrint` rejects, as a match; null without one. It accepts letters, marks, numbers,
 * punctuation, symbols and the ASCII space.
 */
export function unprintableIn(text: string): RegExpExecArray | null {
  return asciiPrintable.test(text) ? null : (unprintable ??= new RegExp(unprintableClass, "u")).exec(text)
}

const asciiPrintable = /^[ -~]*$/
const goPlain = /^[ !#-[\]-~]*$/
// Expressions with classes of Unicode are created when they are first needed: each takes 2 % of an apply with `smd`.
let unprintable: RegExp | undefined
let goSpecial: RegExp | undefined

/** The short escapes that Go's `%q` and all writers of JSON have. */
export const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
])
const goEscapes: ReadonlyMap<string, string> = new Map([
  ...shortEscapes,
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\v", "\\v"],
])

/** The characters that Go's short escapes stand for, by the character after the backslash: `n` stands for a line feed. */
export const goUnescapes: ReadonlyMap<string, string> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ Array.from(goEscapes, ([char, text]) => [text.slice(1), char]),
)

function escapeGo(char: string): string {
  const short = goEscapes.get(char)
  if (short !== undefined) return short
  const code = char.codePointAt(0) as number // not empty, since it matched
  if (code >= 0xd800 && code < 0xe000) return "\ufffd"
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`
  return code < 0x10000 ? unicodeEscape(code) : `\\U${code.toString(16).padStart(8, "0")}`
}

/** Returns the escape of a character in the basic plane: `\u00e9`. */
export function unicodeEscape(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`
}
