// Deleting: finalizers, preconditions, grace of pods, and what depends on what is gone.

import { badRequest, conflict, invalid, notFound, type Problem } from "../kinds/refusal/failure.js"
import { type Resource, storeKey, subjectOf } from "../kinds/resource/resource.js"
import { metadataOf, metaText, withMetadata } from "../schema/metadata.js"
import { listAt, mapAt, textAt } from "../value/fields.js"
import { formatValue } from "../value/format.js"
import { own } from "../value/object.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import type { Endpoint } from "../write/endpoint.js"
import { beforeDelete, isFinalized } from "../write/strategy.js"
import { booleanOf, integerOf } from "./request/options.js"
import { type Context, find, type Place } from "./write.js"

export interface DeleteOptions {
  readonly dryRun: boolean
  readonly gracePeriodSeconds: number | undefined
  readonly propagation: "Background" | "Foreground" | "Orphan"
  readonly uid: string
  readonly resourceVersion: string
}

/** The options of a delete, from its body or else from its query. Throws a RequestFailure if they are wrong. */
export function deleteOptions(body: Value | undefined, query: URLSearchParams): DeleteOptions {
  if (body !== undefined && body !== null && !isMap(body))
    throw badRequest("the body of a delete must be DeleteOptions")
  const given: MapValue = isMap(body) ? body : {}
  const kind = textAt(given, "kind")
  if (kind !== "" && kind !== "DeleteOptions") throw badRequest(`expected DeleteOptions in the body, got ${kind}`)
  const grace = own(given, "gracePeriodSeconds") ?? integerOf(query, "gracePeriodSeconds")
  const orphan = own(given, "orphanDependents") ?? booleanOf(query, "orphanDependents")
  const policy = own(given, "propagationPolicy") ?? query.get("propagationPolicy") ?? ""
  const dryRun = [...listAt(given, "dryRun"), ...query.getAll("dryRun")]
  const problems: Problem[] = []
  if (dryRun.some(value => value !== "All")) {
    const message = `Unsupported value: [${dryRun.map(formatValue).join(",")}]: supported values: "All"`
    problems.push({ reason: "FieldValueNotSupported", field: "dryRun", message })
  }
  if (policy !== "" && policy !== "Background" && policy !== "Foreground" && policy !== "Orphan") {
    const message = `Unsupported value: ${formatValue(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`
    problems.push({ reason: "FieldValueNotSupported", field: "propagationPolicy", message })
  }
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", name: "DeleteOptions" }, "", problems)
  const preconditions = mapAt(given, "preconditions")
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds: typeof grace === "number" ? grace : undefined,
    propagation: policy !== "" ? (policy as DeleteOptions["propagation"]) : orphan === true ? "Orphan" : "Background",
    uid: textAt(preconditions, "uid"),
    resourceVersion: textAt(preconditions, "resourceVersion"),
  }
}

/** How objects of other resources are reached, for what depends on an object. */
export type EndpointOf = (resource: Resource) => Endpoint

/** The state of the server that deleting needs. */
export interface RemoveContext extends Context {
  /** Every resource that is served, once, at the version at which it is stored. */
  readonly resources: () => readonly Resource[]
  readonly endpointOf: EndpointOf
}

/**
 * Deletes an object: it is gone at once, or only marked, if finalizers or a grace period hold it. Returns the answer to the client:
 * the object where it is still there, and else a Status.
 */
export function remove(context: RemoveContext, place: Place, options: DeleteOptions): MapValue {
  const { endpoint, name } = place
  const live = find(context, place)
  if (live === undefined) throw notFound(subjectOf(endpoint.resource), name)
  checkPreconditions(endpoint.resource, name, live, options)
  const marked = beforeDelete(endpoint, live, options.gracePeriodSeconds, context.clock())
  const gone = isFinalized(marked, marked)
  if (gone) {
    if (!options.dryRun) discard(context, endpoint, marked, options.propagation)
    return endpoint.resource.builtIn?.returnedWhenDeleted === true ? marked : success(endpoint.resource, marked)
  }
  if (options.dryRun || marked === live) return marked
  // What holds the object says nothing of the wish that its dependents go before it, or stay.
  if (options.propagation !== "Background") leaveDependents(context, metaText(live, "uid"), options.propagation)
  const stored = context.store.put(storeKey(endpoint.resource), endpoint.toStorage(marked))
  if (endpoint.resource.builtIn?.emptied !== undefined) return emptyNamespace(context, place, stored)
  return endpoint.view(stored)
}

