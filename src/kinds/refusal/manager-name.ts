// Names of managers, as requests give them.

import { byteLength } from "../../value/bytes.js"
import { quoteGo, unprintableIn } from "../../value/quote.js"
import type { Problem } from "./failure.js"

/** The greatest length of a manager's name, in bytes. */
const maxBytes = 128

/** Returns the problem of a manager's name, if it has one: too many bytes, or a character that is not printable. */
export function managerProblems(manager: string, field: string): Problem[] {
  if (byteLength(manager) > maxBytes) {
    return [{ reason: "FieldValueTooLong", field, message: `Too long: may not be more than ${maxBytes} bytes` }]
  }
  const match = unprintableIn(manager)
  if (match === null) return []
  const code = (match[0].codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")
  const position = byteLength(manager.slice(0, match.index))
  const message = `Invalid value: ${quoteGo(manager)}: invalid character U+${code} (at position ${position})`
  return [{ reason: "FieldValueInvalid", field, message }]
}

/** Returns the manager of a write whose request names none: the name of the program in its User-Agent. */
export function managerOf(userAgent: string): string {
  const [program = ""] = userAgent.split("/")
  return Array.from(program)
    .filter(character => unprintableIn(character) === null)
    .join("")
    .slice(0, maxBytes)
}
