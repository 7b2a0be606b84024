// The parts of the server that the handlers of one request use.

import type { ResourceTable } from "../kinds/resource/table.js"
import { Calls } from "../write/calls.js"
import type { Identity } from "../write/strategy.js"
import type { UnionGate } from "../write/union-gate.js"
import { UnionEvents } from "../write/unions.js"
import type { AdmissionLoader } from "./admission.js"
import type { AuthorizedRequest } from "./authorization/authorization.js"
import type { Endpoints } from "./endpoints.js"
import type { HandlerContext } from "./handlers.js"
import { ValidationEvents } from "./metrics.js"
import type { ApiServerOptions } from "./options.js"
import type { ServerTime } from "./reproducible/clock.js"
import type { RandomValues } from "./reproducible/random.js"
import type { ServedKinds } from "./served-kinds.js"
import { removeFinalized } from "./storage/delete.js"
import type { Store } from "./storage/store.js"

/** The parts of a server that its handlers use. */
export interface ContextParts {
  readonly store: Store
  readonly table: ResourceTable
  readonly time: ServerTime
  readonly random: RandomValues
  readonly options: ApiServerOptions
  readonly admission: AdmissionLoader
  readonly gate: UnionGate
  readonly servedKinds: ServedKinds
  readonly endpoints: Endpoints
}

/** The parts of one request that its context needs. */
interface RequestNotes {
  readonly audit?: Map<string, string>
  readonly authorized?: AuthorizedRequest | undefined
  readonly validation?: ValidationEvents
}

export class Contexts {
  private readonly parts: ContextParts

  constructor(parts: ContextParts) {
    this.parts = parts
  }

  /**
   * Returns the context of a request, which adds its warnings and its events of unions to the given ones. Without arguments, it is the context
   * of a write of the server itself.
   */
  create(warnings: string[] = [], unions = new UnionEvents(""), notes: RequestNotes = {}): HandlerContext {
    const { audit = new Map<string, string>(), authorized, validation = new ValidationEvents() } = notes
    const { store, table, time, random, options, admission, gate, servedKinds, endpoints } = this.parts
    const { admit, validate, featureGates = {} } = options
    const before = warnings.length
    let identity: Identity | undefined
    let suffix: string | undefined
    const context: HandlerContext = {
      store,
      clock: () => time.now(),
      // A request that waits for webhooks is computed several times, with the same result.
      identity: () => (identity ??= { uid: random.uid(), now: time.now() }),
      nameSuffix: () => (suffix ??= random.suffix()),
      calls: new Calls(),
      restart: () => {
        warnings.length = before
        unions.counts.clear()
        audit.clear()
        validation.clear()
      },
      shadow: { gates: featureGates, metrics: validation },
      ...(admit !== undefined && { admit }),
      ...(validate !== undefined && { validate }),
      warn: message => warnings.push(message),
      audit: (key, value) => audit.set(key, value),
      plugins: admission.plugins,
      userInfo: authorized?.userInfo,
      confirmGrants: authorized?.confirmGrants.bind(authorized),
      requireCreate: () => authorized?.check("create"),
      unions,
      noteRead: (definition, unknown) => gate.noteRead(definition, unknown),
      ignoredUnions: (endpoint, object) => gate.ignoredUnions(endpoint, object),
      updateServedKinds: (resource, next, live) => servedKinds.update(resource, next, live, warnings),
      endpoint: (resource, subresource) => endpoints.of(resource, subresource),
      endpointOf: resource => endpoints.of(resource),
      resources: () => table.all.filter(resource => resource.apiVersion === resource.storageVersion),
      removeFinalized: (endpoint, object) => removeFinalized(context, endpoint, object),
    }
    return context
  }
}
