// What may change or refuse an object on its way to storage: the hooks of whoever made the server, the admission that every cluster
// has, and the checks of values, unions and metadata.

import { builtInKindOf } from "../kinds/families/registry.js"
import { invalid, type Problem, RequestFailure } from "../kinds/refusal/failure.js"
import { kindSubject } from "../kinds/resource/resource.js"
import { metadataProblems } from "../kinds/validation/metadata.js"
import { metaText } from "../schema/metadata.js"
import type { MapValue } from "../value/value.js"
import type { Endpoint } from "./endpoint.js"
import type { WriteOptions } from "./options.js"
import { problemOf, type UnionEvents, type UnionGate } from "./unions.js"

/** A request that has come through the FieldManager, as the hook for admission sees it. */
export interface AdmissionRequest {
  /** What the request does to the object. */
  readonly operation: "CREATE" | "UPDATE"
  /** The object at the version of the request, with managedFields. */
  readonly object: MapValue
  /** What is stored; undefined if the request creates the object. */
  readonly live: MapValue | undefined
  /** The plural name of the resource. */
  readonly resource: string
  /** "" for the resource itself. */
  readonly subresource: string
  /** Whether nothing is stored. */
  readonly dryRun: boolean
  /** The name of the manager. */
  readonly manager: string
}

/** A request whose object is ready to be stored, as the hook for validation sees it. */
export interface ValidationRequest extends AdmissionRequest {
  /** The object as it would be stored: after defaulting, admission, and what the strategy of the resource resets. */
  readonly object: MapValue
}

/** What a hook for validation has against an object. Becomes a cause of the Status. */
export interface ValidationProblem {
  /** The path of the field: `spec.ports[0].name`. */
  readonly field: string
  /** What is wrong with it, in the words that clients read after the path: `Invalid value: 5: must be odd`. */
  readonly message: string
  /** As in the causes of a Status; `FieldValueInvalid` if absent. */
  readonly reason?: string
}

/** What admission and validation need of the server. */
export interface AdmissionContext {
  /** Returns the object that is stored in the place of the one that came. What it throws refuses the request. */
  readonly admit?: (request: AdmissionRequest) => MapValue
  /** Returns what is wrong with an object that is about to be stored. */
  readonly validate?: (request: ValidationRequest) => readonly ValidationProblem[]
  /** Returns what to warn the client of. */
  readonly warn: (message: string) => void
  /** What happens to unions in the request. */
  readonly unions: UnionEvents
  /** Called with each definition that was read, and the paths of the fields that it lost. */
  readonly noteRead: UnionGate["noteRead"]
  /** Returns a warning if the unions of an object to be stored are ignored and nobody was told. Absent where there is nobody to tell. */
  readonly ignoredUnions?: UnionGate["ignoredUnions"]
  /**
   * Called with the problems of an object that is about to be stored, and returns those that the request is refused for. A dry run excuses
   * those that its live object has already. Absent where every problem counts.
   */
  readonly excuse?: (problems: readonly Problem[]) => readonly Problem[]
}

/** The request as the hooks see it. */
export function requestTo(
  { resource, subresource }: Endpoint,
  operation: AdmissionRequest["operation"],
  object: MapValue,
  live: MapValue | undefined,
  { dryRun, manager }: WriteOptions,
): AdmissionRequest {
  return { operation, object, live, resource: resource.plural, subresource, dryRun, manager }
}

/** The object that is stored in the place of the one that came. Throws a RequestFailure if admission refuses it. */
export function admit(context: AdmissionContext, given: AdmissionRequest): MapValue {
  const plugins = given.subresource === "" ? builtInKindOf(given.object)?.admit : undefined
  const request = plugins === undefined ? given : { ...given, object: plugins(given.object, given.live) }
  return context.admit === undefined ? request.object : admitted(context.admit, request)
}

/** What the hook returns. Throws a RequestFailure with 403 for an error that it throws. */
function admitted(admit: (request: AdmissionRequest) => MapValue, request: AdmissionRequest): MapValue {
  try {
    return admit(request)
  } catch (error) {
    if (error instanceof RequestFailure || !(error instanceof Error)) throw error
    const { resource, object } = request
    const message = `${resource} ${JSON.stringify(metaText(object, "name"))} is forbidden: ${error.message}`
    throw new RequestFailure(403, message, "Forbidden", { name: metaText(object, "name"), kind: resource })
  }
}

/** Throws a RequestFailure with everything that is wrong with an object to be stored. */
export function check(
  { validate, unions, warn, ignoredUnions, excuse }: AdmissionContext,
  endpoint: Endpoint,
  request: ValidationRequest,
): void {
  const { object, live } = request
  const ignored = ignoredUnions?.(endpoint, object)
  if (ignored !== undefined) warn(ignored)
  const { refused, ratcheted } = endpoint.unionFindings(object, live)
  unions.add("refused", refused.length)
  unions.add("ratcheted", ratcheted)
  for (const { field, hint } of refused) if (hint !== undefined) warn(`${field}: ${hint}`)
  const ofMetadata = endpoint.resource.plain ? [] : metadataProblems(object, live, endpoint.resource)
  const found = [...ofMetadata, ...endpoint.problems(object, live, ofMetadata, warn), ...refused.map(problemOf)]
  const others = validate?.(request).map(problem => ({ reason: "FieldValueInvalid", ...problem })) ?? []
  const all = [...found, ...others]
  const problems = all.length > 0 && excuse !== undefined ? excuse(all) : all
  if (problems.length > 0) throw invalid(kindSubject(endpoint.resource), metaText(object, "name"), problems)
  endpoint.warningsAbout(object).forEach(warn)
}
