import { type Issue, StructuredMergeError } from "../../errors.js"
import { badRequest, RequestFailure } from "../../kinds/refusal/failure.js"
import { goPrint, goTypeName } from "../../value/format.js"
import type { MapValue, Value } from "../../value/value.js"

/** Reports a patch that can't be applied, in an API server's words. */
export class PatchError extends StructuredMergeError<"bad-request" | "invalid-value"> {
  /**
   * The HTTP status of the answer: 400 for a malformed patch, 413 for a patch that is too large, 422 for a patch that does not fit the
   * object, and 500 if an API server blames itself.
   */
  readonly status: 400 | 413 | 422 | 500
  /** The one problem of the patch. It has no path. */
  readonly issues: readonly Issue[]
  constructor(status: 400 | 413 | 422 | 500, message: string) {
    super(status === 400 ? "bad-request" : "invalid-value", message)
    this.status = status
    this.issues = [{ path: "", message }]
  }
}

/** The refusal that answers a patch that can't be applied. A server gives no reason if the patch is well-formed. */
export function refusedPatch({ status, message }: PatchError): RequestFailure {
  if (status === 400) return badRequest(message)
  if (status === 500) return new RequestFailure(500, message)
  if (status === 413) return new RequestFailure(413, message, "RequestEntityTooLarge", {})
  return new RequestFailure(422, "the server rejected our request due to an error in our request", "Invalid", {})
}

/** The error for an unknown value of `$patch`. */
export function unknownDirective(wanted: Value, patch: MapValue): PatchError {
  return new PatchError(500, `unknown patch type: ${goText(wanted)} in map: ${goPrint(patch)}`)
}

/** The value as Go's `%s` prints it. */
function goText(value: Value): string {
  if (typeof value === "string" || typeof value === "object") return value === null ? "%!s(<nil>)" : goPrint(value)
  return `%!s(${goTypeName(value)}=${goPrint(value)})`
}

/** The error for a value of the wrong type. The message has Go's names of types. */
export function wrongType(expected: "[]interface {}" | "map[string]interface {}", found: Value): PatchError {
  const name = found === null ? "%!s(<nil>)" : goTypeName(found)
  return new PatchError(500, `expected a ${expected}, but received a ${name}`)
}

/** The error for an item without its merge key. */
export function noMergeKey(item: MapValue, mergeKey: string): PatchError {
  return new PatchError(500, `map: ${goPrint(item)} does not contain declared merge key: ${mergeKey}`)
}
