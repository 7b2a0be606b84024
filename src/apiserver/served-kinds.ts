// The kinds that the server serves, while CustomResourceDefinitions are created, changed and deleted.
import { established, isDefinition } from "../kinds/custom/definitions.js"
import { type Resource, storeKey } from "../kinds/resource/resource.js"
import type { ResourceTable } from "../kinds/resource/table.js"
import { metaText } from "../schema/metadata.js"
import { equalValues } from "../value/equal.js"
import type { MapValue } from "../value/value.js"
import type { Endpoint } from "../write/endpoint.js"
import type { UnionGate } from "../write/union-gate.js"
import type { Store } from "./storage/store.js"

/** The parts of a server that a definition concerns. */
interface ServerParts {
  readonly store: Store
  readonly table: ResourceTable
  readonly gate: UnionGate
  readonly clock: () => Date
  readonly statusEndpoint: (resource: Resource) => Endpoint
}

/** Updates the table of resources when a definition is written or deleted. */
export class ServedKinds {
  private readonly parts: ServerParts

  constructor(parts: ServerParts) {
    this.parts = parts
  }

  /**
   * Serves the kind of a definition that is written, or removes the kind of a deleted definition with all its objects; `next` is undefined
   * if the object is deleted. Returns the object to store: a definition gets its status. Does nothing for other objects.
   */
  update(
    resource: Resource,
    next: MapValue | undefined,
    live: MapValue | undefined,
    warnings: string[],
  ): MapValue | undefined {
    if (resource.builtIn?.definesKinds !== true) return next
    const { store, table, gate } = this.parts
    const changed = next ?? live
    if (changed !== undefined) store.checkWritable(storeKey(resource), changed)
    if (next !== undefined && isDefinition(next)) {
      const definition = this.establish(resource, next)
      table.define(definition)
      warnings.push(...gate.problemsOf(definition))
      return definition
    }
    if (live !== undefined) {
      for (const removed of table.remove(metaText(live, "name"))) {
        for (const object of store.list(storeKey(removed))) store.remove(storeKey(removed), object)
      }
    }
    return next
  }

  /** Serves the kinds of the stored definitions, after the store went back from the state of `later`. */
  goBack(later: Store): void {
    const { store, table } = this.parts
    const key = "apiextensions.k8s.io/customresourcedefinitions"
    for (const definition of later.list(key)) {
      const name = metaText(definition, "name")
      if (store.get(key, "", name) === undefined) table.remove(name)
    }
    for (const definition of store.list(key)) {
      if (later.get(key, "", metaText(definition, "name")) !== definition) table.define(definition)
    }
  }

  /** Returns the definition with its status. If the status changed, it is owned as a controller in the server would own it. */
  private establish(resource: Resource, definition: MapValue): MapValue {
    const served = established(definition, this.parts.clock())
    if (equalValues(served, definition)) return definition
    const { manager } = this.parts.statusEndpoint(resource)
    return manager.updateLeniently(definition, served, { manager: "kube-apiserver", subresource: "status" }).object
  }
}
