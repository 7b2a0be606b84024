import { byteLength } from "../../value/bytes.js"
import { quoteGo } from "../../value/quote.js"
import { type Arguments, UsageError } from "./options.js"

/** Returns the value of `--manager`, or of another option that names a manager. Checks it as `checkManagerName` does. */
export function managerName(args: Arguments, option = "manager"): string {
  return checkManagerName(args.needed(option), option)
}

/** Returns `name`. Throws a UsageError, in an API server's words, unless it has at most 128 bytes, all of printable characters. */
export function checkManagerName(name: string, option: string): string {
  if (byteLength(name) > maxBytes) throw new UsageError(`--${option}: Too long: may not be more than ${maxBytes} bytes`)
  const found = unprintable.exec(name)
  if (found === null) return name
  const code = (found[0].codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")
  const position = byteLength(name.slice(0, found.index))
  throw new UsageError(
    `--${option}: Invalid value: ${quoteGo(name)}: invalid character U+${code} (at position ${position})`,
  )
}

const maxBytes = 128
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u
