// Requests in one line: each method builds the request that a client would send, and returns the object of the response.

import { formatGoJson, parseJson, tryParseJson } from "../../json/json.js"
import { escapeForYaml } from "../../json/quote.js"
import type { ResourceTable } from "../../kinds/resource/table.js"
import { fromClient } from "../../managedfields/from-client.js"
import { RefusedError } from "../../tools/controller/send.js"
import {
  aList,
  aNumber,
  anObject,
  aString,
  type Expected,
  either,
  optional,
  requireArgument,
  requireOptions,
} from "../../value/argument.js"
import { mapsAt } from "../../value/fields.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { patchTypes } from "../request/body.js"
import type { ApiRequest } from "../request/request.js"
import type { ApiAnswer } from "../response/response.js"
import { type Address, addressOf } from "./header.js"

/** Options of a request. */
export interface ObjectRequestOptions {
  /**
   * The user who sends the request, as the header `Impersonate-User` names it: `ann` or `system:serviceaccount:shop:operator`. If absent: the
   * administrator.
   */
  readonly user?: string | undefined
}

/** Options of a request that writes an object. */
export interface ObjectWriteOptions extends ObjectRequestOptions {
  /** The name of the field manager; `test` if absent. */
  readonly manager?: string | undefined
  /** The subresource to write: `status`. */
  readonly subresource?: string | undefined
  /** Whether the server computes the result and does not store it. */
  readonly dryRun?: boolean | undefined
  /** Whether the server ignores, reports or refuses unknown and repeated fields. By default, it warns. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined
}

/** Options of an apply. */
export interface ObjectApplyOptions extends ObjectWriteOptions {
  /** The name of the field manager. */
  readonly manager: string
  /** Whether the apply takes fields from other managers. */
  readonly force?: boolean | undefined
}

/** Options of a patch. */
export interface ObjectPatchOptions extends ObjectWriteOptions {
  /**
   * The kind of patch. If absent: `json` for a list; for a map, `strategic`, or `merge` for custom resources.
   */
  readonly type?: "json" | "merge" | "strategic" | undefined
}

/** Options of a delete. */
export interface ObjectDeleteOptions extends ObjectRequestOptions {
  /** Whether the objects that the deleted object owns are deleted later, deleted first, or kept. */
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan" | undefined
  /** How long a Pod may take to end. */
  readonly gracePeriodSeconds?: number | undefined
  /** Whether the server only checks the request. */
  readonly dryRun?: boolean | undefined
}

/** Options of a list. */
export interface ObjectListOptions extends ObjectRequestOptions {
  /** The namespace; all namespaces if absent. */
  readonly namespace?: string | undefined
  /** Selects objects by labels: `app=shop`. */
  readonly labelSelector?: string | undefined
  /** Selects objects by fields: `metadata.name=shop`. */
  readonly fieldSelector?: string | undefined
}

type Query = Readonly<Record<string, string | undefined>>

interface Sent {
  readonly method: string
  readonly address: Address
  readonly subresource?: string | undefined
  readonly query?: Query
  readonly type?: string
  readonly body?: object
  readonly user?: string | undefined
}

/** Sends requests about objects. Every method rejects with a RefusedError, which has the Status, if the server refuses the request. */
export class ObjectRequests {
  private readonly table: () => ResourceTable
  private readonly answer: (request: ApiRequest) => Promise<ApiAnswer>

  /** `table` returns the resources that are served at present, and `answer` answers a request. */
  constructor(table: () => ResourceTable, answer: (request: ApiRequest) => Promise<ApiAnswer>) {
    this.table = table
    this.answer = answer
  }

  async apply(object: object, options: ObjectApplyOptions): Promise<MapValue> {
    requireOptions("options", options, { manager: aString })
    const query = { ...writeQuery(options), force: options.force === true ? "true" : undefined }
    return this.write("PATCH", this.named(object), options, object, query, patchTypes.apply)
  }

  async create(object: object, options: ObjectWriteOptions): Promise<MapValue> {
    const address = { ...this.address(object), name: "" }
    return this.write("POST", address, options, object)
  }

  async update(object: object, options: ObjectWriteOptions): Promise<MapValue> {
    return this.write("PUT", this.named(object), options, object)
  }

