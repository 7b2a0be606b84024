// The endpoints of a server: one for each resource and subresource, made at the first request for it.

import type { Resource } from "../kinds/resource/resource.js"
import { lastingFacts } from "../managedfields/chain/object-facts.js"
import { Endpoint } from "../write/endpoint.js"
import type { UnionGate } from "../write/union-gate.js"
import type { ConversionLoader } from "./conversion.js"
import type { ApiServerOptions } from "./options.js"

export class Endpoints {
  private byResource = new WeakMap<Resource, Map<string, Endpoint>>()
  private readonly options: ApiServerOptions
  private readonly clock: () => Date
  private readonly gate: UnionGate
  private readonly conversions: ConversionLoader

  constructor(options: ApiServerOptions, clock: () => Date, gate: UnionGate, conversions: ConversionLoader) {
    this.options = options
    this.clock = clock
    this.gate = gate
    this.conversions = conversions
  }

  /** Returns the endpoint of the resource, or of its subresource. */
  of(resource: Resource, subresource = ""): Endpoint {
    let bySubresource = this.byResource.get(resource)
    if (bySubresource === undefined) this.byResource.set(resource, (bySubresource = new Map()))
    let endpoint = bySubresource.get(subresource)
    if (endpoint === undefined) bySubresource.set(subresource, (endpoint = this.create(resource, subresource)))
    return endpoint
  }

  /** Forgets all endpoints, because the union policy has changed. */
  clear(): void {
    this.byResource = new WeakMap()
  }

  private create(resource: Resource, subresource: string): Endpoint {
    const { defaults, parity } = this.options
    return new Endpoint(resource, subresource, {
      defaults: resource.custom === undefined ? defaults : undefined,
      unions: this.gate.policy,
      clock: this.clock,
      facts: lastingFacts,
      converter: this.conversions.converterOf(resource),
      parity,
    })
  }
}
