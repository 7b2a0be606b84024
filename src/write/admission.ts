// The steps that may change or refuse an object on its way to storage: the hooks of the server's user, the admission that every cluster has, and
// the checks of values, unions and metadata.

import { invalid, type Problem, RequestFailure } from "../kinds/refusal/failure.js"
import { kindSubject, type Resource } from "../kinds/resource/resource.js"
import type { Shadow } from "../kinds/validation/declared.js"
import { metadataProblems } from "../kinds/validation/metadata.js"
import type { TypeFinder } from "../managedfields/types/object-types.js"
import { metaText } from "../schema/metadata.js"
import type { MapValue } from "../value/value.js"
import {
  type Admission,
  type AdmissionPlugins,
  type Attributes,
  adminInfo,
  deleteAttributes,
  type Notes,
} from "./attributes.js"
import type { Endpoint } from "./endpoint.js"
import type { WriteOptions } from "./options.js"
import type { UnionGate } from "./union-gate.js"
import { type UnionEvents, unionProblem } from "./unions.js"

/** A request as the hook for admission sees it: after the FieldManager. */
export interface AdmissionRequest {
  /** `CREATE` if there is no stored object. */
  readonly operation: "CREATE" | "UPDATE"
  /** The object at the version of the request, with managedFields. */
  readonly object: MapValue
  /** The stored object; undefined if the request creates the object. */
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

/** A request as the hook for validation sees it: its object is ready to be stored. */
export interface ValidationRequest extends AdmissionRequest {
  /** The object as it would be stored: after defaulting, admission, and the strategy of the resource, which resets fields. */
  readonly object: MapValue
}

/** A reason of a hook for validation to refuse an object. It becomes a cause of the Status. */
export interface ValidationProblem {
  /** The path of the field: `spec.ports[0].name`. */
  readonly field: string
  /** The problem, as clients read it after the path: `Invalid value: 5: must be odd`. */
  readonly message: string
  /** The reason of the cause; `FieldValueInvalid` if absent. */
  readonly reason?: string
}

/** The parts of a server that admission and validation use. */
export interface AdmissionContext extends Notes {
  /** Policies, webhooks and other plugins; absent if the cluster configures none. */
  readonly plugins?: AdmissionPlugins | undefined
  /** The sender of the request; an administrator if absent. */
  readonly userInfo?: MapValue | undefined
  /** Throws a RequestFailure if a role or a binding would grant rights that the sender lacks. */
  readonly confirmGrants?:
    | ((resource: Resource, namespace: string, object: MapValue, live: MapValue | undefined) => void)
    | undefined
  /** Throws a RequestFailure if the sender, who may update or patch the object, may not create it. */
  readonly requireCreate?: (() => void) | undefined
  /** Returns the object to store instead of the request's. If it throws, the request is refused. */
  readonly admit?: (request: AdmissionRequest) => MapValue
  /** Returns the problems of an object that is about to be stored. */
  readonly validate?: (request: ValidationRequest) => readonly ValidationProblem[]
  /** Compares the handwritten checks of built-in kinds with declared rules. If absent, nothing is compared. */
  readonly shadow?: Shadow | undefined
  /** Counts the changes to unions in the request. */
  readonly unions: UnionEvents
  /** Called with each definition that was read, and with the paths of the fields that it lost. */
  readonly noteRead: UnionGate["noteRead"]
  /** Returns a warning if the unions of an object to be stored are ignored, the first time for each kind. If absent, nobody is warned. */
  readonly ignoredUnions?: UnionGate["ignoredUnions"]
  /**
   * Called with the problems of an object that is about to be stored; returns those for which the request is refused. A dry run excuses the
   * problems that its live object already has. If absent, every problem counts.
   */
  readonly excuse?: (problems: readonly Problem[]) => readonly Problem[]
}

/** Returns the request as the hooks see it. */
export function admissionRequest(
  { resource, subresource }: Endpoint,
  operation: AdmissionRequest["operation"],
  object: MapValue,
  live: MapValue | undefined,
  { dryRun, manager }: WriteOptions,
): AdmissionRequest {
  return { operation, object, live, resource: resource.plural, subresource, dryRun, manager }
}

/**
 * Returns the object to store instead of the request's. `mutate` lets the plugins of the server change an object. Throws a RequestFailure if
 * admission refuses the request.
 */
export function admit(
  context: AdmissionContext,
  { builtIn }: Resource,
  request: AdmissionRequest,
  mutate: (object: MapValue) => MapValue,
): MapValue {
  const ofKind = request.subresource === "" ? builtIn?.admit : undefined
  const object = mutate(ofKind === undefined ? request.object : ofKind(request.object, request.live))
  return context.admit === undefined ? object : callHook(context.admit, { ...request, object })
}

/** Returns the options of a request as its plugins see them. */
export function operationOptions(
  operation: Attributes["operation"],
  { manager, dryRun, applies, force, fieldValidation }: WriteOptions,
): MapValue {
  const kind = applies ? "PatchOptions" : operation === "CREATE" ? "CreateOptions" : "UpdateOptions"
  return {
    kind,
    apiVersion: "meta.k8s.io/v1",
    ...(dryRun && { dryRun: ["All"] }),
    ...(force && { force }),
    fieldManager: manager,
    fieldValidation,
  }
}

/** Throws a RequestFailure if the plugins of a cluster refuse the dry run of a delete. */
export function validateDelete(
  admission: Admission,
  types: TypeFinder,
  resource: Resource,
  { name, live, warn }: { readonly name: string; readonly live: MapValue } & Notes,
): void {
  const { pluginsFor, userInfo = adminInfo } = admission
  const options = { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1", dryRun: ["All"] }
  const request = deleteAttributes(resource, metaText(live, "namespace"), name, live)
  pluginsFor(types).validate({ ...request, dryRun: true, options, userInfo }, { warn })
}

/** Returns the result of the hook. An error that the hook throws becomes a RequestFailure with 403. */
function callHook(hook: (request: AdmissionRequest) => MapValue, request: AdmissionRequest): MapValue {
  try {
    return hook(request)
  } catch (error) {
    if (error instanceof RequestFailure || !(error instanceof Error)) throw error
    const { resource, object } = request
    const message = `${resource} ${JSON.stringify(metaText(object, "name"))} is forbidden: ${error.message}`
    throw new RequestFailure(403, message, "Forbidden", { name: metaText(object, "name"), kind: resource })
  }
}

/** Throws a RequestFailure with all problems of an object to be stored, if it has any. */
export function validate(context: AdmissionContext, endpoint: Endpoint, request: ValidationRequest): void {
  const { validate: hook, unions, warn, ignoredUnions, excuse, shadow } = context
  const { object, live } = request
  const ignored = ignoredUnions?.(endpoint, object)
  if (ignored !== undefined) warn(ignored)
  const { refused, ratcheted } = endpoint.unionFindings(object, live)
  unions.add("refused", refused.length)
  unions.add("ratcheted", ratcheted)
  for (const { field, hint } of refused) if (hint !== undefined) warn(`${field}: ${hint}`)
  const ofMetadata = endpoint.resource.plain ? [] : metadataProblems(object, live, endpoint.resource)
  const all = [
    ...ofMetadata,
    ...endpoint.problems(object, live, ofMetadata, warn, shadow),
    ...refused.map(unionProblem),
    ...(hook?.(request).map(problem => ({ reason: "FieldValueInvalid", ...problem })) ?? []),
  ]
  const problems = all.length > 0 && excuse !== undefined ? excuse(all) : all
  if (problems.length > 0) throw invalid(kindSubject(endpoint.resource), metaText(object, "name"), problems)
  endpoint.warningsAbout(object, live).forEach(warn)
}