  async patch(object: object, patch: object, options: ObjectPatchOptions): Promise<MapValue> {
    const address = this.named(object)
    requireArgument("patch", patch, aPatch)
    requireOptions("options", options, { type: optional(aPatchType) })
    const ofMap = address.resource.custom === undefined ? "strategic" : "merge"
    const type = options.type ?? (Array.isArray(patch) ? "json" : ofMap)
    return this.write("PATCH", address, options, patch, writeQuery(options), patchTypes[type])
  }

  async scale(object: object, replicas: number, options: ObjectWriteOptions): Promise<MapValue> {
    requireArgument("replicas", replicas, aNumber)
    const toScale = { ...options, subresource: "scale" }
    const patch = { spec: { replicas } }
    return this.write("PATCH", this.named(object), toScale, patch, writeQuery(options), patchTypes.merge)
  }

  async get(object: object, options: ObjectRequestOptions): Promise<MapValue> {
    requireOptions("options", options)
    const { user } = options
    return this.send({ method: "GET", address: this.named(object), user })
  }

  async list(kind: object, options: ObjectListOptions): Promise<MapValue[]> {
    requireOptions("options", options, {
      namespace: optional(aString),
      labelSelector: optional(aString),
      fieldSelector: optional(aString),
    })
    const { namespace = "", user, labelSelector, fieldSelector } = options
    const query = { labelSelector, fieldSelector }
    const address = { ...this.address(kind), namespace, name: "" }
    const { apiVersion, kind: itemKind } = address.resource
    const list = await this.send({ method: "GET", address, query, user })
    // The items of a list don't repeat their kind.
    return mapsAt(list, "items").map(item => ({ apiVersion, kind: itemKind, ...item }))
  }

  async delete(object: object, options: ObjectDeleteOptions): Promise<MapValue> {
    requireOptions("options", options)
    const { user, dryRun, ...given } = options
    const body = { kind: "DeleteOptions", apiVersion: "v1", ...given, ...(dryRun === true && { dryRun: ["All"] }) }
    return this.send({ method: "DELETE", address: this.named(object), body, type: "application/json", user })
  }

  private address(object: object): Address {
    return addressOf(this.table(), "object", object)
  }

  private named(object: object): Address {
    const address = this.address(object)
    if (address.name === "") throw new TypeError("object: expected an object with a name in its metadata")
    return address
  }

  private write(
    method: string,
    address: Address,
    options: ObjectWriteOptions,
    body: object,
    query: Query = writeQuery(options),
    type = "application/json",
  ): Promise<MapValue> {
    const { subresource, user } = options
    requireOptions("options", options, { subresource: optional(aString) })
    return this.send({ method, address, subresource, query, body, type, user })
  }

  /** Sends a request, and returns the body of the response. */
  private async send({ method, address, subresource, query = {}, type, body, user }: Sent): Promise<MapValue> {
    requireArgument("options.user", user, optional(aString))
    const headers = {
      "user-agent": "test",
      "content-type": type,
      ...(user !== undefined && { "impersonate-user": user }),
    }
    const path = pathOf(address, subresource) + textOf(query)
    const request = {
      method,
      path,
      headers,
      ...(body !== undefined && { body: escapeForYaml(formatGoJson(fromClient(body) as Value)) }),
    }
    const answer = await this.answer(request)
    const text = typeof answer.body === "string" ? answer.body : ""
    if (answer.status >= 400) throw new RefusedError(answer.status, tryParseJson(text) ?? text)
    const value = parseJson(text)
    return isMap(value) ? value : {}
  }
}

const aPatch = either(anObject, aList)
const aPatchType: Expected = {
  name: "json, merge or strategic",
  fits: value => value === "json" || value === "merge" || value === "strategic",
}

function writeQuery(options: ObjectWriteOptions): Query {
  requireOptions("options", options, { manager: optional(aString), fieldValidation: optional(aString) })
  const { manager = "test", dryRun, fieldValidation } = options
  return { fieldManager: manager, dryRun: dryRun === true ? "All" : undefined, fieldValidation }
}

function pathOf({ resource, namespace, name }: Address, subresource: string | undefined): string {
  const { apiVersion, plural } = resource
  const parts = [...(namespace === "" ? [] : ["namespaces", namespace]), plural, name, subresource ?? ""]
  const base = apiVersion.includes("/") ? "/apis" : "/api"
  const rest = parts.filter(part => part !== "").map(encodeURIComponent)
  return [base, apiVersion, ...rest].join("/")
}

function textOf(query: Query): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`
}
