// What each verb does: the body and the options of a request are read, and the object, list or Status of the answer is made.

import { formatGoJson } from "../json/json.js"
import {
  badRequest,
  methodNotAllowed,
  notFound,
  notImplemented,
  RequestFailure,
  unsupportedMediaType,
} from "../kinds/refusal/failure.js"
import { type Resource, subjectOf, type Verb } from "../kinds/resource/resource.js"
import { objectKindOf } from "../schema/group-version-kind.js"
import { metaText } from "../schema/metadata.js"
import { goPrint } from "../value/format.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { type Body, decodeObject } from "../write/decode.js"
import type { Endpoint } from "../write/endpoint.js"
import type { WriteOptions } from "../write/options.js"
import { invalidPatch, refusingPatchErrors } from "../write/patch.js"
import { jsonPatch } from "../write/patches/json-patch.js"
import { mergePatch } from "../write/patches/merge-patch.js"
import { type ScaleChange, scaleOf } from "../write/scale.js"
import { strictWithoutText } from "../write/strict.js"
import type { PatchedObject } from "../write/write.js"
import { patchTypeOf } from "./patch/patch-keys.js"
import { strategicMerge } from "./patch/strategic-merge.js"
import { conversionProblem, leftOfPatch } from "./patch/unstructured.js"
import { type DeleteOptions, deleteOptions, type RemoveContext, remove } from "./remove.js"
import { applyBody, decodeJson, mediaTypeOf, patchTypes, readBody, readText, requireModest } from "./request/body.js"
import { type OptionsKind, writeOptions } from "./request/options.js"
import type { ServerRequest } from "./request/request.js"
import type { ResourceRoute } from "./request/route.js"
import { selectorOf } from "./request/selectors.js"
import { duplicateField, duplicateFields, repeatedYaml } from "./request/strict.js"
import type { Lister } from "./storage/list.js"
import { find, type Place, type Written, write } from "./write.js"

/** An answer that is one object. */
export interface Answer {
  readonly code: number
  readonly object: MapValue
}

/** What the handlers need of the server. */
export interface Handling extends RemoveContext {
  readonly lister: Lister
  readonly endpoint: (resource: Resource, subresource: string) => Endpoint
}

const ok = (object: MapValue): Answer => ({ code: 200, object })
const written = ({ object, created }: Written): Answer => ({ code: created ? 201 : 200, object })

