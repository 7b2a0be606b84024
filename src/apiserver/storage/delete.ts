// Deletes objects: preconditions, finalizers, the grace period of Pods, garbage collection of dependents, and namespaces.

import { badRequest, conflict, invalid, notFound, type Problem } from "../../kinds/refusal/failure.js"
import { type Resource, storeKey, subjectOf } from "../../kinds/resource/resource.js"
import { metadataOf, metaText, withMetadata } from "../../schema/metadata.js"
import { listAt, mapAt, textAt } from "../../value/fields.js"
import { formatValue } from "../../value/format.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { adminInfo, deleteAttributes } from "../../write/attributes.js"
import type { Endpoint } from "../../write/endpoint.js"
import { beforeDelete, isFinalized } from "../../write/strategy.js"
import { booleanParameter, integerParameter } from "../request/options.js"
import { findObject, type ObjectTarget, type StoreContext } from "./store-write.js"

type Propagation = "Background" | "Foreground" | "Orphan"

/** The checked options of a delete. */
export interface DeleteOptions {
  readonly dryRun: boolean
  readonly gracePeriodSeconds: number | undefined
  /** The treatment of dependents; undefined if the kind decides. */
  readonly propagation: Propagation | undefined
  /** The uid that the object must have; "" for any. */
  readonly uid: string
  /** The resourceVersion that the object must have; "" for any. */
  readonly resourceVersion: string
  /** The options as admission sees them; absent if the server deletes the object on its own. */
  readonly sent?: MapValue
}

/** Reads the options of a delete from its body, or else from its query. Throws a RequestFailure if they are wrong. */
export function readDeleteOptions(body: Value | undefined, query: URLSearchParams): DeleteOptions {
  if (body !== undefined && body !== null && !isMap(body))
    throw badRequest("the body of a delete must be DeleteOptions")
  const fields: MapValue = isMap(body) ? body : {}
  const kind = textAt(fields, "kind")
  if (kind !== "" && kind !== "DeleteOptions") throw badRequest(`expected DeleteOptions in the body, got ${kind}`)
  const grace = own(fields, "gracePeriodSeconds") ?? integerParameter(query, "gracePeriodSeconds")
  const orphan = own(fields, "orphanDependents") ?? booleanParameter(query, "orphanDependents")
  const policy = own(fields, "propagationPolicy") ?? query.get("propagationPolicy") ?? ""
  const dryRun = [...listAt(fields, "dryRun"), ...query.getAll("dryRun")]
  const problems: Problem[] = []
  if (orphan !== undefined && orphan !== null && policy !== "") {
    const message = `Invalid value: ${formatValue(policy)}: orphanDependents and deletionPropagation cannot be both set`
    problems.push({ reason: "FieldValueInvalid", field: "propagationPolicy", message })
  }
  if (dryRun.some(value => value !== "All")) {
    const message = `Unsupported value: [${dryRun.map(formatValue).join(",")}]: supported values: "All"`
    problems.push({ reason: "FieldValueNotSupported", field: "dryRun", message })
  }
  if (policy !== "" && policy !== "Background" && policy !== "Foreground" && policy !== "Orphan") {
    const message = `Unsupported value: ${formatValue(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`
    problems.push({ reason: "FieldValueNotSupported", field: "propagationPolicy", message })
  }
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", name: "DeleteOptions" }, "", problems)
  const preconditions = mapAt(fields, "preconditions")
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds: typeof grace === "number" ? grace : undefined,
    propagation: policy !== "" ? (policy as Propagation) : orphanPolicy(orphan),
    uid: textAt(preconditions, "uid"),
    resourceVersion: textAt(preconditions, "resourceVersion"),
    sent: { ...fields, kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" },
  }
}

function orphanPolicy(orphan: Value | undefined): Propagation | undefined {
  if (typeof orphan !== "boolean") return undefined
  return orphan ? "Orphan" : "Background"
}

/** The parts of the server that a delete needs. */
export interface DeleteContext extends StoreContext {
  /** Every served resource once, at its storage version. */
  readonly resources: () => readonly Resource[]
  /** Returns the endpoint of a resource, without a subresource. */
  readonly endpointOf: (resource: Resource) => Endpoint
  /** Forgets the warnings and counts of a request, which is computed again. */
  readonly restart: () => void
}

