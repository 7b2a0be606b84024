// Requests that an API server refuses, as the Status it answers with. Every refusal of the test API server is one of these.
import { formatValue } from "../../value/format.js"
import type { MapValue, Value } from "../../value/value.js"

/** A refused request. The message is that of the Status. */
export class RequestFailure extends Error {
  /** The body of the answer. */
  readonly status: MapValue
  /** The HTTP status. */
  readonly code: number

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

/** What a refusal is about: a resource (`deployments`) in most, a kind (`Deployment`) in those about a body. */
export interface Subject {
  readonly group: string
  readonly name: string
}

/** One problem of an object or of the options of a request, in the words of an API server. */
export interface Problem {
  readonly reason: string
  /** Where: `metadata.name`, `spec.ports[0]`. */
  readonly field: string
  /** What, without the field: `Required value: must not be empty`. */
  readonly message: string
}

const qualified = ({ group, name }: Subject): string => (group === "" ? name : `${name}.${group}`)

function detailsOf({ group, name: kind }: Subject, name: string): Record<string, Value> {
  return { ...(name !== "" && { name }), ...(group !== "" && { group }), ...(kind !== "" && { kind }) }
}

export function badRequest(message: string): RequestFailure {
  return new RequestFailure(400, message, "BadRequest")
}

/** No object of this name. */
export function notFound(subject: Subject, name: string): RequestFailure {
  const message = `${qualified(subject)} ${formatValue(name)} not found`
  return new RequestFailure(404, message, "NotFound", detailsOf(subject, name))
}

/** Nothing is served at this path. */
export function noSuchResource(): RequestFailure {
  return new RequestFailure(404, "the server could not find the requested resource", "NotFound", {})
}

export function alreadyExists(subject: Subject, name: string): RequestFailure {
  const message = `${qualified(subject)} ${formatValue(name)} already exists`
  return new RequestFailure(409, message, "AlreadyExists", detailsOf(subject, name))
}

export function conflict(subject: Subject, name: string, why: string): RequestFailure {
  const message = `Operation cannot be fulfilled on ${qualified(subject)} ${formatValue(name)}: ${why}`
  return new RequestFailure(409, message, "Conflict", detailsOf(subject, name))
}

/** The request was made for another state of the object than the stored one. */
export function modified(subject: Subject, name: string): RequestFailure {
  const why = "the object has been modified; please apply your changes to the latest version and try again"
  return conflict(subject, name, why)
}

export function invalid(subject: Subject, name: string, problems: readonly Problem[]): RequestFailure {
  const causes = problems.map(({ reason, message, field }) => ({ reason, message, field }))
  const message = `${qualified(subject)} ${formatValue(name)} is invalid: ${joinFieldErrors(problems)}`
  return new RequestFailure(422, message, "Invalid", { ...detailsOf(subject, name), causes })
}

/** All problems in one line, as the message of a Status has them: `field: problem`, or several in brackets. */
export function joinFieldErrors(errors: readonly Pick<Problem, "field" | "message">[]): string {
  const lines = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))]
  return lines.length === 1 ? lines.join() : `[${lines.join(", ")}]`
}

/** The request is understood, but nobody may do this. */
export function forbidden(subject: Subject, name: string, why: string): RequestFailure {
  const message = `${qualified(subject)} ${formatValue(name)} is forbidden: ${why}`
  return new RequestFailure(403, message, "Forbidden", detailsOf(subject, name))
}

/** The verb is not one of the resource. */
export function methodNotAllowed(): RequestFailure {
  const message = "the server does not allow this method on the requested resource"
  return new RequestFailure(405, message, "MethodNotAllowed", {})
}

/** The body is of a type that is not read here; `remedy` says what to send. */
export function unsupportedMediaType(message: string): RequestFailure {
  return new RequestFailure(415, message, "UnsupportedMediaType")
}

/** What a real API server does and this one does not; `remedy` says what to do about it. */
export function notImplemented(what: string, remedy: string): RequestFailure {
  return new RequestFailure(501, `this test API server does not serve ${what}: ${remedy}`, "NotImplemented")
}

/** The state that a watch or a list asks for is not kept any more. */
export function expired(message: string): RequestFailure {
  return new RequestFailure(410, message, "Expired")
}

/** An option of a list or a watch that does not go with the others. */
export function forbiddenOption(field: string, why: string): RequestFailure {
  const message = `Forbidden: ${why}`
  return invalid({ group: "meta.k8s.io", name: "ListOptions" }, "", [{ reason: "FieldValueForbidden", field, message }])
}
