// The object in the body of a request: what is refused because no object of the kind can be read from it.
import { hasCode } from "../errors.js"
import { textAt } from "../schema/group-version-kind.js"
import { TypedValue } from "../typed/typed-value.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import type { AdmissionContext } from "./admission.js"
import type { Endpoint } from "./endpoint.js"
import { badRequest, type RequestFailure } from "./failure.js"
import { withKeys } from "./metadata.js"
import type { WriteOptions } from "./request/options.js"
import type { Resource } from "./resources/resource.js"

/** The object of the body, read at the endpoint. Throws a RequestFailure if it is of another kind or version. */
export function decodeObject({ resource }: Endpoint, body: Value): MapValue {
  const { apiVersion, kind } = resource
  if (!isMap(body)) throw badRequest(`the body of the request must be a ${kind}`)
  const givenVersion = textAt(body, "apiVersion") || apiVersion
  const givenKind = textAt(body, "kind") || kind
  if (givenVersion !== apiVersion) {
    throw badRequest(
      `the API version in the data (${givenVersion}) does not match the expected API version (${apiVersion})`,
    )
  }
  if (givenKind !== kind) {
    throw badRequest(
      `${givenKind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${kind}: the kinds differ`,
    )
  }
  return withKeys(body, { apiVersion, kind })
}

/** Refuses a built-in object that its Go struct could not hold. Custom resources are checked by their schema later on. */
export function checkTypes(
  { resource, type }: Endpoint,
  object: MapValue,
  refusal: (why: string) => RequestFailure,
): void {
  if (resource.custom !== undefined || type === undefined) return
  try {
    TypedValue.of(object, type, { allowDuplicates: true })
  } catch (error) {
    if (!hasCode(error)) throw error
    throw refusal(error.message)
  }
}

/** Refuses fields that the type has not, or warns of them, as the request asks. */
export function reportUnknown(
  { warn }: Pick<AdmissionContext, "warn">,
  unknown: readonly string[],
  options: WriteOptions,
  refusal: (why: string) => RequestFailure,
): void {
  if (unknown.length === 0 || options.fieldValidation === "Ignore") return
  const lines = unknown.map(path => `unknown field ${JSON.stringify(path)}`)
  if (options.fieldValidation !== "Warn") throw refusal(`strict decoding error: ${lines.join(", ")}`)
  for (const line of lines) warn(line)
}

/** The body of a request that is no object of its kind. */
export function undecodable({ kind, version }: Resource, why: string): RequestFailure {
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`)
}
