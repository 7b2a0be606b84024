// Requests that write an object: create, update, patch and apply, to a resource or to a subresource that has the same kind.
//
// The order is that of a server: the body is read and filled with defaults, the FieldManager says who owns what, admission may
// change the object, the strategy resets what the request can't write, what is left is checked, and storage keeps it if it differs
// from what was there.
import { hasCode } from "../errors.js"
import { differInTimesOnly } from "../managedfields/entries/times-only.js"
import { statusOf } from "../managedfields/status.js"
import { textAt } from "../schema/group-version-kind.js"
import type { Type } from "../typed/type.js"
import { TypedValue } from "../typed/typed-value.js"
import { equalValues } from "../value/equal.js"
import { own } from "../value/object.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { withGeneratedName } from "./created.js"
import type { Endpoint } from "./endpoint.js"
import { alreadyExists, badRequest, conflict, invalid, modified, notFound, RequestFailure } from "./failure.js"
import { metadataOf, metaText, withKeys, withMetadata } from "./metadata.js"
import type { WriteOptions } from "./options.js"
import { admitPod } from "./pods.js"
import { kindSubject, type Resource, subjectOf } from "./resources/resource.js"
import { withAddresses } from "./service-addresses.js"
import { orWithoutOwners, refuseLarge } from "./size.js"
import { type Store, storeKey } from "./store.js"
import {
  beforeCreate,
  beforeUpdate,
  canCreateByPut,
  metadataProblems,
  needsResourceVersion,
  wipeSystemFields,
} from "./strategy.js"
import { problemOf, type UnionEvents } from "./unions.js"

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

/** What writers have in common. */
export interface Context {
  readonly store: Store
  readonly clock: () => Date
  /** Returns the object that is stored in the place of the one that came, or throws a RequestFailure. */
  readonly admit?: (request: AdmissionRequest) => MapValue
  /** Returns what is wrong with an object that is about to be stored. */
  readonly validate?: (request: ValidationRequest) => readonly ValidationProblem[]
  /** Returns what to warn the client of. */
  readonly warn: (message: string) => void
  /** What happens to unions in the request. */
  readonly unions: UnionEvents
  /** Takes an object out of the store that nothing holds any more. */
  readonly release: (endpoint: Endpoint, object: MapValue) => void
  /** Called with each object before it is stored, and with undefined in place of one that goes. */
  readonly storing: (
    resource: Resource,
    object: MapValue | undefined,
    before: MapValue | undefined,
  ) => MapValue | undefined
}

/** Where an object is. */
export interface Place {
  readonly endpoint: Endpoint
  readonly namespace: string
  readonly name: string
}

/** What a write made, at the version of the endpoint. */
export interface Written {
  readonly object: MapValue
  readonly created: boolean
}

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

/** Creates the object in the body of a POST. */
export function create(
  context: Context,
  endpoint: Endpoint,
  namespace: string,
  body: MapValue,
  options: WriteOptions,
): Written {
  const { resource } = endpoint
  const { object, unknown } = endpoint.read(body)
  checkTypes(endpoint, object, why => undecodable(resource, why))
  reportUnknown(context, unknown, options, why => undecodable(resource, why))
  if (!["", "0"].includes(metaText(object, "resourceVersion"))) {
    throw new RequestFailure(500, "resourceVersion should not be set on objects to be created")
  }
  const placed = inNamespace(wipeSystemFields(object), resource, namespace)
  const made = owned(context, endpoint, undefined, placed, options)
  return orWithoutOwners(finish => storeNew(context, { endpoint, namespace, name: "" }, finish(made), options))
}

