// Encodes the objects and lists of responses in the form that the client wants.

import type { Resource, Verb } from "../../kinds/resource/resource.js"
import { listAt } from "../../value/fields.js"
import type { MapValue } from "../../value/value.js"
import { type ResponseForm, toForm, withWantedOwners } from "./form.js"
import { type JsonCache, withoutKind } from "./json-cache.js"
import { type ApiAnswer, respond } from "./response.js"

/** An object, list or Status to respond with, and its HTTP status. */
export interface ObjectResponse {
  readonly code: number
  readonly object: MapValue
}

/** The parts of a request that decide how the response is encoded. */
export interface EncodedRequest {
  readonly resource: Resource
  readonly verb: Verb
  readonly form: ResponseForm
  /** The parameter `includeObject`, which decides what the rows of a Table contain. */
  readonly includeObject: string
}

/** Encodes responses. The JSON of stored objects is cached. */
export class ObjectEncoder {
  private readonly json: JsonCache
  private readonly clock: () => Date

  /** `clock` is for the ages in a Table. */
  constructor(json: JsonCache, clock: () => Date) {
    this.json = json
    this.clock = clock
  }

  /** Returns the response with the object, and with a header for the warnings. */
  encode(response: ObjectResponse, request: EncodedRequest, warnings: readonly string[]): ApiAnswer {
    const { code } = response
    const { resource, verb, form, includeObject } = request
    const object = withWantedOwners(form, resource, response.object)
    if (form.kind !== "object" || object.kind === "Status") {
      return respond(code, toForm(form, resource, object, includeObject, this.clock), form, warnings)
    }
    if (verb !== "list" && verb !== "deletecollection") {
      return respond(code, object, form, warnings, whole => this.json.format(whole))
    }
    const typed = resource.custom === undefined ? resource : undefined
    const list = typed !== undefined && form.yaml ? withoutKinds(object) : object
    return respond(code, list, form, warnings, whole => this.json.formatList(whole, typed))
  }
}

function withoutKinds(list: MapValue): MapValue {
  return { ...list, items: listAt(list, "items").map(item => withoutKind(item as MapValue)) }
}
