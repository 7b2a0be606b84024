// Policies of admission with their bindings and parameters: which of them are for a request, and the variables of their expressions.

import { specOf } from "../../kinds/kind/spec-and-status.js"
import { authorizerFor } from "../../kinds/policy/authorizer.js"
import { paramKindOf } from "../../kinds/policy/compile-policy.js"
import type { Scope } from "../../kinds/policy/expressions.js"
import { type Resource, storeKey } from "../../kinds/resource/resource.js"
import { metaText, withMetadata } from "../../schema/metadata.js"
import { mapAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { type Attributes, type Cluster, kindOfRequest } from "../attributes.js"
import { atResource, byName, matchedResource, namespaceOf, selectsObject } from "./match.js"

/** A policy that is for a request, by one of its bindings, with one parameter. */
export interface Invocation {
  readonly policy: MapValue
  readonly binding: MapValue
  /** The resource at the version that the policy names. */
  readonly resource: Resource
  readonly scope: Scope
}

/** A policy that is for a request, but can't be asked about it. */
export interface Misconfigured {
  readonly policy: MapValue
  /** Absent if the policy itself is misconfigured. */
  readonly binding?: MapValue
  readonly error: string
}

/** The names of the resources of a type of policies. */
export interface PolicyKind {
  readonly policies: string
  readonly bindings: string
}

/** Returns the policies for a request, in the order of their names. */
export function invocationsOf(
  { policies, bindings }: PolicyKind,
  request: Attributes,
  cluster: Cluster,
): (Invocation | Misconfigured)[] {
  const group = "admissionregistration.k8s.io"
  const allBindings = cluster.list(`${group}/${bindings}`)
  // Policies could otherwise refuse the requests that remove them.
  if (allBindings.length === 0 || /^(validating|mutating)admissionpolic/.test(request.resource.plural)) return []
  return [...cluster.list(`${group}/${policies}`)].sort(byName).flatMap(policy => {
    const name = metaText(policy, "name")
    const bound = allBindings.filter(binding => textAt(specOf(binding), "policyName") === name).sort(byName)
    return bound.length === 0 ? [] : invocationsOfPolicy(policy, bound, request, cluster)
  })
}

function invocationsOfPolicy(
  policy: MapValue,
  bindings: readonly MapValue[],
  request: Attributes,
  cluster: Cluster,
): (Invocation | Misconfigured)[] {
  const resource = matchedResource(mapAt(specOf(policy), "matchConstraints"), request, cluster)
  if (resource === undefined) return []
  const param = paramKindOf(policy)
  const kind = param && cluster.findKind(param.apiVersion, param.kind)
  if (param !== undefined && kind === undefined) {
    const [version = "", group = ""] = param.apiVersion.split("/").reverse()
    const named = `${group}/${version}, Kind=${param.kind}`
    return [
      { policy, error: `failed to configure policy: failed to find resource referenced by paramKind: '${named}'` },
    ]
  }
  return bindings.flatMap((binding): (Invocation | Misconfigured)[] => {
    const match = mapAt(specOf(binding), "matchResources")
    if (matchedResource(match, request, cluster) === undefined) return []
    const params = paramsOf(binding, kind, request, cluster)
    if (typeof params === "string") return [{ policy, binding, error: `failed to configure binding: ${params}` }]
    return params.map(each => ({ policy, binding, resource, scope: scopeOf(request, resource, each, cluster) }))
  })
}

/** Returns the parameters of a binding, or the reason why there are none. */
function paramsOf(
  binding: MapValue,
  kind: Resource | undefined,
  { namespace }: Attributes,
  { list, get, endpointOf }: Cluster,
): readonly Value[] | string {
  const ref = own(specOf(binding), "paramRef")
  if (kind === undefined || !isMap(ref)) return [null]
  const given = textAt(ref, "namespace")
  if (given !== "" && !kind.namespaced)
    return "paramRef.namespace must not be provided for a cluster-scoped `paramKind`"
  const inNamespace = kind.namespaced ? given || namespace : ""
  if (kind.namespaced && inNamespace === "") {
    return "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
  }
  const name = textAt(ref, "name")
  const found =
    name === ""
      ? list(storeKey(kind), inNamespace).filter(each => selectsObject(mapAt(ref, "selector"), each))
      : [get(storeKey(kind), inNamespace, name)].filter(each => each !== undefined)
  if (found.length === 0 && textAt(ref, "parameterNotFoundAction") === "Deny") {
    return "no params found for policy binding with `Deny` parameterNotFoundAction"
  }
  return found.map(each => endpointOf(kind).view(each))
}

/** Returns the values of the variables of expressions about a request. `resource` is the one that the rules name. */
export function scopeOf(request: Attributes, resource: Resource, params: Value, cluster: Cluster): Scope {
  const { namespace, object, oldObject } = request
  const converted = (each: MapValue | undefined) =>
    each === undefined ? null : atResource(each, request.resource, resource, cluster)
  const isNamespace = request.resource.kind === "Namespace" && request.resource.group === ""
  const inside = namespace === "" || isNamespace ? null : namespaceOf(namespace, cluster)
  return {
    object: converted(object),
    oldObject: converted(oldObject),
    namespaceObject: inside && withMetadata(inside, { managedFields: undefined, ownerReferences: undefined }),
    request: reviewOf(request, resource),
    params,
    authorizer: cluster.authorize && authorizerFor(cluster.authorize, request.userInfo, ownAccess(request)),
  }
}

/** Returns the access to the object of a request, without a verb. */
function ownAccess({ resource: { group, plural }, subresource, namespace, name }: Attributes) {
  return { verb: "", group, resource: plural, subresource, namespace, name }
}

/** Returns the parts of an AdmissionRequest that describe a request. */
export function reviewOf(request: Attributes, matched: Resource): MapValue {
  const { resource, subresource, name, namespace, operation, dryRun, options, userInfo } = request
  const kindAt = (each: Resource) => kindOfRequest({ ...request, resource: each })
  const resourceOf = ({ group, version, plural }: Resource) => ({ group, version, resource: plural })
  return {
    kind: kindAt(matched),
    resource: resourceOf(matched),
    ...(subresource !== "" && { subResource: subresource, requestSubResource: subresource }),
    requestKind: kindAt(resource),
    requestResource: resourceOf(resource),
    ...(name !== "" && { name }),
    ...(namespace !== "" && { namespace }),
    operation,
    userInfo,
    dryRun,
    options,
  }
}
