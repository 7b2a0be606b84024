// Problems of fields in an API server's words, as a Status lists them in its causes and its message.
import { errorMessage, type FieldErrorType } from "../../validation/rules/report.js"
import type { Value } from "../../value/value.js"

/** Stands for the field in an error for which an API server names no field. */
export const nowhere = "<nil>"

/** A problem of a field: a cause of a Status. */
export interface FieldError {
  readonly reason: FieldErrorType
  /** The problem: `Invalid value: "a": must be …`. */
  readonly message: string
  /** The path of the field: `spec.items[0].name`; `<nil>` if an API server names no field. */
  readonly field: string
  /** The rule that was violated, if the check is the same for every field. */
  readonly origin?: "immutable"
}

/**
 * Makes an error. The message shows `value`, unless it is undefined. Keys of maps are sorted, unless the value is a Go struct, whose fields
 * have an order of their own.
 */
export function fieldError(
  reason: FieldError["reason"],
  field: string,
  value: Value | undefined,
  detail = "",
  isStruct = false,
): FieldError {
  return { reason, field, message: errorMessage(reason, value, detail, !isStruct) }
}

/** Moves an error below `path`, the path of the value that its field belongs to. */
export function under(path: string, error: FieldError): FieldError {
  return { ...error, field: error.field === nowhere ? path : `${path}.${error.field}` }
}
