// The object in the body of a request: what is refused because no object of the kind can be read from it.
import { hasCode } from "../errors.js"
import { badRequest, type RequestFailure } from "../kinds/refusal/failure.js"
import type { Resource } from "../kinds/resource/resource.js"
import { TypedValue } from "../typed/typed-value.js"
import { textAt, withKeys } from "../value/fields.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import type { AdmissionContext } from "../write/admission.js"
import type { Endpoint } from "../write/endpoint.js"
import type { WriteOptions } from "../write/options.js"
import { type StrictReader, warningsOf } from "./strict.js"

/**
 * The object in the body of a create or an update, as the endpoint reads it: with defaults. Throws a RequestFailure if it is of
 * another kind or version, if it has values of other types, or if it has what a strict request refuses.
 */
export function decodeObject(
  context: Reading,
  endpoint: Endpoint,
  body: Body,
  { fieldValidation }: Pick<WriteOptions, "fieldValidation">,
): MapValue {
  const { resource } = endpoint
  const { object, unknown } = endpoint.read(ofKind(resource, body.value))
  if (resource.builtIn?.definesKinds === true) context.noteRead(object, unknown)
  const refusal = (why: string) => undecodable(resource, why)
  checkTypes(endpoint, object, refusal)
  reportStrictly(
    context,
    () => body.strictly(unknown),
    { fieldValidation },
    problems => refusal(strictError(problems)),
  )
  return object
}

/** A body as it was read. */
export interface Body {
  readonly value: Value
  /** Lists the problems of the body for a strict reader. */
  readonly strictly: StrictReader
}

/** Who learns what reading found. */
type Reading = Pick<AdmissionContext, "warn" | "noteRead">

/** The object with its kind. Throws a RequestFailure if it is of another kind or version. */
function ofKind({ apiVersion, kind, version }: Resource, body: Value): MapValue {
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
      `${givenKind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: the kinds differ`,
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

/** How a server words what a strict reader found. */
export function strictError(problems: string): string {
  return `strict decoding error: ${problems}`
}

/** Refuses what a strict reader found, or warns of it, as the request asks. */
export function reportStrictly(
  { warn }: Pick<AdmissionContext, "warn">,
  find: () => readonly string[],
  { fieldValidation }: Pick<WriteOptions, "fieldValidation">,
  refusal: (problems: string) => RequestFailure,
): void {
  if (fieldValidation === "Ignore") return
  const problems = find()
  if (problems.length === 0) return
  if (fieldValidation === "Strict") throw refusal(problems.join(", "))
  for (const warning of problems.flatMap(warningsOf)) warn(warning)
}

/** The body of a request that is no object of its kind. */
function undecodable({ kind, version }: Resource, why: string): RequestFailure {
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`)
}
