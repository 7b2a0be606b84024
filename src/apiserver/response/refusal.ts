// Refused requests: the failure that an error becomes, and the Status that the client gets.
import { hasCode } from "../../errors.js"
import { badRequest, RequestFailure } from "../../kinds/refusal/failure.js"
import { type ApiAnswer, respond } from "./response.js"

/** Converts an error to a failure: 400 for errors of this library, 500 for any other. */
export function toRequestFailure(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error
  if (hasCode(error)) return badRequest(error.message)
  const message = error instanceof Error ? error.message : String(error)
  return new RequestFailure(500, `Internal error occurred: ${message}`, "InternalError", { causes: [{ message }] })
}

/** Returns the response to a refused request. */
export function respondFailure({ code, status }: RequestFailure, warnings: readonly string[]): ApiAnswer {
  try {
    return respond(code, status, undefined, warnings)
  } catch {
    // The Status was longer than a string can be.
    const message = "this test API server found more problems than fit into one response"
    return respond(code, new RequestFailure(code, message).status, undefined, [])
  }
}
