// Loads the conversion of custom resources by webhooks with the first request for such a resource.

import { asksWebhook } from "../kinds/resource/custom.js"
import { type Resource, storeKey, type Verb } from "../kinds/resource/resource.js"
import type { ObjectConverter } from "../managedfields/types/version-converter.js"
import type { Cluster } from "../write/attributes.js"
import type { Conversions } from "./conversion/conversions.js"
import type { ApiServerOptions } from "./options.js"
import type { ResourceRoute } from "./request/route.js"

/** The conversions of a server, once they are loaded. */
export class ConversionLoader {
  private readonly cluster: Cluster
  private readonly options: ApiServerOptions
  private readonly newUid: () => string
  private loaded: Conversions | undefined

  constructor(cluster: Cluster, options: ApiServerOptions, newUid: () => string) {
    this.cluster = cluster
    this.newUid = newUid
    this.options = options
  }

  /** Returns the converter of a resource; undefined if its definition names no webhook. */
  converterOf(resource: Resource): ObjectConverter | undefined {
    const { custom, converter } = resource
    if (custom === undefined || !asksWebhook(custom.definition)) return undefined
    return {
      convert: (object, apiVersion) =>
        this.loaded?.convert(resource, object, apiVersion) ?? converter.convert(object, apiVersion),
    }
  }

  /** Loads the code that a request may need, and converts the objects that it reads first. */
  async prepare({ resource, namespace, name }: ResourceRoute, verb: Verb): Promise<void> {
    if (resource.custom === undefined || !asksWebhook(resource.custom.definition)) return
    if (this.loaded === undefined) {
      const { Conversions } = await import("./conversion/conversions.js")
      const { newUid } = this
      const { webhooks = {}, callWebhook } = this.options
      this.loaded ??= new Conversions({ functions: webhooks, transport: callWebhook, newUid }, this.cluster)
    }
    if (verb === "create" || resource.apiVersion === resource.storageVersion) return
    const { list, get } = this.cluster
    const key = storeKey(resource)
    const one = name === "" ? undefined : get(key, namespace, name)
    const stored = name !== "" ? (one === undefined ? [] : [one]) : list(key, namespace === "" ? undefined : namespace)
    await this.loaded.prepare(this.cluster.endpointOf(resource), stored)
  }
}
