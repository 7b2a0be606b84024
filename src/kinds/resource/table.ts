// The resources that are served at the moment, found by group, version and plural name.
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { metaText } from "../../requests/metadata.js"
import type { MapValue } from "../../value/value.js"
import { builtInResources } from "./built-in.js"
import { customResources } from "./custom.js"
import type { Resource } from "./resource.js"

export class ResourceTable {
  private readonly builtIn: readonly Resource[]
  /** By the name of the definition. */
  private readonly custom = new Map<string, readonly Resource[]>()
  private readonly types: TypeFinder
  private byPath = new Map<string, Resource>()

  constructor(types: TypeFinder) {
    this.types = types
    this.builtIn = builtInResources(types)
    this.index()
  }

  /** All resources: the built-in ones in the order of discovery, then those of definitions. */
  get all(): readonly Resource[] {
    return [...this.builtIn, ...[...this.custom.values()].flat()]
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.byPath.get(`${group}/${version}/${plural}`)
  }

  /** The resource that serves a kind. */
  findKind(apiVersion: string, kind: string): Resource | undefined {
    return this.all.find(resource => resource.apiVersion === apiVersion && resource.kind === kind)
  }

  /** The resource at the version at which its objects are stored. */
  stored(resource: Resource): Resource {
    const { storageVersion, plural } = resource
    return this.all.find(other => other.apiVersion === storageVersion && other.plural === plural) ?? resource
  }

  /** Serves what the definition defines, in place of what it defined before. Throws a RequestFailure if it can't be served. */
  define(definition: MapValue): void {
    this.custom.set(metaText(definition, "name"), customResources(definition, this.types))
    this.index()
  }

  /** Stops serving what the definition of this name defined. Returns the resources that are gone. */
  remove(name: string): readonly Resource[] {
    const gone = this.custom.get(name) ?? []
    this.custom.delete(name)
    this.index()
    return gone
  }

  private index(): void {
    this.byPath = new Map(this.all.map(found => [`${found.group}/${found.version}/${found.plural}`, found]))
  }
}
