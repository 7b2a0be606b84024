// Problems of fields in an API server's words: as causes of a Status, and as its message has them.
import { formatGoJson } from "../../json/json.js"
import { errorKinds, type FieldErrorType } from "../../validation/rules/report.js"
import { formatNumber } from "../../value/number.js"
import { quoteGo } from "../../value/quote.js"
import type { Value } from "../../value/value.js"

/** The field of an error for which an API server names none. */
export const nowhere = "<nil>"

/** A problem of a field: a cause of a Status. */
export interface FieldError {
  readonly reason: FieldErrorType
  /** What is wrong: `Invalid value: "a": must be …`. */
  readonly message: string
  /** The path of the field: `spec.items[0].name`; `<nil>` where an API server does not say. */
  readonly field: string
}

/**
 * The error; `value` is what the message shows of the value, undefined for those that show none. The keys of maps are sorted unless
 * the value is a Go struct, whose fields have an order of their own.
 */
export function fieldError(
  reason: FieldError["reason"],
  field: string,
  value: Value | undefined,
  detail = "",
  isStruct = false,
): FieldError {
  const parts: string[] = [errorKinds[reason]]
  if (value !== undefined) parts.push(shown(value, !isStruct))
  if (detail !== "") parts.push(detail)
  return { reason, field, message: parts.join(": ") }
}

function shown(value: Value, sorted: boolean): string {
  if (typeof value === "string") return quoteGo(value)
  if (typeof value === "number" || typeof value === "bigint") return formatNumber(value)
  return formatGoJson(value, { sorted })
}

/** The error of a field of `path`. */
export function under(path: string, error: FieldError): FieldError {
  return { ...error, field: error.field === nowhere ? path : `${path}.${error.field}` }
}
