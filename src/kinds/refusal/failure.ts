// Refused requests, as the Status that an API server answers with. The test API server makes each refusal here.
import { nameInGroup } from "../../schema/group-version-kind.js"
import { formatValue } from "../../value/format.js"
import type { MapValue, Value } from "../../value/value.js"

/** A refused request. The message is that of the Status. */
export class RequestFailure extends Error {
  /** The body of the answer. */
  readonly status: MapValue
  /** The HTTP status. */
  readonly code: number
  /** The fields that the message is about, in plain words, if the Status names none. A server does not send them. */
  fields: readonly Problem[] = []

  constructor(code: number, message: string, reason?: string, details?: MapValue) {
    super(message)
    this.name = "RequestFailure"
    this.code = code
    this.status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      ...(reason !== undefined && { reason }),
      ...(details !== undefined && { details }),
      code,
    }
  }
}

/** Returns the fields for which a request is refused: those that the Status names, or else the ones behind its message. */
export function refusedFields({ status, fields }: RequestFailure): readonly Problem[] {
  const { details } = status as { readonly details?: { readonly causes?: readonly Partial<Problem>[] } }
  // The causes of policies and webhooks have only a message.
  return details?.causes?.map(cause => ({ reason: "", field: "", message: "", ...cause })) ?? fields
}

/** The subject of a refusal: a resource (`deployments`), or a kind (`Deployment`) if the refusal is about a body. */
export interface Subject {
  readonly group: string
  readonly name: string
}

/** One problem of an object or of the options of a request, in the words of an API server. */
export interface Problem {
  readonly reason: string
  /** The path of the field: `metadata.name`, `spec.ports[0]`. */
  readonly field: string
  /** The problem without the field: `Required value: must not be empty`. */
  readonly message: string
}

const qualified = ({ group, name }: Subject): string => nameInGroup(name, group)

function detailsOf({ group, name: kind }: Subject, name: string): Record<string, Value> {
  return { ...(name !== "" && { name }), ...(group !== "" && { group }), ...(kind !== "" && { kind }) }
}

/** Returns the refusal of a request that is malformed. */
export function badRequest(message: string): RequestFailure {
  return new RequestFailure(400, message, "BadRequest")
}

/** Returns the refusal of a request for an object that does not exist. */
export function notFound(subject: Subject, name: string): RequestFailure {
  const message = `${qualified(subject)} ${formatValue(name)} not found`
  return new RequestFailure(404, message, "NotFound", detailsOf(subject, name))
}

/** Returns the refusal of a request to a path at which nothing is served. */
export function noSuchResource(): RequestFailure {
  return new RequestFailure(404, "the server could not find the requested resource", "NotFound", {})
}

/** The refusal of a request to a path of a group that does not exist, or of nothing at all. It is answered as plain text. */
export class PageNotFound extends RequestFailure {
  constructor() {
    super(404, "404 page not found", "NotFound")
    this.name = "PageNotFound"
  }
}

/** Returns the refusal to create an object whose name is in use. */
export function alreadyExists(subject: Subject, name: string): RequestFailure {
  const message = `${qualified(subject)} ${formatValue(name)} already exists`
  return new RequestFailure(409, message, "AlreadyExists", detailsOf(subject, name))
}

/** Returns the refusal of a write that conflicts with the stored object. `why` describes the conflict. */
export function conflict(subject: Subject, name: string, why: string): RequestFailure {
  const message = `Operation cannot be fulfilled on ${qualified(subject)} ${formatValue(name)}: ${why}`
  return new RequestFailure(409, message, "Conflict", detailsOf(subject, name))
}

/** Returns the refusal of a write whose resourceVersion is out of date. */
export function modified(subject: Subject, name: string): RequestFailure {
  const why = "the object has been modified; please apply your changes to the latest version and try again"
  return conflict(subject, name, why)
}

/** Returns the refusal of an object with these problems. */
export function invalid(subject: Subject, name: string, problems: readonly Problem[]): RequestFailure {
  const causes = problems.map(({ reason, message, field }) => ({ reason, message, field }))
  const message = `${qualified(subject)} ${formatValue(name)} is invalid: ${joinFieldErrors(problems)}`
  return new RequestFailure(422, message, "Invalid", { ...detailsOf(subject, name), causes })
}

/** Joins problems in one line, as the message of a Status does: `field: problem`, or several of these in brackets. */
export function joinFieldErrors(errors: readonly Pick<Problem, "field" | "message">[]): string {
  const lines = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))]
  return lines.length === 1 ? lines.join() : `[${lines.join(", ")}]`
}

/** Returns the refusal of a well-formed request that nobody may send. */
export function forbidden(
  subject: Subject,
  name: string,
  why: string,
  causes: readonly MapValue[] = [],
): RequestFailure {
  const message = `${qualified(subject)} ${formatValue(name)} is forbidden: ${why}`
  const details = { ...detailsOf(subject, name), ...(causes.length > 0 && { causes }) }
  return new RequestFailure(403, message, "Forbidden", details)
}

/** Returns the refusal of a verb that the resource does not have. */
export function methodNotAllowed(): RequestFailure {
  const message = "the server does not allow this method on the requested resource"
  return new RequestFailure(405, message, "MethodNotAllowed", {})
}

/** Returns the refusal of a body whose media type the server does not read. */
export function unsupportedMediaType(message: string): RequestFailure {
  return new RequestFailure(415, message, "UnsupportedMediaType")
}

/** Returns the refusal of a request that only a real API server implements. `remedy` says what to do instead. */
export function notImplemented(what: string, remedy: string): RequestFailure {
  return new RequestFailure(501, `this test API server does not serve ${what}: ${remedy}`, "NotImplemented")
}

/** Returns the refusal of a watch or a list for a state that the server no longer keeps. */
export function expired(message: string): RequestFailure {
  return new RequestFailure(410, message, "Expired")
}