/** Answers a request for objects, a watch excepted. Throws a RequestFailure to refuse it. */
export async function handle(
  context: Handling,
  request: ServerRequest,
  route: ResourceRoute,
  verb: Verb,
): Promise<Answer> {
  const { subresource } = route
  if (subresource !== undefined && !["status", "scale"].includes(subresource.name))
    return handleOther(context, request, route)
  switch (verb) {
    case "get":
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

/** Subresources that are operations rather than objects. */
async function handleOther(context: Handling, request: ServerRequest, route: ResourceRoute): Promise<Answer> {
  const name = route.subresource?.name ?? ""
  const { resource } = route
  const sameKind = route.subresource?.kind === resource.kind && name !== "log"
  if (!sameKind) {
    // What is asked of an object that is not there fails with that.
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

function placeOf(context: Handling, { resource, namespace, name, subresource }: ResourceRoute): Place {
  const isScale = subresource?.name === "scale"
  return { endpoint: context.endpoint(resource, isScale ? "" : (subresource?.name ?? "")), namespace, name }
}

function read(context: Handling, route: ResourceRoute): MapValue {
  const object = find(context, placeOf(context, route))
  if (object === undefined) throw notFound(subjectOf(route.resource), route.name)
  return route.subresource?.name === "scale" ? scaleOf(route.resource, object) : object
}

function list(context: Handling, request: ServerRequest, route: ResourceRoute): MapValue {
  const query = request.query
  const { endpoint, namespace } = placeOf(context, route)
  return context.lister.list(endpoint, namespace, query, selectorOf(query, route.resource, ""))
}

async function createFrom(context: Handling, request: ServerRequest, route: ResourceRoute): Promise<Answer> {
  if (route.name !== "") throw methodNotAllowed()
  const options = optionsOf(request, "CreateOptions")
  const place = placeOf(context, route)
  const object = decodeObject(context, place.endpoint, await bodyOf(request, route), options)
  return written(write(context, place, options, steps => steps.create(object)))
}

async function updateFrom(context: Handling, request: ServerRequest, route: ResourceRoute): Promise<Answer> {
  const options = optionsOf(request, "UpdateOptions")
  const body = await bodyOf(request, route)
  const place = placeOf(context, route)
  if (route.subresource?.name === "scale") return written(replaceScale(context, place, body.value, options))
  const object = decodeObject(context, place.endpoint, body, options)
  return written(write(context, place, options, steps => steps.update(object)))
}

function replaceScale(context: Handling, place: Place, body: Value, options: WriteOptions): Written {
  if (!isMap(body)) throw new RequestFailure(400, "the body of the request must be a Scale", "BadRequest")
  const next = { apiVersion: "autoscaling/v1", kind: "Scale", ...body }
  const who = { manager: options.manager, subresource: "scale" }
  return writeScale(context, place, options, {
    next: (scale, manager) => manager.updateLeniently(scale, next, who).object,
    applies: false,
  })
}

async function patchFrom(context: Handling, request: ServerRequest, route: ResourceRoute): Promise<Answer> {
  const type = mediaTypeOf(request)
  const isCustom = route.resource.custom !== undefined
  checkPatchType(type, isCustom)
  const options = writeOptions(
    request.query,
    request.headers["user-agent"] ?? "",
    "PatchOptions",
    type === patchTypes.apply,
  )
  const text = await readText(request)
  const place = placeOf(context, route)
  if (route.subresource?.name === "scale") return written(patchScale(context, place, text, type, options))
  if (type !== patchTypes.apply) {
    return written(write(context, place, options, steps => steps.patch(live => patchedObject(live, text, type))))
  }
  const config = applyBody(text)
  return written(write(context, place, options, steps => steps.apply(config, () => repeatedYaml(text))))
}

/** Writes to the Scale of an object: `place` is that of the object itself. Returns the Scale. */
function writeScale(context: Handling, place: Place, options: WriteOptions, change: ScaleChange): Written {
  const { object } = write(context, place, options, steps => steps.scale(change))
  return { object: scaleOf(place.endpoint.resource, object), created: false }
}

function checkPatchType(type: string, isCustom: boolean): void {
  const { strategic: _, ...forCustom } = patchTypes
  const accepted: string[] = Object.values(isCustom ? forCustom : patchTypes)
  if (!accepted.includes(type)) {
    if (!isCustom) throw new RequestFailure(415, "415: Unsupported Media Type", "UnsupportedMediaType", {})
    const types = accepted.join(", ")
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: ${types}`,
    )
  }
}

function patchedObject(live: MapValue, text: string, type: string): PatchedObject {
  const value = patched(live, text, type)
  requireModest(value)
  return {
    value,
    strictly: unknown => {
      const prefix = type === patchTypes.json ? "json patch " : ""
      const repeated = duplicateFields(text).map(path => prefix + duplicateField(path))
      return [...repeated, ...strictWithoutText(unknown)]
    },
    refusal: (why, kind) => {
      if (type !== patchTypes.strategic) return invalidPatch(formatGoJson(value), why)
      const words = kind === undefined ? why : (conversionProblem(value, kind) ?? why)
      return invalidPatch(goPrint(leftOfPatch(decodeJson(text) as MapValue, live)), words)
    },
  }
}

/** What the live object becomes by a patch of this type. Throws a RequestFailure if it can't be made. */
function patched(live: MapValue, text: string, type: string): Value {
  const body = decodeJson(text)
  return refusingPatchErrors(() => {
    if (type === patchTypes.json) return jsonPatch(live, body)
    if (!isMap(body)) throw badRequest("error decoding patch: the patch must be an object")
    if (type === patchTypes.merge) return mergePatch(live, body)
    const { apiVersion, kind } = objectKindOf(live)
    const patchType = patchTypeOf(apiVersion, kind)
    if (patchType !== undefined) return strategicMerge(live, body, patchType)
    throw notImplemented(`strategic merge patches of ${kind}`, `send ${patchTypes.merge}`)
  })
}

function patchScale(context: Handling, place: Place, text: string, type: string, options: WriteOptions): Written {
  const { manager: name, force } = options
  const who = { manager: name, subresource: "scale" }
  const applies = type === patchTypes.apply
  return writeScale(context, place, options, {
    next: (scale, manager) =>
      applies
        ? manager.apply(scale, applyBody(text), { ...who, force }).object
        : manager.updateLeniently(scale, patched(scale, text, type) as MapValue, who).object,
    applies,
  })
}

async function deleteFrom(context: Handling, request: ServerRequest, route: ResourceRoute): Promise<Answer> {
  if (route.subresource !== undefined) throw methodNotAllowed()
  const options = await deleteOptionsOf(request)
  return ok(remove(context, placeOf(context, route), options))
}

async function deleteAll(context: Handling, request: ServerRequest, route: ResourceRoute): Promise<Answer> {
  const options = await deleteOptionsOf(request)
  const found = list(context, request, route)
  const { endpoint } = placeOf(context, route)
  for (const object of found.items as readonly MapValue[]) {
    const place = { endpoint, namespace: metaText(object, "namespace"), name: metaText(object, "name") }
    if (find(context, place) !== undefined) remove(context, place, options)
  }
  return ok(found)
}

function optionsOf(request: ServerRequest, kind: OptionsKind): WriteOptions {
  return writeOptions(request.query, request.headers["user-agent"] ?? "", kind)
}

/** The object in the body: of the kind of the subresource, where it has one of its own. */
export async function bodyOf(request: ServerRequest, { resource, subresource }: ResourceRoute): Promise<Body> {
  const { apiVersion, kind } = subresource ?? resource
  const body = await readBody(request, { apiVersion, kind, isCustom: resource.custom !== undefined })
  return body ?? { value: decodeJson(""), strictly: strictWithoutText }
}

/** The options of a delete, which protobuf has for custom resources too. */
async function deleteOptionsOf(request: ServerRequest): Promise<DeleteOptions> {
  const body = await readBody(request, { apiVersion: "v1", kind: "DeleteOptions", isCustom: false })
  return deleteOptions(body?.value, request.query)
}
