// Parses Go constants whose values are strings: literals, sums, names of other constants, and conversions.
import type { Cursor } from "./cursor.js"
import type { GoConstValue, GoType } from "./go-file.js"
import { unquote } from "./literals.js"

/** The parts of an expression, and the type that it is converted to. */
export interface Constant {
  readonly type: GoType | undefined
  readonly value: GoConstValue
}

const nothing: Constant = { type: undefined, value: undefined }

/** Parses the constant in the tokens from `from` up to, but not including, `to`. */
export function constantIn(tokens: Cursor, from: number, to: number): Constant {
  const parts: Constant[] = []
  let start = from
  for (let at = from; at <= to; at++) {
    if (at === to || tokens.tokenAt(at).text === "+") {
      parts.push(operand(tokens, start, at))
      start = at + 1
    } else at = tokens.closing(at)
  }
  const values = parts.map(({ value }) => value)
  return { type: parts[0]?.type, value: values.every(value => value !== undefined) ? values.flat() : undefined }
}

function operand(tokens: Cursor, from: number, to: number): Constant {
  const first = tokens.tokenAt(from)
  const width = to - from
  if (width === 1 && first.kind === "string") return { type: undefined, value: [unquote(first.text)] }
  if (first.text === "(") return inParentheses(tokens, from, to)
  if (first.kind !== "name") return nothing
  const isQualified = width > 2 && tokens.tokenAt(from + 1).text === "."
  const name = isQualified
    ? { package: first.text, name: tokens.tokenAt(from + 2).text }
    : { package: "", name: first.text }
  const behind = from + (isQualified ? 3 : 1)
  if (behind === to) return { type: undefined, value: [name] }
  if (tokens.tokenAt(behind).text !== "(") return nothing
  return { type: { kind: "named", ...name }, value: inParentheses(tokens, behind, to).value }
}

function inParentheses(tokens: Cursor, from: number, to: number): Constant {
  if (tokens.closing(from) !== to - 1) return nothing
  return tokens.nested(() => constantIn(tokens, from + 1, to - 1))
}
