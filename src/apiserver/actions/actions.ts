// Actions: subresources to which a client posts a request about an object, such as the eviction of a Pod. The request is never stored. Loaded
// with the first action.

import type { Resource } from "../../kinds/resource/resource.js"
import { parseKind } from "../../schema/group-version-kind.js"
import { metaText } from "../../schema/metadata.js"
import { textAt, withKeys } from "../../value/fields.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { operationOptions } from "../../write/admission.js"
import { adminInfo } from "../../write/attributes.js"
import { waitingForCalls } from "../../write/calls.js"
import { type Body, decodeObject } from "../../write/decode.js"
import type { Endpoint } from "../../write/endpoint.js"
import type { WriteOptions } from "../../write/options.js"
import { inNamespaceOf } from "../../write/target.js"
import { readWriteOptions } from "../request/options.js"
import type { ServerRequest } from "../request/request.js"
import type { ResourceRoute } from "../request/route.js"
import type { ObjectResponse } from "../response/object-encoder.js"
import type { Action, ActionContext } from "./action.js"
import { withActionTypes } from "./action-types.js"
import { binding } from "./binding.js"
import { eviction } from "./eviction.js"
import { tokenRequest } from "./token-request.js"

const actions: Readonly<Record<string, Action>> = {
  "v1 Binding": binding,
  "policy/v1 Eviction": eviction,
  "authentication.k8s.io/v1 TokenRequest": tokenRequest,
}

/** Performs the action that a body asks for. */
export async function performAction(
  context: ActionContext,
  request: ServerRequest,
  route: ResourceRoute,
  body: Body,
): Promise<ObjectResponse> {
  const options = readWriteOptions(request.query, request.headers["user-agent"] ?? "", "CreateOptions")
  const perform = prepareAction(context, route, body, options)
  return { code: 201, object: await waitingForCalls(perform, context.restart) }
}

/** Returns the function that performs an action, or throws a PendingCall if it has to be called again later. */
export function prepareAction(
  context: ActionContext,
  route: ResourceRoute,
  body: Body,
  options: WriteOptions,
): () => MapValue {
  const { resource, namespace, subresource } = route
  const { apiVersion, kind } = subresource ?? resource
  const action = actions[`${apiVersion} ${kind}`]
  if (action === undefined) throw new TypeError(`no action has the kind ${kind} of ${apiVersion}`)
  const endpoint = context.endpoint(bodyResource(resource, apiVersion, kind), subresource?.name ?? "")
  const decoded = decodeObject(context, endpoint, { ...body, value: atVersion(body.value, apiVersion) }, options)
  const placed = inNamespaceOf({ endpoint, namespace, name: route.name, live: undefined }, decoded)
  const object = ownedBy(endpoint, action.defaults?.(placed) ?? placed, options.manager)
  const target = { namespace, name: route.name || metaText(object, "name"), dryRun: options.dryRun }
  const attributes = {
    // A POST to `bindings` is a request about the kind Binding itself.
    resource,
    subresource: subresource?.name ?? "",
    operation: "CREATE" as const,
    ...target,
    oldObject: undefined,
    options: operationOptions("CREATE", options),
    userInfo: context.userInfo ?? adminInfo,
  }
  return () => {
    const admitted = action.admit?.(object, context) ?? object
    const mutated = context.plugins?.mutate({ ...attributes, object: admitted }, context) ?? admitted
    const checked = action.check(mutated, target, context)
    context.plugins?.validate({ ...attributes, object: checked }, context)
    return action.act(checked, target, context)
  }
}

/** Returns the resource whose objects are the bodies of an action. */
function bodyResource({ builtIn: _, ...resource }: Resource, apiVersion: string, kind: string): Resource {
  const { group, version } = parseKind(apiVersion, kind)
  const types = withActionTypes(resource.types)
  return { ...resource, group, version, apiVersion, kind, storageVersion: apiVersion, versions: [apiVersion], types }
}

/** Returns an eviction of the version that clients used before policy/v1 as one of policy/v1. They are alike. */
function atVersion(body: Value, apiVersion: string): Value {
  const isOld = isMap(body) && textAt(body, "apiVersion") === "policy/v1beta1" && textAt(body, "kind") === "Eviction"
  return isOld ? withKeys(body, { apiVersion }) : body
}

function ownedBy({ manager, subresource }: Endpoint, object: MapValue, name: string): MapValue {
  return manager.updateLeniently(undefined, object, { manager: name, subresource }).object
}
