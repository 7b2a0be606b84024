// Refused requests: the failure that an error becomes, and the Status that the client gets.
import { hasCode } from "../../errors.js"
import { badRequest, PageNotFound, RequestFailure } from "../../kinds/refusal/failure.js"
import { mapAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { findForm } from "./form.js"
import { type ApiAnswer, respond, respondText } from "./response.js"

/** Converts an error to a failure: 400 for errors of this library, 500 for any other. */
export function toRequestFailure(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error
  if (hasCode(error)) return badRequest(error.message)
  const message = error instanceof Error ? error.message : String(error)
  return new RequestFailure(500, `Internal error occurred: ${message}`, "InternalError", { causes: [{ message }] })
}

/** Returns the response to a refused request, in a form that the client accepts, or as JSON. */
export function respondFailure(
  failure: RequestFailure,
  warnings: readonly string[],
  accept: string | undefined,
): ApiAnswer {
  if (failure instanceof PageNotFound) return respondText(`${failure.message}\n`, undefined, failure.code)
  const form = findForm(accept, false)
  const { code, status } = failure
  try {
    const answer = respond(code, status, form, warnings)
    const seconds = own(mapAt(status, "details"), "retryAfterSeconds")
    return seconds === undefined
      ? answer
      : { ...answer, headers: { ...answer.headers, "retry-after": String(seconds) } }
  } catch {
    // The Status was longer than a string can be.
    const message = "this test API server found more problems than fit into one response"
    return respond(code, new RequestFailure(code, message).status, undefined, [])
  }
}