/**
 * Deletes an object, or only marks it as deleted if finalizers or a grace period hold it. Returns the response to the client: a Status
 * if the object is gone, or the object if it is still there or its kind is returned when deleted.
 */
export function deleteObject(context: DeleteContext, target: ObjectTarget, options: DeleteOptions): MapValue {
  const { endpoint, name } = target
  const { builtIn } = endpoint.resource
  if (options.propagation === undefined && builtIn?.deleteWarning !== undefined) context.warn(builtIn.deleteWarning)
  const live = findObject(context, target)
  if (live === undefined) throw notFound(subjectOf(endpoint.resource), name)
  checkPreconditions(endpoint.resource, name, live, options)
  if (options.sent !== undefined) admitDelete(context, target, live, options.dryRun, options.sent)
  const propagation = options.propagation ?? ownPropagation(endpoint.resource, live)
  const marked = beforeDelete(endpoint, live, options.gracePeriodSeconds, context.clock())
  const gone = isFinalized(marked, marked)
  if (gone) {
    const isGraceful = builtIn?.gracePeriod !== undefined
    if (!options.dryRun) removeObject(context, endpoint, isGraceful ? marked : live, propagation)
    const finalizer = propagationFinalizers[propagation]
    // The garbage collector removes the object once it has released or deleted the dependents, which happens at once here.
    if (finalizer !== undefined) return withMetadata(marked, { finalizers: [finalizer] })
    if (builtIn?.returnedWhenDeleted !== true) return successStatus(endpoint.resource, marked)
    return isGraceful ? marked : live
  }
  if (options.dryRun || marked === live) return marked
  // The propagation policy takes effect now, even though finalizers or the grace period still hold the object.
  if (propagation !== "Background") releaseDependents(context, metaText(live, "uid"), propagation)
  const stored = context.store.put(storeKey(endpoint.resource), endpoint.toStorage(marked))
  if (endpoint.resource.builtIn?.emptied !== undefined) return emptyNamespace(context, target, stored)
  return endpoint.view(stored)
}

/** Throws a RequestFailure if admission refuses to delete the object. */
function admitDelete(
  context: DeleteContext,
  { endpoint, namespace, name }: ObjectTarget,
  oldObject: MapValue,
  dryRun: boolean,
  options: MapValue,
): void {
  const request = deleteAttributes(endpoint.resource, namespace, name, oldObject)
  context.plugins?.validate({ ...request, dryRun, options, userInfo: context.userInfo ?? adminInfo }, context)
}

/** The finalizers by which a server remembers a propagation policy. */
const propagationFinalizers: Readonly<Record<Propagation, string | undefined>> = {
  Orphan: "orphan",
  Foreground: "foregroundDeletion",
  Background: undefined,
}

/** Returns the propagation policy of a delete that names none. A finalizer can ask for one, and some kinds have their own. */
function ownPropagation({ builtIn }: Resource, live: MapValue): Propagation {
  const finalizers = listAt(metadataOf(live), "finalizers")
  const requested = finalizers.find(finalizer => finalizer === "orphan" || finalizer === "foregroundDeletion")
  if (requested === undefined) return builtIn?.orphansDependents === true ? "Orphan" : "Background"
  return requested === "orphan" ? "Orphan" : "Background"
}

/** Removes an object from the store, and then deletes its dependents or takes it from their owners. */
function removeObject(context: DeleteContext, endpoint: Endpoint, object: MapValue, propagation: Propagation): void {
  context.store.remove(storeKey(endpoint.resource), endpoint.toStorage(object))
  context.updateServedKinds(endpoint.resource, undefined, object)
  releaseDependents(context, metaText(object, "uid"), propagation)
}

/** Removes an object whose last finalizer is gone, with its dependents. Continues to empty its namespace if that is being deleted. */
export function removeFinalized(context: DeleteContext, endpoint: Endpoint, object: MapValue): void {
  removeObject(context, endpoint, object, "Background")
  const name = metaText(object, "namespace")
  const namespaces = context.resources().find(({ builtIn }) => builtIn?.emptied !== undefined)
  if (name === "" || namespaces === undefined) return
  const target = { endpoint: context.endpointOf(namespaces), namespace: "", name }
  const namespace = findObject(context, target)
  if (namespace !== undefined && own(metadataOf(namespace), "deletionTimestamp") !== undefined) {
    emptyNamespace(context, target, namespace)
  }
}

