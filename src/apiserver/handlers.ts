// Runs each verb: reads the body and the options of a request, and returns the object, list or Status to respond with.

import { methodNotAllowed, notFound, notImplemented } from "../kinds/refusal/failure.js"
import { type Resource, subjectOf, type Verb } from "../kinds/resource/resource.js"
import { metaText } from "../schema/metadata.js"
import type { MapValue } from "../value/value.js"
import { waitingForCalls } from "../write/calls.js"
import { type Body, decodeObject } from "../write/decode.js"
import type { Endpoint } from "../write/endpoint.js"
import type { WriteOptions } from "../write/options.js"
import { readScale, scaleOf } from "../write/scale.js"
import { requireNoVersion } from "../write/strategy.js"
import type { ScaleRequest } from "../write/write.js"
import { patchedObject, requirePatchType } from "./patch.js"
import { mediaTypeOf, patchTypes, readApplyConfig, readBody, readOptionsBody, readText } from "./request/body.js"
import { type OptionsKind, readWriteOptions, versionParameter } from "./request/options.js"
import type { ServerRequest } from "./request/request.js"
import { isAction, type ResourceRoute } from "./request/route.js"
import { readSelector } from "./request/selectors.js"
import { repeatedYaml } from "./request/strict.js"
import type { ObjectResponse } from "./response/object-encoder.js"
import { type DeleteContext, type DeleteOptions, deleteObject, readDeleteOptions } from "./storage/delete.js"
import { checkListOptions, listObjects, tooLarge } from "./storage/list.js"
import { findObject, type ObjectTarget, type WriteResult, writeObject } from "./storage/store-write.js"

/** The parts of the server that the handlers need. */
export interface HandlerContext extends DeleteContext {
  readonly endpoint: (resource: Resource, subresource: string) => Endpoint
}

/** Runs a write, again after each webhook that it waits for, and returns its response. */
async function stored(context: HandlerContext, write: () => WriteResult): Promise<ObjectResponse> {
  const { object, created } = await waitingForCalls(write, context.restart)
  return { code: created ? 201 : 200, object }
}

const ok = (object: MapValue): ObjectResponse => ({ code: 200, object })

/** Answers any request for objects except a watch. Throws a RequestFailure to refuse it. */
export async function handle(
  context: HandlerContext,
  request: ServerRequest,
  route: ResourceRoute,
  verb: Verb,
): Promise<ObjectResponse> {
  const { subresource } = route
  if (isAction(route)) return act(context, request, route)
  if (subresource !== undefined && !["status", "scale"].includes(subresource.name))
    return handleOtherSubresource(context, request, route)
  switch (verb) {
    case "get":
      checkReadVersion(context, request)
      return ok(read(context, route))
    case "list":
      return ok(list(context, request, route))
    case "create":
      return createFrom(context, request, route)
    case "update":
      return updateFrom(context, request, route)
    case "patch":
      return patchFrom(context, request, route)
    case "delete":
      return deleteFrom(context, request, route)
    case "deletecollection":
      return deleteAll(context, request, route)
    default:
      throw methodNotAllowed()
  }
}

/** Performs an action. Its code is loaded with the first one. */
async function act(context: HandlerContext, request: ServerRequest, route: ResourceRoute): Promise<ObjectResponse> {
  const { performAction } = await import("./actions/actions.js")
  return performAction(context, request, route, await readObjectBody(request, route))
}

/** Answers a request for a subresource other than status and scale. */
async function handleOtherSubresource(
  context: HandlerContext,
  request: ServerRequest,
  route: ResourceRoute,
): Promise<ObjectResponse> {
  const name = route.subresource?.name ?? ""
  const { resource } = route
  const sameKind = route.subresource?.kind === resource.kind && name !== "log"
  if (!sameKind) {
    // If the object does not exist, the response is 404 rather than 501.
    read(context, { ...route, subresource: undefined })
    throw notImplemented(
      `the subresource ${name} of ${resource.plural}`,
      "there are no nodes behind it; use a real cluster",
    )
  }
  switch (request.method) {
    case "GET":
      return ok(read(context, route))
    case "PUT":
      return updateFrom(context, request, route)
    case "PATCH":
      return patchFrom(context, request, route)
    default:
      throw methodNotAllowed()
  }
}

function routeTarget(context: HandlerContext, { resource, namespace, name, subresource }: ResourceRoute): ObjectTarget {
  const isScale = subresource?.name === "scale"
  return { endpoint: context.endpoint(resource, isScale ? "" : (subresource?.name ?? "")), namespace, name }
}

function read(context: HandlerContext, route: ResourceRoute): MapValue {
  const object = findObject(context, routeTarget(context, route))
  if (object === undefined) throw notFound(subjectOf(route.resource), route.name)
  return route.subresource?.name === "scale" ? readScale(route.resource, object) : object
}

