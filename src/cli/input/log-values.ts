// Reads the JSON values of a log: one per line, or indented as kubectl prints them.

import { ParseError } from "../../errors.js"
import { parseJson } from "../../json/json.js"
import type { Value } from "../../value/value.js"
import { InputError } from "./document.js"
import type { Input } from "./input.js"

/** A value of a log. */
export interface LogValue {
  /** The line on which it begins, counted from 1. */
  readonly line: number
  readonly value: Value
  /** `file:line`. */
  readonly at: string
}

/**
 * Reads the values of a file: one per line, or each from a line `{` to a line `}`. Throws an InputError for a line that is not JSON, and for
 * a file that ends before its last value does.
 */
export async function* logValues(file: string, input: Input): AsyncGenerator<LogValue> {
  let open: string[] = []
  let first = 0
  for await (const { number, text, name } of input.lines(file)) {
    if (open.length === 0 && text.trim() === "") continue
    if (open.length === 0) first = number
    if (open.length > 0 || text === "{") {
      open.push(text)
      if (text !== "}") continue
    }
    const at = `${name}:${first}`
    const whole = open.length > 0 ? open.join("\n") : text
    open = []
    yield { line: first, at, value: parseEntry(whole, at) }
  }
  if (open.length > 0) throw new InputError(`${file}:${first}: the file ends before the object does`)
}

function parseEntry(text: string, at: string): Value {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof ParseError) throw new InputError(`${at}: is not JSON`)
    throw error
  }
}
