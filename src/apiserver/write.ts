// Requests that write an object: create, update, patch and apply, to a resource or to a subresource that has the same kind.
//
// The order is that of a server: the body is read and filled with defaults, the FieldManager says who owns what, admission may
// change the object, the strategy resets what the request can't write, what is left is checked, and storage keeps it if it differs
// from what was there.
import { hasCode } from "../errors.js"
import { withGeneratedName } from "../kinds/defaults/created.js"
import { withAddresses } from "../kinds/defaults/service-addresses.js"
import { type Resource, storeKey, subjectOf } from "../kinds/resource/resource.js"
import { differInTimesOnly } from "../managedfields/entries/times-only.js"
import { statusOf } from "../managedfields/status.js"
import {
  alreadyExists,
  badRequest,
  conflict,
  invalid,
  modified,
  notFound,
  RequestFailure,
} from "../requests/failure.js"
import { metadataOf, metaText, withMetadata } from "../requests/metadata.js"
import type { Type } from "../typed/type.js"
import { equalValues } from "../value/equal.js"
import { own } from "../value/object.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { type AdmissionContext, type AdmissionRequest, admit, check, requestTo } from "../write/admission.js"
import type { Endpoint } from "../write/endpoint.js"
import type { WriteOptions } from "../write/options.js"
import { storable } from "../write/size.js"
import {
  beforeCreate,
  beforeUpdate,
  canCreateByPut,
  isFinalized,
  needsResourceVersion,
  wipeSystemFields,
} from "../write/strategy.js"
import { checkTypes, reportStrictly, strictError } from "./decode.js"
import { applyBody, requireModest } from "./request/body.js"
import { repeatedYaml, type StrictReader } from "./request/strict.js"
import type { Store } from "./storage/store.js"

