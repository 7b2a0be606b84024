// Texts of a story inside scripts and programs. Terminals and editors act on control characters, so no such character stays.
import { unicodeEscape } from "../../../value/quote.js"

const controls = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

export function hasControls(text: string): boolean {
  return text.search(controls) >= 0
}

/** Returns the JSON text with escapes for the control characters in its strings. */
export function withEscapes(json: string): string {
  return json.replace(controls, character =>
    Array.from({ length: character.length }, (_, i) => unicodeEscape(character.charCodeAt(i))).join(""),
  )
}

/** Returns a comment of whole lines, each of which begins with `mark`. */
export function comment(notes: readonly string[], mark: string): string {
  const lines = notes.flatMap(note => note.trim().split(/[\n\r\u2028\u2029]/))
  return lines.map(line => `${mark} ${line.replace(controls, " ").trim()}\n`).join("")
}
