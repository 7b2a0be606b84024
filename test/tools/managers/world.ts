// How the tests of managers talk to the test API server.
import type { ApiServer } from "../../../src/apiserver/index.js"
import { formatJson, parseJson } from "../../../src/json/json.js"
import type { JsonPatchOperation } from "../../../src/managedfields/index.js"
import { formatPatch } from "../../../src/tools/managers/index.js"
import type { MapValue } from "../../../src/value/value.js"
import { deepFreeze } from "../../support/deep-freeze.js"

/** An answer of the server. */
export interface Answer {
  readonly status: number
  readonly body: MapValue
}

/** An object on a server, and requests to it. */
export class Subject {
  constructor(
    readonly server: ApiServer,
    /** Where objects of its kind are at a version: `/apis/apps/v1/namespaces/default/deployments`. */
    readonly collection: (apiVersion: string) => string,
    readonly apiVersion: string,
    readonly name: string,
  ) {}

  get(): Promise<Answer> {
    return this.send("GET", this.path())
  }

  /** The object, frozen. */
  async live(): Promise<MapValue> {
    return deepFreeze((await this.get()).body) as MapValue
  }

  create(object: MapValue, manager: string): Promise<Answer> {
    return this.send(
      "POST",
      `${this.collection(this.apiVersion)}?fieldManager=${manager}`,
      formatJson(object),
      "application/json",
    )
  }

  apply(config: MapValue, manager: string, { force = false, subresource = "", dryRun = false } = {}): Promise<Answer> {
    const query = `fieldManager=${manager}&force=${force}${dryRun ? "&dryRun=All" : ""}`
    const path = this.path(subresource, config.apiVersion as string)
    return this.send("PATCH", `${path}?${query}`, formatJson(config), "application/apply-patch+yaml")
  }

  merge(patch: MapValue, manager: string, { subresource = "", apiVersion = this.apiVersion } = {}): Promise<Answer> {
    const path = `${this.path(subresource, apiVersion)}?fieldManager=${manager}`
    return this.send("PATCH", path, formatJson(patch), "application/merge-patch+json")
  }

  put(object: MapValue, manager: string): Promise<Answer> {
    return this.send("PUT", `${this.path()}?fieldManager=${manager}`, formatJson(object), "application/json")
  }

  /** Sends a JSON Patch, as kubectl does. */
  patch(patch: readonly JsonPatchOperation[]): Promise<Answer> {
    return this.send("PATCH", this.path(), formatPatch(patch), "application/json-patch+json")
  }

  private path(subresource = "", apiVersion = this.apiVersion): string {
    return `${this.collection(apiVersion)}/${this.name}${subresource === "" ? "" : `/${subresource}`}`
  }

  private async send(method: string, path: string, body?: string, type = ""): Promise<Answer> {
    const init = body === undefined ? {} : { body, headers: { "content-type": type } }
    const response = await this.server.fetch(new Request(`http://test${path}`, { method, ...init }))
    return { status: response.status, body: parseJson(await response.text()) as MapValue }
  }
}

/** The path of a collection in the namespace `default`. */
export function collectionOf(plural: string): (apiVersion: string) => string {
  return apiVersion => `/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}/namespaces/default/${plural}`
}

/** The object without its resourceVersion. */
export function unversioned(object: MapValue): MapValue {
  const { resourceVersion: _, ...metadata } = object.metadata as MapValue
  return { ...object, metadata }
}