/** What writers have in common. */
export interface Context extends AdmissionContext {
  readonly store: Store
  readonly clock: () => Date
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

/** Creates an object that was decoded. */
export function create(
  context: Context,
  endpoint: Endpoint,
  namespace: string,
  object: MapValue,
  options: WriteOptions,
): Written {
  const { resource } = endpoint
  if (!["", "0"].includes(metaText(object, "resourceVersion"))) {
    throw new RequestFailure(500, "resourceVersion should not be set on objects to be created")
  }
  const placed = inNamespace(wipeSystemFields(object), resource, namespace)
  const made = owned(context, endpoint, undefined, placed, options)
  return storeNew(context, { endpoint, namespace, name: "" }, made, options)
}

/** Puts an object that was decoded in the place of the stored one, or creates it if the kind allows that. */
export function update(context: Context, place: Place, object: MapValue, options: WriteOptions): Written {
  const { endpoint } = place
  const uid = metaText(object, "uid")
  const live = find(context, place)
  if (uid !== "" && live !== undefined && uid !== metaText(live, "uid")) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metaText(live, "uid")}`
    throw conflict(subjectOf(endpoint.resource), place.name, why)
  }
  const allowsCreate = endpoint.subresource === "" && canCreateByPut(endpoint.resource)
  return write(context, place, options, allowsCreate, before => owned(context, endpoint, before, object, options))
}

/** What a patch made of an object, and how it is refused if the type of the object does not allow that. */
export interface Patched {
  readonly value: Value
  /** What a strict reader has against the patch. */
  readonly strictly: StrictReader
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
  return write(context, place, options, false, before => {
    if (before === undefined) throw notFound(subjectOf(endpoint.resource), place.name)
    const { value: changed, strictly, refusal } = change(before)
    if (!isMap(changed)) throw badRequest("the patch does not leave an object")
    requireModest(changed)
    const { object, unknown } = endpoint.read(changed)
    if (endpoint.resource.kind === "CustomResourceDefinition") context.noteRead(object, unknown)
    checkTypes(endpoint, object, why => refusal(why, endpoint.type))
    const refuse = (problems: string) => refusal(strictError(problems), undefined)
    reportStrictly(context, () => strictly(unknown), options, refuse)
    return owned(context, endpoint, before, object, options)
  })
}

/** Server-side apply of a text. Creates the object if there is none. */
export function apply(context: Context, place: Place, text: string, options: WriteOptions): Written {
  const config = applyBody(text)
  const { endpoint } = place
  return write(context, place, options, endpoint.subresource === "", before => {
    const { manager, force } = options
    const attempt = endpoint.manager.tryApply(before, config, {
      manager,
      force,
      subresource: endpoint.subresource,
    })
    if (!attempt.ok) throw failureOf(attempt.error, context)
    context.unions.addChanges(attempt.unions, manager).forEach(context.warn)
    reportRepeated(context, text, options)
    return attempt.object
  })
}

/** Refuses keys that the text of an apply has more than once, or warns of them. */
function reportRepeated(context: Context, text: string, options: WriteOptions): void {
  const repeated = () => repeatedYaml(text)
  reportStrictly(context, repeated, options, problems => badRequest(`error strict decoding patch: ${problems}`))
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
    context.unions.addChanges(made.unions, manager).forEach(context.warn)
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
  const versioned = atVersion(resource, name, admitted(context, endpoint, request), live)
  const prepared = beforeUpdate(endpoint, versioned, live)
  check(context, endpoint, { ...request, object: prepared })
  const next = allocated(context, resource, prepared)
  return { object: storeChanged(context, endpoint, next, live, options), created: false }
}

/** What admission makes of the object of a request, with its unions settled. Throws a RequestFailure if admission refuses the object. */
function admitted(context: Context, endpoint: Endpoint, request: AdmissionRequest): MapValue {
  const { live, object: made } = request
  try {
    const { object, unions } = endpoint.settledAgain({ live, made, admitted: admit(context, request) })
    context.unions.addChanges(unions, request.manager).forEach(context.warn)
    return object
  } catch (error) {
    throw error instanceof Error ? failureOf(error, context) : error
  }
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

/** Stores the object if it differs from the live one; removes it if this took its last finalizer. */
function storeChanged(
  context: Context,
  endpoint: Endpoint,
  next: MapValue,
  live: MapValue,
  { dryRun, applies }: WriteOptions,
): MapValue {
  const { resource } = endpoint
  if (isFinalized(next, live)) {
    if (!dryRun) context.release(endpoint, next)
    return next
  }
  if (equalValues(next, live) || differInTimesOnly(live, next)) return live
  if (dryRun) return next
  const kept = storable(next, applies)
  if (kept !== next && equalValues(kept, live)) return live
  const stored = context.storing(resource, endpoint.toStorage(kept), endpoint.toStorage(live)) ?? kept
  return endpoint.view(context.store.put(storeKey(resource), stored))
}

function storeNew(context: Context, place: Place, object: MapValue, options: WriteOptions): Written {
  const { endpoint, namespace } = place
  const { resource } = endpoint
  const { store, clock } = context
  const request = requestTo(endpoint, "CREATE", object, undefined, options)
  const named = withGeneratedName(admitted(context, endpoint, request))
  const name = metaText(named, "name")
  const created = beforeCreate(endpoint, named, clock(), crypto.randomUUID())
  check(context, endpoint, { ...request, object: created })
  if (resource.namespaced && store.get("/namespaces", "", namespace) === undefined) {
    throw notFound({ group: "", name: "namespaces" }, namespace)
  }
  if (store.get(storeKey(resource), namespace, name) !== undefined) throw alreadyExists(subjectOf(resource), name)
  const next = allocated(context, resource, created)
  if (options.dryRun) return { object: endpoint.view(endpoint.toStorage(next)), created: true }
  const kept = storable(next, options.applies)
  const stored = context.storing(resource, endpoint.toStorage(kept), undefined) ?? kept
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
