// Refused requests: the failure that an error becomes, and the Status that the client gets.
import { hasCode } from "../../errors.js"
import { badRequest, PageNotFound, RequestFailure } from "../../kinds/refusal/failure.js"
import { joined } from "../../value/bytes.js"
import { mapAt, mapsAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { encodeField, encodeNumber, encodeText } from "../../value/protobuf.js"
import { isMap, type MapValue } from "../../value/value.js"
import { findForm, wholeOnly } from "./form.js"
import { type ApiAnswer, respond, respondText, uncached, warningHeader } from "./response.js"

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
  const form = findForm(accept, wholeOnly)
  const { code, status } = failure
  if (form === undefined && accept?.includes("protobuf")) {
    const headers = { ...uncached, "content-type": "application/vnd.kubernetes.protobuf", ...warningHeader(warnings) }
    return { status: code, headers, body: encodeStatus(status) }
  }
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

/** Encodes a Status in protobuf, with the envelope of an object. Go writes fields that are empty, too. */
function encodeStatus(status: MapValue): Uint8Array {
  const texts = (map: MapValue, numbers: Readonly<Record<string, number>>) =>
    Object.entries(numbers).map(([key, number]) => encodeText(number, textAt(map, key)))
  const count = (map: MapValue, key: string) => Number(own(map, key) ?? 0)
  const { details } = status
  const message = joined([
    encodeField(1, joined(texts({}, { selfLink: 1, resourceVersion: 2, continue: 3 }))),
    ...texts(status, { status: 2, message: 3, reason: 4 }),
    ...(isMap(details) ? [encodeField(5, encodeDetails(mapAt(status, "details")))] : []),
    encodeNumber(6, count(status, "code")),
  ])
  function encodeDetails(map: MapValue): Uint8Array {
    const causes = mapsAt(map, "causes").map(cause => joined(texts(cause, { reason: 1, message: 2, field: 3 })))
    return joined([
      ...texts(map, { name: 1, group: 2, kind: 3 }),
      ...causes.map(cause => encodeField(4, cause)),
      encodeNumber(5, count(map, "retryAfterSeconds")),
      ...texts(map, { uid: 6 }),
    ])
  }
  const kind = encodeField(1, joined(texts({ apiVersion: "v1", kind: "Status" }, { apiVersion: 1, kind: 2 })))
  const envelope = [kind, encodeField(2, message), ...texts({}, { contentEncoding: 3, contentType: 4 })]
  return joined([new TextEncoder().encode("k8s\0"), ...envelope])
}