/** Takes an object out of the store, and then what belongs to it. */
function discard(
  context: RemoveContext,
  endpoint: Endpoint,
  object: MapValue,
  propagation: DeleteOptions["propagation"],
): void {
  context.store.remove(storeKey(endpoint.resource), endpoint.toStorage(object))
  context.storing(endpoint.resource, undefined, object)
  leaveDependents(context, metaText(object, "uid"), propagation)
}

/** Takes out an object whose last finalizer has gone, and what waited for that: its dependents, and the namespace if it is to go. */
export function release(context: RemoveContext, endpoint: Endpoint, object: MapValue): void {
  discard(context, endpoint, object, "Background")
  const name = metaText(object, "namespace")
  const namespaces = context.resources().find(({ builtIn }) => builtIn?.emptied !== undefined)
  if (name === "" || namespaces === undefined) return
  const place = { endpoint: context.endpointOf(namespaces), namespace: "", name }
  const namespace = find(context, place)
  if (namespace !== undefined && own(metadataOf(namespace), "deletionTimestamp") !== undefined) {
    emptyNamespace(context, place, namespace)
  }
}

/** The owners that are gone and whose dependents are still there, for each request that deletes. */
const leaving = new WeakMap<RemoveContext, string[]>()

/** Deletes what the object of this uid owns alone, and takes the object from the owners of all else. */
function leaveDependents(context: RemoveContext, uid: string, propagation: DeleteOptions["propagation"]): void {
  const others = leaving.get(context)
  if (others !== undefined) {
    // A dependent that goes has dependents too. A long chain of them must not be as deep a recursion.
    others.push(uid)
    return
  }
  const owners = [uid]
  leaving.set(context, owners)
  try {
    for (let next = owners.pop(); next !== undefined; next = owners.pop()) leaveAll(context, next, propagation)
  } finally {
    leaving.delete(context)
  }
}

function leaveAll(context: RemoveContext, uid: string, propagation: DeleteOptions["propagation"]): void {
  for (const { resource: key, namespace, name } of context.store.dependentsOf(uid)) {
    const resource = context.resources().find(each => storeKey(each) === key)
    // A dependent may have gone along with another one.
    const object = context.store.get(key, namespace, name)
    if (resource === undefined || object === undefined) continue
    const owners = listAt(metadataOf(object), "ownerReferences")
    const others = owners.filter(owner => !isMap(owner) || own(owner, "uid") !== uid)
    if (propagation === "Orphan" || others.length > 0) {
      const ownerReferences = others.length > 0 ? others : undefined
      context.store.put(key, withMetadata(object, { ownerReferences }))
    } else {
      const place = { endpoint: context.endpointOf(resource), namespace, name }
      remove(context, place, { dryRun: false, gracePeriodSeconds: 0, propagation, uid: "", resourceVersion: "" })
    }
  }
}

/** Empties a namespace that is being deleted. It goes at the end, unless finalizers hold it or something in it. */
function emptyNamespace(context: RemoveContext, place: Place, namespace: MapValue): MapValue {
  const name = metaText(namespace, "name")
  let held = false
  for (const resource of context.resources()) {
    if (!resource.namespaced) continue
    for (const object of context.store.list(storeKey(resource), name)) {
      const inside = { endpoint: context.endpointOf(resource), namespace: name, name: metaText(object, "name") }
      // Something may have gone along with another object.
      if (find(context, inside) === undefined) continue
      remove(context, inside, {
        dryRun: false,
        gracePeriodSeconds: 0,
        propagation: "Background",
        uid: "",
        resourceVersion: "",
      })
      held ||= find(context, inside) !== undefined
    }
  }
  const emptied = place.endpoint.resource.builtIn?.emptied?.(namespace) ?? namespace
  if (!held && isFinalized(emptied, emptied)) discard(context, place.endpoint, emptied, "Background")
  return namespace
}

function checkPreconditions(
  resource: Resource,
  name: string,
  live: MapValue,
  { uid, resourceVersion }: DeleteOptions,
): void {
  const now = { uid: metaText(live, "uid"), resourceVersion: metaText(live, "resourceVersion") }
  const failed = (what: string, given: string, actual: string) =>
    conflict(
      subjectOf(resource),
      name,
      `Precondition failed: ${what} in precondition: ${given}, ${what} in object meta: ${actual}`,
    )
  if (uid !== "" && uid !== now.uid) throw failed("UID", uid, now.uid)
  if (resourceVersion !== "" && resourceVersion !== now.resourceVersion) {
    throw failed("ResourceVersion", resourceVersion, now.resourceVersion)
  }
}

function success(resource: Resource, object: MapValue): MapValue {
  const { group, plural } = resource
  const details = {
    name: metaText(object, "name"),
    ...(group !== "" && { group }),
    kind: plural,
    uid: metaText(object, "uid"),
  }
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details }
}