/** Puts the object of the body in the place of the stored one, or creates it if the kind allows that. */
export function update(context: Context, place: Place, body: MapValue, options: WriteOptions): Written {
  const { endpoint } = place
  const { object, unknown } = endpoint.read(body)
  checkTypes(endpoint, object, why => undecodable(endpoint.resource, why))
  reportUnknown(context, unknown, options, why => undecodable(endpoint.resource, why))
  const uid = metaText(object, "uid")
  const live = find(context, place)
  if (uid !== "" && live !== undefined && uid !== metaText(live, "uid")) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metaText(live, "uid")}`
    throw conflict(subjectOf(endpoint.resource), place.name, why)
  }
  const allowsCreate = endpoint.subresource === "" && canCreateByPut(endpoint.resource)
  return orWithoutOwners(finish =>
    write(context, place, options, allowsCreate, before => finish(owned(context, endpoint, before, object, options))),
  )
}

/** What a patch made of an object, and how it is refused if the type of the object does not allow that. */
export interface Patched {
  readonly value: Value
  /** Makes the refusal. `why` says what is wrong: fields that the type has not, or else a value of another type. */
  readonly refusal: (why: string, type: Type | undefined) => RequestFailure
}

/** Changes the stored object: `change` makes the next one of it. */
export function patch(
  context: Context,
  place: Place,
  options: WriteOptions,
  change: (live: MapValue) => Patched,
): Written {
  const { endpoint } = place
  const next = (before: MapValue | undefined) => {
    if (before === undefined) throw notFound(subjectOf(endpoint.resource), place.name)
    const { value: changed, refusal } = change(before)
    if (!isMap(changed)) throw badRequest("the patch does not leave an object")
    const { object, unknown } = endpoint.read(changed)
    checkTypes(endpoint, object, why => refusal(why, endpoint.type))
    reportUnknown(context, unknown, options, why => refusal(why, undefined))
    return owned(context, endpoint, before, object, options)
  }
  return orWithoutOwners(finish => write(context, place, options, false, before => finish(next(before))))
}

/** Server-side apply. Creates the object if there is none. */
export function apply(context: Context, place: Place, config: MapValue, options: WriteOptions): Written {
  const { endpoint } = place
  return write(context, place, options, endpoint.subresource === "", before => {
    const { manager, force } = options
    const attempt = endpoint.manager.tryApply(before, config, {
      manager,
      force,
      subresource: endpoint.subresource,
    })
    if (!attempt.ok) throw failureOf(attempt.error, context)
    context.unions.addChanges(attempt.unions)
    return attempt.object
  })
}

/** The refusal that an error of the engine becomes; a RequestFailure stays what it is, and what else was thrown is thrown again. */
export function failureOf(error: Error, { unions }: Pick<Context, "unions">): RequestFailure {
  if (error instanceof RequestFailure) return error
  if (!hasCode(error)) throw error
  const { code, message, reason, details } = statusOf(error)
  if (hasCode(error, "union")) unions.add("refused", details?.causes.length ?? 1)
  return new RequestFailure(code, message, reason, details as MapValue | undefined)
}

function owned(
  context: Context,
  endpoint: Endpoint,
  live: MapValue | undefined,
  next: MapValue,
  { manager }: WriteOptions,
): MapValue {
  try {
    const made = endpoint.manager.updateLeniently(live, next, { manager, subresource: endpoint.subresource })
    context.unions.addChanges(made.unions)
    return made.object
  } catch (error) {
    throw error instanceof Error ? failureOf(error, context) : error
  }
}

/** The stored object at the version of the endpoint. */
export function find({ store }: Context, { endpoint, namespace, name }: Place): MapValue | undefined {
  const stored = store.get(storeKey(endpoint.resource), namespace, name)
  return stored && endpoint.view(stored)
}

/**
 * Stores what `change` makes of the live object, which is undefined if there is none. Throws a RequestFailure if there is none and the
 * request can't create it.
 */
export function write(
  context: Context,
  place: Place,
  options: WriteOptions,
  allowsCreate: boolean,
  change: (live: MapValue | undefined) => MapValue,
): Written {
  const { endpoint, namespace, name } = place
  const { resource } = endpoint
  const live = find(context, place)
  if (live === undefined && !allowsCreate) throw notFound(subjectOf(resource), name)
  const made = change(live)
  const uid = metaText(made, "uid")
  if (live === undefined && uid !== "") {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
    throw conflict(subjectOf(resource), name, why)
  }
  const placed = inNamespace(made, resource, namespace)
  const givenName = metaText(placed, "name")
  if (givenName !== "" && givenName !== name) {
    throw badRequest(`the name of the object (${givenName}) does not match the name on the URL (${name})`)
  }
  if (live === undefined) return storeNew(context, place, wipeSystemFields(placed), options)
  const request = requestTo(endpoint, "UPDATE", placed, live, options)
  const admitted = admit(context, request)
  const versioned = atVersion(resource, name, admitted, live)
  const prepared = beforeUpdate(endpoint, versioned, live)
  check(context, endpoint, { ...request, object: prepared })
  const next = allocated(context, resource, prepared)
  return { object: storeChanged(context, endpoint, next, live, options.dryRun), created: false }
}

function requestTo(
  { resource, subresource }: Endpoint,
  operation: AdmissionRequest["operation"],
  object: MapValue,
  live: MapValue | undefined,
  { dryRun, manager }: WriteOptions,
): AdmissionRequest {
  return { operation, object, live, resource: resource.plural, subresource, dryRun, manager }
}

function admit(context: Context, given: AdmissionRequest): MapValue {
  const isPod = given.resource === "pods" && given.object.apiVersion === "v1" && given.subresource === ""
  const request = isPod ? { ...given, object: admitPod(given.object, given.live) } : given
  return context.admit === undefined ? request.object : context.admit(request)
}

/** The object with the resourceVersion of the live one. Throws a RequestFailure if it was made for another. */
function atVersion(resource: Resource, name: string, object: MapValue, live: MapValue): MapValue {
  const given = own(metadataOf(object), "resourceVersion") ?? ""
  const current = metaText(live, "resourceVersion")
  if (given === current) return object
  if (given !== "" && given !== "0") throw modified(subjectOf(resource), name)
  if (!needsResourceVersion(resource)) return withMetadata(object, { resourceVersion: current })
  const message = "Invalid value: 0: must be specified for an update"
  throw invalid(subjectOf(resource), name, [
    { reason: "FieldValueInvalid", message, field: "metadata.resourceVersion" },
  ])
}

function check({ validate, unions, warn }: Context, endpoint: Endpoint, request: ValidationRequest): void {
  const { object, live } = request
  const { refused, ratcheted } = endpoint.unionFindings(object, live)
  unions.add("refused", refused.length)
  unions.add("ratcheted", ratcheted)
  for (const { field, hint } of refused) if (hint !== undefined) warn(`${field}: ${hint}`)
  const ofMetadata = metadataProblems(object, live, endpoint.resource.custom !== undefined)
  const found = [...ofMetadata, ...endpoint.problems(object, live, ofMetadata, warn), ...refused.map(problemOf)]
  const others = validate?.(request).map(problem => ({ reason: "FieldValueInvalid", ...problem })) ?? []
  const problems = [...found, ...others]
  if (problems.length > 0) throw invalid(kindSubject(endpoint.resource), metaText(object, "name"), problems)
}

/** Stores the object if it differs from the live one; removes it if this took its last finalizer. */
function storeChanged(context: Context, endpoint: Endpoint, next: MapValue, live: MapValue, dryRun: boolean): MapValue {
  const { resource } = endpoint
  if (isFinalized(next, live)) {
    if (!dryRun) context.release(endpoint, next)
    return next
  }
  if (equalValues(next, live) || differInTimesOnly(live, next)) return live
  if (dryRun) return next
  refuseLarge(next)
  const stored = context.storing(resource, endpoint.toStorage(next), endpoint.toStorage(live)) ?? next
  return endpoint.view(context.store.put(storeKey(resource), stored))
}

/** Whether the object was being deleted, and nothing holds it any more. */
export function isFinalized(next: MapValue, live: MapValue): boolean {
  const before = metadataOf(live)
  const finalizers = own(metadataOf(next), "finalizers")
  const held = Array.isArray(finalizers) && finalizers.length > 0
  const namespaceHeld = next.kind === "Namespace" && next.apiVersion === "v1" && holdsNamespace(next)
  if (held || namespaceHeld || own(before, "deletionTimestamp") === undefined) return false
  return (own(before, "deletionGracePeriodSeconds") ?? 0) === 0
}

function holdsNamespace(namespace: MapValue): boolean {
  const spec = own(namespace, "spec")
  const finalizers = isMap(spec) ? own(spec, "finalizers") : undefined
  return Array.isArray(finalizers) && finalizers.length > 0
}

function storeNew(context: Context, place: Place, object: MapValue, options: WriteOptions): Written {
  const { endpoint, namespace } = place
  const { resource } = endpoint
  const { store, clock } = context
  const request = requestTo(endpoint, "CREATE", object, undefined, options)
  const named = withGeneratedName(admit(context, request))
  const name = metaText(named, "name")
  const created = beforeCreate(endpoint, named, clock(), crypto.randomUUID())
  check(context, endpoint, { ...request, object: created })
  if (resource.namespaced && store.get("/namespaces", "", namespace) === undefined) {
    throw notFound({ group: "", name: "namespaces" }, namespace)
  }
  if (store.get(storeKey(resource), namespace, name) !== undefined) throw alreadyExists(subjectOf(resource), name)
  const next = allocated(context, resource, created)
  if (options.dryRun) return { object: endpoint.view(endpoint.toStorage(next)), created: true }
  refuseLarge(next)
  const stored = context.storing(resource, endpoint.toStorage(next), undefined) ?? next
  return { object: endpoint.view(store.put(storeKey(resource), stored)), created: true }
}

/** A Service with addresses that no other has; other objects as they are. */
function allocated({ store }: Context, { group, kind, plural }: Resource, object: MapValue): MapValue {
  if (group !== "" || kind !== "Service") return object
  const isSame = (other: MapValue) => ["name", "namespace"].every(key => metaText(other, key) === metaText(object, key))
  return withAddresses(
    object,
    store.list(storeKey({ group, plural })).filter(other => !isSame(other)),
  )
}

/** The object with the namespace of the request. Throws a RequestFailure if it says another. */
function inNamespace(object: MapValue, { namespaced }: Resource, namespace: string): MapValue {
  const given = metaText(object, "namespace")
  const expected = namespaced ? namespace : ""
  if (given !== "" && given !== expected && namespaced) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request")
  }
  return given === expected ? object : withMetadata(object, { namespace: expected === "" ? undefined : expected })
}

/** Refuses a built-in object that its Go struct could not hold. Custom resources are checked by their schema later on. */
function checkTypes({ resource, type }: Endpoint, object: MapValue, refusal: (why: string) => RequestFailure): void {
  if (resource.custom !== undefined || type === undefined) return
  try {
    TypedValue.of(object, type, { allowDuplicates: true })
  } catch (error) {
    if (!hasCode(error)) throw error
    throw refusal(error.message)
  }
}

function reportUnknown(
  context: Context,
  unknown: readonly string[],
  options: WriteOptions,
  refusal: (why: string) => RequestFailure,
): void {
  if (unknown.length === 0 || options.fieldValidation === "Ignore") return
  const lines = unknown.map(path => `unknown field ${JSON.stringify(path)}`)
  if (options.fieldValidation !== "Warn") throw refusal(`strict decoding error: ${lines.join(", ")}`)
  for (const line of lines) context.warn(line)
}

/** The body of a request that is no object of its kind. */
function undecodable({ kind, version }: Resource, why: string): RequestFailure {
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`)
}
