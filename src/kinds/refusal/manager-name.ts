// Names of managers, as requests give them.

import { byteLength } from "../../value/bytes.js"
import { quoteGo } from "../../value/quote.js"
import type { Problem } from "./failure.js"

/** How long the name of a manager may be, in bytes. */
const longestManager = 128

/** What is wrong with the name of a manager. */
export function managerProblems(manager: string, field: string): Problem[] {
  if (byteLength(manager) > longestManager) {
    return [{ reason: "FieldValueTooLong", field, message: `Too long: may not be more than ${longestManager} bytes` }]
  }
  let position = 0
  for (const character of manager) {
    if (!printable.test(character)) {
      const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")
      const message = `Invalid value: ${quoteGo(manager)}: invalid character U+${code} (at position ${position})`
      return [{ reason: "FieldValueInvalid", field, message }]
    }
    position += byteLength(character)
  }
  return []
}

// What Go's unicode.IsPrint accepts: letters, marks, numbers, punctuation, symbols, and the ASCII space.
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

/** Who writes if the request does not say: the program's name in its User-Agent. */
export function managerOf(userAgent: string): string {
  const [program = ""] = userAgent.split("/")
  return Array.from(program)
    .filter(character => printable.test(character))
    .join("")
    .slice(0, longestManager)
}