/** Throws a RequestFailure if a get asks for a state that does not exist yet. */
function checkReadVersion({ store }: HandlerContext, { query }: ServerRequest): void {
  const wanted = versionParameter(query)
  if (wanted !== undefined && wanted > store.resourceVersion) throw tooLarge(wanted, store.resourceVersion)
}

function list(context: HandlerContext, request: ServerRequest, route: ResourceRoute): MapValue {
  const query = request.query
  const { endpoint, namespace } = routeTarget(context, route)
  const selects = readSelector(query, route.resource, "", checkListOptions)
  return listObjects(context.store, endpoint, namespace, query, selects)
}

async function createFrom(
  context: HandlerContext,
  request: ServerRequest,
  route: ResourceRoute,
): Promise<ObjectResponse> {
  if (route.name !== "") throw methodNotAllowed()
  const options = optionsOf(request, "CreateOptions")
  const target = routeTarget(context, route)
  const object = decodeObject(context, target.endpoint, await readObjectBody(request, route), options)
  if (!options.dryRun) requireNoVersion(object)
  return stored(context, () => writeObject(context, target, options, steps => steps.create(object)))
}

async function updateFrom(
  context: HandlerContext,
  request: ServerRequest,
  route: ResourceRoute,
): Promise<ObjectResponse> {
  const options = optionsOf(request, "UpdateOptions")
  const body = await readObjectBody(request, route)
  const target = routeTarget(context, route)
  if (route.subresource?.name === "scale") {
    return stored(context, () => writeScale(context, target, options, { update: body }))
  }
  const object = decodeObject(context, target.endpoint, body, options)
  return stored(context, () => writeObject(context, target, options, steps => steps.update(object)))
}

async function patchFrom(
  context: HandlerContext,
  request: ServerRequest,
  route: ResourceRoute,
): Promise<ObjectResponse> {
  const type = mediaTypeOf(request)
  const isCustom = route.resource.custom !== undefined
  requirePatchType(type, isCustom)
  const options = readWriteOptions(
    request.query,
    request.headers["user-agent"] ?? "",
    "PatchOptions",
    type === patchTypes.apply,
  )
  const text = await readText(request)
  const target = routeTarget(context, route)
  const isScale = route.subresource?.name === "scale"
  if (type !== patchTypes.apply) {
    const patch = (live: MapValue) => patchedObject(live, { type, text, options })
    return stored(context, () =>
      isScale
        ? writeScale(context, target, options, { patch })
        : writeObject(context, target, options, steps => steps.patch(patch)),
    )
  }
  const { config, repeatedKeys } = readApplyConfig(text)
  const repeated = () => repeatedYaml(repeatedKeys)
  if (isScale) return stored(context, () => writeScale(context, target, options, { apply: config, repeated }))
  return stored(context, () => writeObject(context, target, options, steps => steps.apply(config, repeated)))
}

/** Writes the Scale of an object: `target` is the object, not its Scale. Returns the Scale. */
function writeScale(
  context: HandlerContext,
  target: ObjectTarget,
  options: WriteOptions,
  request: ScaleRequest,
): WriteResult {
  const { object } = writeObject(context, target, options, steps => steps.scale(request))
  return { object: scaleOf(target.endpoint.resource, object), created: false }
}

async function deleteFrom(
  context: HandlerContext,
  request: ServerRequest,
  route: ResourceRoute,
): Promise<ObjectResponse> {
  if (route.subresource !== undefined) throw methodNotAllowed()
  const options = await deleteOptionsOf(request)
  const remove = () => deleteObject(context, routeTarget(context, route), options)
  return ok(await waitingForCalls(remove, context.restart))
}

async function deleteAll(
  context: HandlerContext,
  request: ServerRequest,
  route: ResourceRoute,
): Promise<ObjectResponse> {
  const options = await deleteOptionsOf(request)
  const listed = list(context, request, route)
  const { endpoint } = routeTarget(context, route)
  for (const object of listed.items as readonly MapValue[]) {
    const target = { endpoint, namespace: metaText(object, "namespace"), name: metaText(object, "name") }
    const remove = () => findObject(context, target) && deleteObject(context, target, options)
    await waitingForCalls(remove, () => {})
  }
  return ok(listed)
}

function optionsOf(request: ServerRequest, kind: OptionsKind): WriteOptions {
  return readWriteOptions(request.query, request.headers["user-agent"] ?? "", kind)
}

/** Reads the object in the body. It has the kind of the subresource if the subresource has a kind of its own. */
export async function readObjectBody(request: ServerRequest, { resource, subresource }: ResourceRoute): Promise<Body> {
  const { apiVersion, kind } = subresource ?? resource
  return readBody(request, { apiVersion, kind, isCustom: resource.custom !== undefined })
}

/** Reads the options of a delete. They may come in protobuf even for custom resources. */
async function deleteOptionsOf(request: ServerRequest): Promise<DeleteOptions> {
  const body = await readOptionsBody(request, { apiVersion: "v1", kind: "DeleteOptions", isCustom: false })
  return readDeleteOptions(body?.value, request.query)
}
