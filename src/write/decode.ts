// Decodes the object in the body of a request, and refuses bodies that are not objects of the kind.
import { hasCode } from "../errors.js"
import { builtInKind } from "../kinds/families/registry.js"
import { badRequest, type RequestFailure } from "../kinds/refusal/failure.js"
import type { Resource } from "../kinds/resource/resource.js"
import { goMisfits, goTypeProblem } from "../kinds/shape/go-decode.js"
import { parseKind } from "../schema/group-version-kind.js"
import { TypedValue } from "../typed/typed-value.js"
import { textAt, withKeys } from "../value/fields.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import type { AdmissionContext } from "./admission.js"
import type { Endpoint } from "./endpoint.js"
import type { WriteOptions } from "./options.js"
import { type StrictReader, warningsOf } from "./strict.js"

/**
 * Returns the object in the body of a create or an update, as the endpoint reads it: with defaults. Throws a RequestFailure if its kind or
 * version is another one, if a value has the wrong type, or if a strict request has problems such as unknown fields.
 */
export function decodeObject(
  context: ReadContext,
  endpoint: Endpoint,
  body: Body,
  { fieldValidation }: Pick<WriteOptions, "fieldValidation">,
): MapValue {
  const { resource } = endpoint
  const refusal = (why: string) => undecodable(resource, why)
  const value = withKind(resource, body.value)
  checkTypes(endpoint, value, refusal)
  const { object, unknown } = endpoint.read(value)
  if (resource.builtIn?.definesKinds === true) context.noteRead(object, unknown)
  reportStrictly(
    context,
    () => body.strictly(unknown),
    { fieldValidation },
    problems => refusal(strictMessage(problems)),
  )
  return object
}

/** A parsed body. */
export interface Body {
  readonly value: Value
  /** Lists the problems of the body for a strict reader. */
  readonly strictly: StrictReader
}

/** The parts of a server that learn the findings of reading. */
type ReadContext = Pick<AdmissionContext, "warn" | "noteRead">

/** Returns the body with the kind and version of the resource. Throws a RequestFailure if it names another kind or version. */
function withKind(resource: Resource, body: Value): MapValue {
  const { apiVersion, kind } = resource
  if (!isMap(body)) throw badRequest(`the body of the request must be a ${kind}`)
  const given = { apiVersion: textAt(body, "apiVersion") || apiVersion, kind: textAt(body, "kind") || kind }
  if (given.apiVersion !== apiVersion || given.kind !== kind) throw otherKind(resource, given.apiVersion, given.kind)
  return withKeys(body, { apiVersion, kind })
}

/** Returns the refusal of a body that names another kind or version. A server first looks for its Go type, and then for a conversion. */
function otherKind({ apiVersion, kind, group, types, custom }: Resource, givenVersion: string, givenKind: string) {
  const given = parseKind(givenVersion, givenKind)
  const start = `${givenKind} in version ${JSON.stringify(given.version)} cannot be handled as a ${kind}`
  const differs = `the API version in the data (${givenVersion}) does not match the expected API version (${apiVersion})`
  if (custom !== undefined) return badRequest(givenVersion === apiVersion ? `${start}: the kinds differ` : differs)
  const item = givenKind.endsWith("List") ? givenKind.slice(0, -"List".length) : givenKind
  const isKnown = types.find(givenVersion, item) !== undefined || (givenVersion === "v1" && givenKind === "List")
  if (!isKnown) {
    const where = `in scheme "pkg/runtime/scheme.go:111"`
    return badRequest(`${start}: no kind "${givenKind}" is registered for version "${givenVersion}" ${where}`)
  }
  const stored = storedGroup(group, kind)
  if (givenKind === kind && storedGroup(given.group, kind) === stored) return badRequest(differs)
  const [goPackage] = (stored || "core").split(".")
  return badRequest(
    `${start}: converting (${given.version}.${givenKind}) to (${goPackage}.${kind}): unknown conversion`,
  )
}

/** Returns the group of the Go type to which a server converts a kind. */
function storedGroup(group: string, kind: string): string {
  return builtInKind(group, kind)?.storedWithGroup ?? group
}

/** Throws `refusal` for a built-in object that does not fit its Go struct. Custom resources are validated by their schema later. */
export function checkTypes(
  { resource, type }: Endpoint,
  object: MapValue,
  refusal: (why: string) => RequestFailure,
): void {
  if (resource.custom !== undefined || type === undefined) return
  if (resource.plain === undefined) {
    const found = resource.types.find(resource.apiVersion, resource.kind)
    const problem = goTypeProblem(object, found)
    if (problem === undefined) return
    const failure = refusal(problem)
    failure.fields = goMisfits(object, found)
    throw failure
  }
  try {
    TypedValue.of(object, type, { allowDuplicates: true })
  } catch (error) {
    if (!hasCode(error)) throw error
    throw refusal(error.message)
  }
}

/** Returns a server's message about the problems that a strict reader lists. */
export function strictMessage(problems: string): string {
  return `strict decoding error: ${problems}`
}

/** Throws `refusal` for the problems that a strict reader lists, or warns of them, or ignores them, depending on `fieldValidation`. */
export function reportStrictly(
  { warn }: Pick<AdmissionContext, "warn">,
  listProblems: () => readonly string[],
  { fieldValidation }: Pick<WriteOptions, "fieldValidation">,
  refusal: (problems: string) => RequestFailure,
): void {
  if (fieldValidation === "Ignore") return
  const problems = listProblems()
  if (problems.length === 0) return
  if (fieldValidation === "Strict") throw refusal(problems.join(", "))
  for (const warning of problems.flatMap(warningsOf)) warn(warning)
}

/** Returns the refusal of a body that is not an object of the kind. */
function undecodable({ kind, version }: Resource, why: string): RequestFailure {
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`)
}