/** For each request that deletes: the uids of removed owners whose dependents are still to be processed. */
const pendingOwners = new WeakMap<DeleteContext, string[]>()

/** Deletes the objects that this uid owns alone, and takes the uid from the owners of its other dependents. */
function releaseDependents(context: DeleteContext, uid: string, propagation: Propagation): void {
  const pending = pendingOwners.get(context)
  if (pending !== undefined) {
    // Deleting a dependent leads here again. The queue keeps a long chain of owners from becoming a deep recursion.
    pending.push(uid)
    return
  }
  const owners = [uid]
  pendingOwners.set(context, owners)
  try {
    for (let next = owners.pop(); next !== undefined; next = owners.pop())
      releaseDirectDependents(context, next, propagation)
  } finally {
    pendingOwners.delete(context)
  }
}

function releaseDirectDependents(context: DeleteContext, uid: string, propagation: Propagation): void {
  for (const { resource: key, namespace, name } of context.store.dependentsOf(uid)) {
    const resource = context.resources().find(each => storeKey(each) === key)
    // Deleting an earlier dependent may have removed this one.
    const object = context.store.get(key, namespace, name)
    if (resource === undefined || object === undefined) continue
    const owners = listAt(metadataOf(object), "ownerReferences")
    const others = owners.filter(owner => !isMap(owner) || own(owner, "uid") !== uid)
    if (propagation === "Orphan" || others.length > 0) {
      const ownerReferences = others.length > 0 ? others : undefined
      context.store.put(key, withMetadata(object, { ownerReferences }))
    } else {
      const target = { endpoint: context.endpointOf(resource), namespace, name }
      deleteObject(context, target, { dryRun: false, gracePeriodSeconds: 0, propagation, uid: "", resourceVersion: "" })
    }
  }
}

/** Deletes the objects in a namespace that is being deleted, and then the namespace, unless finalizers hold it or one of them. */
function emptyNamespace(context: DeleteContext, target: ObjectTarget, namespace: MapValue): MapValue {
  const name = metaText(namespace, "name")
  let held = false
  for (const resource of context.resources()) {
    if (!resource.namespaced) continue
    for (const object of context.store.list(storeKey(resource), name)) {
      const inside = { endpoint: context.endpointOf(resource), namespace: name, name: metaText(object, "name") }
      // Deleting an earlier object may have removed this one.
      if (findObject(context, inside) === undefined) continue
      deleteObject(context, inside, {
        dryRun: false,
        gracePeriodSeconds: 0,
        propagation: "Background",
        uid: "",
        resourceVersion: "",
      })
      held ||= findObject(context, inside) !== undefined
    }
  }
  const emptied = target.endpoint.resource.builtIn?.emptied?.(namespace) ?? namespace
  if (!held && isFinalized(emptied, emptied)) removeObject(context, target.endpoint, emptied, "Background")
  return namespace
}

/** Throws a RequestFailure if the options ask for another object of this name, or for another version. */
export function checkPreconditions(
  { group, kind }: Resource,
  name: string,
  live: MapValue,
  { uid, resourceVersion }: DeleteOptions,
): void {
  const failed = (what: string, wanted: string, actual: string, likely: string) => {
    const why = `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${actual}). The object might have been ${likely}`
    return conflict({ group, name: kind }, name, why)
  }
  const current = { uid: metaText(live, "uid"), resourceVersion: metaText(live, "resourceVersion") }
  if (uid !== "" && uid !== current.uid) throw failed("UID", uid, current.uid, "deleted and then recreated")
  if (resourceVersion !== "" && resourceVersion !== current.resourceVersion)
    throw failed("ResourceVersion", resourceVersion, current.resourceVersion, "modified")
}

function successStatus(resource: Resource, object: MapValue): MapValue {
  const { group, plural } = resource
  const details = {
    name: metaText(object, "name"),
    ...(group !== "" && { group }),
    kind: plural,
    uid: metaText(object, "uid"),
  }
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details }
}
